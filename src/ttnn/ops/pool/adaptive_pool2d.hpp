// adaptive_avg_pool2d and adaptive_max_pool2d: pooling to a given size.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

namespace pool {

// What both operations declare alike.
template <class Params>
inline constexpr FieldList adaptive_fields{
    arg<&Params::input_tensor>("BFLOAT16 or BFLOAT8_B, [N, H, W, C] or [1, 1, N * H * W, C]"),
    arg<&Params::batch_size>("N"),
    arg<&Params::input_h>("H"),
    arg<&Params::input_w>("W"),
    arg<&Params::channels>("C"),
    arg<&Params::output_size>("(height, width) that windows of one size and stride can give"),
    kw<&Params::memory_config>("default: shards over the cores that work"),
    kw<&Params::dram_slice_config>("how an input in DRAM is cut; default: as L1 needs it"),
    kw<&Params::applied_shard_scheme>("how an interleaved input is sharded; default: with least L1")};
template <class Params>
inline constexpr FieldList adaptive_input_fields{
    kw<&Params::deallocate_input>("free a sharded input once it was read"),
    kw<&Params::reallocate_output>("move what halo made, against fragmentation")};

}  // namespace pool

struct AdaptiveAvgPool2d {
    static constexpr std::string_view name = "ttnn.adaptive_avg_pool2d";
    static constexpr std::string_view doc = "Means of windows that cover images so that the result has the given size.";
    struct Params {
        Tensor input_tensor{};
        int64_t batch_size = 1;
        int64_t input_h = 1;
        int64_t input_w = 1;
        int64_t channels = 1;
        std::array<uint32_t, 2> output_size{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Op2DSliceConfig> dram_slice_config{};
        std::optional<TensorMemoryLayout> applied_shard_scheme{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        bool deallocate_input = false;
        bool reallocate_output = true;
    };
    using Result = Tensor;
    static constexpr auto fields =
        pool::adaptive_fields<Params> +
        FieldList{kw<&Params::compute_kernel_config>("precision, no effect on results here")} +
        pool::adaptive_input_fields<Params>;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct AdaptiveMaxPool2d {
    static constexpr std::string_view name = "ttnn.adaptive_max_pool2d";
    static constexpr std::string_view doc =
        "Greatest elements of windows that cover images so that the result has the given size.";
    struct Params {
        Tensor input_tensor{};
        int64_t batch_size = 1;
        int64_t input_h = 1;
        int64_t input_w = 1;
        int64_t channels = 1;
        std::array<uint32_t, 2> output_size{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Op2DSliceConfig> dram_slice_config{};
        std::optional<TensorMemoryLayout> applied_shard_scheme{};
        bool deallocate_input = false;
        bool reallocate_output = true;
    };
    using Result = Tensor;
    static constexpr auto fields = pool::adaptive_fields<Params> + pool::adaptive_input_fields<Params>;
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(adaptive_avg_pool2d, AdaptiveAvgPool2d);
TTNN_OPERATION(adaptive_max_pool2d, AdaptiveMaxPool2d);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/pooling.hpp"

namespace ttnn {

namespace pool {

template <class Params>
reference::Array adapted(const Params& params, const std::function<double(const std::vector<double>&)>& function) {
    const auto along = [](int64_t size, int64_t outputs) {
        return [size, outputs](int64_t output) { return reference::adaptive_pixels(size, outputs, output); };
    };
    return reference::over_windows(
        reference::values(params.input_tensor),
        {.batch = params.batch_size,
         .height = params.input_h,
         .width = params.input_w,
         .out_height = params.output_size[0],
         .out_width = params.output_size[1],
         .channels = params.channels,
         .rows = along(params.input_h, params.output_size[0]),
         .columns = along(params.input_w, params.output_size[1]),
         .window = [function](const std::vector<double>& numbers, const std::vector<int64_t>&, int64_t, int64_t) {
             return function(numbers);
         }});
}

}  // namespace pool

inline std::vector<reference::Array> AdaptiveAvgPool2d::reference(const Params& params) {
    return {pool::adapted(params, [](const std::vector<double>& numbers) {
        return reference::total_of(numbers) / static_cast<double>(numbers.size());
    })};
}
inline std::vector<reference::Array> AdaptiveMaxPool2d::reference(const Params& params) {
    return {pool::adapted(params,
                          [](const std::vector<double>& numbers) { return numbers[reference::greatest_of(numbers)]; })};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/pool/pool2d.hpp"

namespace ttnn {

namespace pool {

// The windows of torch along one axis as windows of one size and stride, whose first and last may reach into padding.
inline Axis adaptive_axis(std::string_view op, std::string_view what, int64_t size, int64_t outputs) {
    require(outputs > 0 && outputs <= size && size <= INT32_MAX,
            "{}: argument 'output_size': a {} of {} cannot be made of {} pixels", op, what, outputs, size);
    const auto begin = [&](int64_t i) { return i * size / outputs; };
    const auto end = [&](int64_t i) { return div_up((i + 1) * size, outputs); };
    Axis axis{.size = size, .kernel = size, .stride = size, .count = outputs};
    if (outputs == 1) {
        return axis;
    }
    const int64_t second = begin(1);
    axis.stride = outputs == 2 ? second : begin(2) - second;
    axis.before = std::max<int64_t>(axis.stride - second, 0);
    axis.kernel = 0;
    for (int64_t i = 0; i < outputs; ++i) {
        axis.kernel = std::max(axis.kernel, end(i) - begin(i));
    }
    axis.after = std::max<int64_t>((outputs - 1) * axis.stride - axis.before + axis.kernel - size, 0);
    bool alike = true;
    for (int64_t i = 0; i < outputs; ++i) {
        const int64_t first = i * axis.stride - axis.before;
        alike = alike && std::max<int64_t>(first, 0) == begin(i) && std::min(first + axis.kernel, size) == end(i);
    }
    require(alike && axis.before + axis.after <= axis.kernel,
            "{}: argument 'output_size': windows of one size and stride do not make a {} of {} of {} pixels", op, what,
            outputs, size);
    return axis;
}

template <class Params>
Call adaptive_call(std::string_view op, PoolKind kind, const Params& params) {
    return {
        .op = op,
        .input = params.input_tensor,
        .pooling = {.kind = kind,
                    .window = {params.batch_size, adaptive_axis(op, "height", params.input_h, params.output_size[0]),
                               adaptive_axis(op, "width", params.input_w, params.output_size[1])},
                    .count_include_pad = false},
        .channels = static_cast<uint32_t>(params.channels),
        .memory_config = params.memory_config,
        .slices = params.dram_slice_config,
        .scheme = params.applied_shard_scheme,
        .deallocate_input = params.deallocate_input,
        .reallocate_halo = params.reallocate_output};
}

template <class D>
void validate_adaptive(PoolKind kind, const typename D::Params& params) {
    check_images(D::name, params.input_tensor, params.batch_size, params.input_h, params.input_w, params.channels);
    check_call(adaptive_call(D::name, kind, params));
}

template <class D>
void adaptive_cases(CaseMaker& make) {
    using Params = typename D::Params;
    const auto add = [&](const Shape& shape, std::array<int64_t, 4> nhwc, Params params) {
        params.input_tensor = make.tensor(shape);
        params.batch_size = nhwc[0];
        params.input_h = nhwc[1];
        params.input_w = nhwc[2];
        params.channels = nhwc[3];
        make.add(params);
    };
    add({1, 1, 2 * 64, 32}, {2, 8, 8, 32}, Params{.output_size = {1, 1}});
    add({1, 1, 128, 64}, {1, 16, 8, 64}, Params{.output_size = {4, 4}});
    add({2, 7, 10, 32}, {2, 7, 10, 32}, Params{.output_size = {2, 3}, .memory_config = MemoryConfig()});
    add({1, 1, 7 * 11, 48}, {1, 7, 11, 48}, Params{.output_size = {3, 4}});
}

}  // namespace pool

inline void AdaptiveAvgPool2d::validate(const Params& params) {
    pool::validate_adaptive<AdaptiveAvgPool2d>(pool::PoolKind::AVERAGE, params);
}
inline Tensor AdaptiveAvgPool2d::run(const Params& params) {
    return pool::run(pool::adaptive_call(name, pool::PoolKind::AVERAGE, params)).front();
}
inline void AdaptiveAvgPool2d::cases(CaseMaker& make) { pool::adaptive_cases<AdaptiveAvgPool2d>(make); }

inline void AdaptiveMaxPool2d::validate(const Params& params) {
    pool::validate_adaptive<AdaptiveMaxPool2d>(pool::PoolKind::MAX, params);
}
inline Tensor AdaptiveMaxPool2d::run(const Params& params) {
    return pool::run(pool::adaptive_call(name, pool::PoolKind::MAX, params)).front();
}
inline void AdaptiveMaxPool2d::cases(CaseMaker& make) { pool::adaptive_cases<AdaptiveMaxPool2d>(make); }

}  // namespace ttnn

#endif
