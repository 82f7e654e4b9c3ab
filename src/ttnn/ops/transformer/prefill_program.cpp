// Attention of many queries per head.
#include <algorithm>
#include <iterator>

#include "ttnn/op/refusal.hpp"
#include "ttnn/op/support.hpp"
#include "ttnn/ops/transformer/attention_program.hpp"

namespace ttnn::attention {
namespace {

constexpr std::string_view primitive_name = "ttnn::prim::sdpa";

bool is_chunked(const Prefill& call) { return call.chunk_start_idx || call.chunk_start_idx_tensor; }

uint32_t number_of_keys(const Prefill& call) {
    const uint32_t rows = call.k.logical_shape()[2];
    return call.page_table ? rows * call.page_table->logical_shape()[-1] : rows;
}

int64_t value_width(const Prefill& call) { return call.head_dim_v.value_or(call.q.logical_shape()[3]); }

// --- checks ----------------------------------------------------------------------------------------------------------

void check_values(const Prefill& call) {
    const Shape& q = call.q.logical_shape();
    const Shape& k = call.k.logical_shape();
    require(value_width(call) > 0 && value_width(call) <= k[3] && value_width(call) % tile_size == 0,
            "{}: argument 'head_dim_v' must be a multiple of 32 up to the width of a key ({}), got {}", call.op, k[3],
            value_width(call));
    if (!call.v) {
        return;
    }
    const Shape& v = call.v->logical_shape();
    check_operand(call.op, "input_tensor_v", *call.v);
    require(v[0] == k[0] && v[2] == k[2], "{}: argument 'input_tensor_v' must have the batches and rows of {}, got {}",
            call.op, k, v);
    require(v[3] == value_width(call), "{}: argument 'input_tensor_v' must be {} wide, got {}", call.op,
            value_width(call), v);
    require(call.head_dim_v || v[1] == k[1], "{}: argument 'input_tensor_v' must have as many heads as {}, got {}",
            call.op, k, v);
    check_heads(call.op, q[1], "input_tensor_v", v[1]);
}

void check_mask(const Prefill& call) {
    if (!call.mask) {
        return;
    }
    require(!call.is_causal, "{}: arguments 'is_causal' and 'attn_mask' exclude each other", call.op);
    require(call.sliding_window_size.value_or(0) == 0,
            "{}: arguments 'sliding_window_size' and 'attn_mask' exclude each other", call.op);
    const Tensor& mask = *call.mask;
    const Shape& shape = mask.logical_shape();
    const Shape& q = call.q.logical_shape();
    check_layout(call.op, "attn_mask", mask, Layout::TILE);
    check_dtype(call.op, "attn_mask", mask, {DataType::BFLOAT16, DataType::BFLOAT8_B, DataType::BFLOAT4_B});
    require(mask.memory_config().is_dram(), "{}: argument 'attn_mask' must be in DRAM", call.op);
    require(shape.rank() == 4 && (shape[0] == 1 || shape[0] == q[0]) && (shape[1] == 1 || shape[1] == q[1]) &&
                shape[2] == q[2] && shape[3] == call.k.logical_shape()[2],
            "{}: argument 'attn_mask' must be [1 or {}, 1 or {}, {}, {}], got {}", call.op, q[0], q[1], q[2],
            call.k.logical_shape()[2], shape);
}

void check_sink(const Prefill& call) {
    if (!call.attention_sink) {
        return;
    }
    const Tensor& sink = *call.attention_sink;
    check_layout(call.op, "attention_sink", sink, Layout::TILE);
    check_dtype(call.op, "attention_sink", sink, {DataType::BFLOAT16, DataType::BFLOAT8_B, DataType::BFLOAT4_B});
    require(sink.memory_config().is_dram(), "{}: argument 'attention_sink' must be in DRAM", call.op);
    const Shape wanted{1, call.q.logical_shape()[1], 1, 1};
    require(sink.logical_shape() == wanted, "{}: argument 'attention_sink' must be {}, got {}", call.op, wanted,
            sink.logical_shape());
}

void check_paged(const Prefill& call) {
    const Shape& q = call.q.logical_shape();
    require(!(call.chunk_start_idx && call.chunk_start_idx_tensor),
            "{}: arguments 'chunk_start_idx' and 'chunk_start_idx_tensor' exclude each other", call.op);
    require(is_chunked(call), "{}: argument 'chunk_start_idx' or 'chunk_start_idx_tensor' is needed", call.op);
    check_page_table(call.op, "page_table_tensor", *call.page_table, q[0]);
    const int64_t start = call.chunk_start_idx.value_or(0);
    require(start >= 0, "{}: argument 'chunk_start_idx' must not be negative, got {}", call.op, start);
    require(start + q[2] <= number_of_keys(call),
            "{}: {} queries from position {} need as many keys, but the pages hold {}", call.op, q[2], start,
            number_of_keys(call));
    if (call.program_config && call.chunk_start_idx) {
        require(start % call.program_config->q_chunk_size == 0 && start % call.program_config->k_chunk_size == 0,
                "{}: argument 'chunk_start_idx' must be a multiple of the chunks of queries ({}) and keys ({}), got {}",
                call.op, call.program_config->q_chunk_size, call.program_config->k_chunk_size, start);
    }
    if (call.chunk_start_idx_tensor) {
        check_dtype(call.op, "chunk_start_idx_tensor", *call.chunk_start_idx_tensor, {DataType::INT32});
        require(call.chunk_start_idx_tensor->logical_shape() == Shape{1},
                "{}: argument 'chunk_start_idx_tensor' must hold one number, got {}", call.op,
                call.chunk_start_idx_tensor->logical_shape());
    }
}

void check_windows(const Prefill& call) {
    if (!call.cu_window_seqlens) {
        return;
    }
    const Tensor& bounds = *call.cu_window_seqlens;
    check_dtype(call.op, "cu_window_seqlens", bounds, {DataType::INT32, DataType::UINT32});
    check_layout(call.op, "cu_window_seqlens", bounds, Layout::ROW_MAJOR);
    const Shape& shape = bounds.logical_shape();
    require(shape.rank() == 1 && shape[0] >= 2 && shape[0] <= tile_size * tile_size,
            "{}: argument 'cu_window_seqlens' must have one dimension of 2 to 1024 numbers, got {}", call.op, shape);
}

void check(const Prefill& call) {
    check_operand(call.op, "input_tensor_q", call.q);
    check_operand(call.op, "input_tensor_k", call.k);
    const Shape& q = call.q.logical_shape();
    const Shape& k = call.k.logical_shape();
    require(k[3] == q[3], "{}: argument 'input_tensor_k' must be as wide as the queries ({}), got {}", call.op, q, k);
    check_heads(call.op, q[1], "input_tensor_k", k[1]);
    check_values(call);
    check_chunks(call.op, call.program_config);
    require(call.sliding_window_size.value_or(0) >= 0,
            "{}: argument 'sliding_window_size' must not be negative, got {}", call.op,
            call.sliding_window_size.value_or(0));
    if (call.page_table) {
        check_paged(call);
    } else {
        require(k[0] == q[0], "{}: argument 'input_tensor_k' must have {} batches, got {}", call.op, q[0], k);
        require(!call.is_causal || q[2] == k[2],
                "{}: with 'is_causal' there must be as many keys as queries, got {} and {}", call.op, k[2], q[2]);
    }
    check_mask(call);
    check_windows(call);
    check_sink(call);
}

// --- running ---------------------------------------------------------------------------------------------------------

TensorSpec output_spec(const Prefill& call) {
    Shape shape = call.q.logical_shape();
    shape[3] = static_cast<uint32_t>(value_width(call));
    return TensorSpec(shape, call.q.dtype(), Layout::TILE, call.memory_config.value_or(MemoryConfig()));
}

// Places among the primitive's inputs.
enum Place : uint8_t { Q, K, V, MASK, PAGES, START, SINK, WINDOWS, PLACES };

std::vector<Tensor> inputs_of(const Prefill& call) {
    std::vector<Tensor> inputs(PLACES);
    inputs[Q] = call.q;
    inputs[K] = call.k;
    inputs[V] = call.v.value_or(Tensor());
    inputs[MASK] = call.mask.value_or(Tensor());
    inputs[PAGES] = call.page_table.value_or(Tensor());
    inputs[START] = call.chunk_start_idx_tensor.value_or(Tensor());
    inputs[SINK] = call.attention_sink.value_or(Tensor());
    inputs[WINDOWS] = call.cu_window_seqlens.value_or(Tensor());
    return inputs;
}

// Which keys a query sees, on one chip.
class Sight {
public:
    Sight(const Prefill& call, std::span<const Tensor> inputs, size_t keys)
        : causal_(call.is_causal), window_(static_cast<size_t>(call.sliding_window_size.value_or(0))), keys_(keys) {
        if (inputs[START]) {
            const auto start = static_cast<int32_t>(read<uint32_t>(inputs[START])[0]);
            require(start >= 0 && static_cast<size_t>(start) + call.q.logical_shape()[2] <= keys,
                    "{}: 'chunk_start_idx_tensor' holds {}, from where {} queries leave the {} keys of the pages",
                    call.op, start, call.q.logical_shape()[2], keys);
            start_ = static_cast<size_t>(start);
        } else {
            start_ = static_cast<size_t>(call.chunk_start_idx.value_or(0));
        }
        if (inputs[WINDOWS]) {
            const Dense<uint32_t> bounds = read<uint32_t>(inputs[WINDOWS]);
            bounds_.assign(bounds.begin(), bounds.end());
            std::ranges::sort(bounds_);
        }
    }

    compute::KeyRange operator()(size_t query) const {
        if (!bounds_.empty()) {
            const auto above = std::ranges::upper_bound(bounds_, query);
            return {above == bounds_.begin() ? 0 : *std::prev(above),
                    above == bounds_.end() ? keys_ : std::min<size_t>(*above, keys_)};
        }
        const size_t position = query + start_;
        if (causal_) {
            return {window_ == 0 || position < window_ ? 0 : position + 1 - window_, position + 1};
        }
        if (window_ == 0) {
            return {0, keys_};
        }
        const size_t half = window_ / 2;
        return {position < half ? 0 : position - half, std::min(position + half + 1, keys_)};
    }

private:
    bool causal_;
    size_t window_;
    size_t keys_;
    size_t start_ = 0;
    std::vector<size_t> bounds_;  // where windows begin
};

void compute_output(const Prefill& call, std::span<const Tensor> inputs, Tensor& output) {
    const Shape& q = inputs[Q].logical_shape();
    const auto sequence = [&](const Tensor& tensor) {
        return inputs[PAGES] ? sequence_of(tensor, inputs[PAGES], q[0]) : sequence_of(tensor);
    };
    const compute::KeySequence keys = sequence(inputs[K]);
    const compute::KeySequence values = inputs[V] ? sequence(inputs[V]) : compute::KeySequence();
    const Sight sight(call, inputs, keys.rows());
    const auto visible = [&](size_t, size_t query) { return sight(query); };
    std::vector<float> sinks;
    if (inputs[SINK]) {
        const Dense<float> numbers = read<float>(inputs[SINK]);
        sinks.assign(numbers.begin(), numbers.end());
    }
    compute::attention({.queries = inputs[Q],
                        .batches = q[0],
                        .heads = q[1],
                        .query_rows = q[2],
                        .runs = {{0, q[2]}},
                        .keys = keys,
                        .values = inputs[V] ? &values : nullptr,
                        .value_width = static_cast<size_t>(value_width(call)),
                        .scale = scale_of(call.scale, inputs[Q]),
                        .mask = inputs[MASK],
                        .mask_heads = inputs[MASK] ? inputs[MASK].logical_shape()[1] : 1,
                        .sinks = sinks,
                        .visible = visible},
                       {output});
}

void declare(Program& program, const Prefill& call, const Tensor& output) {
    const uint32_t queries = call.q.logical_shape()[2];
    const bool made = call.is_causal || call.cu_window_seqlens || call.sliding_window_size.value_or(0) > 0 ||
                      is_padded(call.program_config, queries, number_of_keys(call));
    ChunkBuffers buffers{.q = call.q,
                         .k = call.k,
                         .v = call.v.value_or(call.k),
                         .output = output,
                         .value_width = static_cast<uint64_t>(value_width(call)),
                         .page_table_bytes = call.page_table ? page_bytes(*call.page_table) : 0,
                         .start_in_tensor = call.chunk_start_idx_tensor.has_value(),
                         .config = call.program_config};
    if (call.mask) {
        buffers.mask = call.mask->dtype();
    } else if (made) {
        buffers.mask = DataType::BFLOAT4_B;
    }
    if (call.attention_sink) {
        buffers.sink = call.attention_sink->dtype();
    }
    declare_chunks(program, buffers);
}

}  // namespace

void validate(const Prefill& call) {
    check_primitive(
        primitive_name, [&] { check(call); }, [&] { return given(inputs_of(call)); },
        [&] { return output_spec(call); });
}

Tensor run(const Prefill& call) {
    const std::vector<Tensor> inputs = inputs_of(call);
    const TensorSpec spec = output_spec(call);
    const bool latent = call.head_dim_v.has_value();
    const auto program = [&](Program& p, std::span<const Tensor> outputs) { declare(p, call, outputs[0]); };
    const auto kernel = [&](std::span<const Tensor> tensors, std::span<Tensor> outputs) {
        compute_output(call, tensors, outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(call.q).add(call.k).add(call.v).add(call.mask).add(call.page_table).add(call.attention_sink);
        list.add(call.is_causal).add(call.scale).add(call.sliding_window_size).add_at_run(call.chunk_start_idx);
        list.add(call.chunk_start_idx_tensor).add(latent).add(call.head_dim_v).add(spec.memory_config());
        list.add(call.program_config).add(call.compute_kernel_config).add(call.cu_window_seqlens);
    };
    return launch({primitive_name, inputs, program, kernel, arguments}, spec);
}

}  // namespace ttnn::attention
