#include "tracelift/replay/selfcheck.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "tracelift/base/scratch_folder.hpp"
#include "tracelift/bind/board_text.hpp"
#include "tracelift/bind/left_out.hpp"
#include "tracelift/sweep/native_vectors.hpp"
#include "tracelift/trace/call_table.hpp"
#include "tracelift/value/bytes.hpp"

namespace tracelift {
namespace {

namespace fs = std::filesystem;

// Configurations of real machines keep their hardware, and those that know none have none: the board that stands in is
// not part of the call. Nor is it to be seen in a call on the host.
std::optional<Hardware> expected_hardware(const Configuration& configuration, const UniqueCall& recorded) {
    const std::string board = board_to_replay(configuration.board, configuration.hardware, {});
    const bool ours = configuration.hardware && configuration.hardware == hardware_of_board(board);
    return ours && !recorded.board.empty() ? hardware_of_board(recorded.board) : configuration.hardware;
}

// What could not be replayed with the call, and belongs to it.
void put_back(const Configuration& configuration, BoundCall& call) {
    for (const auto& argument : configuration.call.arguments) {
        if (can_be_left_out(argument)) {
            call.arguments.push_back(argument);
        }
    }
}

std::string compare(const Configuration& configuration, const CallResult& result, const fs::path& folder,
                    Binder& binder) {
    CallTable table;
    for (const fs::path& file : raw_files_in(folder)) {
        table.read(file);
    }
    const auto calls = table.calls();
    if (calls.size() != 1 || calls.front()->count != 1) {
        return fmt::format("{} calls were recorded ({}: {})", calls.size(), ttnn::member_name(result.status),
                           result.message);
    }
    const UniqueCall& recorded = *calls.front();
    const StoredCall call{recorded.operation, {}, *ByteReader(recorded.arguments).value().as<Value::Dict>()};
    BoundCall bound = binder.bind(call, Order::PYTHON, recorded.board);
    put_back(configuration, bound);
    const std::string hash = identity(bound, expected_hardware(configuration, recorded));
    if (hash == configuration.identity) {
        return {};
    }
    return fmt::format("the replayed call is {} {} with hash {}, the stored one {} with hash {}", bound.operation,
                       Value(bound.arguments).to_text(), hash, Value(configuration.call.arguments).to_text(),
                       configuration.identity);
}

}  // namespace

std::vector<SelfcheckResult> selfcheck(std::span<const Configuration> configurations, const PoolOptions& options,
                                       const std::function<void(const SelfcheckResult&)>& each) {
    const ScratchFolder scratch;
    std::vector<SelfcheckResult> results(configurations.size());
    std::vector<CallRequest> requests;
    for (const Configuration& configuration : configurations) {
        CallRequest request = request_of(configuration);
        request.compare = false;
        request.record = (scratch.path() / std::to_string(request.id)).string();
        fs::create_directory(request.record);
        requests.push_back(std::move(request));
    }
    Binder binder;
    run_calls(requests, options, [&](const CallRequest& request, const CallResult& result) {
        const auto index = static_cast<size_t>(&request - requests.data());
        const std::string problem = compare(configurations[index], result, request.record, binder);
        results[index] = {&configurations[index], problem.empty(), problem};
        fs::remove_all(request.record);
        each(results[index]);
    });
    std::erase_if(results, [](const SelfcheckResult& result) { return result.configuration == nullptr; });
    return results;
}

}  // namespace tracelift
