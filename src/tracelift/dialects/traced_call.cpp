#include "tracelift/dialects/traced_call.hpp"

namespace tracelift {
namespace {

uint64_t count_in(const Value::Dict& entries) {
    uint64_t count = 0;
    for (const auto& entry : entries) {
        count += count_tensors(entry.value);
    }
    return count;
}

}  // namespace

uint64_t count_tensors(const Value& value) {
    if (const auto* record = value.as<Value::Struct>()) {
        return record->type == "Tensor" || record->type == "torch.Tensor" ? 1 : count_in(record->fields);
    }
    if (const auto* dict = value.as<Value::Dict>()) {
        return count_in(*dict);
    }
    uint64_t count = 0;
    if (const auto* list = value.as<Value::List>()) {
        for (const Value& item : *list) {
            count += count_tensors(item);
        }
    }
    return count;
}

}  // namespace tracelift
