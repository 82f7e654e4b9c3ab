#include "ttnn/compute/special_functions.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>

namespace ttnn::compute {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
// From here on the asymptotic series below are good to 1e-15.
constexpr double asymptotic_from = 16.0;
// Both Bessel functions exceed every fp32 number beyond this.
constexpr double bessel_overflow = 93.0;

// B(2), B(4), ..., B(16)
constexpr double bernoulli[] = {1.0 / 6,  -1.0 / 30,     1.0 / 42, -1.0 / 30,
                                5.0 / 66, -691.0 / 2730, 7.0 / 6,  -3617.0 / 510};

bool is_pole(double x) { return x <= 0.0 && x == std::floor(x); }

// Derivative of pi * cot(pi x), taken `order` times: what the reflection of polygamma adds. As a polynomial in
// c = cot(pi x), because d/dx of c^n is -pi n c^(n-1) (1 + c^2).
double cotangent_derivative(int order, double x) {
    constexpr int largest = 16;
    double coefficients[largest + 2] = {0.0, std::numbers::pi};
    for (int n = 0; n < order; ++n) {
        double next[largest + 2] = {};
        for (int power = 1; power <= n + 1; ++power) {
            const double slope = -std::numbers::pi * power * coefficients[power];
            next[power - 1] += slope;
            next[power + 1] += slope;
        }
        std::copy(std::begin(next), std::end(next), std::begin(coefficients));
    }
    const double cotangent = 1.0 / std::tan(std::numbers::pi * (x - std::floor(x)));
    double value = 0.0;
    for (int power = order + 1; power >= 0; --power) {
        value = value * cotangent + coefficients[power];
    }
    return value;
}

// Newton's method on erf from the approximation of M. Giles (2010), which is good to 6 digits: two steps reach 1e-16.
double inverse_erf_estimate(double x) {
    double w = -std::log((1.0 - x) * (1.0 + x));
    constexpr double central[] = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                                  -0.00125372503, -0.00417768164, 0.246640727,    1.50140941};
    constexpr double tail[] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                               -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};
    const bool central_part = w < 5.0;
    w = central_part ? w - 2.5 : std::sqrt(w) - 3.0;
    double value = 0.0;
    for (const double coefficient : central_part ? central : tail) {
        value = value * w + coefficient;
    }
    return value * x;
}

// sum of (x/2)^2k / (k! (k+order)!): all terms are positive, so nothing cancels.
double bessel_series(double x, int order) {
    const double quarter = x * x / 4.0;
    double term = 1.0;
    double sum = 1.0;
    for (int k = 1; term > sum * 1e-17; ++k) {
        term *= quarter / (static_cast<double>(k) * (k + order));
        sum += term;
    }
    return sum;
}

}  // namespace

double log_gamma(double x) {
    int sign = 0;
    return lgamma_r(x, &sign);
}

double digamma(double x) {
    if (x == 0.0) {
        return std::copysign(infinity, -x);
    }
    if (is_pole(x)) {
        return nan;
    }
    if (x < 0.0) {
        return digamma(1.0 - x) - std::numbers::pi / std::tan(std::numbers::pi * (x - std::floor(x)));
    }
    double shift = 0.0;
    for (; x < asymptotic_from; x += 1.0) {
        shift += 1.0 / x;
    }
    const double square = 1.0 / (x * x);
    double series = 0.0;
    for (int n = 8; n >= 1; --n) {
        series = (series + bernoulli[n - 1] / (2 * n)) * square;
    }
    return std::log(x) - 0.5 / x - series - shift;
}

double polygamma(int order, double x) {
    const double sign = order % 2 == 1 ? 1.0 : -1.0;
    if (is_pole(x)) {
        return sign * infinity;
    }
    if (x < 0.0) {
        return -sign * polygamma(order, 1.0 - x) - cotangent_derivative(order, x);
    }
    double sum = 0.0;
    for (; x < asymptotic_from; x += 1.0) {
        sum += std::pow(x, -(order + 1));
    }
    // Euler and Maclaurin for the rest: the integral, half the first term, then the derivatives.
    double term = std::pow(x, -order) / order;
    sum += term;
    term *= order / x;
    sum += term / 2.0;
    double rising = term * (order + 1) / x;  // (order + 1) ... (order + 2n - 1) / x^(order + 2n)
    double factorial = 2.0;                  // (2n)!
    for (int n = 1; n <= 8; ++n) {
        sum += bernoulli[n - 1] * rising / factorial;
        rising *= (order + 2.0 * n) * (order + 2.0 * n + 1.0) / (x * x);
        factorial *= (2.0 * n + 1.0) * (2.0 * n + 2.0);
    }
    return sign * std::tgamma(order + 1.0) * sum;
}

double multigamma_log(double x) {
    constexpr double three_log_pi = 3.4341896575482003;  // 4 * 3 / 4 * ln(pi)
    return log_gamma(x) + log_gamma(x - 0.5) + log_gamma(x - 1.0) + log_gamma(x - 1.5) + three_log_pi;
}

double inverse_erf(double x) {
    if (!(std::fabs(x) < 1.0)) {
        return std::fabs(x) == 1.0 ? std::copysign(infinity, x) : nan;
    }
    double y = inverse_erf_estimate(x);
    for (int step = 0; step < 2; ++step) {
        y -= (std::erf(y) - x) * std::exp(y * y) * (std::sqrt(std::numbers::pi) / 2.0);
    }
    return y;
}

double bessel_i0(double x) {
    if (std::fabs(x) > bessel_overflow) {
        return infinity;
    }
    return bessel_series(x, 0);
}

double bessel_i1(double x) {
    if (std::fabs(x) > bessel_overflow) {
        return std::copysign(infinity, x);
    }
    return x / 2.0 * bessel_series(x, 1);
}

}  // namespace ttnn::compute
