#include "ttnn/check/scorecard.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "ttnn/reference/rounding.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn {
namespace {

// Elements of a part, so that the whole is never in memory as fp64.
constexpr uint64_t part_elements = uint64_t{1} << 20;

// For each element the magnitude that its ULP is measured at: its own, or the largest of the 16 that share an exponent.
std::vector<double> ulp_magnitudes(const Tensor& tensor, std::span<const double> values) {
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

// Pearson's correlation of pairs that come part by part.
class Correlation {
public:
    void add(const std::vector<double>& x, const std::vector<double>& y) {
        if (x.empty()) {
            return;
        }
        const Moments part = moments_of(x, y);
        // The moments of two sets together, from those of each.
        const double n = all_.n + part.n;
        const double dx = part.mean_x - all_.mean_x;
        const double dy = part.mean_y - all_.mean_y;
        const double weight = all_.n * part.n / n;
        all_ = {n,
                all_.mean_x + dx * part.n / n,
                all_.mean_y + dy * part.n / n,
                all_.xx + part.xx + dx * dx * weight,
                all_.yy + part.yy + dy * dy * weight,
                all_.xy + part.xy + dx * dy * weight};
    }
    bool empty() const { return all_.n == 0; }
    double value() const {
        return all_.xx == 0 || all_.yy == 0 ? (all_.xx == all_.yy ? 1.0 : 0.0) : all_.xy / std::sqrt(all_.xx * all_.yy);
    }

private:
    struct Moments {
        double n = 0;
        double mean_x = 0;
        double mean_y = 0;
        double xx = 0;
        double yy = 0;
        double xy = 0;
    };
    static Moments moments_of(const std::vector<double>& x, const std::vector<double>& y) {
        Moments m;
        m.n = static_cast<double>(x.size());
        for (size_t i = 0; i < x.size(); ++i) {
            m.mean_x += x[i] / m.n;
            m.mean_y += y[i] / m.n;
        }
        for (size_t i = 0; i < x.size(); ++i) {
            m.xy += (x[i] - m.mean_x) * (y[i] - m.mean_y);
            m.xx += (x[i] - m.mean_x) * (x[i] - m.mean_x);
            m.yy += (y[i] - m.mean_y) * (y[i] - m.mean_y);
        }
        return m;
    }

    Moments all_;
};

// Whether all numbers of a sequence are equal.
class Constancy {
public:
    void add(const std::vector<double>& values) {
        if (values.empty()) {
            return;
        }
        first_ = any_ ? first_ : values.front();
        any_ = true;
        constant_ = constant_ && std::ranges::all_of(values, [&](double value) { return value == first_; });
    }
    bool constant() const { return constant_; }

private:
    double first_ = 0;
    bool any_ = false;
    bool constant_ = true;
};

// Rows of the reference as the output's dtype holds them.
void round_rows(const Tensor& actual, std::vector<double>& values) {
    const TensorSpec& spec = actual.spec();
    if (is_integer(spec.dtype()) || values.empty()) {
        return;
    }
    const uint32_t width = spec.logical_shape().from_end(0);
    const Shape shape{static_cast<uint32_t>(values.size() / width), width};
    Tensor host = Tensor::allocate_on_host(TensorSpec(shape, spec.dtype(), spec.layout(), {}, spec.tile()));
    const std::vector<float> single(values.begin(), values.end());
    write<float>(host, single);
    read_part<double>(host, 0, values);
}

double allowed_ulp(DataType dtype, const Tolerance& tolerance) {
    if (is_block_float(dtype)) {
        return tolerance.ulp_block_float;
    }
    return dtype == DataType::BFLOAT16 ? tolerance.ulp_bfloat16 : tolerance.ulp_float32;
}

// The comparison of one output, part by part.
struct Comparison {
    const reference::Array& expected;
    const Tensor& actual;
    const Tolerance& tolerance;
    Scorecard& card;
    Correlation correlation{};
    Constancy wanted{};
    Constancy gotten{};
    struct Worst {
        uint64_t index = 0;
        double got = 0;
        double want = 0;
    } worst{};

    void take(uint64_t first, uint64_t count) {
        std::vector<double> want(count);
        std::vector<double> got(count);
        expected.values.read(first, want);
        round_rows(actual, want);
        read_part<double>(actual, first, got);
        const std::vector<double> magnitudes = ulp_magnitudes(actual, want);
        std::vector<double> finite_want;
        std::vector<double> finite_got;
        for (uint64_t i = 0; i < count; ++i) {
            if (std::isnan(want[i]) && std::isnan(got[i])) {
                continue;
            }
            if (!std::isfinite(want[i]) || !std::isfinite(got[i])) {
                if (want[i] != got[i]) {
                    card.equal = false;
                    card.max_ulp = INFINITY;
                    worst = {first + i, got[i], want[i]};
                }
                continue;
            }
            finite_want.push_back(want[i]);
            finite_got.push_back(got[i]);
            judge(first + i, want[i], got[i], magnitudes[i]);
        }
        correlation.add(finite_want, finite_got);
        wanted.add(finite_want);
        gotten.add(finite_got);
    }

    void judge(uint64_t index, double want, double got, double magnitude) {
        const double error = std::abs(want - got);
        if (error == 0) {
            return;
        }
        card.equal = false;
        card.max_absolute = std::max(card.max_absolute, error);
        card.max_relative = std::max(card.max_relative, error / std::max(std::abs(want), 1e-30));
        const double ulps = is_integer(actual.dtype()) ? error : error / reference::ulp_at(actual.dtype(), magnitude);
        const double slack = expected.slack.empty() ? 0.0 : expected.slack[index];
        if (error > tolerance.absolute + slack && ulps > card.max_ulp) {
            card.max_ulp = ulps;
            worst = {index, got, want};
        }
    }

    Scorecard verdict() const {
        card.pcc = correlation.empty() ? 1.0 : correlation.value();
        if (card.equal) {
            card.pcc = 1.0;
            card.pass = true;
            return card;
        }
        const double limit =
            is_integer(actual.dtype()) ? 0.0 : allowed_ulp(actual.dtype(), tolerance) + expected.functions;
        if (card.max_ulp > limit) {
            card.reason = fmt::format("element {} is {} where the reference gives {} ({:.3g} ULP, {} allowed)",
                                      worst.index, worst.got, worst.want, card.max_ulp, limit);
        } else if (!correlation.empty() && gotten.constant() && !wanted.constant()) {
            card.reason = "constant output where the reference is not constant";
        } else if (card.pcc < required_pcc && !wanted.constant()) {
            card.reason = fmt::format("PCC {:.6f} is below {}", card.pcc, required_pcc);
        } else {
            card.pass = true;
        }
        return card;
    }
};

}  // namespace

Scorecard compare(const reference::Array& expected, const Tensor& actual, const Tolerance& tolerance) {
    Scorecard card;
    if (expected.shape != actual.logical_shape()) {
        card.pcc = 0;
        card.reason = fmt::format("shape {} where the reference has {}", actual.logical_shape(), expected.shape);
        return card;
    }
    card.equal = true;
    Comparison comparison{expected, actual, tolerance, card};
    for (const Band& band : bands_of(actual.spec(), part_elements)) {
        comparison.take(band.first, band.size);
    }
    return comparison.verdict();
}

}  // namespace ttnn
