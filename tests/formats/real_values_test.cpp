// The values of real masters of format 2, kind by kind, against the counts that the specification has of them.
#include <map>

#include <gtest/gtest.h>

#include "dialects/support.hpp"
#include "tracelift/formats/piece_parser.hpp"

namespace tracelift {
namespace {

using Counts = std::map<std::string, int>;

class Kinds final : public MasterSink {
public:
    void configuration(MasterPiece&& piece) override {
        const PieceCall read = parser_.call(piece);
        for (const Value* value : read.call.positional) {
            argument(value != nullptr ? *value : Value());
        }
        for (const auto& [name, value] : read.call.keywords) {
            argument(*value);
        }
    }
    void metadata(const Value&) override {}

    Counts found;

private:
    void argument(const Value& value) {
        if (const auto* list = value.as<Value::List>()) {
            ++found[list_kind(*list)];
        } else if (value.is_null() || value.as<bool>() || value.as<int64_t>() || value.as<double>() ||
                   value.as<std::string>()) {
            ++found["top-level " + std::string(value.kind())];
        }
        inside(value);
    }
    static std::string list_kind(const Value::List& list) {
        if (!list.empty() && list.front().as<Value::List>() != nullptr) {
            return "top-level list of lists";
        }
        const bool objects = !list.empty() && (list.front().as<Value::Struct>() || list.front().as<Value::Enum>());
        return objects ? "top-level list of objects" : "top-level list of int";
    }
    // Objects anywhere; what a tensor or a configuration is made of does not count on its own, except memory configs.
    void inside(const Value& value) {
        if (const auto* list = value.as<Value::List>()) {
            for (const Value& item : *list) {
                inside(item);
            }
        } else if (const auto* record = value.as<Value::Struct>()) {
            ++found[record->type];
            if (record->type == "Tensor") {
                inside(*value.find("memory_config"));
            }
        } else if (const auto* tagged = value.as<Value::Enum>()) {
            ++found[tagged->type];
        } else if (const auto* object = value.as<Value::Object>()) {
            ++found[object->type];
        } else if (value.as<Value::Unparsed>() != nullptr) {
            ++found["unparsed"];
        }
    }

    PieceParser parser_;
};

Counts kinds_of(const std::string& name) {
    Kinds kinds;
    read_master_file(testing::master_path(name), kinds);
    return kinds.found;
}

// Shapes come out as lists of int, and the text "-inf" as the float it stands for.
TEST(RealValues, OfTheDeepseekMaster) {
    constexpr const char* name = "deepseek_v3_galaxy_format2.json";
    REQUIRE_MASTER_FILE(name)
    const Counts expected = {{"Tensor", 671 + 8},
                             {"MemoryConfig", 764},
                             {"WormholeComputeKernelConfig", 32},
                             {"DataType", 12},
                             {"Layout", 4},
                             {"Topology", 28},
                             {"UnaryOpType", 6},
                             {"Tile", 1},
                             {"set", 129},
                             {"global_semaphore", 84},
                             {"MeshDevice", 29},
                             {"MatmulMultiCoreReuseMultiCastProgramConfig", 9},
                             {"MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig", 7},
                             {"MatmulMultiCoreReuseMultiCastBatchedDRAMShardedProgramConfig", 2},
                             {"LayerNormDefaultProgramConfig", 4},
                             {"LayerNormShardedMultiCoreProgramConfig", 2},
                             {"top-level int", 258},
                             {"top-level float", 8 + 4},
                             {"top-level bool", 24},
                             {"top-level null", 2},
                             {"top-level list of int", 63 + 12},
                             {"top-level list of objects", 38},
                             {"top-level list of lists", 4}};
    EXPECT_EQ(kinds_of(name), expected);
}

TEST(RealValues, OfTheLlamaMaster) {
    constexpr const char* name = "llama32_1b_n300_format2.json";
    REQUIRE_MASTER_FILE(name)
    const Counts expected = {{"Tensor", 1184},
                             {"MemoryConfig", 1336},
                             {"WormholeComputeKernelConfig", 78},
                             {"DataType", 98},
                             {"Layout", 18},
                             {"Topology", 23},
                             {"UnaryOpType", 10},
                             {"MatmulMultiCoreReuseMultiCastProgramConfig", 30},
                             {"MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig", 10},
                             {"SDPAProgramConfig", 15},
                             {"LayerNormShardedMultiCoreProgramConfig", 3},
                             {"top-level int", 267 - 4},  // four are too large for 64 bits: floats, printed in full
                             {"top-level float", 40 + 4},
                             {"top-level bool", 75},
                             {"top-level null", 231},
                             {"top-level list of int", 310 + 4},
                             {"top-level list of objects", 12},
                             {"top-level list of lists", 4}};
    EXPECT_EQ(kinds_of(name), expected);
}

}  // namespace
}  // namespace tracelift
