// A call has the same identity whichever road it came by: raw records, parameter files, call lines, graph reports.
#include <cmath>
#include <map>

#include <gmock/gmock.h>

#include "folder.hpp"
#include "tracelift/bind/binding.hpp"
#include "tracelift/bind/board_text.hpp"
#include "tracelift/calls/call_tracing.hpp"
#include "tracelift/capture/device_argument.hpp"
#include "tracelift/formats/calls_reader.hpp"
#include "tracelift/formats/graph_reader.hpp"
#include "tracelift/formats/param_file_reader.hpp"
#include "ttnn/check/case_maker.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/graph/graph_processor.hpp"

namespace tracelift {
namespace {

// Graphs print 2.0 as "2", as the original does, so they cannot tell a whole float from an int where a parameter takes
// both. The rest of the call must be the same.
Value with_whole_numbers(const Value& value) {
    if (const auto* number = value.as<double>(); number != nullptr && *number == std::trunc(*number)) {
        return static_cast<int64_t>(*number);
    }
    if (const auto* list = value.as<Value::List>()) {
        Value::List items;
        for (const Value& item : *list) {
            items.push_back(with_whole_numbers(item));
        }
        return items;
    }
    return value;
}

class Calls final : public CallSink {
public:
    void call(FileCall&& call) override { calls.push_back(std::move(call)); }
    void unread(UnreadPiece&& piece) override { ADD_FAILURE() << piece.place << ": " << piece.reason; }
    std::vector<FileCall> calls;
};

class ThreeRoadsTest : public FolderTest {
protected:
    ~ThreeRoadsTest() override {
        CallTracing::instance().trace_parameters(false);
        CallTracing::instance().write_lines({});
        CallTracing::instance().parameter_files().set_directory({});
    }

    struct Seen {
        std::string identity;
        std::string text;
    };
    Seen seen(const FileCall& call) {
        const BoundCall bound = binder_.bind(call.call, call.order);
        return {identity(bound, call.hardware),
                bound.note + " " + Value(bound.arguments).to_text() + (call.hardware ? " on a board" : "")};
    }
    // Runs one call with everything on and gives what each road made of it.
    std::map<std::string, Seen> travel(ttnn::AnyParams& params) {
        CallTracing& tracing = CallTracing::instance();
        std::filesystem::remove_all(folder_ / "params");
        std::filesystem::remove(folder_ / "calls.jsonl");
        tracing.parameter_files().set_directory(folder_ / "params");
        tracing.trace_parameters(true);
        tracing.write_lines(folder_ / "calls.jsonl");
        ttnn::graph::GraphProcessor::begin_graph_capture(ttnn::graph::RunMode::NO_DISPATCH);
        bool worked = true;
        try {
            ttnn::call_operation(params);
        } catch (const std::exception&) {
            worked = false;
        }
        ttnn::graph::GraphProcessor::end_graph_capture_to_file(folder_ / "report.json");
        tracing.trace_parameters(false);
        tracing.write_lines({});
        std::map<std::string, Seen> roads;
        if (!worked) {
            return roads;
        }
        Calls files, lines, graph;
        read_param_folder(folder_ / "params", files);
        read_calls(folder_ / "calls.jsonl", lines);
        read_graph_calls(folder_ / "report.json", graph);
        roads["params"] = files.calls.size() == 1 ? seen(files.calls[0]) : Seen{"", "no single call"};
        roads["calls"] = lines.calls.size() == 1 ? seen(lines.calls[0]) : Seen{"", "no single call"};
        roads["graph"] = graph.calls.size() == 1 ? seen(graph.calls[0]) : Seen{"", "no single call"};
        return roads;
    }

    Binder binder_;
};

TEST_F(ThreeRoadsTest, AllOperations) {
    const auto device = ttnn::Device::open({.board = "n150"});
    size_t cases = 0;
    size_t without_number_kind = 0;
    for (const ttnn::OpInfo* first : ttnn::all_operations()) {
        for (const ttnn::OpInfo* op = first; op != nullptr; op = op->next_overload) {
            if (op->cases == nullptr) {
                continue;
            }
            for (const ttnn::MemoryKind memory : {ttnn::MemoryKind::DRAM, ttnn::MemoryKind::BLOCK_SHARDED}) {
                ttnn::CaseMaker maker(*op, device, {ttnn::DataType::BFLOAT16, ttnn::Layout::TILE, memory});
                try {
                    op->cases(maker);
                } catch (const std::exception&) {  // the combination does not apply
                }
                for (ttnn::AnyParams& params : maker.take()) {
                    const StoredCall stored{std::string(op->name), {}, ttnn::encode_call(*op, params.data())};
                    const BoundCall bound = binder_.bind(stored, Order::PYTHON, "n150");
                    ASSERT_TRUE(bound.bound) << op->name << ": " << bound.note;
                    StoredCall whole = stored;
                    for (auto& argument : whole.keywords) {
                        argument.value = with_whole_numbers(argument.value);
                    }
                    const auto hardware = hardware_of_board(board_of(*op, params.data()));
                    const std::string expected = identity(bound, hardware);
                    for (const auto& [road, found] : travel(params)) {
                        ++cases;
                        if (road == "graph" && found.identity != expected) {
                            ++without_number_kind;
                            EXPECT_EQ(found.identity, identity(binder_.bind(whole, Order::PYTHON), hardware))
                                << op->name << "\n  " << Value(bound.arguments).to_text() << "\n " << found.text;
                            continue;
                        }
                        EXPECT_EQ(found.identity, expected) << op->name << " by " << road << "\n  "
                                                            << Value(bound.arguments).to_text() << "\n " << found.text;
                    }
                }
            }
        }
    }
    EXPECT_GT(cases, 1500U);
    EXPECT_LT(without_number_kind, cases / 10);
}

// A graph does not tell how tensors are spread over a mesh.
TEST_F(ThreeRoadsTest, PlacementsOnAMeshAreTold) {
    const std::string board = "n300:eth@1x2";
    const auto device = open_board(board);
    const ttnn::TensorSpec spec(ttnn::Shape({1, 1, 32, 64}), ttnn::DataType::BFLOAT16, ttnn::Layout::TILE, {});
    const ttnn::OpInfo& op = *ttnn::find_operation("ttnn.concat");
    for (const ttnn::Topology& topology :
         {ttnn::Topology{{{}, {-1}}, {{1, 2}}}, ttnn::Topology::replicated(2), ttnn::Topology{}}) {
        ttnn::Tensor tensor = ttnn::Tensor::allocate_on_device(spec, device);
        tensor.set_topology(topology);
        const Value value = ttnn::type_info<ttnn::Tensor>().encode(&tensor);
        const Value::Dict arguments{{"tensors", Value::List{value, value}}, {"dim", 2}};
        ttnn::AnyParams params = ttnn::decode_call(op, {}, arguments, {device, {}});
        const BoundCall bound = binder_.bind({"ttnn.concat", {}, arguments}, Order::PYTHON, board);
        ASSERT_TRUE(bound.bound) << bound.note;
        EXPECT_EQ(board_of(op, params.data()), board);
        const std::string expected = identity(bound, hardware_of_board(board));
        auto roads = travel(params);
        for (const char* road : {"params", "calls"}) {
            EXPECT_EQ(roads[road].identity, expected) << road << ": " << roads[road].text;
        }
        EXPECT_EQ(roads["graph"].identity == expected, topology.distribution.num_chips() == 1) << roads["graph"].text;
    }
}

}  // namespace
}  // namespace tracelift
