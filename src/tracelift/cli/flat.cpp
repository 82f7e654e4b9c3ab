#include "tracelift/cli/flat.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "tracelift/catalog/value_path.hpp"

namespace tracelift::cli {
namespace {

bool is_plain(const Value& value) {
    return value.as<Value::List>() == nullptr && value.as<Value::Dict>() == nullptr &&
           value.as<Value::Struct>() == nullptr;
}

Json plain_json(const Value& value) {
    if (value.is_null()) {
        return {};
    }
    if (const auto* flag = value.as<bool>()) {
        return *flag;
    }
    if (const auto* number = value.as<int64_t>()) {
        return *number;
    }
    if (const auto* real = value.as<double>(); real != nullptr && std::isfinite(*real)) {
        return *real;
    }
    return plain_text(value);
}

void add(const std::string& path, const Value& value, Json& flat) {
    const auto* list = value.as<Value::List>();
    const auto* dict = value.as<Value::Dict>();
    const auto* record = value.as<Value::Struct>();
    if (list != nullptr && std::ranges::all_of(*list, is_plain)) {
        Json items = Json::array();
        for (const Value& item : *list) {
            items.push_back(plain_json(item));
        }
        flat[path] = std::move(items);
    } else if (list != nullptr) {
        for (size_t i = 0; i < list->size(); ++i) {
            add(fmt::format("{}[{}]", path, i), (*list)[i], flat);
        }
    } else if (dict != nullptr || record != nullptr) {
        for (const auto& entry : dict != nullptr ? *dict : record->fields) {
            add(fmt::format("{}.{}", path, entry.key), entry.value, flat);
        }
    } else {
        flat[path] = plain_json(value);
    }
}

}  // namespace

Json flat_json(const Configuration& configuration) {
    std::set<std::string> models;
    int64_t count = 0;
    for (const Execution& execution : configuration.executions) {
        models.insert(execution.model);
        count += execution.count;
    }
    Json flat{{"operation", cpp_name(configuration.call.operation)},
              {"id", configuration.id},
              {"identity", configuration.identity},
              {"models", models},
              {"count", count},
              {"hardware", configuration.hardware ? Json(configuration.hardware->device_series) : Json()}};
    if (!configuration.call.bound) {
        for (const auto& entry : configuration.call.arguments) {
            add(entry.key, entry.value, flat);
        }
        return flat;
    }
    const auto positional = positional_arguments(configuration.call);
    for (size_t i = 0; i < positional.size(); ++i) {
        if (positional[i]) {
            add(fmt::format("arg{}", i), *positional[i], flat);
        }
    }
    return flat;
}

}  // namespace tracelift::cli
