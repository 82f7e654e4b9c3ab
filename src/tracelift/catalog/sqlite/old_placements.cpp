#include "tracelift/catalog/sqlite/old_placements.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <sqlite3.h>

#include "tracelift/catalog/sqlite/tables.hpp"
#include "tracelift/value/bytes.hpp"
#include "ttnn/op/tensor_placement.hpp"

namespace tracelift {
namespace {

// Placements go by the path of their tensor: "input_tensor", "tensors[1]".
Value placed(const std::string& path, Value value, const Value::Dict& placements) {
    if (value.as<Value::List>() != nullptr) {
        auto list = std::move(value).take<Value::List>();
        for (size_t i = 0; i < list.size(); ++i) {
            list[i] = placed(fmt::format("{}[{}]", path, i), std::move(list[i]), placements);
        }
        return list;
    }
    const auto found = std::ranges::find(placements, path, &Value::Entry::key);
    if (found == placements.end() || value.as<Value::Struct>() == nullptr) {
        return value;
    }
    auto tensor = std::move(value).take<Value::Struct>();
    tensor.fields.push_back({std::string(ttnn::placement_field), found->value});
    return tensor;
}

void with_placements(sqlite3_context* context, int, sqlite3_value** values) {
    const auto dict = [&](int index) {
        return arguments_of({static_cast<const char*>(sqlite3_value_blob(values[index])),
                             static_cast<size_t>(sqlite3_value_bytes(values[index]))});
    };
    try {
        Value::Dict arguments = dict(0);
        const Value::Dict placements = dict(1);
        for (auto& argument : arguments) {
            argument.value = placed(argument.key, std::move(argument.value), placements);
        }
        ByteWriter writer;
        emit(arguments, writer);
        const std::string bytes = writer.take();
        sqlite3_result_blob(context, bytes.data(), static_cast<int>(bytes.size()), SQLITE_TRANSIENT);
    } catch (const std::exception& error) {
        sqlite3_result_error(context, error.what(), -1);
    }
}

}  // namespace

void add_placement_function(Database& database) {
    sqlite3_create_function(database.handle(), "with_placements", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr,
                            with_placements, nullptr, nullptr);
}

}  // namespace tracelift
