#include "ttnn/check/scorecard.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ttnn/reference/rounding.hpp"

namespace ttnn {
namespace {

// For each element the magnitude that its ULP is measured at: its own, or the largest of the 16 that share an exponent.
std::vector<double> ulp_magnitudes(const Tensor& tensor, const std::vector<double>& values) {
    std::vector<double> magnitudes(values.size());
    std::ranges::transform(values, magnitudes.begin(), [](double value) { return std::abs(value); });
    if (!is_block_float(tensor.dtype())) {
        return magnitudes;
    }
    const size_t width = tensor.logical_shape().from_end(0);
    for (size_t row = 0; row + width <= magnitudes.size() && width != 0; row += width) {
        for (size_t first = 0; first < width; first += 16) {
            const auto begin = magnitudes.begin() + static_cast<std::ptrdiff_t>(row + first);
            const auto end = begin + static_cast<std::ptrdiff_t>(std::min<size_t>(16, width - first));
            std::fill(begin, end, *std::max_element(begin, end));
        }
    }
    return magnitudes;
}

double pearson(const std::vector<double>& x, const std::vector<double>& y) {
    const auto n = static_cast<double>(x.size());
    double mean_x = 0;
    double mean_y = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        mean_x += x[i] / n;
        mean_y += y[i] / n;
    }
    double xy = 0;
    double xx = 0;
    double yy = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        xy += (x[i] - mean_x) * (y[i] - mean_y);
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        yy += (y[i] - mean_y) * (y[i] - mean_y);
    }
    return xx == 0 || yy == 0 ? (xx == yy ? 1.0 : 0.0) : xy / std::sqrt(xx * yy);
}

// The reference as the output's dtype holds it.
std::vector<double> rounded(const reference::Array& expected, const Tensor& actual) {
    const TensorSpec& spec = actual.spec();
    if (is_integer(spec.dtype())) {
        return expected.values;
    }
    Tensor host =
        Tensor::allocate_on_host(TensorSpec(spec.logical_shape(), spec.dtype(), spec.layout(), {}, spec.tile()));
    std::vector<float> single(expected.values.begin(), expected.values.end());
    write<float>(host, single);
    return reference::values(host).values;
}

bool is_constant(const std::vector<double>& values) {
    return std::ranges::all_of(values, [&](double value) { return value == values.front(); });
}

double allowed_ulp(DataType dtype, const Tolerance& tolerance) {
    if (is_block_float(dtype)) {
        return tolerance.ulp_block_float;
    }
    return dtype == DataType::BFLOAT16 ? tolerance.ulp_bfloat16 : tolerance.ulp_float32;
}

}  // namespace

Scorecard compare(const reference::Array& expected, const Tensor& actual, const Tolerance& tolerance) {
    Scorecard card;
    if (expected.shape != actual.logical_shape()) {
        card.pcc = 0;
        card.reason = fmt::format("shape {} where the reference has {}", actual.logical_shape(), expected.shape);
        return card;
    }
    const std::vector<double> want = rounded(expected, actual);
    const std::vector<double> got = reference::values(actual).values;
    const std::vector<double> magnitudes = ulp_magnitudes(actual, want);
    card.equal = true;
    size_t worst = 0;
    std::vector<double> finite_want;
    std::vector<double> finite_got;
    for (size_t i = 0; i < want.size(); ++i) {
        if (std::isnan(want[i]) && std::isnan(got[i])) {
            continue;
        }
        if (!std::isfinite(want[i]) || !std::isfinite(got[i])) {
            if (want[i] != got[i]) {
                card.equal = false;
                card.max_ulp = INFINITY;
                worst = i;
            }
            continue;
        }
        finite_want.push_back(want[i]);
        finite_got.push_back(got[i]);
        const double error = std::abs(want[i] - got[i]);
        if (error == 0) {
            continue;
        }
        card.equal = false;
        card.max_absolute = std::max(card.max_absolute, error);
        card.max_relative = std::max(card.max_relative, error / std::max(std::abs(want[i]), 1e-30));
        const double ulps =
            is_integer(actual.dtype()) ? error : error / reference::ulp_at(actual.dtype(), magnitudes[i]);
        const double slack = expected.slack.empty() ? 0.0 : expected.slack[i];
        if (error > tolerance.absolute + slack && ulps > card.max_ulp) {
            card.max_ulp = ulps;
            worst = i;
        }
    }
    card.pcc = finite_want.empty() ? 1.0 : pearson(finite_want, finite_got);
    if (card.equal) {
        card.pcc = 1.0;
        card.pass = true;
        return card;
    }
    const double limit = is_integer(actual.dtype()) ? 0.0 : allowed_ulp(actual.dtype(), tolerance);
    if (card.max_ulp > limit) {
        card.reason = fmt::format("element {} is {} where the reference gives {} ({:.3g} ULP, {} allowed)", worst,
                                  got[worst], want[worst], card.max_ulp, limit);
    } else if (!finite_want.empty() && is_constant(finite_got) && !is_constant(finite_want)) {
        card.reason = "constant output where the reference is not constant";
    } else if (card.pcc < required_pcc && !is_constant(finite_want)) {
        card.reason = fmt::format("PCC {:.6f} is below {}", card.pcc, required_pcc);
    } else {
        card.pass = true;
    }
    return card;
}

}  // namespace ttnn
