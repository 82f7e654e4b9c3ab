#include "tracelift/trace/run.hpp"

#include <algorithm>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "tracelift/base/clock.hpp"
#include "tracelift/base/replaced_file.hpp"
#include "tracelift/base/utf8.hpp"
#include "tracelift/base/whole_file.hpp"
#include "tracelift/calls/call_tracing.hpp"
#include "tracelift/calls/line_file.hpp"
#include "tracelift/capture/graph_recording.hpp"
#include "tracelift/capture/recorder.hpp"
#include "tracelift/dialects/parameter_file.hpp"
#include "tracelift/formats/calls_reader.hpp"
#include "tracelift/formats/graph_reader.hpp"
#include "tracelift/formats/param_file_reader.hpp"
#include "tracelift/store/open.hpp"
#include "tracelift/trace/git_commit.hpp"
#include "tracelift/trace/input_kind.hpp"
#include "tracelift/trace/readable_trace.hpp"
#include "tracelift/value/canonical.hpp"

namespace tracelift {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view facts_name = "trace.json";
constexpr std::string_view params_name = "params";
constexpr std::string_view calls_name = "calls.jsonl";
constexpr std::string_view stored_mark = "stored";  // raw traces that `--store` kept, so not left behind

// The last part of a path, as it goes into the store.
std::string name_of(const fs::path& path) { return utf8_text(path.filename().string()); }

// What a raw folder says about its run, for whoever imports it later or elsewhere.
struct RunFacts {
    std::string uid;
    std::string model;
    std::string target;
    std::string started;
    std::string arguments{};
    std::string git_commit{};
};

void write_facts(const fs::path& folder, const RunFacts& facts) {
    const Json json{{"trace_uid", facts.uid},   {"model", facts.model},         {"target", facts.target},
                    {"started", facts.started}, {"arguments", facts.arguments}, {"git_commit", facts.git_commit}};
    replace_file(folder / facts_name, json.dump(2) + "\n");
}

// Held while a run goes on; the kernel lets go of it when the process dies.
class RunLock {
public:
    explicit RunLock(const fs::path& folder) : fd_(open((folder / facts_name).c_str(), O_RDONLY | O_CLOEXEC)) {
        held_ = fd_ >= 0 && flock(fd_, LOCK_EX | LOCK_NB) == 0;
    }
    ~RunLock() {
        if (fd_ >= 0) {
            close(fd_);
        }
    }
    RunLock(const RunLock&) = delete;
    RunLock& operator=(const RunLock&) = delete;
    bool held() const { return held_; }

private:
    int fd_;
    bool held_ = false;
};

// Whatever is missing is taken from the records, or made up from the folder's name.
RunFacts read_facts(const fs::path& folder, const std::string& fallback_name) {
    RunFacts facts{{}, fallback_name, fallback_name, {}};
    const fs::path path = folder / facts_name;
    if (!fs::exists(path)) {
        return facts;
    }
    const Json json = Json::parse(read_file(path), nullptr, false);
    if (!json.is_object()) {
        throw std::runtime_error(fmt::format("{}: expected a JSON object that describes the trace", path.string()));
    }
    facts.uid = json.value("trace_uid", "");
    facts.model = json.value("model", fallback_name);
    facts.target = json.value("target", fallback_name);
    facts.started = json.value("started", "");
    facts.arguments = json.value("arguments", "");
    facts.git_commit = json.value("git_commit", "");
    return facts;
}

std::unique_ptr<Catalog> opened(const TraceOptions& options) {
    auto store = open_for_writing(options.directory);
    if (!options.keep_master) {
        store->without_master();
    }
    return store;
}

void name_master(TraceReport& report, Catalog& store) {
    report.master = store.master_path();
    report.master_holds_all = store.master_holds_all();
    report.store = store.place();
    report.store_bytes = store.bytes();
}

TraceRun run_of(const RunFacts& facts, const std::string& outcome, const Ingested& ingested) {
    TraceRun run{facts.uid, facts.target, facts.started, outcome, ingested.ledger.raw.calls, ingested.ledger.kept};
    run.arguments = facts.arguments;
    run.git_commit = facts.git_commit;
    if (!ingested.executions.empty()) {
        run.hardware = ingested.executions.front().configuration.hardware;
    }
    return run;
}

TraceReport store_calls(const CallTable& table, RunFacts facts, const std::string& outcome,
                        const TraceOptions& options) {
    TraceReport report;
    facts.uid = facts.uid.empty() ? table.trace_uid() : facts.uid;
    report.uid = facts.uid;
    report.model = facts.model;
    report.outcome = outcome;
    report.ingested = ingest(table, options.filter, facts.model, options.include_failed);
    const auto store = opened(options);
    facts.started = facts.started.empty() ? local_time(static_cast<std::time_t>(table.started())) : facts.started;
    report.added = store->add(run_of(facts, outcome, report.ingested), report.ingested.executions);
    name_master(report, *store);
    return report;
}

std::string outcome_of(const ChildEnd& end) { return end.ok() ? "passed" : end.signal != 0 ? "crashed" : "failed"; }

// Why a run left no call at all.
std::string nothing_captured(const Target& target, const ChildEnd& end, bool loaded) {
    constexpr int pytest_usage_error = 4;
    constexpr int pytest_collected_nothing = 5;
    if (!end.started) {
        return fmt::format("'{}' could not be started", target.command.front());
    }
    if (target.kind == Target::Kind::PYTEST && end.exit_status == pytest_collected_nothing) {
        return fmt::format("no test was collected from '{}'", target.given);
    }
    if (target.kind == Target::Kind::PYTEST && end.exit_status == pytest_usage_error) {
        return fmt::format("no test was collected: pytest does not know '{}'", target.given);
    }
    const std::string ending = end.ok() ? "it succeeded" : end.text();
    if (!loaded) {
        return fmt::format("nothing was captured from '{}' ({}): it never loaded our runtime{}", target.given, ending,
                           target.kind == Target::Kind::PROGRAM ? "; does it link tracelift_runtime?" : "");
    }
    return fmt::format("nothing was captured from '{}' ({}): it called no operation", target.given, ending);
}

// The reserved space behind the last record is not worth keeping.
void read_and_trim(CallTable& table, const fs::path& file) { fs::resize_file(file, table.read(file).used_bytes); }

std::error_code& ignored() {
    thread_local std::error_code code;
    return code;
}

TraceReport import_raw(const std::vector<fs::path>& files, const fs::path& folder, const TraceOptions& options) {
    CallTable table;
    for (const fs::path& file : files) {
        table.read(file);
        if (options.progress) {
            options.progress(table.ledger().calls);
        }
    }
    if (table.ledger().calls == 0) {
        throw std::runtime_error(fmt::format("{}: the raw trace contains no calls", folder.string()));
    }
    RunFacts facts = read_facts(folder, name_of(folder));
    if (options.name) {
        facts.model = *options.name;
    }
    TraceReport report = store_calls(table, facts, "imported", options);
    if (fs::exists(folder / facts_name) &&
        fs::equivalent(fs::absolute(folder).parent_path(), options.directory / "raw", ignored())) {
        replace_file(folder / stored_mark, "");
    }
    return report;
}

TraceReport import_master(const fs::path& path, const TraceOptions& options) {
    const auto store = opened(options);
    const ImportReport imported = store->import_master(path, {options.refuse_known, options.name, options.progress});
    if (imported.configurations == 0) {
        throw std::runtime_error(fmt::format("{}: the master contains no configurations", path.string()));
    }
    TraceReport report;
    report.outcome = "imported";
    report.model = options.name.value_or(name_of(path));
    name_master(report, *store);
    report.added = imported.added;
    report.ingested.operations = imported.operations;
    report.ingested.ledger.kept = imported.executions;
    report.ingested.ledger.raw.calls = imported.executions;
    report.ingested.ledger.unbound = imported.unbound;
    report.ingested.ledger.with_lost = imported.with_lost;
    report.ingested.ledger.problems = imported.problems;
    return report;
}

// The run that a file or folder without a trace uid stands for: the same content is the same run.
std::string uid_of_content(const fs::path& path) {
    if (fs::is_regular_file(path)) {
        return "import-" + file_sha256(path).substr(0, 16);
    }
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
        if (entry.is_regular_file()) {
            files.push_back(fmt::format("{} {}", fs::relative(entry.path(), path).string(), file_sha256(entry.path())));
        }
    }
    std::ranges::sort(files);
    return "import-" + sha256(fmt::format("{}", fmt::join(files, "\n"))).substr(0, 16);
}

// Hands calls on and tells how many there were, now and then and at the end.
class CountedSink final : public CallSink {
public:
    CountedSink(CallSink& sink, const std::function<void(uint64_t)>& progress) : sink_(sink), progress_(progress) {}
    void call(FileCall&& call) override {
        if (progress_ && calls_++ % often == 0) {
            progress_(calls_);
        }
        sink_.call(std::move(call));
    }
    void unread(UnreadPiece&& piece) override { sink_.unread(std::move(piece)); }

private:
    static constexpr uint64_t often = 256;
    CallSink& sink_;
    const std::function<void(uint64_t)>& progress_;
    uint64_t calls_ = 0;
};

// Parameter files, call lines and graph reports: `read` hands their calls to a sink.
TraceReport import_calls(const fs::path& path, std::string_view format, const TraceOptions& options,
                         const std::function<void(CallSink&)>& read) {
    const std::string name = options.name.value_or(name_of(path));
    CallIngest sink(options.filter, std::string(format), name, options.name.has_value(), options.include_failed);
    CountedSink counted(sink, options.progress);
    read(counted);
    TraceReport report;
    report.uid = sink.trace_uid().empty() ? uid_of_content(path) : sink.trace_uid();
    report.ingested = sink.take();
    const IngestLedger& ledger = report.ingested.ledger;
    if (ledger.raw.calls == 0 && report.ingested.unread.empty()) {
        throw std::runtime_error(fmt::format("{}: contains no calls", path.string()));
    }
    report.model = name;
    report.outcome = "imported";
    const auto store = opened(options);
    if (options.refuse_known && store->has_run(report.uid)) {
        throw KnownTrace(path.string(), report.uid);
    }
    TraceRun run{report.uid, name_of(path), local_time(), "imported", ledger.raw.calls, ledger.kept};
    if (!report.ingested.executions.empty()) {
        run.hardware = report.ingested.executions.front().configuration.hardware;
    }
    report.added = store->add(run, report.ingested.executions, report.ingested.unread);
    name_master(report, *store);
    return report;
}

TraceReport import_store(const fs::path& folder, const TraceOptions& options) {
    const auto from = open_for_reading(folder);
    const auto to = opened(options);
    TraceReport report;
    report.outcome = "imported";
    report.model = utf8_text(folder.string());
    const ImportReport imported = to->import_store(*from);
    report.added = imported.added;
    name_master(report, *to);
    report.ingested.operations = imported.operations;
    report.ingested.ledger.kept = imported.executions;
    report.ingested.ledger.raw.calls = imported.executions;
    report.ingested.ledger.unbound = imported.unbound;
    report.ingested.ledger.with_lost = imported.with_lost;
    return report;
}

TraceReport import_raw_file(const fs::path& path, const TraceOptions& options) {
    return import_raw({path}, path.has_parent_path() ? path.parent_path() : fs::path("."), options);
}

std::optional<TraceReport> import_file(const fs::path& path, const TraceOptions& options) {
    switch (kind_of_input(path)) {
        case InputKind::RAW: return import_raw_file(path, options);
        case InputKind::MASTER: return import_master(path, options);
        case InputKind::STORE: return import_store(path.parent_path(), options);
        case InputKind::PARAMS:
            return import_calls(path, "params", options,
                                [&](CallSink& sink) { sink.call(read_param_file(read_file(path), path.string())); });
        case InputKind::CALLS:
            return import_calls(path, "calls", options, [&](CallSink& sink) { read_calls(path, sink); });
        case InputKind::GRAPH:
            return import_calls(path, "graph", options, [&](CallSink& sink) { read_graph_calls(path, sink); });
    }
    return std::nullopt;
}

// What makes a target tell its calls into `raw`.
std::vector<std::pair<std::string, std::string>> environment_of(Road road, const fs::path& raw,
                                                                const std::string& uid) {
    switch (road) {
        case Road::PARAMS:
            return {{trace_parameters_variable, "1"}, {parameter_directory_variable, (raw / params_name).string()}};
        case Road::CALLS: return {{lines_variable, (raw / calls_name).string()}};
        case Road::GRAPH: return {{graph_variable, raw.string()}};
        case Road::RAW: break;
    }
    return {{record_variable, raw.string()}, {trace_uid_variable, uid}};
}

// Nothing when there is no call at all.
std::optional<TraceReport> store_raw(const fs::path& raw, const RunFacts& facts, const ChildEnd& end,
                                     const TraceOptions& options) {
    CallTable table;
    for (const fs::path& file : raw_files_in(raw)) {
        read_and_trim(table, file);
    }
    if (table.ledger().calls == 0) {
        return std::nullopt;
    }
    return store_calls(table, facts, outcome_of(end), options);
}

void read_road(Road road, const fs::path& raw, CallSink& sink) {
    if (road == Road::PARAMS && fs::exists(raw / params_name)) {
        read_param_folder(raw / params_name, sink, {});
    } else if (road == Road::CALLS && fs::exists(raw / calls_name)) {
        collect_parts(raw / calls_name);
        read_calls(raw / calls_name, sink);
    } else if (road == Road::GRAPH) {
        std::vector<fs::path> reports;
        for (const auto& entry : fs::directory_iterator(raw)) {
            if (entry.path().filename().string().starts_with("graph-")) {
                reports.push_back(entry.path());
            }
        }
        std::ranges::sort(reports);
        for (const fs::path& report : reports) {
            read_graph_calls(report, sink);
        }
    }
}

std::optional<TraceReport> store_road(const fs::path& raw, const RunFacts& facts, const ChildEnd& end,
                                      const TraceOptions& options) {
    constexpr std::string_view formats[] = {"raw", "params", "calls", "graph"};
    CallIngest sink(options.filter, std::string(formats[static_cast<size_t>(options.road)]), facts.model, true,
                    options.include_failed);
    read_road(options.road, raw, sink);
    TraceReport report;
    report.uid = facts.uid;
    report.model = facts.model;
    report.outcome = outcome_of(end);
    report.ingested = sink.take();
    if (report.ingested.ledger.raw.calls == 0) {
        return std::nullopt;
    }
    const auto store = opened(options);
    report.added =
        store->add(run_of(facts, report.outcome, report.ingested), report.ingested.executions, report.ingested.unread);
    name_master(report, *store);
    return report;
}

}  // namespace

TraceReport trace(const Target& target, const TraceOptions& options) {
    open_for_writing(options.directory);  // a store that cannot be written is found before the model runs
    const RunFacts facts{make_uid(),       options.name.value_or(target.source),
                         target.source,    local_time(),
                         target.arguments, git_commit_of(target.given.substr(0, target.given.find("::")))};
    const fs::path raw = fs::absolute(options.directory / "raw" / facts.uid);
    fs::create_directories(raw);
    write_facts(raw, facts);
    const RunLock lock(raw);
    const ChildEnd end =
        run_child(target.command, {environment_of(options.road, raw, facts.uid), options.output_to_stderr});
    try {
        std::optional<TraceReport> report =
            options.road == Road::RAW ? store_raw(raw, facts, end, options) : store_road(raw, facts, end, options);
        if (!report) {
            const bool loaded = options.road != Road::RAW || !raw_files_in(raw).empty();
            fs::remove_all(raw);
            throw TargetError(nothing_captured(target, end, loaded));
        }
        report->end = end;
        if (options.keep_raw) {
            replace_file(raw / stored_mark, "");
            report->raw = options.directory / "raw" / facts.uid;
            report->readable = report->raw / readable_name(facts.target, facts.started);
            if (options.road == Road::RAW) {
                write_readable_trace(raw_files_in(raw), options.filter, options.include_failed, report->readable);
            } else {
                write_readable_trace([&](CallSink& sink) { read_road(options.road, raw, sink); }, options.filter,
                                     options.include_failed, report->readable);
            }
        } else {
            fs::remove_all(raw);
        }
        return *std::move(report);
    } catch (const TargetError&) {
        throw;
    } catch (const std::exception& error) {
        throw std::runtime_error(
            fmt::format("{}\nthe raw trace was kept. Once that is fixed, import it: tracelift import {}", error.what(),
                        (options.directory / "raw" / facts.uid).string()));
    }
}

void check_importable(const fs::path& path) {
    if (!fs::exists(path)) {
        throw std::runtime_error(fmt::format("'{}' does not exist", path.string()));
    }
    if (!fs::is_regular_file(path) && !fs::is_directory(path)) {
        throw std::runtime_error(
            fmt::format("{}: expected a file or a folder; write piped input to a file first", path.string()));
    }
}

std::vector<TraceReport> import_path(const fs::path& path, const TraceOptions& options) {
    std::vector<TraceReport> reports;
    import_path(path, options, [&](const TraceReport& report) { reports.push_back(report); });
    return reports;
}

void import_path(const fs::path& path, const TraceOptions& options,
                 const std::function<void(const TraceReport&)>& stored) {
    check_importable(path);
    if (fs::is_regular_file(path)) {
        return stored(*import_file(path, options));
    }
    if (is_store(path) && (has_database(path) || raw_files_in(path).empty())) {
        return stored(import_store(path, options));
    }
    bool found = false;
    if (const auto files = raw_files_in(path); !files.empty()) {
        stored(import_raw(files, path, options));
        found = true;
    }
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(path)) {
        if (entry.is_directory() && !raw_files_in(entry.path()).empty()) {
            folders.push_back(entry.path());
        }
    }
    std::ranges::sort(folders);
    for (const fs::path& folder : folders) {
        stored(import_raw(raw_files_in(folder), folder, options));
        found = true;
    }
    if (!found && is_param_folder(path)) {
        return stored(import_calls(path, "params", options, [&](CallSink& sink) {
            read_param_folder(path, sink, {options.include_failed, false});
        }));
    }
    if (!found) {
        throw std::runtime_error(
            fmt::format("{}: contains no raw trace (*{}), store or parameter file", path.string(), raw_extension));
    }
}

std::vector<fs::path> left_behind(const fs::path& directory) {
    std::vector<fs::path> folders;
    const fs::path raw = directory / "raw";
    if (!fs::is_directory(raw)) {
        return folders;
    }
    for (const auto& entry : fs::directory_iterator(raw)) {
        if (entry.is_directory() && !fs::exists(entry.path() / stored_mark) && RunLock(entry.path()).held()) {
            folders.push_back(entry.path());
        }
    }
    std::ranges::sort(folders);
    return folders;
}

}  // namespace tracelift
