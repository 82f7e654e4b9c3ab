#include "tracelift/store/import.hpp"

#include <unordered_map>

#include <fmt/format.h>
#include <simdjson.h>

#include "tracelift/formats/master_reader.hpp"
#include "tracelift/store/clock.hpp"
#include "tracelift/store/tables.hpp"
#include "tracelift/store/writer.hpp"
#include "tracelift/value/canonical.hpp"

namespace tracelift {
namespace {

constexpr size_t digest_bytes = 16;

std::string machine_key(const std::optional<Hardware>& hardware, const std::string& board) {
    return hardware ? fmt::format("{}\n{}\n{}\n{}\n{}\n{}", hardware->board_type, hardware->device_series,
                                  hardware->card_count, mesh_text(hardware->mesh_shape), hardware->device_count, board)
                    : std::string();
}

std::string minified(std::string_view text) {
    std::string result(text.size() + simdjson::SIMDJSON_PADDING, '\0');
    size_t size = 0;
    if (simdjson::minify(text.data(), text.size(), result.data(), size) != simdjson::SUCCESS) {
        return std::string(text);
    }
    result.resize(size);
    return result;
}

std::string text_at(const Value& dict, std::string_view name) {
    const Value* found = dict.find(name);
    const auto* text = found != nullptr ? found->as<std::string>() : nullptr;
    return text != nullptr ? *text : std::string();
}

class Import final : public MasterSink {
public:
    Import(Database& database, std::string name, const ImportOptions& options)
        : database_(database), name_(std::move(name)), options_(options), writer_(database) {}

    void configuration(const MasterPiece& piece) override {
        try {
            take(piece, executions_of(piece, parser_));
        } catch (const std::invalid_argument& error) {
            throw FileError(fmt::format("{}: {}: {}", name_, piece.place, error.what()));
        }
        ++report_.configurations;
        if (options_.progress && report_.configurations % 256 == 0) {
            options_.progress(report_.configurations);
        }
    }

    void metadata(const Value& metadata) override {
        const Value* total = metadata.find("total_operations");
        if (total != nullptr && (total->as<int64_t>() == nullptr || *total->as<int64_t>() < 0)) {
            throw FileError(
                fmt::format("{}: metadata/total_operations: expected a count, got {}", name_, total->to_text()));
        }
        report_.total_operations = total != nullptr ? static_cast<uint64_t>(*total->as<int64_t>()) : 0;
        facts_.arguments = text_at(metadata, "pytest_args");
        facts_.git_commit = text_at(metadata, "tt_metal_sha");
        facts_.started = text_at(metadata, "traced_at");
        for (const auto* name : {"tt_kmd", "tt_smi", "tt_firmware"}) {
            if (const std::string version = text_at(metadata, name); !version.empty()) {
                facts_.software += fmt::format("{}{} {}", facts_.software.empty() ? "" : ", ", name, version);
            }
        }
    }

    ImportReport finish() {
        Statement complete(database_,
                           "UPDATE trace_run SET arguments = coalesce(arguments, nullif(?1, '')), git_commit = "
                           "coalesce(git_commit, nullif(?2, '')), software = coalesce(software, nullif(?3, '')), "
                           "started = coalesce(nullif(?4, ''), started) WHERE id = ?5");
        for (const auto& [uid, id] : runs_) {
            if (writer_.is_new_run(id)) {
                complete.with(facts_.arguments, facts_.git_commit, facts_.software, facts_.started, id).run();
            }
        }
        add_text_bytes(database_, writer_.bytes());
        report_.added = writer_.added();
        return std::move(report_);
    }

private:
    // Executions on one machine are of one configuration; on several, of as many.
    void take(const MasterPiece& piece, std::vector<MasterExecution> executions) {
        OperationCount& count = report_.operations[dotted(piece.operation)];
        ++count.configurations;
        while (!executions.empty()) {
            const std::string machine = machine_key(executions[0].hardware, executions[0].board);
            const int64_t row = row_of(piece, executions[0], machine);
            std::vector<MasterExecution> elsewhere;
            for (MasterExecution& execution : executions) {
                if (machine_key(execution.hardware, execution.board) != machine) {
                    elsewhere.push_back(std::move(execution));
                    continue;
                }
                const std::string& source = options_.model ? *options_.model : execution.source;
                writer_.execute(row, run_of(execution, machine), writer_.model(source), execution.count, 0);
                count.executions += execution.count;
                report_.executions += execution.count;
            }
            executions = std::move(elsewhere);
        }
    }

    int64_t row_of(const MasterPiece& piece, const MasterExecution& execution, const std::string& machine) {
        const std::string digest = hash_.add(piece.operation)
                                       .add("\n")
                                       .add(machine)
                                       .add("\n")
                                       .add(piece.arguments)
                                       .bytes()
                                       .substr(0, digest_bytes);
        const auto known = writer_.find_text(digest);
        std::optional<NewConfiguration> fresh;
        std::string identity_text;
        if (known) {
            identity_text = known->identity;
        } else {
            fresh = bound(piece, execution);
            identity_text = identity(fresh->call, fresh->hardware);
        }
        const int64_t ordinal = seen_[identity_text]++;
        const auto row =
            known && known->ordinal == ordinal ? std::optional(known->id) : writer_.find(identity_text, ordinal);
        if (row) {
            writer_.known();
            return *row;
        }
        if (!fresh) {
            fresh = bound(piece, execution);
        }
        fresh->digest = digest;
        fresh->stored = minified(piece.text);
        if (!fresh->call.bound) {
            ++report_.unbound;
            report_.problems.try_emplace(fresh->call.operation, fresh->call.note);
        }
        return writer_.add(*fresh, identity_text, ordinal);
    }

    NewConfiguration bound(const MasterPiece& piece, const MasterExecution& execution) {
        NewConfiguration fresh;
        const FileCall file = call_of(piece, parser_);
        fresh.hardware = execution.hardware;
        fresh.board = execution.board;
        fresh.format = piece.is_format2() ? "2" : "1";
        fresh.call = binder_.bind(file.call, file.order, execution.board);
        if (!piece.config_hash.empty()) {
            fresh.legacy_hash = std::string(piece.config_hash);
        }
        return fresh;
    }

    // Without a uid, executions of one source on one machine are one run, as the tracers merge them.
    int64_t run_of(const MasterExecution& execution, const std::string& machine) {
        const std::string uid =
            execution.trace_uid.empty()
                ? "untraced-" + sha256(fmt::format("{}\n{}", execution.source, machine)).substr(0, 16)
                : execution.trace_uid;
        const auto known = runs_.find(uid);
        if (known != runs_.end()) {
            return known->second;
        }
        TraceRun run{uid, std::filesystem::path(name_).filename().string(), local_time(), "imported", 0, 0};
        run.hardware = execution.hardware;
        const int64_t id = writer_.run(run);
        if (!writer_.is_new_run(id) && !execution.trace_uid.empty()) {
            report_.known_uids.push_back(uid);
            if (options_.refuse_known) {
                throw StoreError(
                    fmt::format("{}: the trace {} is in the store already; nothing was taken", name_, uid));
            }
        }
        return runs_.emplace(uid, id).first->second;
    }

    const std::string& dotted(const std::string& operation) {
        const auto known = names_.find(operation);
        return known != names_.end() ? known->second : names_.emplace(operation, dotted_name(operation)).first->second;
    }

    Database& database_;
    std::string name_;
    const ImportOptions& options_;
    StoreWriter writer_;
    Binder binder_;
    JsonParser parser_;
    Sha256 hash_;
    ImportReport report_;
    TraceRun facts_{};
    std::unordered_map<std::string, int64_t> seen_;  // identity -> configurations of this file
    std::unordered_map<std::string, int64_t> runs_;  // uid -> id
    std::unordered_map<std::string, std::string> names_;
};

}  // namespace

ImportReport import_master(Database& database, const std::filesystem::path& file, const ImportOptions& options) {
    Import work(database, file.string(), options);
    read_master_file(file, work);
    return work.finish();
}

}  // namespace tracelift
