#include "tracelift/catalog/sqlite/import.hpp"

#include <algorithm>
#include <array>
#include <future>
#include <memory>
#include <unordered_map>

#include <fmt/format.h>

#include "tracelift/base/clock.hpp"
#include "tracelift/base/utf8.hpp"
#include "tracelift/catalog/sqlite/import_fitter.hpp"
#include "tracelift/catalog/sqlite/import_reader.hpp"
#include "tracelift/catalog/sqlite/tables.hpp"
#include "tracelift/formats/master_metadata.hpp"
#include "tracelift/value/canonical.hpp"

namespace tracelift {
namespace {

using namespace importing;  // NOLINT(google-build-using-namespace): the other half of this file

std::string text_at(const Value& dict, std::string_view name) {
    const Value* found = dict.find(name);
    const auto* text = found != nullptr ? found->as<std::string>() : nullptr;
    return text != nullptr ? *text : std::string();
}

constexpr size_t most_in_line = 8;  // batches
constexpr size_t batches_between_growth = 32;
constexpr uint64_t worth_reading = 2;  // bytes of a store for one of a file: then the file names much of what it holds

// Half of an identity, which is enough to tell the configurations of one file apart.
using IdentityStart = std::array<char, 32>;
IdentityStart start_of(std::string_view identity) {
    IdentityStart start{};
    identity.copy(start.data(), start.size());
    return start;
}
struct IdentityHash {
    size_t operator()(const IdentityStart& start) const {
        return std::hash<std::string_view>()({start.data(), start.size()});
    }
};

// One thread reads, a second fits what it read to the declarations, and this one looks texts up, writes, and fits too
// when it would have to wait.
class Import {
public:
    Import(Database& database, std::string name, const ImportOptions& options)
        : database_(database), name_(std::move(name)), options_(options), writer_(database) {
        if (was_empty_) {
            hold_indexes();
        }
    }
    ~Import() { database_.hold_pages(Database::usual_pages); }
    Import(const Import&) = delete;
    Import& operator=(const Import&) = delete;

    void read(const std::filesystem::path& file) {
        Queue found;
        FittingLine line;
        PieceReader reader(name_, found, only_model(read_metadata(file)));
        auto reading = std::async(std::launch::async, [&] {
            const QueueEnd end(found);
            try {
                read_master_file(file, reader);
                reader.hand_on();
            } catch (const NobodyWantsMore&) {
            }
        });
        auto fitting = std::async(std::launch::async, [&] {
            Fitter fitter(name_);
            line.help(fitter);
        });
        Fitter fitter(name_);
        try {
            read_known(file);
            while (auto batch = found.pop()) {
                report_.configurations += batch->size();
                look_up(*batch);
                line.push(std::move(*batch));
                if (line.size() == most_in_line) {
                    write(line.pop(fitter));
                }
                if (options_.progress) {
                    options_.progress(report_.configurations);
                }
            }
            reading.get();
            while (line.size() > 0) {
                write(line.pop(fitter));
            }
        } catch (...) {
            found.close();
            line.end();
            throw;  // the futures wait for their threads
        }
        line.end();
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
    void read_known(const std::filesystem::path& file) {
        std::error_code not_a_file;
        const uint64_t size = std::filesystem::file_size(file, not_a_file);
        if (!was_empty_ && !not_a_file && text_bytes(database_) <= worth_reading * size) {
            writer_.read_known();
        }
    }

    void look_up(Batch& batch) {
        if (was_empty_) {
            return;
        }
        for (Job& job : batch) {
            for (Group& group : job.groups) {
                group.known = writer_.find_text(group.digest());
                if (group.known) {
                    group.identity = std::move(group.known->identity);
                }
            }
        }
    }

    void write(Batch batch) {
        for (Job& job : batch) {
            OperationCount& count = count_of(job.piece.operation);
            ++count.configurations;
            for (Group& group : job.groups) {
                const size_t before = writer_.added().configurations;
                const int64_t row = row_of(group);
                Executed& executed = *group.executed;
                const bool fresh = writer_.added().configurations != before && executed.executions.size() == 1;
                for (size_t i = 0; i < executed.executions.size(); ++i) {
                    const MasterExecution& execution = executed.executions[i];
                    if (executed.rows.size() == i) {
                        const std::string& source = options_.model ? *options_.model : execution.source;
                        executed.rows.push_back({run_of(execution, executed.machine), writer_.model(source)});
                    }
                    const auto& [run, model] = executed.rows[i];
                    writer_.execute(row, run, model, execution.count, 0, fresh);
                    count.executions += execution.count;
                    report_.executions += execution.count;
                }
            }
        }
        if (was_empty_ && ++batches_ % batches_between_growth == 0) {
            hold_indexes();
        }
    }

    // Rows are written once; only the pages of indexes come again, and new memory for the others costs time.
    void hold_indexes() {
        constexpr size_t for_rows = size_t{8} << 20;
        constexpr size_t of_a_configuration = 320;
        database_.hold_pages(std::min(Database::usual_pages, for_rows + of_a_configuration * report_.configurations));
    }

    OperationCount& count_of(const std::string& operation) {
        if (operation != counted_ || count_ == nullptr) {
            counted_ = operation;
            count_ = &report_.operations[dotted_name(operation)];
        }
        return *count_;
    }

    int64_t row_of(Group& group) {
        const int64_t ordinal = seen_[start_of(group.identity)]++;
        const auto row = was_empty_                                       ? std::nullopt
                         : group.known && group.known->ordinal == ordinal ? std::optional(group.known->id)
                                                                          : writer_.find(group.identity, ordinal);
        if (row) {
            writer_.known();
            return *row;
        }
        if (!group.fresh) {
            return writer_.add_like(group.known->id, ordinal);
        }
        if (!group.fresh->row.bound) {
            ++report_.unbound;
            report_.problems.try_emplace(group.fresh->operation, group.fresh->row.note.value_or(""));
        } else if (group.fresh->row.lost != 0) {
            ++report_.with_lost;
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
        TraceRun run{uid, utf8_text(std::filesystem::path(name_).filename().string()), local_time(), "imported", 0, 0};
        run.hardware = execution.hardware;
        const int64_t id = writer_.run(run);
        if (options_.refuse_known && !writer_.is_new_run(id) && !execution.trace_uid.empty()) {
            throw KnownTrace(name_, uid);
        }
        return runs_.emplace(uid, id).first->second;
    }

    Database& database_;
    std::string name_;
    const ImportOptions& options_;
    StoreWriter writer_;
    ImportReport report_;
    TraceRun facts_{};
    std::unordered_map<IdentityStart, int64_t, IdentityHash> seen_;  // configurations of this file
    std::unordered_map<std::string, int64_t> runs_;                  // uid -> id
    std::string counted_;                                            // the operation that was counted last
    OperationCount* count_ = nullptr;
    size_t batches_ = 0;  // written
    bool was_empty_ = is_empty(database_);
};

}  // namespace

ImportReport import_master(Database& database, const std::filesystem::path& file, const ImportOptions& options) {
    Import work(database, file.string(), options);
    work.read(file);
    return work.finish();
}

}  // namespace tracelift
