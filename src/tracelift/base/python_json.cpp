#include "tracelift/base/python_json.hpp"

#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tracelift/base/json_text.hpp"

namespace tracelift {
namespace {

using nlohmann::json;

// Decimal digits and exponent of a finite number: 0.00125 is "125" with exponent -3.
struct Decimal {
    std::string digits;
    int exponent = 0;
};

Decimal shortest_decimal(double magnitude) {
    char buffer[32];
    const auto end = std::to_chars(std::begin(buffer), std::end(buffer), magnitude, std::chars_format::scientific).ptr;
    const std::string_view text(buffer, static_cast<size_t>(end - buffer));
    const size_t mark = text.find('e');
    Decimal decimal;
    for (char c : text.substr(0, mark)) {
        if (c != '.') {
            decimal.digits += c;
        }
    }
    const size_t sign = text[mark + 1] == '+' ? 1 : 0;  // from_chars takes no plus
    std::from_chars(buffer + mark + 1 + sign, end, decimal.exponent);
    return decimal;
}

std::string scientific(const Decimal& decimal) {
    const std::string fraction = decimal.digits.size() > 1 ? "." + decimal.digits.substr(1) : "";
    return fmt::format("{}{}e{}{:02}", decimal.digits[0], fraction, decimal.exponent < 0 ? '-' : '+',
                       std::abs(decimal.exponent));
}

std::string positional(const Decimal& decimal) {
    if (decimal.exponent < 0) {
        return "0." + std::string(static_cast<size_t>(-decimal.exponent - 1), '0') + decimal.digits;
    }
    std::string digits = decimal.digits;
    const auto whole = static_cast<size_t>(decimal.exponent) + 1;
    if (digits.size() <= whole) {
        return digits + std::string(whole - digits.size(), '0') + ".0";
    }
    return digits.insert(whole, ".");
}

std::string whole_number(double value) {
    const std::string text = positional(shortest_decimal(std::abs(value)));
    return (value < 0 ? "-" : "") + text.substr(0, text.find('.'));
}

std::string float_token(double value, WideNumbers wide) {
    if (!std::isfinite(value)) {
        return std::isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity";
    }
    const bool in_full = wide == WideNumbers::IN_FULL && std::abs(value) >= 0x1p64;
    return in_full ? whole_number(value) : python_float(value);
}

void write(JsonText& text, const json& value, WideNumbers wide) {
    if (value.is_object()) {
        text.begin_object();
        for (const auto& [key, member] : value.items()) {
            text.key(key);
            write(text, member, wide);
        }
        text.end_object();
    } else if (value.is_array()) {
        text.begin_array();
        for (const json& item : value) {
            write(text, item, wide);
        }
        text.end_array();
    } else if (value.is_string()) {
        text.text(value.get_ref<const std::string&>());
    } else if (value.is_number_float()) {
        text.raw(float_token(value.get<double>(), wide));
    } else {
        text.raw(value.dump());
    }
}

}  // namespace

std::string python_float(double value) {
    if (!std::isfinite(value)) {
        return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
    }
    const Decimal decimal = shortest_decimal(std::abs(value));
    const bool wide = decimal.exponent < -4 || decimal.exponent >= 16;
    return (std::signbit(value) ? "-" : "") + (wide ? scientific(decimal) : positional(decimal));
}

std::string python_json(const json& value, WideNumbers wide) {
    JsonText text(JsonForm::PYTHON);
    write(text, value, wide);
    return std::move(text.buffer());
}

}  // namespace tracelift
