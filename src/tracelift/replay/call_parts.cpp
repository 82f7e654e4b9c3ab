#include "tracelift/replay/call_parts.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace tracelift {
namespace {

class Collector {
public:
    std::vector<Part> parts;

    void add(const Part& part) {
        const Value& value = *part.value;
        parts.push_back(part);
        if (const auto* list = value.as<Value::List>()) {
            for (size_t i = 0; i < list->size(); ++i) {
                add(inside(part, i, part.name, (*list)[i]));
            }
        } else if (const auto* dict = value.as<Value::Dict>()) {
            add_entries(part, *dict, false);
        } else if (const auto* record = value.as<Value::Struct>()) {
            add_entries(part, record->fields, record->type == "Tensor");
        }
    }

private:
    void add_entries(const Part& part, const Value::Dict& entries, bool tensor) {
        for (size_t i = 0; i < entries.size(); ++i) {
            Part entry = inside(part, i, entries[i].key, entries[i].value);
            entry.in_tensor = entry.in_tensor || tensor;
            entry.is_size = tensor && entries[i].key == "shape";
            add(entry);
        }
    }
    static Part inside(const Part& part, size_t position, std::string_view name, const Value& value) {
        Part inner{part.path, name, &value, part.in_tensor, part.is_size};
        inner.path.push_back(position);
        return inner;
    }
};

void replace(Value& at, std::span<const size_t> path, const Value& by) {
    if (path.empty()) {
        at = by;
        return;
    }
    const size_t position = path.front();
    if (const auto* list = at.as<Value::List>()) {
        Value::List copy = *list;
        replace(copy.at(position), path.subspan(1), by);
        at = std::move(copy);
    } else if (const auto* dict = at.as<Value::Dict>()) {
        Value::Dict copy = *dict;
        replace(copy.at(position).value, path.subspan(1), by);
        at = std::move(copy);
    } else if (const auto* record = at.as<Value::Struct>()) {
        Value::Struct copy = *record;
        replace(copy.fields.at(position).value, path.subspan(1), by);
        at = std::move(copy);
    }
}

const Value::Dict* entries_of(const Value& value) {
    if (const auto* record = value.as<Value::Struct>()) {
        return &record->fields;
    }
    return value.as<Value::Dict>();
}

bool is_simple(const Value& value) {
    const auto* list = value.as<Value::List>();
    return entries_of(value) == nullptr &&
           (list == nullptr || std::ranges::all_of(*list, [](const Value& item) { return is_simple(item); }));
}

const Value* found_in(const Value::Dict& entries, std::string_view key) {
    const auto entry = std::ranges::find(entries, key, &Value::Entry::key);
    return entry == entries.end() ? nullptr : &entry->value;
}

std::string text_of(const Value* value) {
    if (value == nullptr) {
        return "not given";
    }
    const auto* member = value->as<Value::Enum>();
    return member != nullptr ? member->member : value->to_text();
}

class Differences {
public:
    std::vector<FieldChange> changes;

    void compare(const std::string& name, const Value* before, const Value* after) {
        if (before == after || (before != nullptr && after != nullptr && *before == *after)) {
            return;
        }
        const auto* items = before != nullptr ? before->as<Value::List>() : nullptr;
        const auto* others = after != nullptr ? after->as<Value::List>() : nullptr;
        if (items != nullptr && others != nullptr && items->size() == others->size() && !is_simple(*before)) {
            for (size_t i = 0; i < items->size(); ++i) {
                compare(fmt::format("{}[{}]", name, i), &(*items)[i], &(*others)[i]);
            }
            return;
        }
        if (before != nullptr && after != nullptr && entries_of(*before) != nullptr && entries_of(*after) != nullptr) {
            return compare_entries(name + ".", *entries_of(*before), *entries_of(*after));
        }
        changes.push_back({name, text_of(before), text_of(after)});
    }

    void compare_entries(const std::string& prefix, const Value::Dict& before, const Value::Dict& after) {
        for (const Value::Entry& entry : before) {
            compare(prefix + entry.key, &entry.value, found_in(after, entry.key));
        }
        for (const Value::Entry& entry : after) {
            if (found_in(before, entry.key) == nullptr) {
                compare(prefix + entry.key, nullptr, &entry.value);
            }
        }
    }
};

}  // namespace

std::vector<Part> parts_of(const Value::Dict& arguments) {
    Collector collector;
    for (size_t i = 0; i < arguments.size(); ++i) {
        collector.add({{i}, arguments[i].key, &arguments[i].value});
    }
    return std::move(collector.parts);
}

Value::Dict changed(Value::Dict arguments, std::span<const Change> changes) {
    for (const Change& change : changes) {
        replace(arguments.at(change.path.front()).value, std::span(change.path).subspan(1), change.value);
    }
    return arguments;
}

Value with_field(const Value& record, std::string_view field, Value value) {
    Value::Struct copy = *record.as<Value::Struct>();
    const auto found = std::ranges::find(copy.fields, field, &Value::Entry::key);
    if (found != copy.fields.end()) {
        found->value = std::move(value);
    } else {
        copy.fields.push_back({std::string(field), std::move(value)});
    }
    return copy;
}

Value without_field(const Value& record, std::string_view field) {
    Value::Struct copy = *record.as<Value::Struct>();
    std::erase_if(copy.fields, [&](const Value::Entry& entry) { return entry.key == field; });
    return copy;
}

bool is_record(const Value& value, std::string_view type) {
    const auto* record = value.as<Value::Struct>();
    return record != nullptr && record->type == type;
}

bool is_sharded(const Value& memory_config) {
    const std::string_view layout = member_at(memory_config, "memory_layout");
    return !layout.empty() && layout != "INTERLEAVED";
}

std::string_view member_at(const Value& record, std::string_view field) {
    const Value* found = record.find(field);
    const auto* member = found != nullptr ? found->as<Value::Enum>() : nullptr;
    return member != nullptr ? std::string_view(member->member) : std::string_view();
}

std::vector<int64_t> numbers_at(const Value& record, std::string_view field) {
    std::vector<int64_t> numbers;
    const Value* found = record.find(field);
    if (const auto* list = found != nullptr ? found->as<Value::List>() : nullptr) {
        for (const Value& item : *list) {
            if (const auto* number = item.as<int64_t>()) {
                numbers.push_back(*number);
            }
        }
    }
    return numbers;
}

Value list_of(std::span<const int64_t> numbers) {
    Value::List list;
    for (const int64_t number : numbers) {
        list.emplace_back(number);
    }
    return list;
}

int64_t Cores::extent(int64_t start, int64_t end) {
    return start < 0 || end < start ? 0 : std::min<int64_t>(end - start, (1 << 20) - 1) + 1;
}

Value Cores::value() const {
    const auto corner = [](int64_t x, int64_t y) { return Value::Struct{"CoreCoord", {{"x", x}, {"y", y}}}; };
    return Value::Struct{"CoreRange", {{"start", corner(start_x, start_y)}, {"end", corner(end_x, end_y)}}};
}

Cores cores_of(const Value& range) {
    const auto at = [&](std::string_view corner, std::string_view axis) -> int64_t {
        const Value* found = range.find(corner);
        found = found != nullptr ? found->find(axis) : nullptr;
        const auto* number = found != nullptr ? found->as<int64_t>() : nullptr;
        return number != nullptr ? *number : 0;
    };
    return {at("start", "x"), at("start", "y"), at("end", "x"), at("end", "y")};
}

std::vector<FieldChange> field_changes(const Value::Dict& before, const Value::Dict& after) {
    Differences differences;
    differences.compare_entries("", before, after);
    return std::move(differences.changes);
}

}  // namespace tracelift
