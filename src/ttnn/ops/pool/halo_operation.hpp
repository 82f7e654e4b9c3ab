// halo as an operation of its own: what poolings and convolutions do first with images in shards.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Halo {
    static constexpr std::string_view name = "ttnn.halo";
    static constexpr std::string_view aliases[] = {"ttnn.untilize_with_halo_v2"};
    static constexpr std::string_view doc =
        "Gives every core the pixels that its share of the windows covers: those of neighbours and padding as well, in "
        "the order of the padded images. Windows are dealt to the cores of the input's pixels in equal shares.";
    struct Params {
        Tensor input_tensor{};
        int64_t batch_size = 1;
        int64_t input_h = 1;
        int64_t input_w = 1;
        std::array<uint32_t, 2> kernel_size{};
        std::array<uint32_t, 2> stride{1, 1};
        std::vector<int64_t> padding{0, 0};
        std::array<uint32_t, 2> dilation{1, 1};
        bool ceil_mode = false;
        double pad_val = 0.0;
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("BFLOAT16, BFLOAT8_B or FLOAT32 [1, 1, N * H * W, C] in shards in L1"),
                  arg<&Params::batch_size>("N"),
                  arg<&Params::input_h>("H"),
                  arg<&Params::input_w>("W"),
                  arg<&Params::kernel_size>("(height, width)"),
                  opt<&Params::stride>("(height, width)"),
                  opt<&Params::padding>("(height, width) or (top, bottom, left, right)"),
                  opt<&Params::dilation>("(height, width)"),
                  opt<&Params::ceil_mode>("round the number of windows up"),
                  kw<&Params::pad_val>("what stands in the padding, and behind the last pixel of a core")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(halo, Halo);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <algorithm>

#include "ttnn/reference/pooling.hpp"

namespace ttnn::reference {

// Numbers of the first and the last padded pixel that some windows cover; `last` before `first`: there are none.
struct Covered {
    int64_t first = 0;
    int64_t last = -1;
};

inline int64_t padded_size(const PoolDim& dim) {
    return std::max(dim.before + dim.size + dim.after,
                    (dim.outputs() - 1) * dim.stride + (dim.kernel - 1) * dim.dilation + 1);
}

inline Covered covered(const Pool& pool, int64_t begin, int64_t end) {
    Covered range;
    for (int64_t output = begin; output < end; ++output) {
        const int64_t x = output % pool.w.outputs();
        const int64_t y = output / pool.w.outputs() % pool.h.outputs();
        const int64_t image = output / pool.w.outputs() / pool.h.outputs();
        for (int64_t j = 0; j < pool.h.kernel; ++j) {
            for (int64_t i = 0; i < pool.w.kernel; ++i) {
                const int64_t row = image * padded_size(pool.h) + y * pool.h.stride + j * pool.h.dilation;
                const int64_t pixel = row * padded_size(pool.w) + x * pool.w.stride + i * pool.w.dilation;
                range.first = range.last < 0 ? pixel : std::min(range.first, pixel);
                range.last = std::max(range.last, pixel);
            }
        }
    }
    return range;
}

// The pixel of the input at this place of the padded images; -1: padding.
inline int64_t pixel_at(const Pool& pool, int64_t place) {
    const int64_t x = place % padded_size(pool.w) - pool.w.before;
    const int64_t row = place / padded_size(pool.w);
    const int64_t y = row % padded_size(pool.h) - pool.h.before;
    const bool inside = x >= 0 && x < pool.w.size && y >= 0 && y < pool.h.size;
    return inside ? (row / padded_size(pool.h) * pool.h.size + y) * pool.w.size + x : -1;
}

}  // namespace ttnn::reference

inline std::vector<ttnn::reference::Array> ttnn::Halo::reference(const Params& params) {
    const reference::Array input = reference::values(params.input_tensor);
    const std::vector<int64_t>& pad = params.padding;
    const bool four = pad.size() == 4;
    const int64_t channels = input.shape.from_end(0);
    const reference::Pool pool{.batch = params.batch_size,
                               .h = {params.input_h, params.kernel_size[0], params.stride[0], params.dilation[0],
                                     pad[0], four ? pad[1] : pad[0], params.ceil_mode},
                               .w = {params.input_w, params.kernel_size[1], params.stride[1], params.dilation[1],
                                     four ? pad[2] : pad[1], four ? pad[3] : pad[1], params.ceil_mode},
                               .channels = channels};
    const ShardSpec& shards = *params.input_tensor.memory_config().shard_spec();
    const auto cores = [&]() -> int64_t {
        switch (params.input_tensor.memory_config().memory_layout()) {
            case TensorMemoryLayout::HEIGHT_SHARDED: return shards.num_cores();
            case TensorMemoryLayout::WIDTH_SHARDED: return 1;
            default: return shards.grid.bounding_box().grid_size().y;
        }
    }();
    const int64_t total = pool.batch * pool.h.outputs() * pool.w.outputs();
    const int64_t share = (total + cores - 1) / cores;
    std::vector<reference::Covered> ranges;
    int64_t most = 1;
    for (int64_t core = 0; core < cores; ++core) {
        ranges.push_back(covered(pool, core * share, std::min((core + 1) * share, total)));
        most = std::max(most, ranges.back().last - ranges.back().first + 1);
    }
    reference::Array output({1, 1, static_cast<uint32_t>(cores * most), static_cast<uint32_t>(channels)},
                            params.pad_val);
    for (int64_t core = 0; core < cores; ++core) {
        const auto [first, last] = ranges[static_cast<size_t>(core)];
        for (int64_t place = first; place <= last; ++place) {
            const int64_t pixel = pixel_at(pool, place);
            for (int64_t c = 0; pixel >= 0 && c < channels; ++c) {
                output.values[static_cast<size_t>((core * most + place - first) * channels + c)] =
                    input.values[static_cast<size_t>(pixel * channels + c)];
            }
        }
    }
    return {output};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/pool/pool2d.hpp"

namespace ttnn {

namespace pool {

inline Window window_of(const Halo::Params& params) {
    const auto [top, bottom, left, right] = four_paddings(Halo::name, params.padding);
    const auto axis = [&](std::string_view what, int64_t size, size_t i, int64_t before, int64_t after) {
        return make_axis({Halo::name, what, size, params.kernel_size.at(i), params.stride.at(i), params.dilation.at(i),
                          before, after, params.ceil_mode});
    };
    return {params.batch_size, axis("height", params.input_h, 0, top, bottom),
            axis("width", params.input_w, 1, left, right)};
}

}  // namespace pool

inline void Halo::validate(const Params& params) {
    const Tensor& input = params.input_tensor;
    const Shape& shape = input.logical_shape();
    require(shape.rank() == 4 && shape[0] == 1 && shape[1] == 1,
            "{}: argument 'input_tensor' must be [1, 1, N * H * W, C], got {}", name, shape);
    pool::check_images(name, input, params.batch_size, params.input_h, params.input_w, shape[3]);
    require(
        pool::is_sharded_in_l1(input) && input.memory_config().shard_spec()->orientation == ShardOrientation::ROW_MAJOR,
        "{}: argument 'input_tensor' must be sharded in L1, in ROW_MAJOR orientation, got {}", name,
        input.memory_config());
    pool::window_of(params);  // numbers that do not go together throw
}

inline Tensor Halo::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    check_at_launch([&] {
        check_dtype(name, "input_tensor", input, {DataType::BFLOAT16, DataType::BFLOAT8_B, DataType::FLOAT32});
    });
    const pool::Window window = pool::window_of(params);
    const pool::CoreLayout cores = pool::layout_of(input.memory_config());
    const MemoryConfig out = pool::output_shards(cores, static_cast<uint64_t>(window.outputs()),
                                                 input.logical_shape().from_end(0), Layout::ROW_MAJOR);
    const auto runs = pool::runs_of(window, cores.rows, pool::share_of(out, cores));
    return pool::halo_primitive(input, window, cores, runs, params.pad_val);
}

inline void Halo::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 1, 64, 32}),
                    .input_h = 8,
                    .input_w = 8,
                    .kernel_size = {3, 3},
                    .padding = {1, 1}});
    make.add(Params{.input_tensor = make.tensor({1, 1, 2 * 9 * 7, 64}),
                    .batch_size = 2,
                    .input_h = 9,
                    .input_w = 7,
                    .kernel_size = {2, 3},
                    .stride = {2, 2},
                    .padding = {0, 1, 2, 0},
                    .dilation = {2, 1},
                    .ceil_mode = true,
                    .pad_val = -1.5});
}

}  // namespace ttnn

#endif
