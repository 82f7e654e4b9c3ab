#include "tracelift/sweep/call.hpp"

#include <stdexcept>

#include "tracelift/base/json_text.hpp"

namespace tracelift {
namespace {

// Measures may be NaN or infinite, which only Value can say in JSON.
Json number(double value) { return to_json(Value(value)); }

double number_at(const Json& json, const char* key) {
    const Value value = from_json(json.at(key));
    if (const auto* number = value.as<double>()) {
        return *number;
    }
    throw std::invalid_argument(fmt::format("expected a float as '{}', got {}", key, value.to_text()));
}

Status status_at(const Json& json, const char* key) {
    const auto& text = json.at(key).get_ref<const std::string&>();
    if (const auto status = ttnn::member_of<Status>(text)) {
        return *status;
    }
    throw std::invalid_argument(fmt::format("no status '{}'", text));
}

Json metrics_json(const std::vector<Metric>& metrics) {
    Json json = Json::object();
    for (const Metric& metric : metrics) {
        json[metric.name] = metric.value;
    }
    return json;
}

std::vector<Metric> metrics_from(const Json& json) {
    std::vector<Metric> metrics;
    for (const auto& [name, value] : json.items()) {
        metrics.push_back({name, value.get<double>()});
    }
    return metrics;
}

}  // namespace

Json to_json(const std::vector<Fingerprint>& fingerprints) {
    Json list = Json::array();
    for (const Fingerprint& each : fingerprints) {
        list.push_back({{"spec", each.spec}, {"bits", each.bits}});
    }
    return list;
}

std::vector<Fingerprint> fingerprints_from_json(const Json& json) {
    std::vector<Fingerprint> list;
    for (const Json& each : json) {
        list.push_back({each.at("spec").get<std::string>(), each.at("bits").get<std::string>()});
    }
    return list;
}

Json to_json(const CallRequest& request) {
    return {{"id", request.id},
            {"operation", request.operation},
            {"arguments", to_json(Value(request.arguments))},
            {"board", request.board},
            {"seed", request.seed},
            {"compare", request.compare},
            {"measure_memory", request.measure_memory},
            {"fingerprint", request.fingerprint},
            {"memory_limit", request.memory_limit},
            {"values", request.values},
            {"record", request.record}};
}

CallRequest request_from_json(const Json& json) {
    const Value arguments = from_json(json.at("arguments"));
    const auto* dict = arguments.as<Value::Dict>();
    if (dict == nullptr) {
        throw std::invalid_argument(fmt::format("expected a dict of arguments, got {}", arguments.to_text()));
    }
    return {.id = json.at("id").get<int64_t>(),
            .operation = json.at("operation").get<std::string>(),
            .arguments = *dict,
            .board = json.at("board").get<std::string>(),
            .seed = json.at("seed").get<uint64_t>(),
            .compare = json.at("compare").get<bool>(),
            .measure_memory = json.at("measure_memory").get<bool>(),
            .fingerprint = json.at("fingerprint").get<bool>(),
            .memory_limit = json.at("memory_limit").get<uint64_t>(),
            .values = json.at("values").get<std::string>(),
            .record = json.at("record").get<std::string>()};
}

Json to_json(const CallResult& result) {
    return {{"id", result.id},
            {"status", ttnn::member_name(result.status)},
            {"message", result.message},
            {"pcc", number(result.pcc)},
            {"max_ulp", number(result.max_ulp)},
            {"max_relative", number(result.max_relative)},
            {"max_absolute", number(result.max_absolute)},
            {"equal", result.equal},
            {"milliseconds", number(result.milliseconds)},
            {"call_milliseconds", number(result.call_milliseconds)},
            {"outputs", result.outputs},
            {"called", result.called},
            {"metrics", metrics_json(result.metrics)},
            {"fingerprints", to_json(result.fingerprints)}};
}

CallResult result_from_json(const Json& json) {
    return {.id = json.at("id").get<int64_t>(),
            .status = status_at(json, "status"),
            .message = json.at("message").get<std::string>(),
            .pcc = number_at(json, "pcc"),
            .max_ulp = number_at(json, "max_ulp"),
            .max_relative = number_at(json, "max_relative"),
            .max_absolute = number_at(json, "max_absolute"),
            .equal = json.at("equal").get<bool>(),
            .milliseconds = number_at(json, "milliseconds"),
            .call_milliseconds = number_at(json, "call_milliseconds"),
            .outputs = json.at("outputs").get<std::vector<std::string>>(),
            .called = json.at("called").get<bool>(),
            .metrics = metrics_from(json.at("metrics")),
            .fingerprints = fingerprints_from_json(json.at("fingerprints"))};
}

std::string to_line(const Json& json) { return json_text(json) + "\n"; }

}  // namespace tracelift
