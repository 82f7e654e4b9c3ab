#include "tracelift/sweep/result_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "tracelift/base/errors.hpp"
#include "tracelift/base/replaced_file.hpp"
#include "tracelift/value/canonical.hpp"

namespace tracelift {
namespace {

namespace fs = std::filesystem;

std::string first_part(const std::string& name) { return name.substr(0, name.find('.')); }

std::string last_part(const std::string& name) {
    const size_t dot = name.rfind('.');
    return dot == name.npos ? name : name.substr(dot + 1);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

// JSON has no number for these.
Json number_or_text(double value) { return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value)); }

Json metrics_json(std::vector<Metric> metrics) {
    if (metrics.empty()) {
        return nullptr;
    }
    std::ranges::sort(metrics, {}, &Metric::name);
    Json list = Json::array();
    for (const Metric& metric : metrics) {
        list.push_back({{"metric_name", metric.name}, {"metric_value", number_or_text(metric.value)}});
    }
    return list;
}

Json job_id() {
    const char* text = std::getenv("GITHUB_JOB_ID");
    const int64_t number = text == nullptr ? 0 : std::strtoll(text, nullptr, 10);
    return number == 0 ? Json() : Json(number);
}

bool is_typed(const Json& json) {
    return json.is_object() && json.size() == 2 && json.contains("type") && json.contains("data");
}

void flatten(const std::string& name, const Json& value, Json& list) {
    if (is_typed(value)) {
        return flatten(name, value.at("data"), list);
    }
    if (value.is_object()) {
        for (const auto& [key, inner] : value.items()) {
            flatten(name.empty() ? key : fmt::format("{}.{}", name, key), inner, list);
        }
        return;
    }
    Json entry{{"param_name", name},
               {"param_value_numeric", nullptr},
               {"param_value_text", nullptr},
               {"param_value_json", nullptr}};
    if (value.is_boolean()) {
        entry["param_value_numeric"] = value.get<bool>() ? 1 : 0;
    } else if (value.is_number()) {
        entry["param_value_numeric"] = value;
    } else if (value.is_array()) {
        entry["param_value_json"] = value;
    } else {
        entry["param_value_text"] = value.is_null() ? Json("None") : value;
    }
    list.push_back(std::move(entry));
}

// Makes the file, which must not be there. False: it is.
bool is_made(const fs::path& path) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno != EEXIST) {
        throw FileError(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
    }
    if (file >= 0) {
        ::close(file);
    }
    return file >= 0;
}

// The seconds of two runs may be the same: later ones get a number. The name is taken at once, for the runs may be
// processes that end together.
fs::path taken(const fs::path& folder, const std::string& stem) {
    fs::path path = folder / (stem + ".json");
    for (int number = 2; !is_made(path); ++number) {
        path = folder / fmt::format("{}_{}.json", stem, number);
    }
    return path;
}

fs::path write_file(const fs::path& folder, const std::string& stem, const Json& json) {
    fs::path path = taken(folder, stem);
    replace_file(path, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    return path;
}

std::string short_hash(const std::string& text) { return sha256(text).substr(0, 12); }

}  // namespace

std::string_view result_word(Status status) {
    switch (status) {
        case Status::PASS: return "pass";
        case Status::FAIL:
        case Status::REJECTED: return "fail_assert_exception";
        case Status::FAIL_CRASH:
        case Status::FAIL_TIMEOUT:
        case Status::FAIL_HOST_MEMORY: return "fail_crash_hang";
        case Status::NOT_RUN:
        case Status::NOT_JUDGED:
        case Status::TOO_LARGE: return "skipped";
        case Status::OUT_OF_MEMORY: return "fail_l1_out_of_mem";
        case Status::FAIL_WATCHER: return "fail_watcher";
        case Status::FAIL_DEVICE_PERF: return "fail_unsupported_device_perf";
        case Status::XFAIL: return "xfail";
        case Status::XPASS: return "xpass";
        case Status::INFRA_WORKER_LOST:
        case Status::INFRA_DEVICE: return "error";
    }
    return "error";
}

Aggregate aggregate(std::span<const ResultRecord> results) {
    bool all_skipped = true;
    for (const ResultRecord& result : results) {
        const std::string_view word = result_word(result.status);
        if (word.starts_with("fail") || word == "error" || word == "xpass") {
            return Aggregate::FAILURE;
        }
        all_skipped = all_skipped && (word == "skipped" || word == "xfail");
    }
    return all_skipped ? Aggregate::SKIPPED : Aggregate::SUCCESS;
}

std::string_view run_word(const SweepRun& run, std::span<const ResultRecord> results) {
    if (run.finished.empty()) {
        return "did_not_finish";
    }
    return aggregate(results) == Aggregate::FAILURE ? "fail" : "passed";
}

Json flat_parameters(const Json& parameters) {
    Json list = Json::array();
    if (!parameters.empty()) {
        flatten("", parameters, list);
    }
    return list;
}

Json result_json(const SweepRun& run, const ResultRecord& result) {
    const std::string_view word = result_word(result.status);
    const std::string error = result.exception.empty() ? "None" : result.exception;
    return {{"github_job_id", job_id()},
            {"full_test_name", result.sweep_name},
            {"test_start_ts", result.started},
            {"test_end_ts", result.ended},
            {"test_case_name", result.suite},
            {"filepath", result.sweep_name},
            {"success", word == "pass"},
            {"skipped", word == "skipped"},
            {"error_message", error},
            {"error_hash", sha256(error)},
            {"config", nullptr},
            {"frontend", "ttnn.op"},
            {"model_name", result.source.empty() ? "n/a" : result.source},
            {"op_kind", first_part(result.sweep_name)},
            {"op_name", last_part(result.sweep_name)},
            {"framework_op_name", "sweep"},
            {"inputs", nullptr},
            {"outputs", nullptr},
            {"op_params", nullptr},
            {"git_sha", run.git_commit},
            {"status", word},
            {"card_type", run.card_type},
            {"backend", "n/a"},
            {"data_source", "ttnn op test"},
            {"input_hash", result.vector_id},
            {"message", text_or_null(result.message)},
            {"exception", text_or_null(result.exception)},
            {"metrics", metrics_json(result.metrics)},
            {"op_params_set", flat_parameters(result.parameters)}};
}

std::vector<fs::path> write_result_files(const fs::path& folder, const SweepRun& run,
                                         std::span<const ResultRecord> results, const std::string& stamp) {
    fs::create_directories(folder);
    std::vector<std::string> names;  // in the order they came
    std::map<std::string, Json> by_sweep;
    Json all = Json::array();
    for (const ResultRecord& result : results) {
        Json json = result_json(run, result);
        const auto [list, fresh] = by_sweep.try_emplace(result.sweep_name, Json::array());
        if (fresh) {
            names.push_back(result.sweep_name);
        }
        list->second.push_back(json);
        all.push_back(std::move(json));
    }
    std::vector<fs::path> written;
    for (const std::string& name : names) {
        written.push_back(
            write_file(folder, fmt::format("{}_{}_{}", first_part(name), short_hash(name), stamp), by_sweep.at(name)));
    }
    const char* pipeline = std::getenv("GITHUB_RUN_ID");
    const Json whole{{"initiated_by", run.git_author},
                     {"host", run.host},
                     {"card_type", run.card_type},
                     {"run_type", "sweeps"},
                     {"run_contents", run.contents},
                     {"git_author", run.git_author},
                     {"git_branch_name", run.git_branch},
                     {"git_sha", run.git_commit},
                     {"github_pipeline_id", pipeline == nullptr ? Json() : Json(std::strtoll(pipeline, nullptr, 10))},
                     {"run_start_ts", run.started},
                     {"run_end_ts", run.finished},
                     {"status", run_word(run, results)},
                     {"tests", std::move(all)}};
    written.push_back(
        write_file(folder, fmt::format("oprun_{:.32}_{}_{}", run.host, short_hash(run.contents), stamp), whole));
    return written;
}

}  // namespace tracelift
