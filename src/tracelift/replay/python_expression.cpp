#include "tracelift/replay/python_expression.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "tracelift/base/json_text.hpp"
#include "ttnn/device/mesh.hpp"
#include "ttnn/op/type_info.hpp"

namespace tracelift {
namespace {

constexpr size_t width = 88;  // the least that formatters allow by default

using Parts = std::vector<Expression>;

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::string number_text(double value) {
    if (std::isnan(value)) {
        return "float(\"nan\")";
    }
    if (std::isinf(value)) {
        return value > 0 ? "float(\"inf\")" : "float(\"-inf\")";
    }
    std::string text = fmt::format("{}", value);
    std::erase(text, '+');  // of an exponent: formatters leave it out
    return text.find_first_of(".e") == text.npos ? text + ".0" : text;
}

std::string enum_text(const Value::Enum& value) {
    if (value.type == "DataType") {
        return "ttnn." + lower(value.member);
    }
    return value.type == "Layout" ? fmt::format("ttnn.{}_LAYOUT", value.member)
                                  : fmt::format("ttnn.{}.{}", value.type, value.member);
}

std::string member(const Value& record, std::string_view field) {
    const Value* found = record.find(field);
    const auto* value = found != nullptr ? found->as<Value::Enum>() : nullptr;
    return value != nullptr ? value->member : "";
}

Expression field(const Value& record, std::string_view name) {
    const Value* found = record.find(name);
    return python_expression(found != nullptr ? *found : Value());
}

std::string coordinate(const Value& core) {
    return fmt::format("{}, {}", field(core, "x").flat(), field(core, "y").flat());
}

// cores((0, 0, 7, 6), ...): the corners of each range.
Expression cores(const Value& set) {
    Parts parts;
    const Value* ranges = set.find("ranges");
    if (const auto* list = ranges != nullptr ? ranges->as<Value::List>() : nullptr) {
        for (const Value& range : *list) {
            const Value* start = range.find("start");
            const Value* end = range.find("end");
            if (start != nullptr && end != nullptr) {
                parts.emplace_back(fmt::format("({}, {})", coordinate(*start), coordinate(*end)));
            }
        }
    }
    return Expression::call("cores", std::move(parts));
}

Expression memory_config(const Value& config) {
    const std::string layout = member(config, "memory_layout");
    const std::string buffer = member(config, "buffer_type");
    if (const Value* nd = config.find("nd_shard_spec"); nd != nullptr && !nd->is_null()) {
        return Expression::call("ttnn.MemoryConfig", {"ttnn.BufferType." + buffer, python_expression(*nd)});
    }
    const Value* spec = config.find("shard_spec");
    if (spec != nullptr && !spec->is_null()) {
        Parts parts{python_text(layout), python_text(buffer), field(*spec, "grid"), field(*spec, "shape")};
        if (member(*spec, "orientation") != "ROW_MAJOR") {
            parts.push_back(field(*spec, "orientation"));
        }
        return Expression::call("sharded", std::move(parts));
    }
    if (layout == "INTERLEAVED" && (buffer == "DRAM" || buffer == "L1")) {
        return fmt::format("ttnn.{}_MEMORY_CONFIG", buffer);
    }
    return Expression::call("ttnn.MemoryConfig", {"ttnn.TensorMemoryLayout." + layout, "ttnn.BufferType." + buffer});
}

Expression unary(const Value& record) {
    Parts parts{field(record, "op_type")};
    const Value* params = record.find("params");
    if (const auto* list = params != nullptr ? params->as<Value::List>() : nullptr) {
        for (const Value& each : *list) {
            parts.push_back(python_expression(each));
        }
    }
    return Expression::call("ttnn.UnaryWithParam", std::move(parts));
}

bool is_semaphore(std::string_view type) { return type == "global_semaphore" || type == "GlobalSemaphore"; }

// Places in a mesh and sets of them come as texts, or as what readers made of those.
template <class T>
std::optional<T> decoded(const Value& value) {
    T result;
    try {
        ttnn::type_info<T>().decode(value, {}, &result);
    } catch (const ttnn::DecodeError&) {
        return std::nullopt;  // no call with this is accepted
    }
    return result;
}

std::string coordinate_text(const ttnn::MeshCoordinate& coordinate) {
    return fmt::format("ttnn.MeshCoordinate({})", coordinate.to_string());
}

Expression mesh_coordinate(const Value& value) {
    return coordinate_text(decoded<ttnn::MeshCoordinate>(value).value_or(ttnn::MeshCoordinate()));
}

Expression mesh_coordinates(const Value& set) {
    const auto chosen = decoded<std::optional<ttnn::MeshCoordinateSet>>(set);
    Parts parts;
    if (chosen && *chosen) {
        for (const ttnn::MeshCoordinate& member : (*chosen)->members()) {
            parts.emplace_back(coordinate_text(member));
        }
    }
    return parts.empty() ? Expression(std::string("set()")) : Expression::set(std::move(parts));
}

Expression record_of(const Value& value, const Value::Struct& record) {
    if (record.type == "MemoryConfig") {
        return memory_config(value);
    }
    if (record.type == "CoreRangeSet") {
        return cores(value);
    }
    if (record.type == "set") {
        return mesh_coordinates(value);
    }
    if (record.type == "MeshCoordinate") {
        return mesh_coordinate(value);
    }
    if (is_semaphore(record.type)) {
        return std::string("SEMAPHORE");
    }
    if (record.type == "CoreCoord") {
        return fmt::format("ttnn.CoreCoord({})", coordinate(value));
    }
    if (record.type == "UnaryWithParam") {
        return unary(value);
    }
    Parts parts;
    // These have no keywords everywhere.
    const bool by_position = record.type == "ShardSpec" || record.type == "NdShardSpec" || record.type == "CoreRange" ||
                             record.type == "Tile";
    for (const auto& [name, part] : record.fields) {
        if (!part.is_null()) {
            parts.push_back(by_position ? python_expression(part) : Expression::keyword(name, python_expression(part)));
        }
    }
    return Expression::call("ttnn." + record.type, std::move(parts));
}

struct ToPython {
    const Value& value;

    Expression operator()(std::monostate /*null*/) const { return std::string("None"); }
    Expression operator()(bool flag) const { return std::string(flag ? "True" : "False"); }
    Expression operator()(int64_t number) const { return fmt::format("{}", number); }
    Expression operator()(double number) const { return number_text(number); }
    Expression operator()(const std::string& text) const { return python_text(text); }
    Expression operator()(const Value::List& items) const {
        Parts parts;
        for (const Value& item : items) {
            parts.push_back(python_expression(item));
        }
        return Expression::list(std::move(parts));
    }
    Expression operator()(const Value::Dict& entries) const {
        Parts parts;
        for (const auto& [key, item] : entries) {
            parts.push_back(Expression::tuple({python_text(key), python_expression(item)}));
        }
        return Expression::call("dict", {Expression::list(std::move(parts))});
    }
    Expression operator()(const Value::Enum& member) const { return enum_text(member); }
    Expression operator()(const Value::Struct& record) const { return record_of(value, record); }
    Expression operator()(const Value::Object& object) const {
        if (object.type == "set") {
            return mesh_coordinates(value);
        }
        if (object.type == "MeshCoordinate") {
            return mesh_coordinate(value);
        }
        return std::string(is_semaphore(object.type) ? "SEMAPHORE" : "DEVICE");
    }
    Expression operator()(const Value::Unparsed& text) const { return python_text(text.text); }
};

}  // namespace

Expression Expression::call(std::string head, std::vector<Expression> parts) {
    return {std::move(head), '(', ')', std::move(parts)};
}
Expression Expression::list(std::vector<Expression> parts) { return {"", '[', ']', std::move(parts)}; }
Expression Expression::tuple(std::vector<Expression> parts) {
    // The comma behind the only part is what makes it a tuple.
    if (parts.size() == 1) {
        return fmt::format("({},)", parts.front().flat());
    }
    return {"", '(', ')', std::move(parts)};
}
Expression Expression::set(std::vector<Expression> parts) { return {"", '{', '}', std::move(parts)}; }
Expression Expression::keyword(std::string_view name, Expression part) {
    part.head_ = fmt::format("{}={}", name, part.head_);
    return part;
}

std::string Expression::flat() const {
    if (open_ == 0) {
        return head_;
    }
    std::string text = head_ + open_;
    for (size_t i = 0; i < parts_.size(); ++i) {
        text += (i == 0 ? "" : ", ") + parts_[i].flat();
    }
    return text + close_;
}

std::string Expression::laid_out(size_t indent, std::string_view behind) const {
    const std::string space(indent, ' ');
    const std::string line = flat();
    if (parts_.empty() || indent + line.size() + behind.size() <= width) {
        return fmt::format("{}{}{}\n", space, line, behind);
    }
    std::string text = fmt::format("{}{}{}\n", space, head_, open_);
    for (const Expression& part : parts_) {
        text += part.laid_out(indent + 4, ",");
    }
    return text + fmt::format("{}{}{}\n", space, close_, behind);
}

// JSON's escapes are Python's as well. Formatters prefer the quotes that need none.
std::string python_text(std::string_view text) {
    std::string json = json_text(Json(std::string(text)));
    if (text.find('"') == text.npos || text.find('\'') != text.npos) {
        return json;
    }
    json.front() = json.back() = '\'';
    for (size_t at = json.find("\\\""); at != json.npos; at = json.find("\\\"", at + 1)) {
        json.erase(at, 1);
    }
    return json;
}

Expression python_expression(const Value& value) { return std::visit(ToPython{value}, value.data()); }

}  // namespace tracelift
