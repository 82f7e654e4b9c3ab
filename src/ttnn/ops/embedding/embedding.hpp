// embedding: rows of a table by their number.
#pragma once

#include "ttnn/core/stop.hpp"
#include "ttnn/op/op.hpp"

namespace ttnn {

struct Embedding {
    static constexpr std::string_view name = "ttnn.embedding";
    static constexpr std::string_view doc = "Looks up a row of the weight for every id.";
    struct Params {
        Tensor input_tensor{};
        Tensor weight{};
        std::optional<int64_t> padding_idx{};
        std::optional<Layout> layout{};
        EmbeddingsType embeddings_type = EmbeddingsType::GENERIC;
        std::optional<DataType> dtype{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("ids: UINT32, or whole numbers in BFLOAT16"),
                                      arg<&Params::weight>("BFLOAT16 table [.., rows, width], interleaved"),
                                      kw<&Params::padding_idx>("id whose row a model does not train; looked up alike"),
                                      kw<&Params::layout>("default: the weight's"),
                                      kw<&Params::embeddings_type>("GENERIC, PADDED or BINARY; the result is the same"),
                                      kw<&Params::dtype>("default: the weight's; another one in TILE only"),
                                      kw<&Params::output_tensor>("written into and returned").mutates(),
                                      kw<&Params::memory_config>("default: that of the ids")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(embedding, Embedding);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/array.hpp"

inline std::vector<ttnn::reference::Array> ttnn::Embedding::reference(const Params& params) {
    const auto ids = reference::values(params.input_tensor);
    const auto table = reference::values(params.weight);
    const uint32_t width = table.shape[-1];
    Shape shape = ids.shape.rank() == 4 ? Shape{ids.shape[0], ids.shape[3]} : ids.shape;
    shape.push_back(width);
    reference::Array output(shape);
    for (size_t i = 0; i < ids.values.size(); ++i) {
        for (size_t column = 0; column < width; ++column) {
            // Checked: cases that the operation rejects come here too.
            output.values.held().at(i * width + column) =
                table.values.held().at(static_cast<size_t>(ids.values[i]) * width + column);
        }
    }
    return {output};
}

#else

#include <cstring>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/data_movement/nd_shards.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/data_movement/to_layout.hpp"
#include "ttnn/ops/data_movement/typecast.hpp"
#include "ttnn/ops/sharding/to_memory_config.hpp"

namespace ttnn {

namespace movement {

// Weight and output are interleaved row-major tensors of one dtype, so that a row is a page on both sides; tables are
// large, and only the rows that are asked for are read.
inline void gather_rows(const Tensor& ids, const Tensor& weight, Tensor& output) {
    const Dense<double> numbers = read<double>(ids);
    const double rows = weight.logical_shape().from_end(1);
    const size_t size = weight.logical_shape().from_end(0) * element_size(weight.dtype());
    const std::byte* from = weight.bytes().data();
    std::byte* to = output.mutable_bytes().data();
    for (size_t i = 0; i < numbers.size(); ++i) {
        checkpoint();
        require(numbers[i] >= 0 && numbers[i] < rows,
                "{}: argument 'input_tensor' holds {}, but the weight has {} rows", Embedding::name, numbers[i], rows);
        std::memcpy(to + output.page_offset(i), from + weight.page_offset(static_cast<uint64_t>(numbers[i])), size);
    }
}

// Ids [batch, n] and a row-major weight give [batch, 1, n, width] in row-major.
inline Tensor embedding_primitive(const Tensor& ids, const Tensor& weight, const MemoryConfig& config) {
    const Tensor tensors[] = {ids, weight};
    const uint32_t count = ids.logical_shape().from_end(0);
    const auto batch = static_cast<uint32_t>(ids.logical_volume() / std::max(count, 1U));
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        const uint64_t blocks = std::max<uint64_t>(div_up<uint64_t>(ids.logical_volume(), tile_size), 1);
        const CoreRangeSet cores = p.split(blocks);
        p.circular_buffer(cores, capped(p, outputs[0], (blocks > cores.num_cores() ? 2 : 1) * page_bytes(outputs[0])));
        p.circular_buffer(cores, tile_size * element_size(ids.dtype()));
    };
    const auto kernel = [](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        gather_rows(inputs[0], inputs[1], outputs[0]);
    };
    return launch(
        {"ttnn::prim::embedding", tensors, program, kernel},
        TensorSpec({batch, 1, count, weight.logical_shape().from_end(0)}, weight.dtype(), Layout::ROW_MAJOR, config));
}

inline Shape embedded_shape(const Embedding::Params& params) {
    const Shape& ids = params.input_tensor.logical_shape();
    Shape shape = ids.rank() == 4 ? Shape{ids[0], ids[3]} : ids;
    shape.push_back(params.weight.logical_shape().from_end(0));
    return shape;
}

inline Layout embedded_layout(const Embedding::Params& params) {
    return params.output_tensor ? params.output_tensor->layout() : params.layout.value_or(params.weight.layout());
}

}  // namespace movement

inline void Embedding::validate(const Params& params) {
    const Shape& ids = params.input_tensor.logical_shape();
    const Shape& table = params.weight.logical_shape();
    check_at_launch([&] {
        check_dtype(name, "input_tensor", params.input_tensor, {DataType::UINT32, DataType::BFLOAT16});
    });
    require(ids.rank() >= 1 && ids.rank() <= 4 && (ids.rank() < 4 || (ids[1] == 1 && ids[2] == 1)),
            "{}: argument 'input_tensor' must have a rank of 1 to 3 or be [batch, 1, 1, n], got {}", name, ids);
    check_at_launch([&] {
        check_dtype(name, "weight", params.weight, {DataType::BFLOAT16});
        movement::check_interleaved_or_nd(name, "weight", params.weight);
    });
    require(table.rank() >= 2 && table.volume() == uint64_t{table.from_end(0)} * table.from_end(1),
            "{}: argument 'weight' must be [rows, width] with leading dimensions of 1, got {}", name, table);
    require(params.embeddings_type != EmbeddingsType::PADDED || params.padding_idx,
            "{}: argument 'padding_idx' is required with EmbeddingsType.PADDED", name);
    require(!params.padding_idx || (*params.padding_idx >= 0 && *params.padding_idx < int64_t{table.from_end(1)}),
            "{}: argument 'padding_idx' must be a row of the weight (0 to {}), got {}", name,
            int64_t{table.from_end(1)} - 1, params.padding_idx.value_or(0));
    const DataType dtype = output_dtype(name, params.dtype, params.output_tensor, params.weight.dtype());
    require(dtype == params.weight.dtype() || movement::embedded_layout(params) == Layout::TILE,
            "{}: argument 'dtype' is {}, which needs a result in TILE; in ROW_MAJOR it stays {}", name, dtype,
            params.weight.dtype());
    if (params.output_tensor) {
        check_preallocated(name, "output_tensor", *params.output_tensor, movement::embedded_shape(params));
    }
}

inline Tensor Embedding::run(const Params& params) {
    const Shape shape = movement::embedded_shape(params);
    const Layout layout = movement::embedded_layout(params);
    const DataType dtype = output_dtype(name, params.dtype, params.output_tensor, params.weight.dtype());
    const MemoryConfig config = output_memory_config(params.memory_config, params.output_tensor, params.input_tensor);
    const MemoryConfig between(TensorMemoryLayout::INTERLEAVED, config.buffer_type());
    const Tensor table = movement::out_of_nd_shards(params.weight);
    const Tensor weight = table.layout() == Layout::TILE ? to_layout(table, Layout::ROW_MAJOR) : table;
    Tensor result = movement::embedding_primitive(params.input_tensor, weight, between);
    result = reshape(result, movement::ints(shape));
    result = to_layout(result, layout);
    result = result.dtype() == dtype ? result : typecast(result, dtype);
    if (params.output_tensor) {
        return movement::copy_primitive(result, config, dtype, params.output_tensor);
    }
    if (!config.is_sharded()) {
        return result;
    }
    return to_memory_config(result, params.memory_config ? config : movement::fitted(config, shape, dtype, layout));
}

inline Domain Embedding::domain(const Params& params, std::string_view field) {
    return field == "input_tensor" ? Domain::integer(0, params.weight.logical_shape().from_end(1) - 1)
                                   : Domain::real(-1.0, 1.0);
}

inline void Embedding::cases(CaseMaker& make) {
    const Tensor table = make.interleaved({50, 64}, DataType::BFLOAT16, make.layout());
    make.add(Params{.input_tensor = make.tensor({1, 32}), .weight = table});
    make.add(Params{.input_tensor = make.tensor({3, 5}), .weight = table, .layout = Layout::TILE});
    make.add(Params{.input_tensor = make.tensor({2, 1, 1, 40}),
                    .weight = make.interleaved({1, 1, 20, 48}, DataType::BFLOAT16, Layout::ROW_MAJOR),
                    .layout = Layout::ROW_MAJOR,
                    .memory_config = l1_memory_config()});
    make.add(Params{.input_tensor = make.tensor({2, 3, 32}),
                    .weight = table,
                    .padding_idx = 7,
                    .layout = Layout::TILE,
                    .embeddings_type = EmbeddingsType::PADDED,
                    .dtype = DataType::BFLOAT8_B});
    make.add(Params{.input_tensor = make.tensor({1, 32}),
                    .weight = table,
                    .layout = Layout::TILE,
                    .output_tensor = make.interleaved({1, 32, 64}, DataType::BFLOAT16, Layout::TILE)});
    if (!make.sharded()) {
        make.add(Params{.input_tensor = make.tensor({33}), .weight = table});
    }
}

}  // namespace ttnn

#endif
