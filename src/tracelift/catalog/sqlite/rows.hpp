// The tables of the store. Their DDL, inserting, reading and documentation follow from these declarations
// (base/table.hpp); migrations (schema.cpp) bring older stores to them.
#pragma once

#include "tracelift/base/table.hpp"

namespace tracelift::stored {

template <class Row>
struct Table;
template <class Row>
Table<Row> table_of(const Row* row);

using Text = std::string;
using MaybeText = std::optional<std::string>;
using MaybeInt = std::optional<int64_t>;
using MaybeReal = std::optional<double>;

inline constexpr std::string_view row_id = "INTEGER PRIMARY KEY";

struct MetaRow {
    Text key, value;
};
template <>
struct Table<MetaRow> : TableDefaults {
    using Row = MetaRow;
    static constexpr std::string_view name = "meta";
    static constexpr std::string_view meaning = "facts about the store";
    static constexpr auto columns = std::tuple{
        Column{"key", &Row::key, "master_digest, master_stamp, total_operations, text_bytes", "TEXT PRIMARY KEY"},
        Column{"value", &Row::value, "text"}};
};

struct OperationRow {
    MaybeInt id;
    Text name;
};
template <>
struct Table<OperationRow> : TableDefaults {
    using Row = OperationRow;
    static constexpr std::string_view name = "operation";
    static constexpr std::string_view meaning = "the operations that have configurations";
    static constexpr auto columns =
        std::tuple{Column{"id", &Row::id, "", row_id}, Column{"name", &Row::name, "ttnn.add", "TEXT NOT NULL UNIQUE"}};
};

struct HardwareRow {
    MaybeInt id;
    Text board_type, device_series;
    int64_t card_count;
    Text mesh_shape;
    int64_t device_count;
};
template <>
struct Table<HardwareRow> : TableDefaults {
    using Row = HardwareRow;
    static constexpr std::string_view name = "hardware";
    static constexpr std::string_view meaning = "machines that calls ran on";
    static constexpr std::string_view unique = "board_type, device_series, card_count, mesh_shape, device_count";
    static constexpr auto columns =
        std::tuple{Column{"id", &Row::id, "", row_id},
                   Column{"board_type", &Row::board_type, "Wormhole, Blackhole"},
                   Column{"device_series", &Row::device_series, "n150, n300, tt-galaxy-wh"},
                   Column{"card_count", &Row::card_count, "cards in the machine"},
                   Column{"mesh_shape", &Row::mesh_shape, "devices that the call ran on: 1x1, 4x8"},
                   Column{"device_count", &Row::device_count, "their number"}};
};

struct ConfigurationRow {
    MaybeInt id;
    int64_t operation_id = 0;
    MaybeInt hardware_id;
    Text identity;
    int64_t ordinal = 0;
    int64_t canonical_version = 0;
    bool bound = false;
    MaybeText note;
    Text board;
    MaybeText format, digest;
    MaybeText dtype, layout, memory_layout, buffer_type, shape;
    int64_t unparsed = 0;
    int64_t lost = 0;
    MaybeText legacy_hash;
    Text arguments;
    MaybeText stored;
};
template <>
struct Table<ConfigurationRow> : TableDefaults {
    using Row = ConfigurationRow;
    static constexpr std::string_view name = "configuration";
    static constexpr std::string_view meaning = "distinct calls: operation, arguments and hardware";
    static constexpr std::string_view unique = "identity, ordinal";
    static constexpr Index indexes[] = {{"configuration_by_operation", "operation_id"},
                                        {"configuration_by_digest", "digest, ordinal, identity", "digest IS NOT NULL"}};
    static constexpr std::string_view count = "INTEGER NOT NULL DEFAULT 0";
    static constexpr auto columns = std::tuple{
        Column{"id", &Row::id, "", row_id},
        Column{"operation_id", &Row::operation_id, "operation", "INTEGER NOT NULL REFERENCES operation"},
        Column{"hardware_id", &Row::hardware_id, "hardware; NULL: not known", "INTEGER REFERENCES hardware"},
        Column{"identity", &Row::identity, "hash of the call as its declaration reads it, with hardware and mesh"},
        Column{"ordinal", &Row::ordinal, "position among the configurations of one file with equal identity, from 0",
               count},
        Column{"canonical_version", &Row::canonical_version, "version of the rules by which identity is computed"},
        Column{"bound", &Row::bound, "1: it fits the declaration of its operation"},
        Column{"note", &Row::note, "why it does not fit"},
        Column{"board", &Row::board, "the board to replay it on; empty: the default"},
        Column{"format", &Row::format, "the format it was read from: raw, 1, 2, params, calls, graph"},
        Column{"digest", &Row::digest, "digest of the text it was read from, which later imports recognise it by",
               "BLOB"},
        Column{"dtype", &Row::dtype, "of the first tensor"},
        Column{"layout", &Row::layout, "of the first tensor"},
        Column{"memory_layout", &Row::memory_layout, "of the first tensor"},
        Column{"buffer_type", &Row::buffer_type, "of the first tensor"},
        Column{"shape", &Row::shape, "of the first tensor"},
        Column{"unparsed", &Row::unparsed, "how many texts in its arguments could not be read", count},
        Column{"lost", &Row::lost, "how many values the capture did not record", count},
        Column{"legacy_hash", &Row::legacy_hash, "config_hash in its master"},
        Column{"arguments", &Row::arguments, "encoded; arg(arguments, 'path') reads them", "BLOB NOT NULL"},
        Column{"stored", &Row::stored, "the JSON text it was read from; NULL: recorded by our own runtime"}};
};

struct ModelRow {
    MaybeInt id;
    Text name;
    MaybeText short_name, family, source_file, hf_model;
};
template <>
struct Table<ModelRow> : TableDefaults {
    using Row = ModelRow;
    static constexpr std::string_view name = "model";
    static constexpr std::string_view meaning = "tests and models that made calls";
    static constexpr Index indexes[] = {{"model_by_short_name", "short_name", "short_name IS NOT NULL", true}};
    static constexpr auto columns = std::tuple{
        Column{"id", &Row::id, "", row_id},
        Column{"name", &Row::name, "source as it appears in files: path [HF_MODEL:id]", "TEXT NOT NULL UNIQUE"},
        Column{"short_name", &Row::short_name, "a unique name for commands"},
        Column{"family", &Row::family, "llama, qwen, deepseek, ..."},
        Column{"source_file", &Row::source_file, "path in the source"},
        Column{"hf_model", &Row::hf_model, "Hugging Face id in the source"}};
};

struct TraceRunRow {
    MaybeInt id;
    Text uid, target, started, outcome;
    int64_t captured = 0;
    int64_t kept = 0;
    MaybeInt hardware_id;
    MaybeText arguments, tool_version, git_commit, software;
};
template <>
struct Table<TraceRunRow> : TableDefaults {
    using Row = TraceRunRow;
    static constexpr std::string_view name = "trace_run";
    static constexpr std::string_view meaning =
        "runs in which calls were recorded, and files from which they were imported";
    static constexpr auto columns =
        std::tuple{Column{"id", &Row::id, "", row_id},
                   Column{"uid", &Row::uid, "trace_uid", "TEXT NOT NULL UNIQUE"},
                   Column{"target", &Row::target, "test or file"},
                   Column{"started", &Row::started, "local time: 2025-10-16 04:22:52"},
                   Column{"outcome", &Row::outcome, "passed, failed, crashed, imported"},
                   Column{"captured", &Row::captured, "calls"},
                   Column{"kept", &Row::kept, "calls that passed the filter"},
                   Column{"hardware_id", &Row::hardware_id, "hardware", "INTEGER REFERENCES hardware"},
                   Column{"arguments", &Row::arguments, "of the test"},
                   Column{"tool_version", &Row::tool_version, "version of the tracelift that stored it"},
                   Column{"git_commit", &Row::git_commit, "commit of what was traced"},
                   Column{"software", &Row::software, "versions of drivers and firmware"}};
};

struct ExecutionRow {
    int64_t configuration_id = 0;
    int64_t trace_run_id = 0;
    int64_t model_id = 0;
    int64_t count = 0;
    int64_t nanoseconds = 0;
};
template <>
struct Table<ExecutionRow> : TableDefaults {
    using Row = ExecutionRow;
    static constexpr std::string_view name = "execution";
    static constexpr std::string_view meaning = "how often a model executed a configuration in a run";
    static constexpr std::string_view primary_key = "configuration_id, trace_run_id, model_id";
    static constexpr Index indexes[] = {{"execution_by_model", "model_id"}, {"execution_by_run", "trace_run_id"}};
    static constexpr auto columns =
        std::tuple{Column{"configuration_id", &Row::configuration_id, "configuration",
                          "INTEGER NOT NULL REFERENCES configuration"},
                   Column{"trace_run_id", &Row::trace_run_id, "trace_run", "INTEGER NOT NULL REFERENCES trace_run"},
                   Column{"model_id", &Row::model_id, "model", "INTEGER NOT NULL REFERENCES model"},
                   Column{"count", &Row::count, "calls"},
                   Column{"nanoseconds", &Row::nanoseconds, "total time of these calls; 0: not measured"}};
};

struct UnreadRow {
    MaybeInt id;
    MaybeInt trace_run_id;
    Text place, text, reason;
};
template <>
struct Table<UnreadRow> : TableDefaults {
    using Row = UnreadRow;
    static constexpr std::string_view name = "unread";
    static constexpr std::string_view meaning = "pieces of input that are not calls";
    static constexpr std::string_view unique = "place, text";
    static constexpr auto columns =
        std::tuple{Column{"id", &Row::id, "", row_id},
                   Column{"trace_run_id", &Row::trace_run_id, "trace_run", "INTEGER REFERENCES trace_run"},
                   Column{"place", &Row::place, "file and line"}, Column{"text", &Row::text, "the text itself"},
                   Column{"reason", &Row::reason, "why it was not read"}};
};

struct SweepRunRow {
    MaybeInt id;
    Text started;
    MaybeText finished;
    Text version, command, contents, host, card_type, git_commit, git_branch, git_author, environment, shard;
};
template <>
struct Table<SweepRunRow> : TableDefaults {
    using Row = SweepRunRow;
    static constexpr std::string_view name = "sweep_run";
    static constexpr std::string_view meaning = "runs of sweeps";
    static constexpr std::string_view fact = "TEXT NOT NULL DEFAULT ''";
    static constexpr auto columns =
        std::tuple{Column{"id", &Row::id, "", row_id},
                   Column{"started", &Row::started, "UTC: 2026-01-15T10:46:16Z"},
                   Column{"finished", &Row::finished, "NULL: it did not finish"},
                   Column{"version", &Row::version, "of tracelift"},
                   Column{"command", &Row::command, "the command line"},
                   Column{"contents", &Row::contents, "all_sweeps, or module and suite", fact},
                   Column{"host", &Row::host, "where it ran", fact},
                   Column{"card_type", &Row::card_type, "wormhole_b0 (n150)", fact},
                   Column{"git_commit", &Row::git_commit, "of the folder it ran in", fact},
                   Column{"git_branch", &Row::git_branch, "of the same folder", fact},
                   Column{"git_author", &Row::git_author, "of the last commit there", fact},
                   Column{"environment", &Row::environment, "JSON object: processor, libraries, Python, ttnn", fact},
                   Column{"shard", &Row::shard, "1/4; empty: all", fact}};
};

struct SweepResultRow {
    MaybeInt id;
    int64_t sweep_run_id = 0;
    Text vector_id, sweep_name, suite, operation, identity;
    MaybeInt configuration_id;
    Text status, message, exception;
    MaybeReal pcc, max_ulp, max_relative, max_absolute;
    std::optional<bool> equal;
    double milliseconds = 0;
    Text started, ended, source, metrics, parameters;
};
template <>
struct Table<SweepResultRow> : TableDefaults {
    using Row = SweepResultRow;
    static constexpr std::string_view name = "sweep_result";
    static constexpr std::string_view meaning = "how the vectors of sweeps ended; results outlive their configurations";
    static constexpr std::string_view unique = "sweep_run_id, vector_id, suite, sweep_name";
    static constexpr Index indexes[] = {{"sweep_result_by_configuration", "configuration_id"},
                                        {"sweep_result_by_identity", "identity"},
                                        {"sweep_result_by_status", "status"},
                                        {"sweep_result_by_vector", "vector_id, suite, sweep_name, sweep_run_id"}};
    static constexpr auto columns =
        std::tuple{Column{"id", &Row::id, "", row_id},
                   Column{"sweep_run_id", &Row::sweep_run_id, "sweep_run", "INTEGER NOT NULL REFERENCES sweep_run"},
                   Column{"vector_id", &Row::vector_id, "input_hash of the vector"},
                   Column{"sweep_name", &Row::sweep_name, "module; for native sweeps the operation"},
                   Column{"suite", &Row::suite, "model_traced, nightly, ..."},
                   Column{"operation", &Row::operation, "ttnn.add; empty: not known"},
                   Column{"identity", &Row::identity, "of the configuration; empty: it has none"},
                   Column{"configuration_id", &Row::configuration_id, "configuration, while the store has it",
                          "INTEGER REFERENCES configuration ON DELETE SET NULL"},
                   Column{"status", &Row::status, "pass, fail, rejected, ..."},
                   Column{"message", &Row::message, "what the run reported; for a pass usually its PCC"},
                   Column{"exception", &Row::exception, "why it did not pass; empty: it did"},
                   Column{"pcc", &Row::pcc, "correlation with the reference; NULL: not compared"},
                   Column{"max_ulp", &Row::max_ulp, "largest error in units of the last place"},
                   Column{"max_relative", &Row::max_relative, "largest relative error"},
                   Column{"max_absolute", &Row::max_absolute, "largest error"},
                   Column{"equal", &Row::equal, "1: every bit is equal"},
                   Column{"milliseconds", &Row::milliseconds, "the whole vector"},
                   Column{"started", &Row::started, "UTC"},
                   Column{"ended", &Row::ended, "UTC"},
                   Column{"source", &Row::source, "models that the vector was traced from"},
                   Column{"metrics", &Row::metrics, "JSON object: name and number"},
                   Column{"parameters", &Row::parameters, "JSON object: of the vector"}};
};

// Calls `visit.operator()<Row>()` for every table, those that others refer to first.
template <class Visit>
void for_each_table(Visit&& visit) {
    const auto visit_all = [&]<class... Rows>(std::tuple<Rows...>*) { (visit.template operator()<Rows>(), ...); };
    visit_all(static_cast<std::tuple<MetaRow, OperationRow, HardwareRow, ConfigurationRow, ModelRow, TraceRunRow,
                                     ExecutionRow, UnreadRow, SweepRunRow, SweepResultRow>*>(nullptr));
}

}  // namespace tracelift::stored
