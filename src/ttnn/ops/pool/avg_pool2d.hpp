// avg_pool2d: the mean of each window.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct AvgPool2d {
    static constexpr std::string_view name = "ttnn.avg_pool2d";
    static constexpr std::string_view doc = "Mean of each window of images that are stored channels last.";
    struct Params {
        Tensor input_tensor{};
        int64_t batch_size = 1;
        int64_t input_h = 1;
        int64_t input_w = 1;
        int64_t channels = 1;
        std::array<uint32_t, 2> kernel_size{};
        std::array<uint32_t, 2> stride{};
        std::vector<int64_t> padding{};
        bool ceil_mode = false;
        bool count_include_pad = true;
        std::optional<int64_t> divisor_override{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Op2DSliceConfig> dram_slice_config{};
        std::optional<TensorMemoryLayout> applied_shard_scheme{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        bool deallocate_input = false;
        bool reallocate_halo_output = true;
        DataType dtype = DataType::BFLOAT16;
        Layout output_layout = Layout::ROW_MAJOR;
        bool config_tensor_in_dram = false;
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("BFLOAT16 or BFLOAT8_B, [N, H, W, C] or [1, 1, N * H * W, C]"),
        arg<&Params::batch_size>("N"),
        arg<&Params::input_h>("H"),
        arg<&Params::input_w>("W"),
        arg<&Params::channels>("C"),
        arg<&Params::kernel_size>("(height, width)"),
        arg<&Params::stride>("(height, width)"),
        arg<&Params::padding>("(height, width) or (top, bottom, left, right) of zeros"),
        opt<&Params::ceil_mode>("round the number of windows up"),
        opt<&Params::count_include_pad>("padding counts in the mean"),
        opt<&Params::divisor_override>("what sums are divided by; default: the elements of the window"),
        kw<&Params::memory_config>("default: shards over the cores that work"),
        kw<&Params::dram_slice_config>("how an input in DRAM is cut; default: as L1 needs it"),
        kw<&Params::applied_shard_scheme>("how an interleaved input is sharded; default: with least L1"),
        kw<&Params::compute_kernel_config>("precision, no effect on results here"),
        kw<&Params::deallocate_input>("free a sharded input once it was read"),
        kw<&Params::reallocate_halo_output>("move what halo made, against fragmentation"),
        kw<&Params::dtype>("of the result; block floats need TILE"),
        kw<&Params::output_layout>("of the result"),
        kw<&Params::config_tensor_in_dram>("no effect here")};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(avg_pool2d, AvgPool2d);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/pooling.hpp"

inline std::vector<ttnn::reference::Array> ttnn::AvgPool2d::reference(const Params& params) {
    const std::vector<int64_t>& pad = params.padding;
    const bool four = pad.size() == 4;
    const reference::Pool pool{.batch = params.batch_size,
                               .h = {params.input_h, params.kernel_size[0], params.stride[0], 1, pad[0],
                                     four ? pad[1] : pad[0], params.ceil_mode},
                               .w = {params.input_w, params.kernel_size[1], params.stride[1], 1, four ? pad[2] : pad[1],
                                     four ? pad[3] : pad[1], params.ceil_mode},
                               .channels = params.channels};
    return {over_windows(reference::values(params.input_tensor), pool,
                         [pool, include_pad = params.count_include_pad, given = params.divisor_override](
                             const std::vector<double>& numbers, const std::vector<int64_t>&, int64_t y, int64_t x) {
                             auto divisor = static_cast<double>(numbers.size());
                             if (given) {
                                 divisor = static_cast<double>(*given);
                             } else if (include_pad) {
                                 divisor = static_cast<double>(pool.h.padded_pixels(y) * pool.w.padded_pixels(x));
                             }
                             return reference::total_of(numbers) / divisor;
                         })};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/pool/pool2d.hpp"

namespace ttnn {

namespace pool {

inline Call call_of(const AvgPool2d::Params& params) {
    const auto [top, bottom, left, right] = four_paddings(AvgPool2d::name, params.padding);
    const auto axis = [&](std::string_view what, int64_t size, size_t i, int64_t before, int64_t after) {
        return make_axis({.op = AvgPool2d::name,
                          .name = what,
                          .size = size,
                          .kernel = params.kernel_size.at(i),
                          .stride = params.stride.at(i),
                          .before = before,
                          .after = after,
                          .ceil_mode = params.ceil_mode});
    };
    return {.op = AvgPool2d::name,
            .input = params.input_tensor,
            .pooling = {.kind = PoolKind::AVERAGE,
                        .window = {params.batch_size, axis("height", params.input_h, 0, top, bottom),
                                   axis("width", params.input_w, 1, left, right)},
                        .count_include_pad = params.count_include_pad,
                        .divisor = params.divisor_override,
                        .dtype = params.dtype,
                        .layout = params.output_layout},
            .channels = static_cast<uint32_t>(params.channels),
            .memory_config = params.memory_config,
            .slices = params.dram_slice_config,
            .scheme = params.applied_shard_scheme,
            .deallocate_input = params.deallocate_input,
            .reallocate_halo = params.reallocate_halo_output};
}

}  // namespace pool

inline void AvgPool2d::validate(const Params& params) {
    pool::check_images(name, params.input_tensor, params.batch_size, params.input_h, params.input_w, params.channels);
    require(params.divisor_override.value_or(1) != 0, "{}: argument 'divisor_override' must not be 0", name);
    pool::check_call(pool::call_of(params));
}

inline Tensor AvgPool2d::run(const Params& params) { return pool::run(pool::call_of(params)).front(); }

inline void AvgPool2d::cases(CaseMaker& make) {
    const auto add = [&](const Shape& shape, std::array<int64_t, 4> nhwc, Params params) {
        params.input_tensor = make.tensor(shape);
        params.batch_size = nhwc[0];
        params.input_h = nhwc[1];
        params.input_w = nhwc[2];
        params.channels = nhwc[3];
        make.add(params);
    };
    add({1, 1, 2 * 14 * 14, 32}, {2, 14, 14, 32}, {.kernel_size = {3, 3}, .stride = {2, 2}, .padding = {1, 1}});
    add({1, 1, 120, 64}, {1, 8, 15, 64},
        {.kernel_size = {2, 3}, .stride = {2, 1}, .padding = {0, 1, 1, 0}, .count_include_pad = false});
    add({2, 9, 16, 48}, {2, 9, 16, 48},
        {.kernel_size = {3, 2},
         .stride = {2, 3},
         .padding = {1, 0},
         .ceil_mode = true,
         .memory_config = MemoryConfig()});
    add({1, 1, 256, 32}, {1, 16, 16, 32},
        {.kernel_size = {2, 2},
         .stride = {2, 2},
         .padding = {0, 0},
         .divisor_override = 3,
         .dtype = DataType::BFLOAT8_B,
         .output_layout = Layout::TILE});
    if (!make.sharded()) {
        for (const auto type : {Op2DSliceType::DRAMSliceHeight, Op2DSliceType::DRAMSliceWidth}) {
            for (const bool include_pad : {true, false}) {
                add({1, 1, 2 * 12 * 12, 40}, {2, 12, 12, 40},
                    {.kernel_size = {3, 3},
                     .stride = {2, 2},
                     .padding = {1, 1},
                     .ceil_mode = true,
                     .count_include_pad = include_pad,
                     .dram_slice_config = Op2DSliceConfig{type, 3},
                     .output_layout = include_pad ? Layout::ROW_MAJOR : Layout::TILE});
            }
        }
        add({1, 1, 72, 80}, {1, 6, 12, 80},
            {.kernel_size = {6, 12},
             .stride = {1, 1},
             .padding = {0, 0},
             .applied_shard_scheme = TensorMemoryLayout::BLOCK_SHARDED});
    }
}

}  // namespace ttnn

#endif
