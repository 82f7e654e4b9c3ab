// max_pool2d: the greatest element of each window.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct MaxPool2d {
    static constexpr std::string_view name = "ttnn.max_pool2d";
    static constexpr std::string_view doc =
        "Greatest element of each window of images that are stored channels last; on demand also where it is.";
    struct Params {
        Tensor input_tensor{};
        int64_t batch_size = 1;
        int64_t input_h = 1;
        int64_t input_w = 1;
        int64_t channels = 1;
        std::array<uint32_t, 2> kernel_size{};
        std::array<uint32_t, 2> stride{};
        std::vector<int64_t> padding{};
        std::array<uint32_t, 2> dilation{};
        bool ceil_mode = false;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Op2DSliceConfig> dram_slice_config{};
        std::optional<TensorMemoryLayout> applied_shard_scheme{};
        bool deallocate_input = false;
        bool reallocate_halo_output = true;
        bool return_indices = false;
        DataType dtype = DataType::BFLOAT16;
        Layout output_layout = Layout::ROW_MAJOR;
        bool config_tensor_in_dram = false;
    };
    using Result = std::variant<Tensor, std::vector<Tensor>>;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("BFLOAT16 or BFLOAT8_B, [N, H, W, C] or [1, 1, N * H * W, C]"),
        arg<&Params::batch_size>("N"),
        arg<&Params::input_h>("H"),
        arg<&Params::input_w>("W"),
        arg<&Params::channels>("C"),
        arg<&Params::kernel_size>("(height, width)"),
        arg<&Params::stride>("(height, width)"),
        arg<&Params::padding>("(height, width) or (top, bottom, left, right); never the greatest"),
        arg<&Params::dilation>("(height, width)"),
        opt<&Params::ceil_mode>("round the number of windows up"),
        kw<&Params::memory_config>("default: shards over the cores that work"),
        kw<&Params::dram_slice_config>("how an input in DRAM is cut; default: as L1 needs it"),
        kw<&Params::applied_shard_scheme>("how an interleaved input is sharded; default: with least L1"),
        kw<&Params::deallocate_input>("free a sharded input once it was read"),
        kw<&Params::reallocate_halo_output>("move what halo made, against fragmentation"),
        kw<&Params::return_indices>("return [values, indices]; an index is h * W + w in the image"),
        kw<&Params::dtype>("of the result; block floats need TILE"),
        kw<&Params::output_layout>("of the result"),
        kw<&Params::config_tensor_in_dram>("no effect here")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(max_pool2d, MaxPool2d);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/pooling.hpp"

inline std::vector<ttnn::reference::Array> ttnn::MaxPool2d::reference(const Params& params) {
    const std::vector<int64_t>& pad = params.padding;
    const bool four = pad.size() == 4;
    const reference::Pool pool{.batch = params.batch_size,
                               .h = {params.input_h, params.kernel_size[0], params.stride[0], params.dilation[0],
                                     pad[0], four ? pad[1] : pad[0], params.ceil_mode},
                               .w = {params.input_w, params.kernel_size[1], params.stride[1], params.dilation[1],
                                     four ? pad[2] : pad[1], four ? pad[3] : pad[1], params.ceil_mode},
                               .channels = params.channels};
    const reference::Array input = reference::values(params.input_tensor);
    std::vector<reference::Array> outputs{over_windows(
        input, pool, [](const std::vector<double>& numbers, const std::vector<int64_t>&, int64_t, int64_t) {
            return numbers.empty() ? -std::numeric_limits<double>::infinity()
                                   : numbers[reference::greatest_of(numbers)];
        })};
    if (params.return_indices) {
        outputs.push_back(over_windows(
            input, pool, [](const std::vector<double>& numbers, const std::vector<int64_t>& places, int64_t, int64_t) {
                return numbers.empty() ? 0.0 : static_cast<double>(places[reference::greatest_of(numbers)]);
            }));
    }
    return outputs;
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/pool/pool2d.hpp"

namespace ttnn {

namespace pool {

inline Call call_of(const MaxPool2d::Params& params) {
    const auto [top, bottom, left, right] = four_paddings(MaxPool2d::name, params.padding);
    const auto axis = [&](std::string_view what, int64_t size, size_t i, int64_t before, int64_t after) {
        return make_axis({MaxPool2d::name, what, size, params.kernel_size.at(i), params.stride.at(i),
                          params.dilation.at(i), before, after, params.ceil_mode});
    };
    return {.op = MaxPool2d::name,
            .input = params.input_tensor,
            .pooling = {.kind = PoolKind::MAX,
                        .window = {params.batch_size, axis("height", params.input_h, 0, top, bottom),
                                   axis("width", params.input_w, 1, left, right)},
                        .indices = params.return_indices,
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

inline void MaxPool2d::validate(const Params& params) {
    pool::check_images(name, params.input_tensor, params.batch_size, params.input_h, params.input_w, params.channels);
    pool::check_call(pool::call_of(params));
}

inline MaxPool2d::Result MaxPool2d::run(const Params& params) {
    std::vector<Tensor> results = pool::run(pool::call_of(params));
    if (params.return_indices) {
        return results;
    }
    return results.front();
}

inline void MaxPool2d::cases(CaseMaker& make) {
    const auto add = [&](const Shape& shape, std::array<int64_t, 4> nhwc, Params params) {
        params.input_tensor = make.tensor(shape);
        params.batch_size = nhwc[0];
        params.input_h = nhwc[1];
        params.input_w = nhwc[2];
        params.channels = nhwc[3];
        make.add(params);
    };
    add({1, 1, 2 * 14 * 14, 32}, {2, 14, 14, 32},
        {.kernel_size = {3, 3}, .stride = {2, 2}, .padding = {1, 1}, .dilation = {1, 1}});
    add({1, 1, 120, 64}, {1, 8, 15, 64},
        {.kernel_size = {2, 3}, .stride = {2, 1}, .padding = {0, 1, 1, 0}, .dilation = {1, 2}, .return_indices = true});
    add({2, 9, 16, 48}, {2, 9, 16, 48},
        {.kernel_size = {3, 2},
         .stride = {2, 3},
         .padding = {1, 0},
         .dilation = {1, 1},
         .ceil_mode = true,
         .memory_config = MemoryConfig()});
    // Windows that see nothing but padding.
    add({1, 1, 64, 32}, {1, 8, 8, 32},
        {.kernel_size = {2, 2}, .stride = {1, 1}, .padding = {2, 0, 0, 1}, .dilation = {1, 1}, .return_indices = true});
    add({1, 1, 256, 32}, {1, 16, 16, 32},
        {.kernel_size = {2, 2},
         .stride = {2, 2},
         .padding = {0, 0},
         .dilation = {1, 1},
         .dtype = DataType::BFLOAT8_B,
         .output_layout = Layout::TILE});
    if (!make.sharded()) {
        for (const auto type : {Op2DSliceType::DRAMSliceHeight, Op2DSliceType::DRAMSliceWidth, Op2DSliceType::L1Full}) {
            add({1, 1, 2 * 13 * 11, 40}, {2, 13, 11, 40},
                {.kernel_size = {3, 3},
                 .stride = {2, 2},
                 .padding = {1, 1},
                 .dilation = {1, 1},
                 .ceil_mode = true,
                 .dram_slice_config = Op2DSliceConfig{type, 3},
                 .reallocate_halo_output = false,
                 .return_indices = true});
        }
        for (const auto scheme : {TensorMemoryLayout::HEIGHT_SHARDED, TensorMemoryLayout::WIDTH_SHARDED,
                                  TensorMemoryLayout::BLOCK_SHARDED}) {
            add({1, 1, 72, 80}, {1, 6, 12, 80},
                {.kernel_size = {3, 3},
                 .stride = {1, 1},
                 .padding = {1, 1},
                 .dilation = {1, 1},
                 .applied_shard_scheme = scheme,
                 .output_layout = Layout::TILE});
        }
    }
}

}  // namespace ttnn

#endif
