#include "tracelift/store/diff.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "tracelift/catalog/value_path.hpp"
#include "tracelift/dialects/format1.hpp"
#include "tracelift/dialects/json_tree.hpp"
#include "tracelift/formats/value_text.hpp"

namespace tracelift {
namespace {

constexpr size_t most_pairs = 40'000;  // gone times added, of one operation; beyond that they are paired in order

std::string key_of(const Configuration& configuration) {
    return fmt::format("{}#{}", configuration.identity, configuration.ordinal);
}

// Arguments of format 1 by their values: the same argument may stand there damaged or repaired.
Value typed_format1(const Value& tree) {
    const auto typed = [](const Value& list) {
        Value::Dict arguments;
        for (size_t i = 0; const auto& argument : read_arguments(list)) {
            arguments.push_back({fmt::format("arg{}", i++), argument.value_or(Value())});
        }
        return Value(std::move(arguments));
    };
    if (tree.as<Value::List>() != nullptr) {
        return Value::Dict{{"arguments", typed(tree)}};
    }
    Value::Dict fields = *tree.as<Value::Dict>();
    for (auto& entry : fields) {
        entry.value = entry.key == "arguments" ? typed(entry.value) : std::move(entry.value);
    }
    return fields;
}

// What a configuration says, as one tree: the text it came from, else its values and executions.
Value tree_of(Catalog& store, const Configuration& configuration) {
    if (const auto stored = store.stored_text(configuration.id)) {
        Value tree = parse_json(*stored);
        if (configuration.format == "1") {
            return typed_format1(tree);
        }
        if (const auto* dict = tree.as<Value::Dict>()) {
            Value::Dict without_id;
            std::ranges::copy_if(*dict, std::back_inserter(without_id),
                                 [](const Value::Entry& entry) { return entry.key != "config_id"; });
            return without_id;
        }
        return tree;
    }
    Value::List executions;
    for (const Execution& execution : configuration.executions) {
        executions.emplace_back(
            Value::Dict{{"source", execution.model}, {"trace_uid", execution.trace_uid}, {"count", execution.count}});
    }
    return Value::Dict{{"arguments", configuration.call.arguments},
                       {"machine_info", json_tree(machine_info(configuration.hardware))},
                       {"executions", std::move(executions)}};
}

// Values only, where the two came by different roads and their texts say nothing about each other.
Value values_of(const Configuration& configuration) {
    return Value::Dict{{"arguments", configuration.call.arguments},
                       {"machine_info", json_tree(machine_info(configuration.hardware))}};
}

std::vector<LeafChange> changes(const Value& before, const Value& after) {
    std::map<std::string, std::pair<std::string, std::string>> both;
    std::vector<std::string> order;
    for (const auto& [path, value] : leaves_of(before)) {
        both[path].first = value.to_text();
        order.push_back(path);
    }
    for (const auto& [path, value] : leaves_of(after)) {
        if (!both.contains(path)) {
            order.push_back(path);
        }
        both[path].second = value.to_text();
    }
    std::vector<LeafChange> result;
    for (const std::string& path : order) {
        const auto& [was, is] = both[path];
        if (was != is) {
            result.push_back({path, was, is});
        }
    }
    return result;
}

std::string arguments_text(const BoundCall& call) {
    std::string text;
    for (const auto& [name, value] : call.arguments) {
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, show_text(value));
    }
    return text;
}

class Differ {
public:
    Differ(Catalog& a, Catalog& b, const ConfigurationQuery& query, const std::function<void(uint64_t)>& progress)
        : a_(a), b_(b), query_(query), progress_(progress) {}

    StoreDiff run() {
        const auto names_a = names(a_);
        const auto names_b = names(b_);
        for (const std::string& name : names_b) {
            if (std::ranges::find(names_a, name) == names_a.end()) {
                diff_.added_operations.push_back(name);
            }
        }
        for (const std::string& name : names_a) {
            if (std::ranges::find(names_b, name) == names_b.end()) {
                diff_.gone_operations.push_back(name);
            }
            compare(name);
        }
        for (const std::string& name : diff_.added_operations) {
            compare(name);
        }
        return std::move(diff_);
    }

private:
    std::vector<std::string> names(Catalog& store) const {
        std::vector<std::string> result;
        for (const OperationSummary& operation : store.operations()) {
            if (!query_.operation.empty() && query_.operation != operation.name) {
                continue;
            }
            ConfigurationQuery query = query_;
            query.operation = operation.name;
            bool any = false;
            store.visit(query, [&](Configuration&) {
                any = true;
                return false;
            });
            if (any) {
                result.push_back(operation.name);
            }
        }
        return result;
    }

    void note_visit() {
        ++visited_;
        if (progress_) {
            progress_(visited_);
        }
    }

    void compare(const std::string& operation) {
        ConfigurationQuery query = query_;
        query.operation = operation;
        std::unordered_map<std::string, Configuration> gone;
        std::vector<std::string> order;
        a_.visit(query, [&](Configuration& configuration) {
            note_visit();
            order.push_back(key_of(configuration));
            gone.emplace(order.back(), std::move(configuration));
            return true;
        });
        std::vector<Configuration> added;
        b_.visit(query, [&](Configuration& configuration) {
            note_visit();
            const auto known = gone.find(key_of(configuration));
            if (known == gone.end()) {
                added.push_back(std::move(configuration));
                return true;
            }
            compare_equal(known->second, configuration);
            gone.erase(known);
            return true;
        });
        std::vector<Configuration> left;
        for (const std::string& key : order) {
            if (const auto found = gone.find(key); found != gone.end()) {
                left.push_back(std::move(found->second));
            }
        }
        pair_up(left, added);
    }

    // Equal in identity; what else differs?
    void compare_equal(const Configuration& before, const Configuration& after) {
        const auto text_a = a_.stored_text(before.id);
        const auto text_b = b_.stored_text(after.id);
        std::vector<LeafChange> leaves;
        if (before.format == after.format && (text_a != text_b || !text_a)) {
            leaves = changes(tree_of(a_, before), tree_of(b_, after));
        }
        leaves.empty() ? void(++diff_.same) : add_changed(after, std::move(leaves));
    }

    void add_changed(const Configuration& after, std::vector<LeafChange> leaves) {
        ConfigurationChange change = described(ConfigurationChange::Kind::CHANGED, after);
        change.leaves = std::move(leaves);
        diff_.configurations.push_back(std::move(change));
    }

    static ConfigurationChange described(ConfigurationChange::Kind kind, const Configuration& configuration) {
        ConfigurationChange change;
        change.kind = kind;
        change.operation = configuration.call.operation;
        change.identity = configuration.identity;
        change.text = arguments_text(configuration.call);
        change.hardware = configuration.hardware ? configuration.hardware->device_series : "";
        for (const Execution& execution : configuration.executions) {
            if (std::ranges::find(change.models, execution.model) == change.models.end()) {
                change.models.push_back(execution.model);
            }
        }
        return change;
    }

    std::vector<LeafChange> leaf_changes(const Configuration& before, const Configuration& after) {
        const bool texts = before.format == after.format;
        return texts ? changes(tree_of(a_, before), tree_of(b_, after)) : changes(values_of(before), values_of(after));
    }

    // The nearest ones first; what differs in half of its leaves or more is another configuration.
    void pair_up(std::vector<Configuration>& gone, std::vector<Configuration>& added) {
        struct Pair {
            size_t distance, a, b;
        };
        std::vector<Pair> pairs;
        const bool in_order = gone.size() * added.size() > most_pairs;
        for (size_t i = 0; i < gone.size(); ++i) {
            const size_t leaves = leaves_of(values_of(gone[i])).size();
            for (size_t j = 0; j < added.size(); ++j) {
                if (in_order && i != j) {
                    continue;
                }
                const size_t distance = changes(values_of(gone[i]), values_of(added[j])).size();
                if (2 * distance < leaves) {
                    pairs.push_back({distance, i, j});
                }
            }
        }
        std::ranges::stable_sort(pairs, {}, &Pair::distance);
        std::vector<bool> gone_done(gone.size()), added_done(added.size());
        for (const Pair& pair : pairs) {
            if (!gone_done[pair.a] && !added_done[pair.b]) {
                gone_done[pair.a] = added_done[pair.b] = true;
                add_changed(added[pair.b], leaf_changes(gone[pair.a], added[pair.b]));
            }
        }
        for (size_t i = 0; i < gone.size(); ++i) {
            if (!gone_done[i]) {
                diff_.configurations.push_back(described(ConfigurationChange::Kind::GONE, gone[i]));
            }
        }
        for (size_t j = 0; j < added.size(); ++j) {
            if (!added_done[j]) {
                diff_.configurations.push_back(described(ConfigurationChange::Kind::ADDED, added[j]));
            }
        }
    }

    Catalog& a_;
    Catalog& b_;
    const ConfigurationQuery& query_;
    const std::function<void(uint64_t)>& progress_;
    StoreDiff diff_;
    uint64_t visited_ = 0;
};

}  // namespace

StoreDiff diff_stores(Catalog& a, Catalog& b, const ConfigurationQuery& query,
                      const std::function<void(uint64_t)>& progress) {
    return Differ(a, b, query, progress).run();
}

}  // namespace tracelift
