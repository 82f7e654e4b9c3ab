#include "tracelift/store/import.hpp"

#include <algorithm>
#include <future>
#include <memory>
#include <unordered_map>

#include <fmt/format.h>
#include <simdjson.h>

#include "tracelift/store/clock.hpp"
#include "tracelift/store/import_reader.hpp"
#include "tracelift/store/tables.hpp"
#include "tracelift/value/canonical.hpp"

namespace tracelift {
namespace {

using namespace importing;  // NOLINT(google-build-using-namespace): the other half of this file

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

// Fits configurations to their declarations; used by one thread at a time.
class Fitter {
public:
    NewConfiguration fit(const MasterPiece& piece, const MasterExecution& execution) {
        NewConfiguration fresh;
        const FileCall file = call_of(piece, parser_);
        fresh.hardware = execution.hardware;
        fresh.board = execution.board;
        fresh.format = piece.is_format2() ? "2" : "1";
        fresh.call = binder_.bind(file.call, file.order, execution.board);
        fresh.stored = minified(piece.text);
        if (!piece.config_hash.empty()) {
            fresh.legacy_hash = std::string(piece.config_hash);
        }
        return fresh;
    }

private:
    Binder binder_;
    JsonParser parser_;
};

// One thread reads, a second fits a batch to the declarations, and this one writes the batch before it.
class Import {
public:
    Import(Database& database, std::string name, const ImportOptions& options)
        : database_(database), name_(std::move(name)), options_(options), writer_(database) {}

    void read(const std::filesystem::path& file) {
        Queue queue;
        PieceReader reader(name_, queue);
        auto reading = std::async(std::launch::async, [&] {
            try {
                read_master_file(file, reader);
                reader.hand_on();
            } catch (const NobodyWantsMore&) {
            } catch (...) {
                queue.end();
                throw;
            }
            queue.end();
        });
        try {
            while (auto batch = queue.pop()) {
                report_.configurations += batch->size();
                look_up(*batch);
                hand_over(std::move(*batch));
                if (options_.progress) {
                    options_.progress(report_.configurations);
                }
            }
            reading.get();
            hand_over({});
        } catch (...) {
            queue.close();
            throw;  // the future waits for its thread
        }
        if (reader.found_metadata().as<Value::Dict>() != nullptr) {
            metadata(reader.found_metadata());
        }
    }

    void metadata(const Value& metadata) {
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
    [[noreturn]] void fail(const MasterPiece& piece, const std::exception& error) const {
        throw FileError(fmt::format("{}: {}: {}", name_, piece.place, error.what()));
    }

    void look_up(const Batch& batch) {
        for (const auto& job : batch) {
            for (Group& group : job->groups) {
                group.known = writer_.find_text(group.digest);
                if (group.known) {
                    group.identity = group.known->identity;
                }
            }
        }
    }

    // Starts to fit a batch, and writes the one before it.
    void hand_over(Batch batch) {
        std::future<void> fitting;
        const bool any = std::ranges::any_of(batch, [](const auto& job) {
            return std::ranges::any_of(job->groups, [](const Group& group) { return !group.known; });
        });
        if (any) {
            fitting = std::async(std::launch::async, [this, &batch] { fit(batch); });
        }
        write(waiting_);
        if (fitting.valid()) {
            fitting.get();
        }
        waiting_ = std::move(batch);
    }

    void fit(const Batch& batch) {
        for (const auto& job : batch) {
            for (Group& group : job->groups) {
                if (group.known) {
                    continue;
                }
                try {
                    group.fresh = fitter_.fit(job->piece, group.executions.front());
                    group.identity = identity(group.fresh->call, group.fresh->hardware);
                } catch (const std::invalid_argument& error) {
                    fail(job->piece, error);
                }
            }
        }
    }

    void write(const Batch& batch) {
        for (const auto& job : batch) {
            OperationCount& count = report_.operations[dotted(job->piece.operation)];
            ++count.configurations;
            for (Group& group : job->groups) {
                const size_t before = writer_.added().configurations;
                const int64_t row = row_of(group);
                const bool fresh = writer_.added().configurations != before && group.executions.size() == 1;
                for (const MasterExecution& execution : group.executions) {
                    const std::string& source = options_.model ? *options_.model : execution.source;
                    writer_.execute(row, run_of(execution, group.machine), writer_.model(source), execution.count, 0,
                                    fresh);
                    count.executions += execution.count;
                    report_.executions += execution.count;
                }
            }
        }
    }

    int64_t row_of(Group& group) {
        const int64_t ordinal = seen_[group.identity]++;
        const auto row = group.known && group.known->ordinal == ordinal ? std::optional(group.known->id)
                                                                        : writer_.find(group.identity, ordinal);
        if (row) {
            writer_.known();
            return *row;
        }
        if (!group.fresh) {
            return writer_.add_like(group.known->id, ordinal);
        }
        group.fresh->digest = group.digest;
        if (!group.fresh->call.bound) {
            ++report_.unbound;
            report_.problems.try_emplace(group.fresh->call.operation, group.fresh->call.note);
        }
        return writer_.add(*group.fresh, group.identity, ordinal);
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
    Fitter fitter_;  // of the thread that fits
    Batch waiting_;  // fitted, to be written
    ImportReport report_;
    TraceRun facts_{};
    std::unordered_map<std::string, int64_t> seen_;  // identity -> configurations of this file
    std::unordered_map<std::string, int64_t> runs_;  // uid -> id
    std::unordered_map<std::string, std::string> names_;
};

}  // namespace

ImportReport import_master(Database& database, const std::filesystem::path& file, const ImportOptions& options) {
    Import work(database, file.string(), options);
    work.read(file);
    return work.finish();
}

}  // namespace tracelift
