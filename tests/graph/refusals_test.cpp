// Calls that a device operation refuses, for every operation and every primitive that exist: outputs are made before
// the arguments are looked at, so the trace shows the primitive, its device operation and the output. The refused calls
// are the operations' own cases in dtypes, layouts and memory that they do not take.
#include <set>

#include <gtest/gtest.h>

#include "captured.hpp"
#include "ttnn/check/case_maker.hpp"
#include "ttnn/graph/analysis.hpp"

namespace ttnn::graph::testing {
namespace {

std::vector<Combination> combinations() {
    std::vector<Combination> list;
    for (const auto& dtype : EnumInfo<DataType>::members) {
        for (const Layout layout : {Layout::ROW_MAJOR, Layout::TILE}) {
            for (const auto memory : {ttnn::MemoryKind::DRAM, ttnn::MemoryKind::L1, ttnn::MemoryKind::BLOCK_SHARDED}) {
                if (dtype.value != DataType::INVALID) {
                    list.push_back({dtype.value, layout, memory});
                }
            }
        }
    }
    return list;
}

std::vector<AnyParams> cases_of(const OpInfo& op, const std::shared_ptr<Device>& device, const Combination& kind) {
    CaseMaker maker(op, device, kind);
    try {
        op.cases(maker);
    } catch (const std::exception&) {  // the combination does not apply
    }
    std::vector<AnyParams> cases = maker.take();
    for (AnyParams& params : cases) {
        fill_inputs(params, 1);  // tensors on the host tell some operations what to do
    }
    return cases;
}

std::string message_of(AnyParams& params) {
    try {
        call_operation(params);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

// What the traces of all cases show, by primitive.
struct Shown {
    std::set<std::string> primitives;
    std::set<std::string> refused;
    size_t refusals = 0;

    void take(const Trace& trace, const std::string& message) {
        for (const std::string& name : extract_calltrace(trace)) {
            if (name.starts_with("ttnn::prim::")) {
                primitives.insert(name);
            }
        }
        if (message.empty()) {
            return;
        }
        ++refusals;
        EXPECT_EQ(count(trace, NodeType::FUNCTION_START), count(trace, NodeType::FUNCTION_END));
        EXPECT_EQ(count(trace, NodeType::BUFFER_ALLOCATE), count(trace, NodeType::BUFFER_DEALLOCATE));
        EXPECT_EQ(count(trace, NodeType::ERROR), 1);
        const auto error = std::ranges::find(trace, NodeType::ERROR, &Node::type);
        if (error == trace.end()) {
            return;
        }
        EXPECT_EQ(error->text("error_message"), message);
        const std::string operation(error->text("error_operation"));
        if (operation.starts_with("ttnn::prim::")) {
            refused.insert(operation);
        }
    }
};

TEST(Refusals, OfEveryOperationSayInATraceWhatTheySayOutside) {
    Shown shown;
    for (const OpInfo* first : all_operations()) {
        for (const OpInfo* op = first; op != nullptr; op = op->next_overload) {
            if (op->cases == nullptr || op->mesh_reference != nullptr) {  // collectives: one chip has nothing to refuse
                continue;
            }
            for (const Combination& kind : combinations()) {
                const auto device = device_8x8();
                std::vector<AnyParams> outside = cases_of(*op, device, kind);
                std::vector<AnyParams> inside = cases_of(*op, device, kind);
                for (size_t i = 0; i < inside.size(); ++i) {
                    SCOPED_TRACE(fmt::format("{} case {} {}", op->name, i, kind.to_string()));
                    ScopedGraphCapture capture(RunMode::NO_DISPATCH);
                    const std::string message = message_of(inside[i]);
                    const Trace trace = capture.end();
                    if (!message.empty()) {
                        EXPECT_EQ(message_of(outside[i]), message);
                    }
                    shown.take(trace, message);
                }
            }
        }
    }
    EXPECT_GT(shown.refusals, 1000U);
    // What the others take is checked before them, or is everything: a convolution makes its primitive's inputs itself,
    // the examples copy any tensor. The cases of the last two are all legal: Failures.OfARefusedCall has calls that
    // they refuse.
    const std::set<std::string> never_refuse{"ttnn::prim::permute",
                                             "ttnn::prim::transpose",
                                             "ttnn::prim::repeat",
                                             "ttnn::prim::move",
                                             "ttnn::prim::conv2d",
                                             "ttnn::prim::example",
                                             "ttnn::prim::example_multiple_return",
                                             "ttnn::prim::untilize",
                                             "ttnn::prim::interleaved_to_sharded"};
    std::set<std::string> silent;
    std::ranges::set_difference(shown.primitives, shown.refused, std::inserter(silent, silent.end()));
    EXPECT_EQ(silent, never_refuse);
}

}  // namespace
}  // namespace ttnn::graph::testing
