#include "tracelift/replay/recorded_replay.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "tracelift/base/json_text.hpp"
#include "tracelift/base/whole_file.hpp"
#include "tracelift/dialects/json_tree.hpp"
#include "tracelift/replay/nesting.hpp"

namespace tracelift {
namespace {

constexpr std::string_view format_name = "tracelift replay 1";

constexpr std::pair<const char*, double Accuracy::*> measures[] = {{"pcc", &Accuracy::pcc},
                                                                   {"max_ulp", &Accuracy::max_ulp},
                                                                   {"max_relative", &Accuracy::max_relative},
                                                                   {"max_absolute", &Accuracy::max_absolute}};

bool is_judged(Outcome outcome) {
    return outcome == Outcome::MATCHED || outcome == Outcome::MATCHED_WITH_LOST_ARGUMENTS ||
           outcome == Outcome::DIFFERS;
}

Json to_json(const Accuracy& accuracy) {
    Json json = Json::object();
    for (const auto& [name, measure] : measures) {
        json[name] = tracelift::to_json(Value(accuracy.*measure));
    }
    json["equal"] = accuracy.equal;
    return json;
}

double number_of(const Json& json, std::string_view what) {
    const Value value = from_json(json);
    if (const auto* whole = value.as<int64_t>()) {
        return static_cast<double>(*whole);
    }
    if (const auto* number = value.as<double>()) {
        return *number;
    }
    throw std::invalid_argument(fmt::format("expected a number as '{}', got {}", what, value.to_text()));
}

Accuracy accuracy_from(const Json& json) {
    Accuracy accuracy;
    for (const auto& [name, measure] : measures) {
        accuracy.*measure = number_of(json.at(name), name);
    }
    accuracy.equal = json.at("equal").get<bool>();
    return accuracy;
}

Json call_json(const Replayed& replayed) {
    const ReplayCall& call = *replayed.call;
    const RecordedResult result = recorded_result(replayed);
    Json json{{"operation", call.call.operation},
              {"identity", call.identity},
              {"board", call.board},
              {"seed", call.seed},
              {"machine_info", machine_info(call.hardware)},
              {"arguments", tracelift::to_json(Value(call.call.arguments))},
              {"outcome", ttnn::member_name(result.outcome)},
              {"reason", result.reason}};
    if (result.accuracy) {
        json["accuracy"] = to_json(*result.accuracy);
    }
    json["outputs"] = tracelift::to_json(*result.outputs);
    Json& memory = json["memory"] = Json::object();
    for (const Metric& metric : *result.memory) {
        memory[metric.name] = static_cast<int64_t>(metric.value);  // bytes and cores
    }
    return json;
}

RecordedResult result_from(const Json& json) {
    RecordedResult result;
    const auto& word = json.at("outcome").get_ref<const std::string&>();
    const auto outcome = ttnn::member_of<Outcome>(word);
    if (!outcome) {
        throw std::invalid_argument(fmt::format("no outcome is called '{}'", word));
    }
    result.outcome = *outcome;
    result.reason = json.at("reason").get<std::string>();
    if (const auto found = json.find("accuracy"); found != json.end()) {
        result.accuracy = accuracy_from(*found);
    }
    result.outputs = fingerprints_from_json(json.at("outputs"));
    result.memory.emplace();
    for (const auto& [name, value] : json.at("memory").items()) {
        result.memory->push_back({name, number_of(value, name)});
    }
    return result;
}

// Bound anew: a declaration that no longer takes its arguments is a change as well.
RecordedCall call_from(const Json& json, Binder& binder) {
    RecordedCall recorded;
    ReplayCall& call = recorded.call;
    call.identity = json.at("identity").get<std::string>();
    call.place = call.identity.substr(0, 12);
    call.board = json.at("board").get<std::string>();
    call.seed = json.at("seed").get<uint64_t>();
    call.hardware = hardware_of(json_tree(json.at("machine_info")));
    Value arguments = from_json(json.at("arguments"));
    if (arguments.as<Value::Dict>() == nullptr) {
        throw std::invalid_argument(fmt::format("expected a dict of arguments, got {}", arguments.to_text()));
    }
    const StoredCall stored{json.at("operation").get<std::string>(), {}, std::move(arguments).take<Value::Dict>()};
    call.call = binder.bind(stored, Order::PYTHON, call.board);
    recorded.result = result_from(json);
    return recorded;
}

RecordedResult result_of(const ResultRecord& record, const ReplayCall& call) {
    RecordedResult result{.outcome = outcome_of(call, record.status), .reason = record.exception};
    if (record.pcc && record.max_ulp && record.max_relative && record.max_absolute && record.equal) {
        result.accuracy =
            Accuracy{*record.pcc, *record.max_ulp, *record.max_relative, *record.max_absolute, *record.equal};
    }
    std::vector<Metric> memory;
    std::ranges::copy_if(record.metrics, std::back_inserter(memory), [](const Metric& metric) {
        return metric.name == "num_cores" || metric.name.starts_with("peak_");
    });
    if (!memory.empty()) {
        result.memory = std::move(memory);
    }
    return result;
}

}  // namespace

RecordedResult recorded_result(const Replayed& replayed) {
    const CallResult& result = replayed.result;
    RecordedResult recorded{.outcome = replayed.outcome,
                            .reason = replayed.reason,
                            .outputs = result.fingerprints,
                            .memory = result.metrics};
    if (replayed.outcome == Outcome::NOT_JUDGED) {  // random or undefined, as its declaration says
        for (Fingerprint& output : *recorded.outputs) {
            output.bits.clear();
        }
    }
    if (is_judged(replayed.outcome)) {
        recorded.accuracy =
            Accuracy{result.pcc, result.max_ulp, result.max_relative, result.max_absolute, result.equal};
    }
    return recorded;
}

std::string recorded_text(std::span<const Replayed> replays, const NumericEnvironment& environment) {
    std::string text = fmt::format("{{\n\"format\": \"{}\",\n\"environment\": {},\n\"calls\": [", format_name,
                                   json_text(to_json(environment)));
    std::set<std::pair<std::string, uint64_t>> written;
    for (const Replayed& replayed : replays) {
        if (written.emplace(replayed.call->identity, replayed.call->seed).second) {
            text += fmt::format("{}\n{}", written.size() == 1 ? "" : ",", json_text(call_json(replayed)));
        }
    }
    return text + "\n]\n}\n";
}

RecordedReplay read_recorded(const std::filesystem::path& file) {
    const std::string text = read_file(file);
    if (nesting(text) > deepest_record) {
        throw FileError(fmt::format("{}: is nested deeper than {} levels", file.string(), deepest_record));
    }
    const Json json = Json::parse(text, nullptr, false);
    const auto format = json.is_object() ? json.find("format") : json.end();
    if (format == json.end() || *format != format_name) {
        throw FileError(
            fmt::format("{}: is not a recorded replay (`tracelift replay --record`): expected a JSON object "
                        "with \"format\": \"{}\"",
                        file.string(), format_name));
    }
    RecordedReplay replay{.name = file.string()};
    std::string place = "environment";
    try {
        replay.environment = environment_from_json(json.at("environment"));
        Binder binder;
        place = "calls";
        for (const Json& call : json.at("calls")) {
            place = fmt::format("call {}", replay.calls.size());
            replay.calls.push_back(call_from(call, binder));
        }
    } catch (const std::exception& error) {
        throw FileError(fmt::format("{}: {}: {}", file.string(), place, error.what()));
    }
    return replay;
}

RecordedReplay recorded_sweep(Catalog& store, const SweepRun& run) {
    RecordedReplay replay{.name = fmt::format("run {}", run.id)};
    std::map<std::string, ResultRecord> results;  // by identity: files may list a configuration again
    store.visit_results({.sweep = run.id}, [&](int64_t, ResultRecord& record) {
        const bool of_module = record.sweep_name != record.operation;  // modules make other inputs
        if (record.identity.empty() || of_module || record.status == Status::NOT_RUN) {
            ++replay.left_out;
        } else {
            results.insert_or_assign(record.identity, std::move(record));
        }
        return true;
    });
    std::set<std::string> operations;
    for (const auto& [identity, record] : results) {
        operations.insert(record.operation);
    }
    for (const std::string& operation : operations) {
        for (const Configuration& configuration : store.configurations(operation)) {
            if (const auto found = results.find(configuration.identity); found != results.end()) {
                ReplayCall call = replay_of(configuration);
                RecordedResult result = result_of(found->second, call);
                replay.calls.push_back({std::move(call), std::move(result)});
                results.erase(found);
            }
        }
    }
    for (const auto& [identity, record] : results) {
        RecordedCall gone{.callable = false};
        gone.call.call.operation = record.operation;
        gone.call.identity = identity;
        gone.call.place = identity.substr(0, 12);
        gone.result = result_of(record, gone.call);
        replay.calls.push_back(std::move(gone));
    }
    return replay;
}

}  // namespace tracelift
