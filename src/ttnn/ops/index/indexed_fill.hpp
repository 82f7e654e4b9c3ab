// indexed_fill, index_fill: numbered slices of a copy replaced, by those of another tensor or by one number.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct IndexedFill {
    static constexpr std::string_view name = "ttnn.indexed_fill";
    static constexpr std::string_view doc =
        "A copy of the first tensor in which the batches that the ids name are those of the second, in its order.";
    struct Params {
        Tensor batch_id{};
        Tensor input_tensor_a{};
        Tensor input_tensor_b{};
        std::optional<MemoryConfig> memory_config{};
        int64_t dim = 0;
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::batch_id>("UINT32 [1, 1, 1, n] in ROW_MAJOR"),
                                      arg<&Params::input_tensor_a>("interleaved, rank 4, ROW_MAJOR").also("input_a"),
                                      arg<&Params::input_tensor_b>("n batches of the same kind").also("input_b"),
                                      kw<&Params::memory_config>("interleaved; default: the first tensor's"),
                                      kw<&Params::dim>("must be 0")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct IndexFill {
    static constexpr std::string_view name = "ttnn.index_fill";
    static constexpr std::string_view doc = "A copy in which the slices that the index names hold one number.";
    struct Params {
        Tensor input{};
        int64_t dim = 0;
        Tensor index{};
        Scalar value = int64_t{0};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input>("BFLOAT16, FLOAT32 or INT32 in ROW_MAJOR").also("input_tensor"),
        arg<&Params::dim>("dimension of the slices, from the front"), arg<&Params::index>("1-D UINT32 in ROW_MAJOR"),
        arg<&Params::value>("a float for floating dtypes, an int for INT32"),
        kw<&Params::memory_config>("interleaved; default: the input's")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(indexed_fill, IndexedFill);
TTNN_OPERATION(index_fill, IndexFill);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <algorithm>

#include "ttnn/reference/movement.hpp"
#include "ttnn/reference/rounding.hpp"

namespace ttnn {

inline std::vector<reference::Array> IndexedFill::reference(const Params& params) {
    const reference::Array ids = reference::values(params.batch_id);
    const reference::Array a = reference::values(params.input_tensor_a);
    const reference::Array b = reference::values(params.input_tensor_b);
    return {reference::generated(a.shape, [&](std::span<const uint32_t> index) {
        // The last one that names this batch.
        for (size_t i = ids.values.size(); i-- > 0;) {
            if (ids.values[i] == index[0]) {
                std::vector<uint32_t> source(index.begin(), index.end());
                source[0] = static_cast<uint32_t>(i);
                return b.at(source);
            }
        }
        return a.at(index);
    })};
}

inline std::vector<reference::Array> IndexFill::reference(const Params& params) {
    const reference::Array input = reference::values(params.input);
    const reference::Array named = reference::values(params.index);
    const auto dim = static_cast<size_t>(params.dim);
    return {reference::generated(input.shape, [&](std::span<const uint32_t> index) {
        const bool filled = std::ranges::find(named.values, static_cast<double>(index[dim])) != named.values.end();
        return filled ? as_double(params.value) : input.at(index);
    })};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/slices.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace indexing {

// A page of what is copied, and the ids.
inline void fill_program(Program& program, const Tensor& work, const Tensor& ids) {
    const CoreRangeSet cores = program.split(std::max<uint64_t>(work.spec().num_pages(), 1));
    program.circular_buffer(cores, movement::capped(program, work, 2 * page_bytes(work)));
    program.circular_buffer(cores, round_up<uint64_t>(page_bytes(ids), 32));
}

inline void check_fill_config(std::string_view op, const std::optional<MemoryConfig>& config) {
    require(!config || !config->is_sharded(), "{}: argument 'memory_config' must be interleaved", op);
}

}  // namespace indexing

inline void IndexedFill::validate(const Params& params) {
    const Shape& ids = params.batch_id.logical_shape();
    const Shape& a = params.input_tensor_a.logical_shape();
    const Shape& b = params.input_tensor_b.logical_shape();
    require(params.dim == 0, "{}: argument 'dim' must be 0, got {}", name, params.dim);
    require(a.rank() == 4 && b.rank() == 4,
            "{}: arguments 'input_tensor_a' and 'input_tensor_b' must have rank 4, got {} and {}", name, a, b);
    require(ids.volume() == ids.from_end(0) && b[0] == ids.from_end(0),
            "{}: argument 'batch_id' must be [1, 1, 1, {}] for the batches of 'input_tensor_b', got {}", name, b[0],
            ids);
    require(a[1] == b[1] && a[2] == b[2] && a[3] == b[3],
            "{}: argument 'input_tensor_b' must have the shape of 'input_tensor_a' behind the batch, got {} and {}",
            name, b, a);
    check_at_launch([&] {
        check_dtype(name, "batch_id", params.batch_id, {DataType::UINT32});
        check_layout(name, "batch_id", params.batch_id, Layout::ROW_MAJOR);
        check_layout(name, "input_tensor_a", params.input_tensor_a, Layout::ROW_MAJOR);
        check_layout(name, "input_tensor_b", params.input_tensor_b, Layout::ROW_MAJOR);
        check_dtype(name, "input_tensor_b", params.input_tensor_b, {params.input_tensor_a.dtype()});
        check_interleaved(name, "input_tensor_a", params.input_tensor_a);
        check_interleaved(name, "input_tensor_b", params.input_tensor_b);
        indexing::check_fill_config(name, params.memory_config);
    });
}

inline Tensor IndexedFill::run(const Params& params) {
    const Tensor& a = params.input_tensor_a;
    const Tensor tensors[] = {params.batch_id, a, params.input_tensor_b};
    const MemoryConfig config = params.memory_config.value_or(a.memory_config());
    const auto program = [&](Program& p, std::span<const Tensor>) { indexing::fill_program(p, a, params.batch_id); };
    const auto kernel = [](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::replace_slices(name, inputs[1], 0, inputs[0], inputs[2], outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(tensors[0]).add(tensors[1]).add(tensors[2]).add(config).add(params.dim);
    };
    return launch({"ttnn::prim::indexed_fill", tensors, program, kernel, arguments},
                  TensorSpec(a.logical_shape(), a.dtype(), Layout::ROW_MAJOR, config));
}

inline Domain IndexedFill::domain(const Params& params, std::string_view field) {
    const Shape& shape = params.input_tensor_a.logical_shape();
    return field == "batch_id" ? Domain::integer(0, std::max(shape[0], 1U) - 1) : Domain::real(-1.0, 1.0);
}

inline void IndexedFill::cases(CaseMaker& make) {
    const auto ids = [&](uint32_t count) {
        return make.interleaved({1, 1, 1, count}, DataType::UINT32, Layout::ROW_MAJOR);
    };
    make.add(Params{.batch_id = ids(2),
                    .input_tensor_a = make.tensor({4, 1, 32, 64}),
                    .input_tensor_b = make.tensor({2, 1, 32, 64})});
    make.add(Params{.batch_id = ids(5),
                    .input_tensor_a = make.tensor({7, 2, 3, 40}),
                    .input_tensor_b = make.tensor({5, 2, 3, 40}),
                    .memory_config = l1_memory_config()});
}

inline void IndexFill::validate(const Params& params) {
    const Shape& shape = params.input.logical_shape();
    require(params.dim >= 0 && params.dim < static_cast<int64_t>(shape.rank()),
            "{}: argument 'dim' must be a dimension of {} counted from the front, got {}", name, shape, params.dim);
    require(params.index.logical_shape().rank() == 1, "{}: argument 'index' must have rank 1, got {}", name,
            params.index.logical_shape());
    const bool whole = std::holds_alternative<int64_t>(params.value);
    check_at_launch([&] {
        check_layout(name, "input", params.input, Layout::ROW_MAJOR);
        check_dtype(name, "input", params.input, {DataType::BFLOAT16, DataType::FLOAT32, DataType::INT32});
        check_dtype(name, "index", params.index, {DataType::UINT32});
        check_layout(name, "index", params.index, Layout::ROW_MAJOR);
        check_interleaved(name, "input", params.input);
        require(whole == is_integer(params.input.dtype()), "{}: argument 'value' must be {} for an input of {}", name,
                whole ? "a float" : "an int", params.input.dtype());
        indexing::check_fill_config(name, params.memory_config);
    });
}

inline Tensor IndexFill::run(const Params& params) {
    const Tensor tensors[] = {params.input, params.index};
    const MemoryConfig config = params.memory_config.value_or(params.input.memory_config());
    const auto program = [&](Program& p, std::span<const Tensor>) {
        indexing::fill_program(p, params.input, params.index);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::fill_slices(name, inputs[0], static_cast<size_t>(params.dim), inputs[1], as_double(params.value),
                             outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(params.input).add(params.dim).add(params.index).add(params.value).add(config);
    };
    return launch({"ttnn::prim::index_fill", tensors, program, kernel, arguments},
                  TensorSpec(params.input.logical_shape(), params.input.dtype(), Layout::ROW_MAJOR, config));
}

inline Domain IndexFill::domain(const Params& params, std::string_view field) {
    const Shape& shape = params.input.logical_shape();
    return field == "index" ? Domain::integer(0, std::max(shape[params.dim], 1U) - 1) : Domain::real(-1.0, 1.0);
}

inline void IndexFill::cases(CaseMaker& make) {
    const Scalar value = make.floating() ? Scalar(0.5) : Scalar(int64_t{-7});
    const auto index = [&](uint32_t count) { return make.interleaved({count}, DataType::UINT32, Layout::ROW_MAJOR); };
    make.add(Params{.input = make.tensor({4, 1, 32, 64}), .dim = 3, .index = index(9), .value = value});
    make.add(Params{.input = make.tensor({7, 3, 40}),
                    .dim = 0,
                    .index = index(2),
                    .value = value,
                    .memory_config = l1_memory_config()});
    make.add(Params{.input = make.tensor({5, 33}), .dim = 1, .index = index(40), .value = value});
}

}  // namespace ttnn

#endif
