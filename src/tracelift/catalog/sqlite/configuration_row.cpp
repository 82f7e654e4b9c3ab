#include "tracelift/catalog/sqlite/configuration_row.hpp"

#include "tracelift/bind/left_out.hpp"
#include "tracelift/value/bytes.hpp"
#include "tracelift/value/canonical.hpp"
#include "tracelift/value/not_captured.hpp"

namespace tracelift {
namespace {

std::optional<std::string> if_any(std::string text) {
    return text.empty() ? std::nullopt : std::optional(std::move(text));
}

std::string bytes_of(const Value::Dict& arguments) {
    ByteWriter writer;
    writer.reserve(2048);
    emit(arguments, writer);
    return writer.take();
}

const Value* first_tensor(const Value& value) {
    if (const auto* record = value.as<Value::Struct>()) {
        return record->type == "Tensor" ? &value : nullptr;
    }
    const auto* list = value.as<Value::List>();
    for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
        if (const Value* found = first_tensor((*list)[i])) {
            return found;
        }
    }
    return nullptr;
}

const Value* first_tensor(const Value::Dict& arguments) {
    for (const auto& entry : arguments) {
        if (const Value* found = first_tensor(entry.value)) {
            return found;
        }
    }
    return nullptr;
}

std::optional<std::string> member(const Value* record, std::string_view name) {
    const Value* field = record != nullptr ? record->find(name) : nullptr;
    const auto* tagged = field != nullptr ? field->as<Value::Enum>() : nullptr;
    return tagged != nullptr ? std::optional(tagged->member) : std::nullopt;
}

void count_unparsed(const Value& value, stored::ConfigurationRow& row) {
    if (value.as<Value::Unparsed>() != nullptr) {
        ++(was_not_captured(value) ? row.lost : row.unparsed);
    } else if (const auto* list = value.as<Value::List>()) {
        for (const Value& item : *list) {
            count_unparsed(item, row);
        }
    } else if (const auto* dict = value.as<Value::Dict>()) {
        for (const auto& entry : *dict) {
            count_unparsed(entry.value, row);
        }
    } else if (const auto* record = value.as<Value::Struct>()) {
        for (const auto& entry : record->fields) {
            count_unparsed(entry.value, row);
        }
    }
}

}  // namespace

PreparedConfiguration prepare(NewConfiguration configuration) {
    const BoundCall& call = configuration.call;
    const Value* tensor = first_tensor(call.arguments);
    const Value* memory = tensor != nullptr ? tensor->find("memory_config") : nullptr;
    const Value* shape = tensor != nullptr ? tensor->find("shape") : nullptr;
    PreparedConfiguration prepared;
    prepared.operation = call.operation;
    prepared.hardware = std::move(configuration.hardware);
    stored::ConfigurationRow& row = prepared.row;
    row.canonical_version = canonical_version;
    row.bound = call.bound;
    row.note = if_any(call.note);
    row.dtype = member(tensor, "dtype");
    row.layout = member(tensor, "layout");
    row.memory_layout = member(memory, "memory_layout");
    row.buffer_type = member(memory, "buffer_type");
    row.shape = shape != nullptr ? std::optional(shape->to_text()) : std::nullopt;
    row.arguments = bytes_of(call.arguments);
    for (const auto& entry : call.arguments) {
        if (call.bound && can_be_left_out(entry)) {
            row.lost += is_lost(entry) ? 1 : 0;
        } else {
            count_unparsed(entry.value, row);
        }
    }
    row.board = std::move(configuration.board);
    row.format = std::move(configuration.format);
    row.digest = if_any(std::move(configuration.digest));
    row.stored = std::move(configuration.stored);
    row.legacy_hash = std::move(configuration.legacy_hash);
    return prepared;
}

}  // namespace tracelift
