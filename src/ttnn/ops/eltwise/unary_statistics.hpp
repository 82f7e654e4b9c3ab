// var_hw, std_hw, normalize_hw and normalize_global: moments over the planes of a rank-4 tensor.
#pragma once

#include <vector>

#include "ttnn/core/stop.hpp"
#include "ttnn/op/fixed_string.hpp"
#include "ttnn/op/op.hpp"

namespace ttnn {

enum class PlaneStatistic : uint8_t { VARIANCE, DEVIATION, NORMALIZED, NORMALIZED_GLOBALLY };

constexpr std::string_view plane_doc(PlaneStatistic statistic) {
    switch (statistic) {
        case PlaneStatistic::VARIANCE: return "Variance over height and width: [N, C, 1, 1].";
        case PlaneStatistic::DEVIATION: return "Standard deviation over height and width: [N, C, 1, 1].";
        case PlaneStatistic::NORMALIZED: return "(x - mean) / standard deviation over height and width.";
        case PlaneStatistic::NORMALIZED_GLOBALLY: return "(x - mean) / standard deviation over all dimensions.";
    }
    return "";
}

// The squares are divided by the number of elements of the padded plane, as in the original (biased; the mean is that
// of the logical elements). The original composes these of reductions; here each is one primitive.
template <FixedString Name, PlaneStatistic Statistic>
struct PlaneOperation {
    static constexpr std::string_view name = Name.view();
    static constexpr std::string_view doc = plane_doc(Statistic);
    static constexpr bool reduces = Statistic == PlaneStatistic::VARIANCE || Statistic == PlaneStatistic::DEVIATION;
    struct Params {
        Tensor input_tensor{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor of rank 4"),
                                      kw<&Params::memory_config>("default: the input's")};
    // Sums run in double; elements near the mean keep their digits too, so one rounding remains.
    static constexpr Tolerance tolerance{.ulp_float32 = 1, .ulp_bfloat16 = 1, .ulp_block_float = 1};

    static Domain domain(const Params&, std::string_view) { return Domain::real(-2.0, 3.0); }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(var_hw, PlaneOperation<"ttnn.var_hw", PlaneStatistic::VARIANCE>);
TTNN_OPERATION(std_hw, PlaneOperation<"ttnn.std_hw", PlaneStatistic::DEVIATION>);
TTNN_OPERATION(normalize_hw, PlaneOperation<"ttnn.normalize_hw", PlaneStatistic::NORMALIZED>);
TTNN_OPERATION(normalize_global, PlaneOperation<"ttnn.normalize_global", PlaneStatistic::NORMALIZED_GLOBALLY>);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <cmath>

#include "ttnn/reference/array.hpp"

template <ttnn::FixedString Name, ttnn::PlaneStatistic Statistic>
std::vector<ttnn::reference::Array> ttnn::PlaneOperation<Name, Statistic>::reference(const Params& params) {
    const reference::Array input = reference::values(params.input_tensor);
    const Shape& padded = params.input_tensor.padded_shape();
    const bool global = Statistic == PlaneStatistic::NORMALIZED_GLOBALLY;
    const Shape groups = global ? Shape{1, 1, 1, 1} : Shape{input.shape[0], input.shape[1], 1, 1};
    const auto group_of = [&](std::span<const uint32_t> index) -> std::vector<uint32_t> {
        return global ? std::vector<uint32_t>{0, 0, 0, 0} : std::vector<uint32_t>{index[0], index[1], 0, 0};
    };
    const double members = static_cast<double>(input.shape.volume()) / static_cast<double>(groups.volume());
    const double divisor = static_cast<double>(padded.volume()) / static_cast<double>(groups.volume());
    reference::Array mean(groups);
    reference::Array variance(groups);
    reference::for_each_index(input.shape, [&](auto at) { mean.at(group_of(at)) += input.at(at) / members; });
    reference::for_each_index(input.shape, [&](auto at) {
        const double distance = input.at(at) - mean.at(group_of(at));
        variance.at(group_of(at)) += distance * distance / divisor;
    });
    if (Statistic == PlaneStatistic::VARIANCE) {
        return {variance};
    }
    const reference::Array deviation = reference::map(variance, [](double x) { return std::sqrt(x); });
    if (Statistic == PlaneStatistic::DEVIATION) {
        return {deviation};
    }
    reference::Array result(input.shape);
    reference::for_each_index(input.shape, [&](auto at) {
        result.at(at) = (input.at(at) - mean.at(group_of(at))) / deviation.at(group_of(at));
    });
    return {result};
}

#else

#include <cmath>
#include <numeric>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/unary_program.hpp"
#include "ttnn/op/support.hpp"

namespace ttnn {

struct PlaneMoments {
    double mean = 0.0;
    double variance = 0.0;
};

inline PlaneMoments plane_moments(std::span<const float> plane, double divisor) {
    const double sum = std::accumulate(plane.begin(), plane.end(), 0.0);
    PlaneMoments moments{.mean = sum / static_cast<double>(plane.size())};
    for (const float x : plane) {
        moments.variance += (x - moments.mean) * (x - moments.mean);
    }
    moments.variance /= divisor;
    return moments;
}

template <FixedString Name, PlaneStatistic Statistic>
void PlaneOperation<Name, Statistic>::validate(const Params& params) {
    const Tensor& input = params.input_tensor;
    require(input.logical_shape().rank() == 4 && input.logical_volume() > 0,
            "{}: argument 'input_tensor' must have rank 4 and elements, got {}", name, input.logical_shape());
    compute::check_floating(name, input);
    if (reduces) {
        check_interleaved(name, "input_tensor", input);
    }
    compute::validate_unary_placement(compute::unary_call(name, params));
}

template <FixedString Name, PlaneStatistic Statistic>
Tensor PlaneOperation<Name, Statistic>::run(const Params& params) {
    const compute::UnaryCall call = compute::unary_call(name, params);
    const Tensor& input = params.input_tensor;
    const Shape& shape = input.logical_shape();
    const uint64_t planes = Statistic == PlaneStatistic::NORMALIZED_GLOBALLY ? 1 : uint64_t{shape[0]} * shape[1];
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        Dense<float> values = read<float>(inputs[0]);
        Dense<float> reduced(planes);
        const size_t size = values.size() / planes;
        const double divisor = static_cast<double>(input.padded_shape().volume()) / static_cast<double>(planes);
        for (uint64_t plane = 0; plane < planes; ++plane) {
            checkpoint();
            const std::span<float> elements(values.data() + plane * size, size);
            const PlaneMoments moments = plane_moments(elements, divisor);
            const double deviation = std::sqrt(moments.variance);
            reduced[plane] = static_cast<float>(Statistic == PlaneStatistic::VARIANCE ? moments.variance : deviation);
            for (float& x : elements) {
                x = static_cast<float>((x - moments.mean) / deviation);
            }
        }
        write<float>(outputs[0], reduces ? reduced.span() : values.span());
    };
    const Shape result = reduces ? Shape{shape[0], shape[1], 1, 1} : shape;
    return compute::launch_unary(call, compute::unary_output_spec(call, result, input.dtype()), kernel);
}

template <FixedString Name, PlaneStatistic Statistic>
void PlaneOperation<Name, Statistic>::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 1, 64, 96})});
    make.add(Params{.input_tensor = make.tensor({2, 3, 32, 64})});
    make.add(Params{.input_tensor = make.tensor({2, 2, 33, 50})});
}

}  // namespace ttnn

#endif
