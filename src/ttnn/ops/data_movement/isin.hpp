// isin: where a tensor has elements that are among given ones.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Isin {
    static constexpr std::string_view name = "ttnn.experimental.isin";
    static constexpr std::string_view doc = "All bits set where an element is among the test elements, else 0.";
    struct Params {
        Tensor elements{};
        Tensor test_elements{};
        bool assume_unique = false;
        bool invert = false;
        std::optional<Tensor> out{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::elements>("tensor on a device"), arg<&Params::test_elements>("of the same dtype, any shape"),
        kw<&Params::assume_unique>("no effect on the result"), kw<&Params::invert>("the other way round"),
        kw<&Params::out>("UINT32; written into and returned").mutates()};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<Isin> isin{};
}
TTNN_DECLARATION(Isin);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

namespace ttnn {

inline std::vector<reference::Array> Isin::reference(const Params& params) {
    const auto elements = reference::values(params.elements);
    const auto known = reference::values(params.test_elements);
    return {reference::map(elements, [&](double value) {
        bool found = false;
        for (size_t i = 0; i < known.values.size(); ++i) {
            found = found || known.values[i] == value;
        }
        return found != params.invert ? 4294967295.0 : 0.0;
    })};
}

}  // namespace ttnn

#else

#include <unordered_set>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace movement {

inline void write_isin(std::span<const Tensor> inputs, bool invert, Tensor& output) {
    const Dense<double> known = read<double>(inputs[1]);
    const std::unordered_set<double> set(known.begin(), known.end());
    std::vector<uint32_t> bits;
    for (const double value : read<double>(inputs[0])) {
        bits.push_back(set.contains(value) != invert ? UINT32_MAX : 0);
    }
    write<uint32_t>(output, bits);
}

}  // namespace movement

inline void Isin::validate(const Params& params) {
    check_at_launch([&] {
        check_dtype(name, "test_elements", params.test_elements, {params.elements.dtype()});
        check_interleaved(name, "elements", params.elements);
        check_interleaved(name, "test_elements", params.test_elements);
        if (params.out) {
            check_preallocated(name, "out", *params.out, params.elements.logical_shape());
            check_layout(name, "out", *params.out, params.elements.layout());
            check_dtype(name, "out", *params.out, {DataType::UINT32});
        }
    });
}

inline Tensor Isin::run(const Params& params) {
    const std::array<Tensor, 2> inputs{params.elements, params.test_elements};
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        movement::buffer_for(p, inputs[0], outputs[0], 1);
        movement::buffer_for(p, inputs[1], outputs[0], 1);
        movement::buffer_for(p, outputs[0], outputs[0], 1);
    };
    const auto kernel = [&](std::span<const Tensor> in, std::span<Tensor> outputs) {
        movement::write_isin(in, params.invert, outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(inputs[0]).add(inputs[1]).add(params.assume_unique).add(params.invert).add(params.out);
    };
    const MemoryConfig& config = params.out ? params.out->memory_config() : params.elements.memory_config();
    return launch({"ttnn::prim::isin", inputs, program, kernel, arguments},
                  TensorSpec(params.elements.logical_shape(), DataType::UINT32, params.elements.layout(), config,
                             params.elements.spec().tile()),
                  params.out);
}

inline Domain Isin::domain(const Params&, std::string_view) { return Domain::integer(0, 9); }

inline void Isin::cases(CaseMaker& make) {
    const auto among = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), make.layout()); };
    make.add(Params{.elements = make.tensor({2, 33, 40}), .test_elements = among({4})});
    make.add(Params{.elements = make.tensor({1, 1, 1, 64}), .test_elements = among({1, 5}), .invert = true});
    make.add(Params{.elements = make.tensor({32, 64}),
                    .test_elements = among({3}),
                    .assume_unique = true,
                    .out = make.tensor({32, 64}, DataType::UINT32)});
}

}  // namespace ttnn

#endif
