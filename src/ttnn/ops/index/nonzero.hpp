// nonzero: where a row is not zero.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Nonzero {
    static constexpr std::string_view name = "ttnn.nonzero";
    static constexpr std::string_view doc =
        "How many elements are not zero, and their indices in rising order. The count stands first of eight numbers, "
        "the indices first in a tensor of the input's shape; zeros follow.";
    struct Params {
        Tensor input_tensor{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = std::vector<Tensor>;
    static constexpr FieldList fields{arg<&Params::input_tensor>("interleaved [1, 1, 1, X] in ROW_MAJOR"),
                                      kw<&Params::memory_config>("interleaved; default: the input's")};

    static constexpr uint32_t count_width = 8;  // 32 bytes of UINT32
    static void validate(const Params& params);
    static Result run(const Params& params);
    static Domain domain(const Params&, std::string_view) { return Domain::integer(0, 2); }
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(nonzero, Nonzero);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/array.hpp"

inline std::vector<ttnn::reference::Array> ttnn::Nonzero::reference(const Params& params) {
    const reference::Array input = reference::values(params.input_tensor);
    std::vector<double> indices;
    for (size_t i = 0; i < input.values.size(); ++i) {
        if (input.values[i] != 0) {
            indices.push_back(static_cast<double>(i));
        }
    }
    reference::Array count({1, 1, 1, count_width});
    count.values[0] = static_cast<double>(indices.size());
    indices.resize(input.values.size(), 0.0);
    return {count, {input.shape, std::move(indices)}};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace indexing {

template <class T>
void find_nonzero(const Tensor& input, Tensor& count, Tensor& indices) {
    const Dense<T> values = read<T>(input);
    std::vector<uint32_t> found(values.size(), 0);
    uint32_t number = 0;
    for (uint32_t i = 0; i < values.size(); ++i) {
        found[number] = i;
        number += values[i] != T{0} ? 1 : 0;
    }
    std::fill(found.begin() + number, found.end(), 0U);
    std::vector<uint32_t> counts(Nonzero::count_width, 0);
    counts[0] = number;
    write<uint32_t>(count, counts);
    write<uint32_t>(indices, found);
}

}  // namespace indexing

inline void Nonzero::validate(const Params& params) {
    const Tensor& input = params.input_tensor;
    const Shape& shape = input.logical_shape();
    require(shape.rank() == 4 && shape.volume() == shape[3], "{}: argument 'input_tensor' must be [1, 1, 1, X], got {}",
            name, shape);
    check_at_launch([&] {
        check_layout(name, "input_tensor", input, Layout::ROW_MAJOR);
        check_interleaved(name, "input_tensor", input);
        require(!params.memory_config || !params.memory_config->is_sharded(),
                "{}: argument 'memory_config' must be interleaved", name);
    });
}

inline std::vector<Tensor> Nonzero::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const MemoryConfig config = params.memory_config.value_or(input.memory_config());
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        const CoreRangeSet cores = p.split(1);
        for (const Tensor& tensor : {input, outputs[0], outputs[1]}) {
            p.circular_buffer(cores, movement::capped(p, tensor, round_up<uint64_t>(page_bytes(tensor), 32)));
        }
    };
    const auto kernel = [](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        is_integer(inputs[0].dtype()) ? indexing::find_nonzero<uint32_t>(inputs[0], outputs[0], outputs[1])
                                      : indexing::find_nonzero<float>(inputs[0], outputs[0], outputs[1]);
    };
    const auto arguments = [&](ArgumentList& list) { list.add(input).add(config); };
    const OutputSlot slots[] = {
        {.spec = TensorSpec({1, 1, 1, count_width}, DataType::UINT32, Layout::ROW_MAJOR, config)},
        {.spec = TensorSpec(input.logical_shape(), DataType::UINT32, Layout::ROW_MAJOR, config)}};
    return launch({"ttnn::prim::nonzero", {&input, 1}, program, kernel, arguments}, slots);
}

inline void Nonzero::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 1, 1, 64})});
    make.add(Params{.input_tensor = make.tensor({1, 1, 1, 37}), .memory_config = l1_memory_config()});
}

}  // namespace ttnn

#endif
