#include "tracelift/sweep_report/result_file.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <set>
#include <sstream>
#include <tuple>

#include <fmt/format.h>

namespace tracelift {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view run_prefix = "oprun_";

struct FileWord {
    std::string_view word;
    Status status;
};
constexpr FileWord file_words[] = {{"fail_assert_exception", Status::FAIL},
                                   {"skipped", Status::NOT_RUN},
                                   {"error", Status::INFRA_WORKER_LOST},
                                   {"fail_l1_out_of_mem", Status::OUT_OF_MEMORY},
                                   {"fail_unsupported_device_perf", Status::FAIL_DEVICE_PERF}};

Json parse_file(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        throw ResultFileError(fmt::format("{}: cannot be read", file.string()));
    }
    std::stringstream text;
    text << stream.rdbuf();
    try {
        return Json::parse(text.view());
    } catch (const Json::exception& error) {
        throw ResultFileError(fmt::format("{}: not JSON: {}", file.string(), error.what()));
    }
}

// The text under a key; empty where it is missing or null.
std::string text_at(const Json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end() || found->is_null()) {
        return {};
    }
    return found->is_string() ? found->get<std::string>() : found->dump();
}

// The value of one entry of op_params_set: whichever of its three forms is there.
Json parameter_value(const Json& entry) {
    for (const char* key : {"param_value_json", "param_value_text", "param_value_numeric"}) {
        if (const auto found = entry.find(key); found != entry.end() && !found->is_null()) {
            return *found;
        }
    }
    return {};
}

void read_parameters(const Json& json, ResultRecord& record) {
    const auto found = json.find("op_params_set");
    if (found == json.end() || !found->is_array()) {
        return;
    }
    for (const Json& entry : *found) {
        if (entry.is_object()) {
            record.parameters[text_at(entry, "param_name")] = parameter_value(entry);
        }
    }
}

// Numbers that a record keeps beside its metrics.
void take_metric(ResultRecord& record, const Metric& metric) {
    const auto set = [&](std::string_view name, std::optional<double>& to) {
        if (metric.name == name) {
            to = metric.value;
        }
    };
    set("pcc", record.pcc);
    set("max_ulp", record.max_ulp);
    set("max_relative", record.max_relative);
    set("max_absolute", record.max_absolute);
}

void read_metrics(const Json& json, ResultRecord& record) {
    const auto found = json.find("metrics");
    if (found == json.end() || !found->is_array()) {
        return;
    }
    for (const Json& entry : *found) {
        const auto value = entry.is_object() ? entry.find("metric_value") : entry.end();
        if (entry.is_object() && value != entry.end() && value->is_number()) {
            record.metrics.push_back({text_at(entry, "metric_name"), value->get<double>()});
            take_metric(record, record.metrics.back());
        }
    }
}

// The words of files, and our own.
std::optional<Status> status_of(std::string_view word, std::string_view exception) {
    for (const FileWord& each : file_words) {
        if (each.word == word) {
            return each.status;
        }
    }
    if (word == "fail_crash_hang") {
        return exception.find("TIMED OUT") == exception.npos ? Status::FAIL_CRASH : Status::FAIL_TIMEOUT;
    }
    return ttnn::member_of<Status>(word);
}

ResultRecord read_record(const Json& json) {
    if (!json.is_object()) {
        throw ResultFileError("must be an object");
    }
    ResultRecord record;
    record.vector_id = text_at(json, "input_hash");
    record.sweep_name = text_at(json, "full_test_name");
    record.suite = text_at(json, "test_case_name");
    record.message = text_at(json, "message");
    record.exception = text_at(json, "exception");
    if (const std::string error = text_at(json, "error_message"); record.exception.empty() && error != "None") {
        record.exception = error;
    }
    record.started = text_at(json, "test_start_ts");
    record.ended = text_at(json, "test_end_ts");
    if (const std::string model = text_at(json, "model_name"); model != "n/a") {
        record.source = model;
    }
    if (record.sweep_name.starts_with("ttnn.")) {
        record.operation = record.sweep_name;
    }
    const std::string word = text_at(json, "status");
    const auto status = status_of(word, record.exception);
    if (!status) {
        throw ResultFileError(fmt::format("'{}' is not a status", word));
    }
    record.status = *status;
    if (const auto begin = milliseconds_of(record.started), end = milliseconds_of(record.ended); begin && end) {
        record.milliseconds = *end - *begin;
    }
    read_metrics(json, record);
    if (!record.pcc) {
        record.pcc = plain_number(record.message);
    }
    read_parameters(json, record);
    return record;
}

std::vector<ResultRecord> records_of(const Json& list, const fs::path& file) {
    std::vector<ResultRecord> records;
    for (size_t i = 0; i < list.size(); ++i) {
        try {
            records.push_back(read_record(list[i]));
        } catch (const std::exception& error) {
            throw ResultFileError(fmt::format("{}: record {}: {}", file.string(), i + 1, error.what()));
        }
    }
    return records;
}

ResultSet run_of(const Json& json, const fs::path& file, bool with_tests) {
    ResultSet set{.label = file.filename().string(), .has_run = true, .metadata_from = file.string()};
    set.run = {.started = text_at(json, "run_start_ts"),
               .finished = text_at(json, "run_end_ts"),
               .contents = text_at(json, "run_contents"),
               .host = text_at(json, "host"),
               .card_type = text_at(json, "card_type"),
               .git_commit = text_at(json, "git_sha"),
               .git_branch = text_at(json, "git_branch_name"),
               .git_author = text_at(json, "git_author")};
    set.run_type = text_at(json, "run_type");
    if (const auto tests = json.find("tests"); with_tests && tests != json.end() && tests->is_array()) {
        set.results_from = file.string();
        set.results = records_of(*tests, file);
    }
    return set;
}

// The newest file of the folder, of a run or of results; nullopt: none.
std::optional<fs::path> newest(const fs::path& folder, bool of_run) {
    std::optional<fs::path> best;
    fs::file_time_type best_time;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (!entry.is_regular_file() || entry.path().extension() != ".json" || name.starts_with('.') ||
            name.starts_with(run_prefix) != of_run) {
            continue;
        }
        const auto time = entry.last_write_time();
        // Files of one moment are told apart by their names, which end with the time.
        if (!best || time > best_time || (time == best_time && entry.path() > *best)) {
            best = entry.path();
            best_time = time;
        }
    }
    return best;
}

bool contains(const std::vector<ResultRecord>& all, const std::vector<ResultRecord>& some) {
    using Key = std::tuple<std::string_view, std::string_view, std::string_view>;
    const auto key = [](const ResultRecord& record) -> Key { return {record.vector_id, record.suite, record.started}; };
    std::set<Key> known;
    for (const ResultRecord& each : all) {
        known.insert(key(each));
    }
    return std::ranges::all_of(some, [&](const ResultRecord& wanted) { return known.contains(key(wanted)); });
}

ResultSet newest_results(const fs::path& folder) {
    if (!fs::is_directory(folder)) {
        throw ResultFileError(fmt::format("{}: no such folder", folder.string()));
    }
    const auto run_file = newest(folder, true);
    const auto result_file = newest(folder, false);
    if (!run_file && !result_file) {
        throw ResultFileError(fmt::format("{}: no result files (*.json) in it", folder.string()));
    }
    ResultSet run = run_file ? read_run_file(*run_file, true) : ResultSet{};
    if (!result_file) {
        return run;
    }
    ResultSet results = read_result_file(*result_file);
    if (run_file && run.results.size() > results.results.size() && contains(run.results, results.results)) {
        return run;  // of several modules: each has a result file of its own
    }
    if (run_file) {
        run.results = std::move(results.results);
        run.results_from = results.results_from;
        return run;
    }
    return results;
}

}  // namespace

std::optional<double> plain_number(std::string_view text) {
    if (text.empty() || text.find_first_not_of("0123456789.e+-") != text.npos) {
        return std::nullopt;
    }
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::optional<double> milliseconds_of(std::string_view timestamp) {
    int parts[6] = {};
    constexpr std::string_view form = "0000-00-00T00:00:00";
    if (timestamp.size() < form.size()) {
        return std::nullopt;
    }
    size_t part = 0;
    for (size_t i = 0; i < form.size(); ++i) {
        const char c = timestamp[i];
        if (form[i] == '0') {
            if (c < '0' || c > '9') {
                return std::nullopt;
            }
            parts[part] = parts[part] * 10 + (c - '0');
        } else {
            ++part;
            if (c != form[i] && !(form[i] == 'T' && c == ' ')) {
                return std::nullopt;
            }
        }
    }
    double fraction = 0;
    if (timestamp.size() > form.size() && timestamp[form.size()] == '.') {
        std::from_chars(timestamp.data() + form.size(), timestamp.data() + timestamp.size(), fraction);
    }
    using namespace std::chrono;
    const sys_days day = year(parts[0]) / month(static_cast<unsigned>(parts[1])) / static_cast<int>(parts[2]);
    const auto seconds_of_day = parts[3] * 3600 + parts[4] * 60 + parts[5];
    return (static_cast<double>(day.time_since_epoch().count()) * 86400 + seconds_of_day + fraction) * 1000;
}

ResultSet read_run_file(const fs::path& file, bool with_tests) {
    const Json json = parse_file(file);
    if (!json.is_object() || !json.contains("run_contents")) {
        throw ResultFileError(
            fmt::format("{}: not the file of a run: an object with 'run_contents' is expected", file.string()));
    }
    return run_of(json, file, with_tests);
}

ResultSet read_result_file(const fs::path& file) {
    const Json json = parse_file(file);
    if (json.is_object() && json.contains("tests")) {
        return run_of(json, file, true);
    }
    if (!json.is_array()) {
        throw ResultFileError(fmt::format("{}: not a result file: a list of records is expected", file.string()));
    }
    return {.label = file.filename().string(), .results_from = file.string(), .results = records_of(json, file)};
}

ResultSet read_results(const ResultPlaces& places) {
    ResultSet set = places.result_file ? read_result_file(*places.result_file) : newest_results(places.folder.value());
    if (places.metadata_file) {
        ResultSet run = read_run_file(*places.metadata_file, false);
        run.results = std::move(set.results);
        run.results_from = std::move(set.results_from);
        run.label = std::move(set.label);
        return run;
    }
    return set;
}

}  // namespace tracelift
