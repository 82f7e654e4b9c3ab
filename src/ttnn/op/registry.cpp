#include <algorithm>
#include <map>

#include "ttnn/core/error.hpp"
#include "ttnn/op/nearest.hpp"
#include "ttnn/op/op_info.hpp"

namespace ttnn {

// Generated from the TTNN_OPERATION lines (cmake/operations.cmake).
void register_all_operations(std::vector<OpInfo*>& operations);
void register_all_references();

namespace {

struct Registry {
    std::vector<const OpInfo*> operations;  // by name; overloads after the first are reached through it
    std::map<std::string, const OpInfo*, std::less<>> by_name;
};

std::vector<OpInfo*>& declared_elsewhere() {
    static std::vector<OpInfo*> list;
    return list;
}

Registry build_registry() {
    std::vector<OpInfo*> declared = declared_elsewhere();
    register_all_operations(declared);
    register_all_references();
    Registry registry;
    std::map<std::string_view, OpInfo*> last;
    for (OpInfo* op : declared) {
        require(op->is_judged() || !op->no_reference.empty(), "{}: has no reference, and no_reference does not say why",
                op->name);
        auto [entry, fresh] = last.try_emplace(op->name, op);
        if (!fresh) {
            entry->second->next_overload = op;
            entry->second = op;
            continue;
        }
        registry.operations.push_back(op);
        registry.by_name.emplace(op->name, op);
        for (const std::string_view alias : op->aliases) {
            registry.by_name.emplace(alias, op);
        }
    }
    std::ranges::sort(registry.operations, {}, [](const OpInfo* op) { return op->name; });
    return registry;
}

const Registry& registry() {
    static const Registry instance = build_registry();
    return instance;
}

std::string normalised(std::string_view name) {
    std::string text;
    for (size_t i = 0; i < name.size(); ++i) {
        if (name.substr(i, 2) == "::") {
            text += '.';
            ++i;
        } else {
            text += name[i];
        }
    }
    return text.starts_with("ttnn.") ? text : "ttnn." + text;
}

}  // namespace

void register_operation(OpInfo& op) { declared_elsewhere().push_back(&op); }

const std::vector<const OpInfo*>& all_operations() { return registry().operations; }

const OpInfo* find_operation(std::string_view name) {
    const auto found = registry().by_name.find(normalised(name));
    return found == registry().by_name.end() ? nullptr : found->second;
}

std::vector<std::string> nearest_operations(std::string_view name, size_t count) {
    const std::string_view prefix = "ttnn.";
    std::vector<std::string> known;
    for (const auto& [full, op] : registry().by_name) {
        known.push_back(full.substr(full.starts_with(prefix) ? prefix.size() : 0));
    }
    std::vector<std::string> names = nearest_names(normalised(name).substr(prefix.size()), known, count);
    for (std::string& near : names) {
        near.insert(0, prefix);
    }
    return names;
}

}  // namespace ttnn
