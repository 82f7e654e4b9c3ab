// Published levelized graphs against real captures. The documented flavour has
// ttnn::prim::binary where the rows, which come from a later one, have ttnn::prim::binary_ng.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "captured.hpp"
#include "ttnn/graph/levelized_graph.hpp"
#include "ttnn/ops/eltwise/binary.hpp"
#include "ttnn/ops/eltwise/ternary.hpp"
#include "ttnn/ops/matmul/matmul.hpp"
#include "ttnn/ops/reduction/reduction.hpp"

namespace ttnn::graph::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

std::string ids(const std::vector<size_t>& list) {
    std::string text;
    for (const size_t id : list) {
        text += (text.empty() ? "" : ",") + std::to_string(id);
    }
    return "[" + text + "]";
}

// "0:tensor in[] out[1] int[] Shape([64, 128])"; ids of tensors are left out.
std::vector<std::string> lines(const LevelizedGraph& graph) {
    std::vector<std::string> result;
    for (const LevelizedVertex& vertex : graph.vertices()) {
        std::string shapes;
        for (const std::string& shape : vertex.output_shape) {
            shapes += " " + shape.substr(shape.find('['), shape.find(']') + 1 - shape.find('['));
        }
        result.push_back(std::to_string(vertex.counter) + ":" + vertex.name.substr(0, vertex.name.find('[')) + " in" +
                         ids(vertex.in_edges) + " out" + ids(vertex.out_edges) + " int" + ids(vertex.internals) +
                         shapes);
    }
    return result;
}

class ExpectedLevels : public ::testing::Test {
protected:
    Tensor tensor(const Shape& shape) const { return l1_tiles(device_, shape); }

    // What holds of every case: level 1 has nothing inside, level 2 nothing deeper, and everything has a shape.
    static Trace traced(const std::function<void()>& call) {
        const Trace trace = query_trace(call);
        const LevelizedGraph one(trace);
        const LevelizedGraph two(trace, 2);
        EXPECT_GE(two.size(), one.size());
        EXPECT_EQ(lines(one), lines(LevelizedGraph(trace, 1)));
        for (const LevelizedVertex& vertex : one.vertices()) {
            EXPECT_EQ(vertex.stacking_level, 1);
            EXPECT_TRUE(vertex.internals.empty());
        }
        for (const LevelizedVertex& vertex : two.vertices()) {
            EXPECT_LE(vertex.stacking_level, 2);
            EXPECT_TRUE(vertex.stacking_level == 1 || vertex.internals.empty());
            EXPECT_FALSE(vertex.output_shape.empty()) << vertex.name;
        }
        return trace;
    }
    static std::vector<std::string> internals(const LevelizedGraph& graph, std::string_view name) {
        std::vector<std::string> names;
        for (const LevelizedVertex& vertex : graph.vertices()) {
            if (vertex.name == name && names.empty()) {
                for (const size_t id : vertex.internals) {
                    names.push_back(graph.get_vertex(id).name);
                }
            }
        }
        return names;
    }

    std::shared_ptr<Device> device_ = device_8x8();
};

TEST_F(ExpectedLevels, L1ATensorTakenTwice) {
    const Tensor x = tensor({64, 128});
    const Trace trace = traced([&] { add(x, x); });
    EXPECT_THAT(lines(LevelizedGraph(trace)),
                ElementsAre("0:tensor in[] out[1] int[] [64, 128]", "1:ttnn::add in[0,0] out[] int[] [64, 128]"));
    EXPECT_THAT(lines(LevelizedGraph(trace, 2)),
                ElementsAre("0:tensor in[] out[1,2] int[] [64, 128]", "1:ttnn::add in[0,0] out[] int[2] [64, 128]",
                            "2:ttnn::prim::binary in[0,0] out[] int[] [64, 128]"));
}

TEST_F(ExpectedLevels, L2Reductions) {
    const Tensor x = tensor({256, 128});
    const Trace trace = traced([&] {
        sum(x, {.dim = IntOrList(0), .keepdim = true});
        mean(x, {.dim = IntOrList(1)});
    });
    EXPECT_THAT(lines(LevelizedGraph(trace)),
                ElementsAre("0:tensor in[] out[1,2] int[] [256, 128]", "1:ttnn::sum in[0] out[] int[] [1, 128]",
                            "2:ttnn::mean in[0] out[] int[] [256]"));
    for (const char* name : {"ttnn::sum", "ttnn::mean"}) {
        EXPECT_THAT(internals(LevelizedGraph(trace, 2), name),
                    ElementsAre("ttnn::fill_implicit_tile_padding", "ttnn::reshape", "ttnn::tilize_with_val_padding",
                                "ttnn::prim::reduce", "ttnn::reshape"));
    }
}

TEST_F(ExpectedLevels, L3AProductAndASum) {
    const Tensor x = tensor({32, 32});
    const Trace trace = traced([&] { add(x, matmul(x, x)); });
    EXPECT_THAT(lines(LevelizedGraph(trace)),
                ElementsAre("0:tensor in[] out[1,2] int[] [32, 32]", "1:ttnn::matmul in[0,0] out[2] int[] [32, 32]",
                            "2:ttnn::add in[0,1] out[] int[] [32, 32]"));
    EXPECT_THAT(internals(LevelizedGraph(trace, 2), "ttnn::matmul"), ElementsAre("ttnn::prim::matmul"));
}

TEST_F(ExpectedLevels, L4TwoConsumersOfOneTensor) {
    const Tensor x = tensor({64, 128});
    const Trace trace = traced([&] {
        add(x, x);
        subtract(x, x);
    });
    EXPECT_THAT(lines(LevelizedGraph(trace)),
                ElementsAre("0:tensor in[] out[1,2] int[] [64, 128]", "1:ttnn::add in[0,0] out[] int[] [64, 128]",
                            "2:ttnn::subtract in[0,0] out[] int[] [64, 128]"));
    EXPECT_THAT(internals(LevelizedGraph(trace, 2), "ttnn::add"), ElementsAre("ttnn::prim::binary"));
}

TEST_F(ExpectedLevels, L5OrderOfOperands) {
    const Tensor a = tensor({32, 64});
    const Tensor b = tensor({32, 64});
    const Trace trace = traced([&] {
        subtract(a, b);
        subtract(b, a);
    });
    EXPECT_THAT(
        lines(LevelizedGraph(trace)),
        ElementsAre("0:tensor in[] out[2,3] int[] [32, 64]", "1:tensor in[] out[2,3] int[] [32, 64]",
                    "2:ttnn::subtract in[0,1] out[] int[] [32, 64]", "3:ttnn::subtract in[1,0] out[] int[] [32, 64]"));
    EXPECT_THAT(internals(LevelizedGraph(trace, 2), "ttnn::subtract"), ElementsAre("ttnn::prim::binary"));
}

TEST_F(ExpectedLevels, L6ThreeOperands) {
    const Tensor a = tensor({32, 64});
    const Tensor b = tensor({32, 64});
    const Trace trace = traced([&] {
        addcmul(a, b, a);
        addcmul(b, a, a);
    });
    EXPECT_THAT(lines(LevelizedGraph(trace)),
                ElementsAre("0:tensor in[] out[2,3] int[] [32, 64]", "1:tensor in[] out[2,3] int[] [32, 64]",
                            "2:ttnn::addcmul in[0,1,0] out[] int[] [32, 64]",
                            "3:ttnn::addcmul in[1,0,0] out[] int[] [32, 64]"));
    EXPECT_FALSE(internals(LevelizedGraph(trace, 2), "ttnn::addcmul").empty());
}

TEST_F(ExpectedLevels, L7AnOperationOfAnotherOnesResult) {
    const Tensor a = tensor({32, 64});
    const Tensor b = tensor({32, 64});
    const Tensor c = tensor({32, 64});
    const Trace trace = traced([&] { add(a, multiply(b, c)); });
    EXPECT_THAT(lines(LevelizedGraph(trace)),
                ElementsAre("0:tensor in[] out[3] int[] [32, 64]", "1:tensor in[] out[3] int[] [32, 64]",
                            "2:tensor in[] out[4] int[] [32, 64]", "3:ttnn::multiply in[0,1] out[4] int[] [32, 64]",
                            "4:ttnn::add in[2,3] out[] int[] [32, 64]"));
}

TEST_F(ExpectedLevels, L8Json) {
    const Tensor x = tensor({32, 64});
    const Trace trace = traced([&] { add(x, x); });
    const auto one = nlohmann::json::parse(LevelizedGraph(trace).to_json());
    ASSERT_EQ(one.size(), 2U);
    for (const auto& vertex : one) {
        for (const char* key : {"counter", "stacking_level", "name"}) {
            EXPECT_TRUE(vertex.contains(key)) << key;
        }
        for (const char* key : {"in_edges", "out_edges", "internals", "output_shape"}) {
            EXPECT_TRUE(vertex[key].is_array()) << key;
        }
    }
    EXPECT_EQ(one[1]["name"], "ttnn::add");
    EXPECT_EQ(one[1]["counter"], 1);
    EXPECT_EQ(one[1]["in_edges"], nlohmann::json({0, 0}));
    const auto two = nlohmann::json::parse(LevelizedGraph(trace, 2).to_json());
    EXPECT_GE(two.size(), 3U);
    EXPECT_FALSE(two[1]["internals"].empty());
    EXPECT_TRUE(two[2]["internals"].empty());
}

}  // namespace
}  // namespace ttnn::graph::testing
