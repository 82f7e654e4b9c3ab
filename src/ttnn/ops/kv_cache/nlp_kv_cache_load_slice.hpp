// nlp_kv_cache_load_slice: some rows of every sequence of a cache, spread over cores.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/ops/kv_cache/paged_rules.hpp"

namespace ttnn {

struct NlpKvCacheLoadSlice {
    static constexpr std::string_view name = "ttnn.experimental.nlp_kv_cache_load_slice";
    static constexpr std::string_view doc =
        "Copies rows of a cache into L1, height sharded: one head of one sequence on each core.";
    struct Params {
        Tensor input_tensor{};
        int64_t seq_len_start = 0;
        int64_t seq_len_end = 0;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tile tensor [sequences, heads, rows, width]"),
                                      kwreq<&Params::seq_len_start>("first row, a multiple of 32"),
                                      kwreq<&Params::seq_len_end>("row after the last one, a multiple of 32"),
                                      kw<&Params::memory_config>("no effect"),
                                      kw<&Params::output_tensor>("written into and returned").mutates()};
    static constexpr Tolerance tolerance = caches::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<NlpKvCacheLoadSlice> nlp_kv_cache_load_slice{};
}
TTNN_DECLARATION(NlpKvCacheLoadSlice);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

inline std::vector<ttnn::reference::Array> ttnn::NlpKvCacheLoadSlice::reference(const Params& params) {
    const reference::Array cache = reference::padded_values(params.input_tensor);
    Shape shape = cache.shape;
    shape[2] = static_cast<uint32_t>(params.seq_len_end - params.seq_len_start);
    return {reference::generated(shape, [&](std::span<const uint32_t> at) {
        return cache.at(
            std::vector<uint32_t>{at[0], at[1], at[2] + static_cast<uint32_t>(params.seq_len_start), at[3]});
    })};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/tiles.hpp"

namespace ttnn {

namespace caches {

inline Shape slice_shape(const NlpKvCacheLoadSlice::Params& params) {
    Shape shape = params.input_tensor.padded_shape();
    shape[2] = static_cast<uint32_t>(params.seq_len_end - params.seq_len_start);
    return shape;
}

inline TensorSpec slice_spec(const NlpKvCacheLoadSlice::Params& params) {
    const Tensor& input = params.input_tensor;
    const Shape shape = slice_shape(params);
    const CoreRangeSet cores = num_cores_to_corerangeset(shape[0] * shape[1], input.device()->compute_grid(), true);
    return TensorSpec(
        shape, input.dtype(), Layout::TILE,
        MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1, ShardSpec{cores, {shape[2], shape[3]}}));
}

}  // namespace caches

inline void NlpKvCacheLoadSlice::validate(const Params& params) {
    const Tensor& input = params.input_tensor;
    caches::check_rank(name, "input_tensor", input, 4);
    const int64_t rows = input.padded_shape()[2];
    require(params.seq_len_start >= 0 && params.seq_len_start < params.seq_len_end && params.seq_len_end <= rows &&
                params.seq_len_start % tile_size == 0 && params.seq_len_end % tile_size == 0,
            "{}: arguments 'seq_len_start' and 'seq_len_end' must be multiples of {} with rows of the cache (0 to {}) "
            "between them, got {} and {}",
            name, tile_size, rows, params.seq_len_start, params.seq_len_end);
    const uint32_t cores = input.device()->full_grid().num_cores();
    const uint32_t wanted = input.padded_shape()[0] * input.padded_shape()[1];
    require(wanted >= 1 && wanted <= cores, "{}: argument 'input_tensor' has {} heads in all, but there are {} cores",
            name, wanted, cores);
    check_at_launch([&] {
        caches::check_tiles(name, "input_tensor", input);
        check_dtype(name, "input_tensor", input, {DataType::FLOAT32, DataType::BFLOAT16, DataType::BFLOAT8_B});
        check_interleaved(name, "input_tensor", input);
    });
    if (params.output_tensor) {
        check_preallocated(name, "output_tensor", *params.output_tensor, caches::slice_shape(params));
        caches::check_tiles(name, "output_tensor", *params.output_tensor);
        check_dtype(name, "output_tensor", *params.output_tensor, {input.dtype()});
    }
}

inline Tensor NlpKvCacheLoadSlice::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const auto program = [](Program& p, std::span<const Tensor> outputs) {
        movement::buffer_for(p, outputs[0], outputs[0]);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        const Shape& shape = inputs[0].padded_shape();
        const uint64_t wide = caches::tiles_wide(inputs[0]);
        const uint64_t rows = caches::tiles_high(inputs[0]);
        const uint64_t taken = caches::tiles_high(outputs[0]);
        const uint64_t heads = uint64_t{shape[0]} * shape[1];
        compute::copy_tiles(inputs[0], outputs[0],
                            {.dims = {{heads, rows * wide, taken * wide}, {taken * wide, 1, 1}},
                             .from = static_cast<uint64_t>(params.seq_len_start) / tile_size * wide,
                             .to = 0});
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(params.seq_len_start).add(params.seq_len_end).add(params.memory_config);
        list.add(params.output_tensor);
    };
    return launch({"ttnn::prim::nlp_kv_cache_load_slice", {&input, 1}, program, kernel, arguments},
                  caches::slice_spec(params), params.output_tensor);
}

inline void NlpKvCacheLoadSlice::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({2, 2, 128, 64}), .seq_len_start = 32, .seq_len_end = 96});
    make.add(Params{.input_tensor = make.tensor({1, 3, 70, 40}), .seq_len_start = 64, .seq_len_end = 96});
    make.add(Params{.input_tensor = make.tensor({4, 1, 64, 32}),
                    .seq_len_start = 0,
                    .seq_len_end = 32,
                    .output_tensor = make.interleaved({4, 1, 32, 32}, make.dtype(), make.layout())});
}

}  // namespace ttnn

#endif
