// NO_DISPATCH and the first NORMAL run tell the same, for every operation that exists: node by node, and in every
// memory figure. Only NO_DISPATCH shows globally allocated circular buffers, and what counts them differs by exactly
// those.
#include <gtest/gtest.h>

#include "captured.hpp"
#include "ttnn/check/case_maker.hpp"
#include "ttnn/graph/analysis.hpp"

namespace ttnn::graph::testing {
namespace {

bool is_global(const Node& node) {
    return node.type == NodeType::CIRCULAR_BUFFER_ALLOCATE && node.text("globally_allocated") == "true";
}

struct Outcome {
    Trace trace;
    bool refused = false;
};

Outcome run_captured(AnyParams params, RunMode mode) {
    Outcome run;
    GraphProcessor::begin_graph_capture(mode);
    try {
        call_operation(params);
    } catch (const Error&) {
        run.refused = true;
    }
    run.trace = GraphProcessor::end_graph_capture();
    return run;
}

// What a node says about memory; addresses and ids are those of the run.
std::string fact(const Node& node) {
    std::string text(member_name(node.type));
    for (const char* name : {"name", "inputs", "shape", "dtype", "layout", "memory_config", "size", "type", "page_size",
                             "num_cores", "core_range_set", "globally_allocated"}) {
        if (const auto value = node.find(name)) {
            text += fmt::format(" {}={}", name, *value);
        }
    }
    return text;
}

// Running totals of L1 by the plain rules, with globally allocated circular buffers kept apart.
struct Totals {
    int64_t buffers = 0;
    int64_t local = 0;
    int64_t global = 0;

    void take(const Trace& trace, const Node& node) {
        const auto size = [](const Node& of) { return static_cast<int64_t>(of.number("size")); };
        switch (node.type) {
            case NodeType::CIRCULAR_BUFFER_DEALLOCATE_ALL: local = global = 0; break;
            case NodeType::CIRCULAR_BUFFER_ALLOCATE: (is_global(node) ? global : local) += size(node); break;
            case NodeType::BUFFER_ALLOCATE: buffers += node.text("type") == "L1" ? size(node) : 0; break;
            case NodeType::BUFFER_DEALLOCATE: {
                const Node& buffer = trace[node.connections.at(0)];
                buffers -= buffer.text("type") == "L1" ? size(buffer) : 0;
                break;
            }
            default: break;
        }
    }
};

Trace without_global_sizes(Trace trace) {
    for (Node& node : trace) {
        for (auto& [name, text] : node.params) {
            if (is_global(node) && name == "size") {
                text = "0";
            }
        }
    }
    return trace;
}

// Walks both traces together; returns how many globally allocated buffers there were.
size_t expect_agreement(const Trace& mocked, const Trace& real) {
    size_t globals = 0;
    size_t at = 0;
    Totals mocked_totals;
    Totals real_totals;
    int64_t most_global = 0;
    for (const Node& node : mocked) {
        mocked_totals.take(mocked, node);
        if (is_global(node)) {
            ++globals;
            most_global = std::max(most_global, mocked_totals.global);
            continue;
        }
        if (at == real.size()) {
            ADD_FAILURE() << "NORMAL ends before node " << node.counter;
            return globals;
        }
        real_totals.take(real, real[at]);
        EXPECT_EQ(fact(node), fact(real[at])) << "node " << node.counter;
        EXPECT_EQ(mocked_totals.local, real_totals.local);
        EXPECT_EQ(mocked_totals.buffers, real_totals.buffers);
        ++at;
    }
    EXPECT_EQ(at, real.size());
    EXPECT_EQ(real_totals.global, 0);
    // The figures that do not count them are equal, and those that do become equal when their sizes are taken away.
    EXPECT_EQ(extract_resource_usage_per_core(mocked, 64), extract_resource_usage_per_core(real, 64));
    EXPECT_EQ(extract_dram_usage(mocked), extract_dram_usage(real));
    const uint64_t peak = extract_peak_L1_memory_usage(real);
    EXPECT_EQ(extract_peak_L1_memory_usage(without_global_sizes(mocked)), peak);
    EXPECT_GE(extract_peak_L1_memory_usage(mocked), peak);
    EXPECT_LE(extract_peak_L1_memory_usage(mocked), peak + static_cast<uint64_t>(most_global));
    return globals;
}

// The peak of NO_DISPATCH, worked out from NORMAL's totals and the sharded buffers that programs use.
uint64_t peak_with_globals(const Trace& mocked) {
    Totals totals;
    int64_t peak = 0;
    bool inputs = false;
    for (const Node& node : mocked) {
        if (node.type == NodeType::FUNCTION_START && node.stacking_level == 1) {
            inputs = true;  // buffers that follow directly are arguments
        } else if (node.type == NodeType::BUFFER && inputs && node.text("type") == "L1") {
            totals.buffers += static_cast<int64_t>(node.number("size"));
        } else if (node.type != NodeType::TENSOR) {
            inputs = false;
        }
        totals.take(mocked, node);
        peak = std::max(peak, totals.buffers + totals.local + totals.global);
    }
    return static_cast<uint64_t>(peak);
}

struct Kind {
    DataType dtype;
    Layout layout;
    ttnn::MemoryKind memory;
};
constexpr Kind kinds[] = {{DataType::BFLOAT16, Layout::TILE, ttnn::MemoryKind::DRAM},
                          {DataType::BFLOAT16, Layout::TILE, ttnn::MemoryKind::L1},
                          {DataType::BFLOAT16, Layout::TILE, ttnn::MemoryKind::HEIGHT_SHARDED},
                          {DataType::BFLOAT16, Layout::TILE, ttnn::MemoryKind::WIDTH_SHARDED},
                          {DataType::BFLOAT16, Layout::TILE, ttnn::MemoryKind::BLOCK_SHARDED},
                          {DataType::BFLOAT8_B, Layout::TILE, ttnn::MemoryKind::L1},
                          {DataType::BFLOAT16, Layout::ROW_MAJOR, ttnn::MemoryKind::L1}};

std::vector<AnyParams> cases_of(const OpInfo& op, const std::shared_ptr<Device>& device, const Kind& kind) {
    if (op.cases == nullptr) {
        return {};
    }
    CaseMaker maker(op, device, {kind.dtype, kind.layout, kind.memory});
    try {
        op.cases(maker);
    } catch (const std::exception&) {  // the combination does not apply
    }
    return maker.take();
}

class ModeAgreement : public ::testing::TestWithParam<size_t> {};

TEST_P(ModeAgreement, OfAllOperations) {
    const Kind& kind = kinds[GetParam()];
    size_t cases = 0;
    size_t globals = 0;
    for (const OpInfo* first : all_operations()) {
        for (const OpInfo* op = first; op != nullptr; op = op->next_overload) {
            const auto device = device_8x8();
            // Made twice, since some operations consume their input.
            std::vector<AnyParams> for_mocked = cases_of(*op, device, kind);
            std::vector<AnyParams> for_real = cases_of(*op, device, kind);
            for (size_t i = 0; i < for_real.size(); ++i) {
                fill_inputs(for_mocked[i], 1);  // tensors on the host tell some operations what to do
                fill_inputs(for_real[i], 1);
                device->program_cache().clear();
                const Outcome mocked = run_captured(std::move(for_mocked[i]), RunMode::NO_DISPATCH);
                const Outcome real = run_captured(std::move(for_real[i]), RunMode::NORMAL);
                SCOPED_TRACE(op->name);
                EXPECT_EQ(mocked.refused, real.refused);
                if (real.refused) {
                    continue;
                }
                ++cases;
                globals += expect_agreement(mocked.trace, real.trace);
                EXPECT_EQ(extract_peak_L1_memory_usage(mocked.trace), peak_with_globals(mocked.trace));
            }
        }
    }
    EXPECT_GT(cases, 100U);
    const bool sharded = kind.memory != ttnn::MemoryKind::DRAM && kind.memory != ttnn::MemoryKind::L1;
    EXPECT_TRUE(!sharded || globals > 100U) << globals;
}

INSTANTIATE_TEST_SUITE_P(Kinds, ModeAgreement, ::testing::Range(size_t{0}, std::size(kinds)), [](const auto& chosen) {
    const Kind& kind = kinds[chosen.param];
    return fmt::format("{}_{}_{}", member_name(kind.dtype), member_name(kind.layout), member_name(kind.memory));
});

}  // namespace
}  // namespace ttnn::graph::testing
