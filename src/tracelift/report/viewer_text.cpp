#include "tracelift/report/viewer_text.hpp"

#include <array>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "ttnn/tensor/tile.hpp"

namespace tracelift::report {
namespace {

std::string with_dots(std::string_view text) {
    std::string result(text);
    for (size_t at = result.find("::"); at != result.npos; at = result.find("::", at + 1)) {
        result.replace(at, 2, ".");
    }
    return result;
}

// The member that a text names: bare in any case, or behind the name of its enum.
template <class E>
std::optional<E> named(std::string_view text) {
    for (const std::string_view separator : {"::", "."}) {
        if (const size_t at = text.rfind(separator); at != text.npos) {
            if (!text.substr(0, at).ends_with(ttnn::EnumInfo<E>::type)) {
                return std::nullopt;
            }
            text.remove_prefix(at + separator.size());
        }
    }
    std::string name(text);
    for (char& c : name) {
        c = 'a' <= c && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return ttnn::member_of<E>(name);
}

template <class E>
std::string dotted(std::string_view text) {
    const auto member = named<E>(text);
    return member ? fmt::format("{}.{}", ttnn::EnumInfo<E>::type, ttnn::member_name(*member)) : with_dots(text);
}

// All whole numbers of a text, in order.
std::vector<int64_t> numbers_in(std::string_view text) {
    std::vector<int64_t> numbers;
    const char* const end = text.data() + text.size();
    for (const char* at = text.data(); at < end;) {
        int64_t number = 0;
        const auto read = std::from_chars(at, end, number);
        if (read.ec == std::errc() && *at != '-') {
            numbers.push_back(number);
            at = read.ptr;
        } else {
            ++at;
        }
    }
    return numbers;
}

constexpr std::string_view spec_begin = "ShardSpec{";

// The spec at the beginning of a text, in parentheses; nothing when it is not in the known form.
std::optional<std::string> shard_spec(std::string_view text) {
    const size_t shape = text.find("shape=[");
    const size_t orientation = text.find("orientation=", shape);
    const size_t end = text.find('}', orientation);
    if (shape == text.npos || orientation == text.npos || end == text.npos) {
        return std::nullopt;
    }
    const auto corners = numbers_in(text.substr(0, shape));
    const auto sides = numbers_in(text.substr(shape, orientation - shape));
    if (corners.size() % 4 != 0 || sides.size() != 2) {
        return std::nullopt;
    }
    std::string grid;
    for (size_t i = 0; i < corners.size(); i += 4) {
        grid += fmt::format("{}[(x={},y={}) - (x={},y={})]", grid.empty() ? "" : ", ", corners[i], corners[i + 1],
                            corners[i + 2], corners[i + 3]);
    }
    return fmt::format("ShardSpec(grid={{{}}},shape={{{}, {}}},{},halo=0)", grid, sides[0], sides[1],
                       text.substr(orientation, end - orientation));
}

}  // namespace

std::string viewer_dtype(std::string_view text) { return dotted<ttnn::DataType>(text); }
std::string viewer_layout(std::string_view text) { return dotted<ttnn::Layout>(text); }

bool has_shard_spec(std::string_view text) { return text.find(spec_begin) != text.npos; }

std::string viewer_memory_config(std::string_view text) {
    std::string result;
    for (size_t at = text.find(spec_begin); at != text.npos; at = text.find(spec_begin)) {
        const auto spec = shard_spec(text.substr(at));
        if (!spec) {
            break;
        }
        result += text.substr(0, at);
        result += *spec;
        text.remove_prefix(text.find('}', text.find("orientation=", at)) + 1);
    }
    return result += text;
}

std::string_view viewer_flag(std::string_view text) { return text == "true" ? "1" : text == "false" ? "0" : text; }

std::optional<int64_t> tensor_bytes(std::string_view shape, std::string_view dtype, std::string_view layout) {
    const size_t open = shape.find('[');
    const auto type = named<ttnn::DataType>(dtype);
    const auto order = named<ttnn::Layout>(layout);
    if (open == shape.npos || !type || !order || *type == ttnn::DataType::INVALID) {
        return std::nullopt;
    }
    std::vector<int64_t> dims = numbers_in(shape.substr(open));
    const ttnn::Tile tile;
    const bool tiled = *order == ttnn::Layout::TILE;
    const std::array<int64_t, 2> sides = {tile.width(), tile.height()};
    for (size_t i = 0; tiled && i < sides.size() && i < dims.size(); ++i) {
        int64_t& dim = dims[dims.size() - 1 - i];
        dim = dim / sides[i] * sides[i] + (dim % sides[i] != 0 ? sides[i] : 0);
    }
    int64_t elements = 1;
    for (const int64_t dim : dims) {
        if (__builtin_mul_overflow(elements, dim, &elements)) {
            return std::nullopt;
        }
    }
    int64_t bytes = 0;
    if (__builtin_mul_overflow(elements, int64_t{tile.bytes(*type)}, &bytes)) {
        return std::nullopt;
    }
    return bytes / tile.num_elements();
}

}  // namespace tracelift::report
