#include "tracelift/catalog/sqlite/writer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tracelift/catalog/sqlite/model_name.hpp"
#include "tracelift/catalog/sqlite/tables.hpp"

namespace tracelift {
namespace {

std::optional<std::string> if_any(const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); }

}  // namespace

std::optional<StoreWriter::Known> StoreWriter::find_text(std::string_view digest) {
    if (known_) {
        const auto text = known_->text(digest);
        return text ? std::optional(Known{text->id, std::string(text->identity), text->ordinal}) : std::nullopt;
    }
    if (!find_text_.viewing(digest).step()) {
        return std::nullopt;
    }
    auto [id, identity, ordinal] = find_text_.row<int64_t, std::string, int64_t>();
    return Known{id, std::move(identity), ordinal};
}

std::optional<int64_t> StoreWriter::find(const std::string& identity, int64_t ordinal) {
    return find_.viewing(identity, ordinal).value<int64_t>();
}

int64_t StoreWriter::add(PreparedConfiguration& fresh, const std::string& identity, int64_t ordinal) {
    ++added_.configurations;
    added_.changed = true;
    stored::ConfigurationRow& row = fresh.row;
    bytes_ += row.stored ? row.stored->size() : 2 * row.arguments.size();
    row.operation_id = operation(fresh.operation);
    row.hardware_id = hardware(fresh.hardware);
    row.identity = identity;
    row.ordinal = ordinal;
    return insert_.id_of(row);
}

int64_t StoreWriter::add_like(int64_t configuration, int64_t ordinal) {
    ++added_.configurations;
    added_.changed = true;
    stored::ConfigurationRow row =
        Select<stored::ConfigurationRow>(database_, "WHERE id = ?").with(configuration).one().value();
    row.id.reset();
    row.ordinal = ordinal;
    return insert_.id_of(row);
}

void StoreWriter::execute(int64_t configuration, int64_t run, int64_t model, uint64_t count, uint64_t nanoseconds,
                          bool fresh) {
    const stored::ExecutionRow row{configuration, run, model, static_cast<int64_t>(count),
                                   static_cast<int64_t>(nanoseconds)};
    const auto raise = [&] {
        raise_(row);
        added_.changed = true;
    };
    if (KnownRows::Execution* stored = known_ && !fresh ? known_->execution(configuration, run, model) : nullptr) {
        if (stored->count < row.count || stored->nanoseconds < row.nanoseconds) {
            raise();
            stored->count = std::max(stored->count, row.count);
            stored->nanoseconds = std::max(stored->nanoseconds, row.nanoseconds);
        }
        return;
    }
    const auto stored = fresh ? std::nullopt : find_execution_.with(configuration, run, model).one();
    if (!stored) {
        insert_execution_(row);
        ++added_.executions;
        added_.changed = true;
    } else if (stored->count < row.count || stored->nanoseconds < row.nanoseconds) {
        raise();
    }
}

void StoreWriter::unread(int64_t run, const UnreadPiece& piece) {
    insert_unread_({{}, run, piece.place, piece.text, piece.reason});
    added_.changed = true;
}

int64_t StoreWriter::run(const TraceRun& run) {
    Statement find(database_, "SELECT id FROM trace_run WHERE uid = ?");
    if (const auto known = find.with(run.uid).value<int64_t>()) {
        return *known;
    }
    const int64_t id = Insert<stored::TraceRunRow>(database_).id_of({.id = {},
                                                                     .uid = run.uid,
                                                                     .target = run.target,
                                                                     .started = run.started,
                                                                     .outcome = run.outcome,
                                                                     .captured = static_cast<int64_t>(run.captured),
                                                                     .kept = static_cast<int64_t>(run.kept),
                                                                     .hardware_id = hardware(run.hardware),
                                                                     .arguments = if_any(run.arguments),
                                                                     .tool_version = TRACELIFT_VERSION,
                                                                     .git_commit = if_any(run.git_commit),
                                                                     .software = if_any(run.software)});
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
    const auto stored = find.with(name).value<int64_t>();
    const int64_t id = stored ? *stored : Insert<stored::OperationRow>(database_).id_of({{}, name});
    return operations_.emplace(name, id).first->second;
}

int64_t StoreWriter::model(const std::string& source) {
    const auto known = models_.find(source);
    if (known != models_.end()) {
        return known->second;
    }
    Statement find(database_, "SELECT id FROM model WHERE name = ?");
    auto id = find.with(source).value<int64_t>();
    if (!id) {
        const ModelName name = model_name_of(source);
        id = Insert<stored::ModelRow>(database_).id_of({{},
                                                        source,
                                                        free_short_name(database_, name.name),
                                                        if_any(name.family),
                                                        name.source_file,
                                                        if_any(name.hf_model)});
        added_.changed = true;
    }
    return models_.emplace(source, *id).first->second;
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
    const auto stored = find.value<int64_t>();
    const int64_t id =
        stored
            ? *stored
            : Insert<stored::HardwareRow>(database_).id_of(
                  {{}, machine->board_type, machine->device_series, machine->card_count, mesh, machine->device_count});
    return hardware_.emplace(key, id).first->second;
}

}  // namespace tracelift
