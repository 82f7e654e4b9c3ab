#include "tracelift/catalog/sqlite/writer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tracelift/catalog/sqlite/model_name.hpp"
#include "tracelift/catalog/sqlite/tables.hpp"
#include "tracelift/value/canonical.hpp"

namespace tracelift {
namespace {

std::optional<std::string_view> or_null(std::string_view text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

std::optional<StoreWriter::Known> StoreWriter::find_text(std::string_view digest) {
    if (known_) {
        const auto text = known_->text(digest);
        return text ? std::optional(Known{text->id, std::string(text->identity), text->ordinal}) : std::nullopt;
    }
    if (!find_text_.viewing(digest).step()) {
        return std::nullopt;
    }
    return Known{find_text_.integer(0), std::string(find_text_.text(1)), find_text_.integer(2)};
}

std::optional<int64_t> StoreWriter::find(const std::string& identity, int64_t ordinal) {
    return find_.viewing(identity, ordinal).step() ? std::optional(find_.integer(0)) : std::nullopt;
}

int64_t StoreWriter::add(const ConfigurationRow& row, const std::string& identity, int64_t ordinal) {
    ++added_.configurations;
    added_.changed = true;
    bytes_ += row.stored ? row.stored->size() : 2 * row.arguments.size();
    return insert_
        .viewing(operation(row.operation), hardware(row.hardware), identity, ordinal, canonical_version, row.bound,
                 or_null(row.note), row.board, row.format, or_null(row.digest), row.dtype, row.layout,
                 row.memory_layout, row.buffer_type, row.shape, row.unparsed, row.lost, row.legacy_hash, row.placements,
                 row.arguments, row.stored)
        .insert();
}

int64_t StoreWriter::add_like(int64_t configuration, int64_t ordinal) {
    ++added_.configurations;
    added_.changed = true;
    return Statement(database_,
                     "INSERT INTO configuration (operation_id, hardware_id, identity, ordinal, canonical_version, "
                     "bound, note, board, format, digest, dtype, layout, memory_layout, buffer_type, shape, unparsed, "
                     "lost, legacy_hash, placements, arguments, stored) SELECT operation_id, hardware_id, identity, "
                     "?2, canonical_version, bound, note, board, format, digest, dtype, layout, memory_layout, "
                     "buffer_type, shape, unparsed, lost, legacy_hash, placements, arguments, stored FROM "
                     "configuration WHERE id = ?1")
        .with(configuration, ordinal)
        .insert();
}

void StoreWriter::execute(int64_t configuration, int64_t run, int64_t model, uint64_t count, uint64_t nanoseconds,
                          bool fresh) {
    if (KnownRows::Execution* stored = known_ && !fresh ? known_->execution(configuration, run, model) : nullptr) {
        if (stored->count < count || stored->nanoseconds < nanoseconds) {
            raise(configuration, run, model, count, nanoseconds);
            stored->count = std::max(stored->count, count);
            stored->nanoseconds = std::max(stored->nanoseconds, nanoseconds);
        }
        return;
    }
    if (fresh || !find_execution_.with(configuration, run, model).step()) {
        insert_execution_.with(configuration, run, model, count, nanoseconds).run();
        ++added_.executions;
        added_.changed = true;
        return;
    }
    if (static_cast<uint64_t>(find_execution_.integer(0)) < count ||
        static_cast<uint64_t>(find_execution_.integer(1)) < nanoseconds) {
        raise(configuration, run, model, count, nanoseconds);
    }
}

void StoreWriter::raise(int64_t configuration, int64_t run, int64_t model, uint64_t count, uint64_t nanoseconds) {
    raise_.with(count, nanoseconds, configuration, run, model).run();
    added_.changed = true;
}

void StoreWriter::unread(int64_t run, const UnreadPiece& piece) {
    Statement(database_, "INSERT OR IGNORE INTO unread (trace_run_id, place, text, reason) VALUES (?, ?, ?, ?)")
        .with(run, piece.place, piece.text, piece.reason)
        .run();
    added_.changed = true;
}

int64_t StoreWriter::run(const TraceRun& run) {
    Statement find(database_, "SELECT id FROM trace_run WHERE uid = ?");
    if (find.with(run.uid).step()) {
        return find.integer(0);
    }
    const int64_t id =
        Statement(database_,
                  "INSERT INTO trace_run (uid, target, started, outcome, captured, kept, hardware_id, arguments, "
                  "tool_version, git_commit, software) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            .with(run.uid, run.target, run.started, run.outcome, run.captured, run.kept, hardware(run.hardware),
                  or_null(run.arguments), TRACELIFT_VERSION, or_null(run.git_commit), or_null(run.software))
            .insert();
    new_runs_.emplace(id, true);
    added_.changed = true;
    return id;
}

int64_t StoreWriter::operation(const std::string& name) {
    const auto known = operations_.find(name);
    if (known != operations_.end()) {
        return known->second;
    }
    Statement find(database_, "SELECT id FROM operation WHERE name = ?");
    const int64_t id = find.with(name).step()
                           ? find.integer(0)
                           : Statement(database_, "INSERT INTO operation (name) VALUES (?)").with(name).insert();
    return operations_.emplace(name, id).first->second;
}

int64_t StoreWriter::model(const std::string& source) {
    const auto known = models_.find(source);
    if (known != models_.end()) {
        return known->second;
    }
    Statement find(database_, "SELECT id FROM model WHERE name = ?");
    int64_t id = 0;
    if (find.with(source).step()) {
        id = find.integer(0);
    } else {
        const ModelName name = model_name_of(source);
        id = Statement(database_,
                       "INSERT INTO model (name, short_name, family, source_file, hf_model) VALUES (?, ?, ?, ?, ?)")
                 .with(source, free_short_name(database_, name.name), or_null(name.family), name.source_file,
                       or_null(name.hf_model))
                 .insert();
        added_.changed = true;
    }
    return models_.emplace(source, id).first->second;
}

std::optional<int64_t> StoreWriter::hardware(const std::optional<Hardware>& machine) {
    if (!machine) {
        return std::nullopt;
    }
    const std::string mesh = mesh_text(machine->mesh_shape);
    const std::string key = fmt::format("{}\n{}\n{}\n{}\n{}", machine->board_type, machine->device_series,
                                        machine->card_count, mesh, machine->device_count);
    const auto known = hardware_.find(key);
    if (known != hardware_.end()) {
        return known->second;
    }
    Statement find(database_,
                   "SELECT id FROM hardware WHERE board_type = ? AND device_series = ? AND card_count = ? AND "
                   "mesh_shape = ? AND device_count = ?");
    find.with(machine->board_type, machine->device_series, machine->card_count, mesh, machine->device_count);
    const int64_t id =
        find.step()
            ? find.integer(0)
            : Statement(database_,
                        "INSERT INTO hardware (board_type, device_series, card_count, mesh_shape, "
                        "device_count) VALUES (?, ?, ?, ?, ?)")
                  .with(machine->board_type, machine->device_series, machine->card_count, mesh, machine->device_count)
                  .insert();
    return hardware_.emplace(key, id).first->second;
}

}  // namespace tracelift
