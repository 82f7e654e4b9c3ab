#include "tracelift/sweep/sweep.hpp"

#include <charconv>

#include <fmt/format.h>

#include "tracelift/base/clock.hpp"
#include "tracelift/bind/left_out.hpp"

namespace tracelift {
namespace {

bool has_scorecard(Status status) { return status == Status::PASS || status == Status::FAIL; }

// The configurations of one file stay apart where their identity is equal.
std::string vector_id(const Configuration& configuration) {
    return configuration.ordinal == 0 ? configuration.identity
                                      : fmt::format("{}#{}", configuration.identity, configuration.ordinal);
}

ResultRecord to_record(const Configuration& configuration, const CallResult& result) {
    ResultRecord record;
    record.vector_id = vector_id(configuration);
    record.sweep_name = record.operation = configuration.call.operation;
    record.suite = "model_traced";
    record.identity = configuration.identity;
    record.configuration = configuration.id;
    record.status = result.status;
    (result.status == Status::PASS ? record.message : record.exception) = result.message;
    record.milliseconds = result.milliseconds;
    record.ended = utc_text();
    if (has_scorecard(result.status)) {
        record.pcc = result.pcc;
        record.max_ulp = result.max_ulp;
        record.max_relative = result.max_relative;
        record.max_absolute = result.max_absolute;
        record.equal = result.equal;
    }
    return record;
}

}  // namespace

CallRequest request_of(const Configuration& configuration) {
    uint64_t seed = 0;
    const std::string digits = configuration.identity.substr(0, 16);
    std::from_chars(digits.data(), digits.data() + digits.size(), seed, 16);
    CallRequest request;
    request.id = configuration.id;
    request.operation = configuration.call.operation;
    request.arguments = replayable(configuration.call.arguments);
    request.board = configuration.board;
    request.seed = seed;
    return request;
}

std::vector<SweptConfiguration> sweep(Catalog& store, std::span<const Configuration> configurations,
                                      const PoolOptions& options, std::string_view command,
                                      const std::function<void(const SweptConfiguration&)>& each) {
    std::vector<SweptConfiguration> swept(configurations.size());
    std::vector<CallRequest> requests;
    std::vector<size_t> indices;  // of the requests' configurations
    const int64_t run = store.begin_sweep({.command = std::string(command)});
    const auto done = [&](size_t index, const CallResult& result) {
        swept[index] = {&configurations[index], result};
        try {
            const ResultRecord record = to_record(configurations[index], result);
            store.add_results(run, {&record, 1});
        } catch (const StoreError& error) {
            swept[index].result.status = Status::INFRA_STORE;
            swept[index].result.message = fmt::format("{} ({}), but the result is not stored: {}",
                                                      ttnn::member_name(result.status), result.message, error.what());
        }
        each(swept[index]);
    };
    for (size_t i = 0; i < configurations.size(); ++i) {
        if (configurations[i].call.bound) {
            requests.push_back(request_of(configurations[i]));
            indices.push_back(i);
        } else {
            done(i, {.id = configurations[i].id, .status = Status::NOT_RUN, .message = "fits no declaration"});
        }
    }
    run_calls(requests, options, [&](const CallRequest& request, const CallResult& result) {
        done(indices[static_cast<size_t>(&request - requests.data())], result);
    });
    if (std::erase_if(swept, [](const SweptConfiguration& one) { return one.configuration == nullptr; }) == 0) {
        store.finish_sweep(run);
    }
    return swept;
}

}  // namespace tracelift
