#include "ttnn/op/values_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

namespace ttnn {
namespace {

void append_value(std::string& out, double value, bool integer) {
    if (!integer) {
        return append_json_number(out, value);
    }
    char digits[24];
    out.append(digits, std::to_chars(digits, digits + sizeof(digits), static_cast<int64_t>(value)).ptr);
}

}  // namespace

void append_json_number(std::string& out, double value) {
    if (!std::isfinite(value)) {
        out += std::isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"";
        return;
    }
    char digits[32];
    const std::string_view text(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr - digits);
    out += text;
    if (text.find_first_of(".e") == std::string_view::npos) {
        out += ".0";
    }
}

std::string values_text(std::span<const double> values, std::span<const uint32_t> dims, bool integers) {
    std::string out;
    if (dims.empty()) {
        append_value(out, values.empty() ? 0.0 : values.front(), integers);
        return out;
    }
    if (values.empty()) {
        // As many empty lists as the dimensions before the empty one say.
        const size_t inner = dims.front() == 0 ? 0 : dims.front();
        out += '[';
        for (size_t i = 0; i < inner; ++i) {
            out += i == 0 ? "" : ",";
            out += values_text(values, dims.subspan(1), integers);
        }
        return out += ']';
    }
    out.reserve(values.size() * 10);
    std::vector<uint32_t> at(dims.size(), 0);
    size_t open = 0;  // lists that are open
    for (const double value : values) {
        for (; open < dims.size(); ++open) {
            out += '[';
        }
        append_value(out, value, integers);
        for (size_t axis = dims.size(); axis-- > 0;) {
            if (++at[axis] < dims[axis]) {
                out += ',';
                break;
            }
            at[axis] = 0;
            out += ']';
            --open;
        }
    }
    return out;
}

namespace {

std::string part_text(const Tensor& part) {
    const Dense<double> dense = read<double>(part);
    const Shape& shape = part.logical_shape();
    const std::vector<uint32_t> dims(shape.begin(), shape.end());
    return values_text(dense.span(), dims, is_integer(part.dtype()));
}

bool parts_differ(const Tensor& tensor) {
    const Tensor first = tensor.part(0);
    for (uint32_t chip = 1; chip < tensor.num_parts(); ++chip) {
        if (tensor.part_identity(chip) != tensor.part_identity(0) &&
            !std::ranges::equal(tensor.part(chip).bytes(), first.bytes())) {
            return true;
        }
    }
    return false;
}

}  // namespace

// On a mesh whose chips hold different values a list of what each of them holds, in the order of their numbers.
std::string values_text(const Tensor& tensor) {
    if (tensor.num_parts() == 1 || !parts_differ(tensor)) {
        return part_text(tensor.part(0));
    }
    std::string out;
    for (uint32_t chip = 0; chip < tensor.num_parts(); ++chip) {
        out += chip == 0 ? '[' : ',';
        out += part_text(tensor.part(chip));
    }
    return out += ']';
}

}  // namespace ttnn
