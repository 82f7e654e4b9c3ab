#include <cmath>
#include <limits>

#include "ttnn/reference/unary.hpp"

namespace ttnn::reference {
namespace {

constexpr long double pi = 3.14159265358979323846264338327950288L;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

bool is_pole(double x) { return x <= 0 && x == std::floor(x); }

}  // namespace

// Stirling's series at x + 40, walked back by the recurrence.
double log_gamma(double x) {
    if (is_pole(x) || std::isinf(x)) {
        return infinity;
    }
    if (x == 1 || x == 2) {
        return 0;  // exactly, which the series only comes near to
    }
    if (x < 0) {
        return static_cast<double>(std::log(pi / std::abs(std::sin(pi * x)))) - log_gamma(1 - x);
    }
    long double product = 1;
    const int steps = x < 40 ? 40 : 0;
    for (int i = 0; i < steps; ++i) {
        product *= x + i;
    }
    const long double y = static_cast<long double>(x) + steps;
    const long double stirling = (y - 0.5L) * std::log(y) - y + 0.5L * std::log(2 * pi) + 1 / (12 * y) -
                                 1 / (360 * y * y * y) + 1 / (1260 * std::pow(y, 5.0L)) -
                                 1 / (1680 * std::pow(y, 7.0L));
    return static_cast<double>(stirling - std::log(product));
}

// The logarithmic derivative of Lanczos' approximation (g = 607/128, 15 coefficients by P. Godfrey).
double digamma(double x) {
    if (is_pole(x)) {
        return x == 0 ? std::copysign(infinity, -x) : nan;
    }
    if (x < 0) {
        return static_cast<double>(digamma(1 - x) - pi / std::tan(pi * x));
    }
    constexpr long double g = 607.0L / 128;
    constexpr long double coefficients[] = {
        57.156235665862923517L,     -59.597960355475491248L,   14.136097974741747174L,     -0.49191381609762019978L,
        .33994649984811888699e-4L,  .46523628927048575665e-4L, -.98374475304879564677e-4L, .15808870322491248884e-3L,
        -.21026444172410488319e-3L, .21743961811521264320e-3L, -.16431810653676389022e-3L, .84418223983852743293e-4L,
        -.26190838401581408670e-4L, .36899182659531622704e-5L};
    const long double z = static_cast<long double>(x) - 1;
    long double sum = 0.99999999999999709182L;
    long double slope = 0;
    for (int i = 0; i < 14; ++i) {
        sum += coefficients[i] / (z + i + 1);
        slope -= coefficients[i] / ((z + i + 1) * (z + i + 1));
    }
    const long double t = z + g + 0.5L;
    return static_cast<double>(std::log(t) + (z + 0.5L) / t - 1 + slope / sum);
}

// The series term by term, with the integral of its tail; x > 0.
double polygamma(int order, double x) {
    const int s = order + 1;
    constexpr int terms = 100;
    const auto inverse_power = [](long double base, int power) {
        long double result = 1;
        for (int i = 0; i < power; ++i) {
            result /= base;
        }
        return result;
    };
    long double sum = 0;
    for (int i = 0; i < terms; ++i) {
        sum += inverse_power(static_cast<long double>(x) + i, s);
    }
    const long double y = static_cast<long double>(x) + terms;
    sum += inverse_power(y, order) / order + inverse_power(y, s) / 2 + s * inverse_power(y, s + 1) / 12 -
           s * (s + 1.0L) * (s + 2.0L) * inverse_power(y, s + 3) / 720;
    long double factorial = 1;
    for (int i = 2; i <= order; ++i) {
        factorial *= i;
    }
    return static_cast<double>((order % 2 == 1 ? 1 : -1) * factorial * sum);
}

// Bisection of erfc, which keeps its digits where erf is nearly one.
double inverse_erf(double x) {
    const double magnitude = std::abs(x);
    if (std::isnan(x) || magnitude > 1) {
        return nan;
    }
    if (magnitude == 1) {
        return std::copysign(infinity, x);
    }
    double low = 0;
    double high = 6;
    for (int step = 0; step < 80; ++step) {
        const double middle = (low + high) / 2;
        const bool below = magnitude < 0.5 ? std::erf(middle) < magnitude : std::erfc(middle) > 1 - magnitude;
        (below ? low : high) = middle;
    }
    return std::copysign(low, x);
}

}  // namespace ttnn::reference
