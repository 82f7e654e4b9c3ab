#include "tracelift/store/selection.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "tracelift/base/replaced_file.hpp"
#include "tracelift/base/whole_file.hpp"

namespace tracelift {
namespace {

struct RegistryEntry {
    int64_t trace_id = 0;
    std::string status;
    std::vector<std::string> models;
    std::string device_series;
};

class Registry {
public:
    explicit Registry(const std::filesystem::path& path) : name_(path.string()) {
        try {
            top_ = YAML::Load(read_file(path));
        } catch (const YAML::Exception& error) {
            throw FileError(fmt::format("{}: line {}: {}", name_, error.mark.line + 1, error.msg));
        }
        if (!top_.IsNull() && !top_.IsMap()) {
            fail(top_, "'targets' and 'registry'");
        }
    }

    std::vector<RegistryEntry> entries() const {
        std::vector<RegistryEntry> result;
        const YAML::Node list = top_.IsMap() ? top_["registry"] : YAML::Node();
        if (list && !list.IsNull() && !list.IsSequence()) {
            fail(list, "'registry' to be a list");
        }
        for (const YAML::Node& node : list ? list : YAML::Node(YAML::NodeType::Sequence)) {
            RegistryEntry entry;
            entry.trace_id = number(node["trace_id"], node, "'trace_id' to be a number");
            entry.status = node["status"] ? node["status"].as<std::string>("") : "";
            if (entry.status != "draft" && entry.status != "active" && entry.status != "deprecated") {
                fail(node, "'status' to be draft, active or deprecated");
            }
            entry.models = names(node["models"]);
            if (const YAML::Node hardware = node["hardware"]; hardware && hardware.IsMap()) {
                entry.device_series = hardware["device_series"] ? hardware["device_series"].as<std::string>("") : "";
            }
            result.push_back(std::move(entry));
        }
        return result;
    }

    std::set<std::string> known_uids() const {
        std::set<std::string> uids;
        const YAML::Node list = top_.IsMap() ? top_["registry"] : YAML::Node();
        for (const YAML::Node& node : list&& list.IsSequence() ? list : YAML::Node(YAML::NodeType::Sequence)) {
            if (node.IsMap() && node["trace_uid"]) {
                uids.insert(node["trace_uid"].as<std::string>(""));
            }
        }
        return uids;
    }

    struct Target {
        std::vector<std::string> models;
        std::vector<int64_t> traces;
        std::string hardware;
        std::string place;
    };
    std::vector<Target> targets(const std::string& scope) const {
        std::vector<Target> result;
        const YAML::Node groups = top_.IsMap() ? top_["targets"] : YAML::Node();
        if (!groups || groups.IsNull()) {
            return result;
        }
        if (!groups.IsMap()) {
            fail(groups, "'targets' to be groups by name");
        }
        if (!scope.empty() && !groups[scope]) {
            fail(groups, fmt::format("a group '{}' among the targets", scope));
        }
        for (const auto& group : groups) {
            if (!scope.empty() && group.first.as<std::string>("") != scope) {
                continue;
            }
            if (!group.second.IsSequence() && !group.second.IsNull()) {
                fail(group.second, "a list of targets");
            }
            for (const YAML::Node& node : group.second) {
                Target target;
                target.place = fmt::format("{}: line {}", name_, node.Mark().line + 1);
                if (!node.IsMap()) {
                    fail(node, "a target with 'model' or 'trace'");
                }
                target.models = names(node["model"]);
                target.hardware = node["hardware"] ? node["hardware"].as<std::string>("") : "";
                const YAML::Node traces = node["trace"];
                for (const YAML::Node& one : traces&& traces.IsSequence() ? traces : YAML::Node()) {
                    target.traces.push_back(number(one, node, "'trace' to be numbers"));
                }
                if (traces && traces.IsScalar()) {
                    target.traces.push_back(number(traces, node, "'trace' to be a number"));
                }
                result.push_back(std::move(target));
            }
        }
        return result;
    }

private:
    [[noreturn]] void fail(const YAML::Node& node, const std::string& expected) const {
        throw FileError(fmt::format("{}: line {}: expected {}", name_, node.Mark().line + 1, expected));
    }
    int64_t number(const YAML::Node& node, const YAML::Node& parent, const std::string& expected) const {
        try {
            return node && node.IsScalar() ? node.as<int64_t>() : throw YAML::BadConversion(parent.Mark());
        } catch (const YAML::Exception&) {
            fail(parent, expected);
        }
    }
    static std::vector<std::string> names(const YAML::Node& node) {
        std::vector<std::string> result;
        if (node && node.IsScalar()) {
            result.push_back(node.as<std::string>());
        } else if (node && node.IsSequence()) {
            for (const YAML::Node& one : node) {
                result.push_back(one.as<std::string>(""));
            }
        }
        return result;
    }

    std::string name_;
    YAML::Node top_;
};

class Resolver {
public:
    explicit Resolver(std::vector<RegistryEntry> entries) : entries_(std::move(entries)) {}

    void add(const Registry::Target& target) {
        if (!target.traces.empty()) {
            for (const int64_t trace : target.traces) {
                select(trace, target.models);
            }
        } else if (target.models.empty()) {
            result_.warnings.push_back(target.place + ": names neither a model nor a trace; skipped");
        } else {
            for (const std::string& model : target.models) {
                add_model(model, target);
            }
        }
    }

    Selection take() { return std::move(result_); }

private:
    void add_model(const std::string& model, const Registry::Target& target) {
        std::map<std::string, int64_t> newest;  // per device series
        std::vector<std::string> order;
        for (const RegistryEntry& entry : entries_) {
            const bool named = std::ranges::find(entry.models, model) != entry.models.end();
            const bool fits = target.hardware.empty() || target.hardware == entry.device_series;
            if (entry.status != "active" || !named || !fits) {
                continue;
            }
            const auto [place, fresh] = newest.try_emplace(entry.device_series, entry.trace_id);
            place->second = std::max(place->second, entry.trace_id);
            if (fresh) {
                order.push_back(entry.device_series);
            }
        }
        for (const std::string& series : order) {
            select(newest[series], {model});
        }
        if (order.empty()) {
            result_.warnings.push_back(fmt::format("{}: no active trace of model '{}'{}", target.place, model,
                                                   target.hardware.empty() ? "" : " on " + target.hardware));
        }
    }

    // Filters of one trace add up; an entry without models lifts them.
    void select(int64_t trace, const std::vector<std::string>& models) {
        auto found = std::ranges::find(result_.traces, trace, &SelectedTrace::trace_id);
        if (found == result_.traces.end()) {
            result_.traces.push_back({trace, false, {}});
            found = result_.traces.end() - 1;
        }
        found->all_models = found->all_models || models.empty();
        for (const std::string& model : models) {
            if (std::ranges::find(found->models, model) == found->models.end()) {
                found->models.push_back(model);
            }
        }
    }

    std::vector<RegistryEntry> entries_;
    Selection result_;
};

// In double quotes, so that no text is read as anything else.
std::string quoted(const std::string& text) { return Json(text).dump(); }
std::string or_null(const std::string& text) { return text.empty() ? "null" : quoted(text); }

std::string draft_of(const RunSummary& summary) {
    const TraceRun& run = summary.run;
    std::vector<std::string> models;
    for (const std::string& model : summary.models) {
        models.push_back(quoted(model));
    }
    const std::string hardware =
        run.hardware
            ? fmt::format("{{board_type: {}, device_series: {}, card_count: {}}}", quoted(run.hardware->board_type),
                          quoted(run.hardware->device_series), run.hardware->card_count)
            : "null";
    return fmt::format(
        "  - trace_id: {}\n    status: draft\n    models: [{}]\n    hardware: {}\n    trace_uid: {}\n"
        "    tt_metal_sha: {}\n    config_count: {}\n    loaded_at: {}\n    notes: null\n    pytest_args: {}\n",
        summary.id, fmt::join(models, ", "), hardware, quoted(run.uid), or_null(run.git_commit), summary.configurations,
        quoted(run.started.substr(0, 10)), or_null(run.arguments));
}

}  // namespace

Selection resolve_selection(const std::filesystem::path& path, const std::string& scope) {
    const Registry registry(path);
    Resolver resolver(registry.entries());
    for (const Registry::Target& target : registry.targets(scope)) {
        resolver.add(target);
    }
    return resolver.take();
}

size_t append_drafts(const std::filesystem::path& path, const std::vector<RunSummary>& runs) {
    std::string text = std::filesystem::exists(path) ? read_file(path) : "targets: {}\n";
    std::set<std::string> known;
    if (std::filesystem::exists(path)) {
        const Registry registry(path);
        registry.entries();  // a registry that cannot be read is not touched
        known = registry.known_uids();
    }
    std::string drafts;
    size_t added = 0;
    for (const RunSummary& run : runs) {
        if (!known.contains(run.run.uid)) {
            drafts += draft_of(run);
            ++added;
        }
    }
    if (added == 0) {
        return 0;
    }
    text += text.empty() || text.ends_with('\n') ? "" : "\n";
    const YAML::Node before = YAML::Load(text);
    const bool has_list = before.IsMap() && before["registry"];
    const size_t count = has_list && before["registry"].IsSequence() ? before["registry"].size() : 0;
    text += (has_list ? "" : "registry:\n") + drafts;
    // Appended lines belong to the last key of the file: that has to be the registry.
    bool good = false;
    try {
        const YAML::Node after = YAML::Load(text);
        good = after["registry"].IsSequence() && after["registry"].size() == count + added;
    } catch (const YAML::Exception&) {
        good = false;
    }
    if (!good) {
        throw FileError(
            fmt::format("{}: expected 'registry' to be the last key, a list with one line per field, so "
                        "that entries can be appended",
                        path.string()));
    }
    replace_file(path, text);
    return added;
}

}  // namespace tracelift
