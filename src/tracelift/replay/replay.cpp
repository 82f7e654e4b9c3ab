#include "tracelift/replay/replay.hpp"

#include <fstream>

#include <fmt/format.h>

#include "tracelift/bind/board_text.hpp"
#include "tracelift/bind/left_out.hpp"
#include "tracelift/dialects/call_line.hpp"
#include "tracelift/replay/nesting.hpp"
#include "tracelift/sweep/native_vectors.hpp"
#include "ttnn/op/nearest.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift {
namespace {

// Why a call cannot even be tried.
std::optional<Replayed> not_tried(const ReplayCall& call) {
    if (call.call.bound) {
        return std::nullopt;
    }
    Replayed replayed;
    replayed.call = &call;
    if (ttnn::find_operation(call.call.operation) != nullptr) {
        replayed.outcome = Outcome::UNDECODABLE;
        replayed.reason = call.call.note;
        return replayed;
    }
    replayed.outcome = Outcome::UNKNOWN;
    replayed.reason = fmt::format("the runtime has no operation '{}'{}", call.call.operation,
                                  ttnn::did_you_mean(ttnn::nearest_operations(call.call.operation)));
    return replayed;
}

CallRequest request_of(const ReplayCall& call, const ReplayOptions& options) {
    Value::Dict arguments = replayable(call.call.arguments);
    std::string board = board_to_replay(options.board.empty() ? call.board : options.board, call.hardware, arguments);
    return {.operation = call.call.operation,
            .arguments = std::move(arguments),
            .board = std::move(board),
            .seed = options.seed.value_or(call.seed),
            .compare = options.compare,
            .measure_memory = options.fingerprint,
            .fingerprint = options.fingerprint,
            .memory_limit = options.pool.memory_limit,
            .values = options.values.string(),
            .record = options.record.string()};
}

// Of the worst of its repetitions: the first that is not like a match.
void add(Replayed& replayed, const CallResult& result) {
    const Outcome outcome = outcome_of(*replayed.call, result.status);
    const bool first = replayed.call_milliseconds.empty();
    replayed.call_milliseconds.push_back(result.call_milliseconds);
    if (first || (replayed.reason.empty() && !result.message.empty())) {
        replayed.outcome = outcome;
        replayed.reason = result.message;
        replayed.result = result;
    }
}

}  // namespace

bool is_named(const std::string& operation, const std::string& part) {
    return part.empty() || dotted_name(operation).find(dotted_name(part).substr(5)) != std::string::npos;
}

Outcome outcome_of(const ReplayCall& call, Status status) {
    switch (status) {
        case Status::PASS:
            return has_lost_arguments(call.call) ? Outcome::MATCHED_WITH_LOST_ARGUMENTS : Outcome::MATCHED;
        case Status::FAIL: return Outcome::DIFFERS;
        case Status::NOT_JUDGED: return Outcome::NOT_JUDGED;
        case Status::REJECTED:
        case Status::OUT_OF_MEMORY:
        case Status::NOT_RUN: return Outcome::REJECTED;
        case Status::TOO_LARGE:
        case Status::FAIL_HOST_MEMORY: return Outcome::TOO_LARGE;
        default: return Outcome::FAILED;
    }
}

ReplayCall replay_of(const Configuration& configuration) {
    return {.call = configuration.call,
            .board = configuration.board,
            .seed = request_of(configuration).seed,
            .place = configuration.identity.substr(0, 12),
            .source = configuration.executions.empty() ? "" : configuration.executions.front().model,
            .identity = configuration.identity,
            .hardware = configuration.hardware};
}

ReplayCall replay_of(const FileCall& call, std::string place, Binder& binder) {
    ReplayCall made;
    made.board = call.hardware ? board_of_series(call.hardware->device_series) : "";
    made.call = binder.bind(call.call, call.order, made.board);
    made.place = std::move(place);
    made.source = call.source;
    made.identity = identity(made.call, call.hardware);
    made.hardware = call.hardware;
    return made;
}

void replay(std::span<const ReplayCall> calls, const ReplayOptions& options,
            const std::function<void(const Replayed&)>& each) {
    std::vector<CallRequest> requests;
    std::vector<Replayed> replayed(calls.size());
    for (size_t i = 0; i < calls.size(); ++i) {
        if (auto finished = not_tried(calls[i])) {
            each(*finished);
            continue;
        }
        replayed[i].call = &calls[i];
        for (unsigned time = 0; time < options.repeat; ++time) {
            requests.push_back(request_of(calls[i], options));
            requests.back().id = static_cast<int64_t>(requests.size());
        }
    }
    std::vector<size_t> call_of;
    for (size_t i = 0; i < calls.size(); ++i) {
        if (replayed[i].call != nullptr) {
            call_of.insert(call_of.end(), options.repeat, i);
        }
    }
    run_calls(requests, options.pool, [&](const CallRequest& request, const CallResult& result) {
        Replayed& one = replayed[call_of[static_cast<size_t>(&request - requests.data())]];
        add(one, result);
        if (one.call_milliseconds.size() == options.repeat) {
            each(one);
        }
    });
}

std::vector<ReplayCall> replays_of_lines(const std::filesystem::path& file, const LineChoice& choice,
                                         const std::function<void(const std::string&)>& unread) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        throw FileError(fmt::format("{}: cannot be read", file.string()));
    }
    std::vector<ReplayCall> calls;
    Binder binder;
    std::string line;
    uint64_t index = 0;
    for (; std::getline(stream, line); ++index) {
        if (choice.index && *choice.index != index) {
            continue;
        }
        const std::string place = fmt::format("{}: line {}", file.string(), index + 1);
        try {
            if (nesting(line) > deepest_record) {
                throw FileError(fmt::format("{}: is nested deeper than {} levels", place, deepest_record));
            }
            FileCall call = read_call_line(line, place);
            if (is_named(call.call.operation, choice.operation)) {
                calls.push_back(replay_of(call, place, binder));
            }
        } catch (const FileError& error) {
            unread(error.what());
        }
        if (choice.index) {
            return calls;
        }
    }
    if (choice.index) {
        throw FileError(fmt::format("{}: there is no line with index {}; it has {} lines, counted from 0",
                                    file.string(), *choice.index, index));
    }
    return calls;
}

}  // namespace tracelift
