#include "tracelift/sweep_report/neighbours.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "tracelift/bind/left_out.hpp"
#include "tracelift/catalog/value_path.hpp"
#include "tracelift/formats/value_text.hpp"

namespace tracelift {
namespace {

constexpr int64_t tile_side = 32;

bool is_plain(const Value& value) {
    return value.as<Value::List>() == nullptr && value.as<Value::Dict>() == nullptr &&
           value.as<Value::Struct>() == nullptr;
}

bool is_plain_list(const Value& value) {
    const auto* list = value.as<Value::List>();
    return list != nullptr && std::ranges::all_of(*list, is_plain);
}

// Nothing for what has none.
const Value::Dict* fields_of(const Value& value) {
    if (const auto* record = value.as<Value::Struct>()) {
        return &record->fields;
    }
    return value.as<Value::Dict>();
}

std::string type_of(const Value& value) {
    const auto* record = value.as<Value::Struct>();
    return record != nullptr ? record->type : std::string(value.kind());
}

std::string text_of(const Value* value) {
    if (value == nullptr) {
        return std::string(not_given);
    }
    return is_plain(*value) || is_plain_list(*value) ? plain_text(*value) : show_text(*value);
}

std::string joined(const std::string& path, const std::string& name) {
    return path.empty() ? name : fmt::format("{}.{}", path, name);
}

// As many as differ, counted from the last; a dimension that only one has differs.
std::optional<size_t> differing_dimensions(const Value& a, const Value& b) {
    const auto* first = a.as<Value::List>();
    const auto* second = b.as<Value::List>();
    const auto whole = [](const Value& item) { return item.as<int64_t>() != nullptr; };
    if (first == nullptr || second == nullptr || !std::ranges::all_of(*first, whole) ||
        !std::ranges::all_of(*second, whole)) {
        return std::nullopt;
    }
    const size_t common = std::min(first->size(), second->size());
    size_t count = std::max(first->size(), second->size()) - common;
    for (size_t i = 1; i <= common; ++i) {
        count += (*first)[first->size() - i] == (*second)[second->size() - i] ? 0 : 1;
    }
    return count;
}

class Differ {
public:
    void compare(const std::string& path, const Value* passes, const Value* fails) {
        if (passes == nullptr || fails == nullptr) {
            if (passes != fails) {
                add(path, passes, fails, DifferenceCost::presence);
            }
            return;
        }
        if (*passes == *fails) {
            return;
        }
        const auto* a = fields_of(*passes);
        const auto* b = fields_of(*fails);
        if (a != nullptr && b != nullptr && type_of(*passes) == type_of(*fails)) {
            compare_fields(path, *a, *b);
        } else if (!is_plain_list(*passes) && !is_plain_list(*fails) && both_lists(*passes, *fails)) {
            compare_items(path, *passes->as<Value::List>(), *fails->as<Value::List>());
        } else {
            add(path, passes, fails, cost_of(*passes, *fails));
        }
    }
    void compare_fields(const std::string& path, const Value::Dict& passes, const Value::Dict& fails) {
        for (const Value::Entry& entry : fails) {
            compare(joined(path, entry.key), found(passes, entry.key), &entry.value);
        }
        for (const Value::Entry& entry : passes) {
            if (found(fails, entry.key) == nullptr) {
                compare(joined(path, entry.key), &entry.value, nullptr);
            }
        }
    }
    std::vector<FieldDifference> take() { return std::move(differences_); }

private:
    static bool both_lists(const Value& a, const Value& b) {
        return a.as<Value::List>() != nullptr && b.as<Value::List>() != nullptr;
    }
    static const Value* found(const Value::Dict& fields, const std::string& name) {
        const auto at = std::ranges::find(fields, name, &Value::Entry::key);
        return at == fields.end() ? nullptr : &at->value;
    }
    static size_t cost_of(const Value& passes, const Value& fails) {
        if (const auto dimensions = differing_dimensions(passes, fails)) {
            return *dimensions * DifferenceCost::dimension;
        }
        if (passes.as<Value::Enum>() != nullptr && fails.as<Value::Enum>() != nullptr) {
            return DifferenceCost::kind;
        }
        const bool values = (is_plain(passes) && is_plain(fails)) || (is_plain_list(passes) && is_plain_list(fails));
        return values && !passes.is_null() && !fails.is_null() ? DifferenceCost::value : DifferenceCost::presence;
    }
    void compare_items(const std::string& path, const Value::List& passes, const Value::List& fails) {
        for (size_t i = 0; i < std::max(passes.size(), fails.size()); ++i) {
            compare(fmt::format("{}[{}]", path, i), i < passes.size() ? &passes[i] : nullptr,
                    i < fails.size() ? &fails[i] : nullptr);
        }
    }
    void add(const std::string& path, const Value* passes, const Value* fails, size_t cost) {
        differences_.push_back({path, text_of(passes), text_of(fails), cost});
    }

    std::vector<FieldDifference> differences_;
};

using Fields = std::map<std::string, std::string>;  // values by path

void add_shape_facts(const std::string& path, const Value& tensor, Fields& fields) {
    const Value* shape = tensor.find("shape");
    const auto* sizes = shape != nullptr ? shape->as<Value::List>() : nullptr;
    if (sizes == nullptr) {
        return;
    }
    fields[path + ".rank"] = fmt::format("{}", sizes->size());
    for (const size_t from_end : {size_t{1}, size_t{2}}) {
        const auto* size = from_end <= sizes->size() ? (*sizes)[sizes->size() - from_end].as<int64_t>() : nullptr;
        if (size != nullptr) {
            fields[fmt::format("{}.shape[-{}] % {}", path, from_end, tile_side)] = fmt::format("{}", *size % tile_side);
        }
    }
}

void add_fields(const std::string& path, const Value& value, Fields& fields) {
    if (is_plain(value) || is_plain_list(value)) {
        fields[path] = plain_text(value);
        return;
    }
    if (!path.empty()) {
        fields[path] = type_of(value);
    }
    if (const auto* list = value.as<Value::List>()) {
        for (size_t i = 0; i < list->size(); ++i) {
            add_fields(fmt::format("{}[{}]", path, i), (*list)[i], fields);
        }
        return;
    }
    if (type_of(value) == "Tensor") {
        add_shape_facts(path, value, fields);
    }
    for (const Value::Entry& entry : *fields_of(value)) {
        add_fields(joined(path, entry.key), entry.value, fields);
    }
}

// What the call is made with: what a capture lost has no effect.
Value::Dict effective_arguments(const BoundCall& call) { return replayable(call.arguments); }

std::vector<Fields> fields_of_calls(std::span<const BoundCall* const> calls) {
    std::vector<Fields> all(calls.size());
    for (size_t i = 0; i < calls.size(); ++i) {
        add_fields({}, effective_arguments(*calls[i]), all[i]);
    }
    return all;
}

std::map<std::string, size_t> counted(const std::vector<Fields>& calls, const std::string& path) {
    std::map<std::string, size_t> counts;
    for (const Fields& fields : calls) {
        const auto found = fields.find(path);
        ++counts[found == fields.end() ? std::string(not_given) : found->second];
    }
    return counts;
}

bool is_part_of(const std::string& path, const std::string& whole) {
    // The rest of a dimension says more than the shape that it is a part of.
    const bool rest_of_shape = path.find('%') != path.npos && whole.ends_with(".shape");
    return path.size() > whole.size() && path.starts_with(whole) && !rest_of_shape &&
           (path[whole.size()] == '.' || path[whole.size()] == '[');
}

}  // namespace

std::vector<FieldDifference> field_differences(const BoundCall& passing, const BoundCall& failing) {
    Differ differ;
    differ.compare_fields({}, effective_arguments(passing), effective_arguments(failing));
    return differ.take();
}

std::vector<Neighbour> nearest_passing(const BoundCall& failing, std::span<const BoundCall* const> passing,
                                       size_t most) {
    std::vector<Neighbour> neighbours;
    for (const BoundCall* call : passing) {
        Neighbour neighbour{.call = call, .differences = field_differences(*call, failing)};
        for (const FieldDifference& difference : neighbour.differences) {
            neighbour.distance += difference.cost;
        }
        neighbours.push_back(std::move(neighbour));
    }
    std::ranges::stable_sort(neighbours, {}, &Neighbour::distance);
    neighbours.resize(std::min(most, neighbours.size()));
    return neighbours;
}

std::vector<SeparatingField> separating_fields(std::span<const BoundCall* const> failing,
                                               std::span<const BoundCall* const> passing) {
    const std::vector<Fields> failing_fields = fields_of_calls(failing);
    const std::vector<Fields> passing_fields = fields_of_calls(passing);
    std::set<std::string> paths;
    for (const auto* calls : {&failing_fields, &passing_fields}) {
        for (const Fields& fields : *calls) {
            for (const auto& [path, value] : fields) {
                paths.insert(path);
            }
        }
    }
    std::vector<SeparatingField> list;
    for (const std::string& path : paths) {
        SeparatingField field{
            .path = path, .fails = counted(failing_fields, path), .passes = counted(passing_fields, path)};
        for (const auto& [value, count] : field.fails) {
            field.apart += field.passes.contains(value) ? 0 : count;
        }
        // Paths come in order, so what it is part of came before.
        const bool told = std::ranges::any_of(list, [&](const SeparatingField& whole) {
            return is_part_of(path, whole.path) && whole.apart >= field.apart;
        });
        if (field.apart != 0 && !told) {
            list.push_back(std::move(field));
        }
    }
    const auto values = [](const SeparatingField& field) { return field.fails.size() + field.passes.size(); };
    std::ranges::stable_sort(list, [&](const SeparatingField& a, const SeparatingField& b) {
        return a.apart != b.apart ? a.apart > b.apart : values(a) < values(b);
    });
    return list;
}

}  // namespace tracelift
