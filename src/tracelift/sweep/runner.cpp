#include "tracelift/sweep/runner.hpp"

#include <algorithm>
#include <cctype>

#include "tracelift/base/clock.hpp"
#include "tracelift/base/python_json.hpp"
#include "tracelift/dialects/sweep_vector.hpp"
#include "tracelift/sweep/record_json.hpp"
#include "tracelift/trace/target.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift {
namespace {

using std::chrono::system_clock;

constexpr const char* timed_out = "TEST TIMED OUT (CRASH / HANG)";
constexpr const char* skipped_after_timeout = "SKIPPED DUE TO PREVIOUS TIMEOUT";

bool expects_failure(std::string_view suite) {
    constexpr std::string_view prefix = "xfail";
    return suite.size() >= prefix.size() &&
           std::ranges::equal(suite.substr(0, prefix.size()), prefix,
                              [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

// What the text of a failure says about its kind.
Status classified(Status status, const std::string& exception) {
    if (status != Status::FAIL) {
        return status;
    }
    if (exception.find("Out of Memory: Not enough space to allocate") != exception.npos) {
        return Status::OUT_OF_MEMORY;
    }
    return exception.find("Watcher") != exception.npos ? Status::FAIL_WATCHER : status;
}

std::string text_at(const Json& reply, const char* key) {
    const auto found = reply.find(key);
    if (found == reply.end() || found->is_null()) {
        return {};
    }
    return found->is_string() ? found->get<std::string>() : found->dump();
}

std::optional<double> number_at(const Json& reply, const char* key) {
    const auto found = reply.find(key);
    return found != reply.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

// {"e2e_perf_ms": 1.5}, or a list of {"metric_name", "metric_value"}.
std::vector<Metric> metrics_at(const Json& reply) {
    std::vector<Metric> metrics;
    const auto found = reply.find("metrics");
    if (found == reply.end()) {
        return metrics;
    }
    for (const auto& [name, value] : found->items()) {
        if (value.is_number()) {
            metrics.push_back({name, value.get<double>()});
        } else if (value.is_object()) {
            metrics.push_back({value.at("metric_name").get<std::string>(), value.at("metric_value").get<double>()});
        }
    }
    std::ranges::sort(metrics, {}, &Metric::name);
    return metrics;
}

ResultRecord blank_record(const Vector& vector) {
    ResultRecord record;
    record.vector_id = vector.id;
    record.sweep_name = vector.sweep_name;
    record.suite = vector.suite;
    record.source = vector.source;
    record.parameters = vector.parameters;
    if (vector.native) {
        record.operation = vector.native->request.operation;
        record.identity = vector.native->identity;
        record.configuration = vector.native->configuration;
        if (record.parameters.empty()) {
            record.parameters = native_parameters(vector.native->request.arguments);
        }
    }
    return record;
}

void take_call(ResultRecord& record, const CallResult& result) {
    record.status = result.status;
    record.milliseconds = result.milliseconds;
    record.metrics = result.metrics;
    if (result.status == Status::PASS || result.status == Status::FAIL) {
        record.pcc = result.pcc;
        record.max_ulp = result.max_ulp;
        record.max_relative = result.max_relative;
        record.max_absolute = result.max_absolute;
        record.equal = result.equal;
    }
    if (result.status == Status::PASS) {
        record.message = python_float(result.pcc);
    } else {
        record.exception = result.message;
    }
}

// Throws std::exception for what no worker of modules may reply.
void take_module_reply(ResultRecord& record, const Json& reply) {
    record.status = status_of_word(reply.at("status").get_ref<const std::string&>());
    record.message = text_at(reply, "message");
    record.exception = text_at(reply, "exception");
    if (record.status != Status::PASS && record.status != Status::XPASS && record.exception.empty()) {
        record.exception = record.message;
    }
    record.status = classified(record.status, record.exception);
    // Of a vector that names a traced configuration: what it stands for.
    record.operation = text_at(reply, "operation");
    record.identity = text_at(reply, "identity");
    if (record.source.empty()) {
        record.source = text_at(reply, "source");
    }
    record.pcc = number_at(reply, "pcc");
    record.milliseconds = number_at(reply, "milliseconds").value_or(0);
    record.started = text_at(reply, "started");
    record.ended = text_at(reply, "ended");
    record.metrics = metrics_at(reply);
}

class VectorWork : public Work {
public:
    VectorWork(std::span<const Vector> vectors, const RunnerOptions& options,
               const std::function<void(const Vector&, const ResultRecord&)>& done)
        : options_(options), done_(done) {
        for (const Vector& vector : vectors) {
            if (vector.valid || options.keep_invalid) {
                vectors_.push_back(&vector);
            }
        }
        begun_.resize(vectors_.size());
    }
    size_t size() const override { return vectors_.size(); }
    std::string request(size_t index) const override;
    std::optional<std::chrono::milliseconds> timeout(size_t index) const override;
    std::optional<Loss> refused(size_t index) override;
    void replied(size_t index, const Json& reply) override;
    void lost(size_t index, const Loss& loss) override;

private:
    void finish(const Vector& vector, ResultRecord& record, system_clock::time_point begun);

    std::vector<const Vector*> vectors_;
    const RunnerOptions& options_;
    const std::function<void(const Vector&, const ResultRecord&)>& done_;
    mutable std::vector<system_clock::time_point> begun_;                 // when the request was made
    std::map<std::pair<std::string, std::string>, std::string> stopped_;  // suites, and why
};

std::string VectorWork::request(size_t index) const {
    const Vector& vector = *vectors_[index];
    begun_[index] = system_clock::now();
    if (vector.native) {
        CallRequest request = vector.native->request;
        request.id = static_cast<int64_t>(index);
        request.measure_memory = options_.measure_memory;
        request.memory_limit = options_.pool.memory_limit;
        return to_line(to_json(request));
    }
    Json whole = vector.parameters;
    whole.update(vector.header);
    whole["sweep_name"] = vector.sweep_name;
    whole["suite_name"] = vector.suite;
    whole["input_hash"] = vector.id;
    return to_line({{"id", index},
                    {"module", vector.sweep_name},
                    {"path", vector.module.string()},
                    {"vector", std::move(whole)},
                    {"perf", options_.perf},
                    {"measure_memory", options_.measure_memory}});
}

std::optional<std::chrono::milliseconds> VectorWork::timeout(size_t index) const {
    if (vectors_[index]->native) {
        return std::nullopt;
    }
    const auto own = options_.module_timeouts.find(vectors_[index]->module);
    return own == options_.module_timeouts.end() ? options_.module_timeout : own->second;
}

std::optional<Loss> VectorWork::refused(size_t index) {
    const Vector& vector = *vectors_[index];
    if (!vector.valid) {
        return Loss{.status = Status::NOT_RUN, .message = "INVALID VECTOR: " + vector.invalid_reason};
    }
    if (vector.native && !vector.native->bound) {
        const bool known = ttnn::find_operation(vector.native->request.operation) != nullptr;
        return Loss{.status = Status::NOT_RUN,
                    .message = known ? "fits no declaration" : "there is no declaration of this operation"};
    }
    const auto stopped = stopped_.find({vector.sweep_name, vector.suite});
    if (stopped != stopped_.end()) {
        return Loss{.status = Status::NOT_RUN, .message = stopped->second};
    }
    return std::nullopt;
}

void VectorWork::replied(size_t index, const Json& reply) {
    const Vector& vector = *vectors_[index];
    ResultRecord record = blank_record(vector);
    if (vector.native) {
        take_call(record, parsed_result(reply));
    } else {
        try {
            take_module_reply(record, reply);
        } catch (const std::exception& error) {
            throw BrokenReply{error.what()};
        }
    }
    if (options_.perf && vector.native && record.status == Status::PASS) {
        record.metrics.push_back({"e2e_perf_ms", record.milliseconds});
        std::ranges::sort(record.metrics, {}, &Metric::name);
    }
    finish(vector, record, begun_[index]);
}

void VectorWork::lost(size_t index, const Loss& loss) {
    const Vector& vector = *vectors_[index];
    ResultRecord record = blank_record(vector);
    record.status = loss.status;
    record.exception = loss.message;
    record.milliseconds = loss.milliseconds;
    if (loss.status == Status::FAIL_TIMEOUT) {
        record.exception = fmt::format("{}: {}", timed_out, loss.message);
        if (options_.skip_on_timeout) {
            stopped_.emplace(std::pair(vector.sweep_name, vector.suite), skipped_after_timeout);
        }
    }
    finish(vector, record, begun_[index]);
}

void VectorWork::finish(const Vector& vector, ResultRecord& record, system_clock::time_point begun) {
    const auto now = system_clock::now();
    if (record.started.empty()) {
        record.started = utc_instant(begun == system_clock::time_point() ? now : begun);
    }
    if (record.ended.empty()) {
        record.ended = utc_instant(now);
    }
    if (record.exception.find("DEVICE EXCEPTION") != record.exception.npos) {
        stopped_.emplace(std::pair(vector.sweep_name, vector.suite), "SKIPPED DUE TO A DEVICE EXCEPTION BEFORE");
    }
    if (expects_failure(vector.suite)) {
        record.status = expected_failure(record.status);
    }
    done_(vector, record);
}

}  // namespace

Status expected_failure(Status status) {
    switch (status) {
        case Status::PASS: return Status::XPASS;
        case Status::FAIL:
        case Status::REJECTED:
        case Status::OUT_OF_MEMORY:
        case Status::FAIL_WATCHER:
        case Status::FAIL_DEVICE_PERF: return Status::XFAIL;
        default: return status;
    }
}

std::vector<std::string> module_worker_command() {
    return {"/proc/self/exe", "sweep-worker", find_python().string(), "-m", "tracelift.sweep_framework.worker"};
}

void run_vectors(std::span<const Vector> vectors, const RunnerOptions& options,
                 const std::function<void(const Vector&, const ResultRecord&)>& done) {
    VectorWork work(vectors, options, done);
    run_work(work, options.pool);
}

}  // namespace tracelift
