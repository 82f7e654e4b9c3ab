#include "tracelift/value/canonical.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>

#include "tracelift/value/bytes.hpp"

namespace tracelift {
namespace {

bool is_volatile(const Value::Entry& entry) {
    return entry.value.as<int64_t>() != nullptr &&
           (entry.key == "hash" || entry.key == "address" || entry.key == "buffer_address");
}

std::string without_addresses(std::string text) {
    constexpr std::string_view mark = " at 0x";
    for (size_t at = text.find(mark); at != text.npos; at = text.find(mark, at)) {
        const size_t end = text.find_first_not_of("0123456789abcdefABCDEF", at + mark.size());
        text.erase(at, end == text.npos ? end : end - at);
    }
    return text;
}

Value::Dict normalised_entries(Value::Dict entries) {
    std::erase_if(entries, is_volatile);
    for (auto& entry : entries) {
        entry.value = normalised(std::move(entry.value));
    }
    std::ranges::sort(entries, {}, &Value::Entry::key);
    return entries;
}

}  // namespace

Value normalised(Value value) {
    if (const auto* number = value.as<double>()) {
        return std::isnan(*number) ? std::numeric_limits<double>::quiet_NaN() : *number;
    }
    if (const auto* list = value.as<Value::List>()) {
        Value::List items = *list;
        for (Value& item : items) {
            item = normalised(std::move(item));
        }
        return items;
    }
    if (const auto* dict = value.as<Value::Dict>()) {
        return normalised_entries(*dict);
    }
    if (const auto* record = value.as<Value::Struct>()) {
        return Value::Struct{record->type, normalised_entries(record->fields)};
    }
    if (const auto* text = value.as<std::string>()) {
        return without_addresses(*text);
    }
    if (const auto* unparsed = value.as<Value::Unparsed>()) {
        return Value::Unparsed{without_addresses(unparsed->text), {}};
    }
    if (const auto* object = value.as<Value::Object>()) {
        return Value::Object{object->type, {}};
    }
    return value;
}

namespace {

// Entries that count, by key. Calls are hashed by the million: the usual few need no memory of their own.
class SortedEntries {
public:
    explicit SortedEntries(const Value::Dict& dict) {
        if (dict.size() > few_.size()) {
            many_.resize(dict.size());
        }
        const Value::Entry** first = dict.size() > few_.size() ? many_.data() : few_.data();
        const Value::Entry** last = first;
        for (const auto& entry : dict) {
            if (!is_volatile(entry)) {
                *last++ = &entry;
            }
        }
        entries_ = {first, last};
        std::ranges::sort(entries_, {}, [](const Value::Entry* entry) -> const std::string& { return entry->key; });
    }
    SortedEntries(const SortedEntries&) = delete;
    SortedEntries& operator=(const SortedEntries&) = delete;

    size_t size() const { return entries_.size(); }
    void put(ByteWriter& writer) const {
        for (const Value::Entry* entry : entries_) {
            writer.key(entry->key);
            put_canonical(entry->value, writer);
        }
    }

private:
    std::array<const Value::Entry*, 24> few_;
    std::vector<const Value::Entry*> many_;
    std::span<const Value::Entry*> entries_;
};

// What normalised() changes in a value without parts.
bool needs_normalising(const Value& leaf) {
    return leaf.as<double>() != nullptr || leaf.as<std::string>() != nullptr || leaf.as<Value::Object>() != nullptr ||
           leaf.as<Value::Unparsed>() != nullptr;
}

}  // namespace

void put_canonical(const Value::Dict& dict, ByteWriter& writer) {
    const SortedEntries entries(dict);
    writer.dict(entries.size());
    entries.put(writer);
}

void put_canonical(const Value& value, ByteWriter& writer) {
    if (const auto* list = value.as<Value::List>()) {
        writer.list(list->size());
        for (const Value& item : *list) {
            put_canonical(item, writer);
        }
    } else if (const auto* dict = value.as<Value::Dict>()) {
        put_canonical(*dict, writer);
    } else if (const auto* record = value.as<Value::Struct>()) {
        const SortedEntries entries(record->fields);
        writer.record(record->type, entries.size());
        entries.put(writer);
    } else if (needs_normalising(value)) {
        emit(normalised(value), writer);
    } else {
        emit(value, writer);
    }
}

std::string canonical_bytes(const Value& value) {
    ByteWriter writer;
    writer.varint(canonical_version);
    put_canonical(value, writer);
    return writer.take();
}

}  // namespace tracelift
