// tosa_gather and tosa_scatter: rows taken by their numbers, batch by batch, and put back.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct TosaGather {
    static constexpr std::string_view name = "ttnn.tosa_gather";
    static constexpr std::string_view doc = "out[n, w, :] = input[n, index[n, w], :].";
    struct Params {
        Tensor input{};
        Tensor index{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input>("[N, K, C]").also("input_tensor"),
                                      arg<&Params::index>("[N, W], whole numbers below K").also("index_tensor"),
                                      kw<&Params::memory_config>("interleaved; default: the input's")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct TosaScatter {
    static constexpr std::string_view name = "ttnn.tosa_scatter";
    static constexpr std::string_view doc =
        "A copy of the input with row index[n, w] of batch n replaced by src[n, w].";
    struct Params {
        Tensor input{};
        Tensor index{};
        Tensor src{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input>("[N, K, C]").also("input_tensor"),
                                      arg<&Params::index>("[N, W], whole numbers below K").also("index_tensor"),
                                      arg<&Params::src>("[N, W, C]; of equal indices the last counts").also("source"),
                                      kw<&Params::memory_config>("interleaved; default: the input's")};
    static constexpr Tolerance tolerance = TosaGather::tolerance;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(tosa_gather, TosaGather);
TTNN_OPERATION(tosa_scatter, TosaScatter);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

namespace ttnn {

inline std::vector<reference::Array> TosaGather::reference(const Params& params) {
    const auto input = reference::values(params.input);
    const auto index = reference::values(params.index);
    const Shape shape{index.shape[0], index.shape[1], input.shape[2]};
    return {reference::generated(shape, [&](std::span<const uint32_t> at) {
        const std::array<uint32_t, 2> row{at[0], at[1]};
        const std::array<uint32_t, 3> source{at[0], static_cast<uint32_t>(index.at(row)), at[2]};
        return input.at(source);
    })};
}

// Every row of the result looks for the last index that names it.
inline std::vector<reference::Array> TosaScatter::reference(const Params& params) {
    const auto input = reference::values(params.input);
    const auto index = reference::values(params.index);
    const auto src = reference::values(params.src);
    return {reference::generated(input.shape, [&](std::span<const uint32_t> at) {
        for (uint32_t w = index.shape[1]; w-- > 0;) {
            const std::array<uint32_t, 2> row{at[0], w};
            if (index.at(row) == at[1]) {
                const std::array<uint32_t, 3> source{at[0], w, at[2]};
                return src.at(source);
            }
        }
        return input.at(at);
    })};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/ops/data_movement/nd_shards.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace movement {

inline void check_tosa(std::string_view op, const Tensor& input, const Tensor& index) {
    require(input.logical_shape().rank() == 3, "{}: argument 'input' must have a rank of 3, got {}", op,
            input.logical_shape());
    require(index.logical_shape().rank() == 2 && index.logical_shape()[0] == input.logical_shape()[0],
            "{}: argument 'index' must be [{}, W], got {}", op, input.logical_shape()[0], index.logical_shape());
    check_at_launch([&] {
        check_dtype(op, "index", index, {DataType::UINT16, DataType::UINT32, DataType::INT32});
        check_interleaved_or_nd(op, "input", input);
        check_interleaved_or_nd(op, "index", index);
    });
}

inline size_t checked_row(std::string_view op, uint32_t row, uint32_t rows) {
    require(row < rows, "{}: argument 'index' holds {}, but there are only {} rows", op, row, rows);
    return row;
}

template <class T>
void gather_rows(const Tensor& input, const Tensor& index, Tensor& output) {
    const Dense<T> from = read<T>(input);
    const Dense<uint32_t> rows = read<uint32_t>(index);
    const Shape& shape = input.logical_shape();
    const size_t width = shape[2];
    const size_t per_batch = index.logical_shape()[1];
    Dense<T> to(rows.size() * width);
    for (size_t i = 0; i < rows.size(); ++i) {
        checkpoint();
        const size_t row = i / per_batch * shape[1] + checked_row(TosaGather::name, rows[i], shape[1]);
        std::copy_n(&from[row * width], width, &to[i * width]);
    }
    write<T>(output, to.span());
}

template <class T>
void scatter_rows(const Tensor& input, const Tensor& index, const Tensor& src, Tensor& output) {
    Dense<T> to = read<T>(input);
    const Dense<T> from = read<T>(src);
    const Dense<uint32_t> rows = read<uint32_t>(index);
    const Shape& shape = input.logical_shape();
    const size_t width = shape[2];
    const size_t per_batch = index.logical_shape()[1];
    for (size_t i = 0; i < rows.size(); ++i) {
        checkpoint();
        const size_t row = i / per_batch * shape[1] + checked_row(TosaScatter::name, rows[i], shape[1]);
        std::copy_n(&from[i * width], width, &to[row * width]);
    }
    write<T>(output, to.span());
}

inline Domain row_numbers(const Tensor& input, std::string_view field) {
    const double last = static_cast<double>(std::max(input.logical_shape().from_end(1), 1U)) - 1;
    return field == "index" ? Domain::integer(0, last) : Domain::real(-1.0, 1.0);
}

}  // namespace movement

inline void TosaGather::validate(const Params& params) { movement::check_tosa(name, params.input, params.index); }

inline Tensor TosaGather::run(const Params& params) {
    const std::array<Tensor, 2> inputs{movement::out_of_nd_shards(params.input),
                                       movement::out_of_nd_shards(params.index)};
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        movement::buffer_for(p, inputs[0], outputs[0]);
        movement::buffer_for(p, inputs[1], outputs[0]);
        movement::buffer_for(p, outputs[0], outputs[0]);
    };
    const auto kernel = [](std::span<const Tensor> in, std::span<Tensor> outputs) {
        is_integer(in[0].dtype()) ? movement::gather_rows<uint32_t>(in[0], in[1], outputs[0])
                                  : movement::gather_rows<float>(in[0], in[1], outputs[0]);
    };
    const Shape shape{params.index.logical_shape()[0], params.index.logical_shape()[1],
                      params.input.logical_shape()[2]};
    const auto arguments = [&](ArgumentList& list) { list.add(inputs[0]).add(inputs[1]).add(params.memory_config); };
    return launch({"ttnn::prim::gather", inputs, program, kernel, arguments},
                  TensorSpec(shape, params.input.dtype(), params.input.layout(),
                             params.memory_config.value_or(params.input.memory_config()), params.input.spec().tile()));
}

inline Domain TosaGather::domain(const Params& params, std::string_view field) {
    return movement::row_numbers(params.input, field);
}

inline void TosaGather::cases(CaseMaker& make) {
    const auto index = [&](const Shape& shape, DataType dtype) {
        return make.interleaved(shape, dtype, make.layout());
    };
    make.add(Params{make.tensor({2, 64, 32}), index({2, 40}, DataType::UINT32)});
    make.add(Params{make.tensor({3, 5, 48}), index({3, 7}, DataType::INT32), l1_memory_config()});
    make.add(Params{make.tensor({1, 33, 65}), index({1, 1}, DataType::UINT16)});
}

inline void TosaScatter::validate(const Params& params) {
    movement::check_tosa(name, params.input, params.index);
    const Shape wanted{params.index.logical_shape()[0], params.index.logical_shape()[1],
                       params.input.logical_shape()[2]};
    require(params.src.logical_shape() == wanted, "{}: argument 'src' must be {}, got {}", name, wanted,
            params.src.logical_shape());
    check_at_launch([&] {
        check_dtype(name, "src", params.src, {params.input.dtype()});
        movement::check_interleaved_or_nd(name, "src", params.src);
    });
}

inline Tensor TosaScatter::run(const Params& params) {
    const std::array<Tensor, 3> inputs{movement::out_of_nd_shards(params.input),
                                       movement::out_of_nd_shards(params.index),
                                       movement::out_of_nd_shards(params.src)};
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        std::ranges::for_each(inputs, [&](const Tensor& tensor) { movement::buffer_for(p, tensor, outputs[0]); });
        movement::buffer_for(p, outputs[0], outputs[0]);
    };
    const auto kernel = [](std::span<const Tensor> in, std::span<Tensor> outputs) {
        is_integer(in[0].dtype()) ? movement::scatter_rows<uint32_t>(in[0], in[1], in[2], outputs[0])
                                  : movement::scatter_rows<float>(in[0], in[1], in[2], outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(inputs[0]).add(inputs[1]).add(inputs[2]).add(params.memory_config);
    };
    return launch({"ttnn::prim::scatter", inputs, program, kernel, arguments},
                  params.input.spec().with_memory_config(params.memory_config.value_or(params.input.memory_config())));
}

inline Domain TosaScatter::domain(const Params& params, std::string_view field) {
    return movement::row_numbers(params.input, field);
}

inline void TosaScatter::cases(CaseMaker& make) {
    const auto index = [&](const Shape& shape, DataType dtype) {
        return make.interleaved(shape, dtype, make.layout());
    };
    make.add(Params{make.tensor({2, 64, 32}), index({2, 10}, DataType::UINT32), make.tensor({2, 10, 32})});
    make.add(
        Params{make.tensor({3, 5, 48}), index({3, 2}, DataType::INT32), make.tensor({3, 2, 48}), l1_memory_config()});
    make.add(Params{make.tensor({1, 33, 65}), index({1, 40}, DataType::UINT16), make.tensor({1, 40, 65})});
}

}  // namespace ttnn

#endif
