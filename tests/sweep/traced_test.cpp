// Traced configurations as sweep modules ask for them.
#include "tracelift/sweep/traced.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tracelift/base/scratch_folder.hpp"
#include "tracelift/store/open.hpp"

namespace tracelift {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* tensor =
    R"({"type": "ttnn.Tensor", "original_shape": [1, 1, 32, 64], "original_dtype": "DataType.BFLOAT16",
        "layout": "Layout.TILE", "storage_type": "StorageType.DEVICE", "memory_config": {"memory_layout":
        "TensorMemoryLayout.INTERLEAVED", "buffer_type": "BufferType.DRAM", "shard_spec": null}})";

std::string configuration(const std::string& hash, const std::string& more) {
    return R"({"config_hash": ")" + hash + R"(", "arguments": {"arg0": )" + tensor + more +
           R"(}, "executions": [{"source": "models/a.py", "count": 2, "machine_info": {"board_type": "Wormhole",
               "device_series": "n150", "card_count": 1}}]})";
}

class TracedOperations : public ::testing::Test {
protected:
    TracedOperations() {
        std::ofstream(file()) << R"({"operations": {"ttnn.softmax": {"configurations": [)"
                              << configuration("h1", R"(, "dim": -1, "numeric_stable": false)") << ", "
                              << configuration("h2", R"(, "arg1": 2)")
                              << R"(]}, "ttnn.nobody_declares_this": {"configurations": [)"
                              << configuration("h3", R"(, "arg1": 7, "extra": "x")") << "]}}}";
    }
    std::filesystem::path file() const { return folder_.path() / "master.json"; }
    std::filesystem::path store() {
        open_for_writing(folder_.path() / "store")->import_master(file(), {});
        return folder_.path() / "store";
    }

private:
    ScratchFolder folder_;
};

TEST(LookupNames, BeginWithTheNameItself) {
    EXPECT_THAT(lookup_names("add"),
                ElementsAre("add", "ttnn.add", "ttnn::add", "ttnn::experimental::add", "ttnn.experimental.add",
                            "ttnn::transformer::add", "ttnn.transformer.add"));
}

TEST(LookupNames, TakeThePrefixOffWhatHasOne) {
    const auto names = lookup_names("ttnn.add");
    EXPECT_EQ(names.front(), "ttnn.add");
    EXPECT_THAT(std::vector(names.end() - 3, names.end()),
                ElementsAre("add", "ttnn::transformer::add", "ttnn.transformer.add"));
}

TEST_F(TracedOperations, HaveArgumentsByDeclaredNameAndPosition) {
    TracedOperation operation = traced_operation(file(), "softmax");
    EXPECT_EQ(operation.name(), "ttnn.softmax");
    ASSERT_EQ(operation.size(), 2);
    const auto first = operation.configuration(0).arguments;
    ASSERT_EQ(first.size(), 3);
    EXPECT_EQ(first[0].name, "input_tensor");
    EXPECT_EQ(first[0].position, 0);
    EXPECT_EQ(first[1].name, "dim");
    EXPECT_FALSE(first[1].position.has_value());
    EXPECT_EQ(first[1].value, Value(-1));
    const auto second = operation.configuration(1).arguments;
    EXPECT_EQ(second[1].name, "dim");
    EXPECT_EQ(second[1].position, 1);
    EXPECT_EQ(second[1].value, Value(2));
    EXPECT_EQ(operation.configuration(1).hash, "h2");
    EXPECT_EQ(operation.configuration(1).sources.at(0).source, Value("models/a.py"));
}

TEST_F(TracedOperations, AreSummedUpByTheirFirstTensors) {
    for (const auto& master : {file(), store()}) {
        const TracedSummary summary = traced_operation(master, "softmax").summary();
        EXPECT_EQ(summary.shapes, 2);
        EXPECT_EQ(summary.dtypes, 1);
        EXPECT_EQ(summary.layouts, 1);
        EXPECT_EQ(summary.memory_configs, 1);
    }
}

TEST_F(TracedOperations, KeepWhatNoDeclarationTakes) {
    TracedOperation operation = traced_operation(file(), "nobody_declares_this");
    const auto arguments = operation.configuration(0).arguments;
    ASSERT_EQ(arguments.size(), 3);
    EXPECT_EQ(arguments[1].name, "arg1");
    EXPECT_EQ(arguments[1].value, Value(7));
    EXPECT_EQ(arguments[2].name, "extra");
}

TEST_F(TracedOperations, AreTheSameInAStore) {
    const auto folder = store();
    for (const char* name : {"softmax", "nobody_declares_this"}) {
        TracedOperation ours = traced_operation(folder, name);
        TracedOperation read = traced_operation(file(), name);
        ASSERT_EQ(ours.size(), read.size());
        for (size_t i = 0; i < read.size(); ++i) {
            const TracedConfiguration a = ours.configuration(i);
            const TracedConfiguration b = read.configuration(i);
            EXPECT_EQ(a.hash, b.hash);
            EXPECT_EQ(a.identity, b.identity);
            EXPECT_EQ(a.sources.at(0).source, b.sources.at(0).source);
            ASSERT_EQ(a.arguments.size(), b.arguments.size());
            for (size_t at = 0; at < a.arguments.size(); ++at) {
                EXPECT_EQ(a.arguments[at].name, b.arguments[at].name);
                EXPECT_EQ(a.arguments[at].value, b.arguments[at].value);
            }
        }
    }
    EXPECT_THAT(traced_operation_names(folder), ElementsAre("ttnn.softmax", "ttnn.nobody_declares_this"));
}

TEST_F(TracedOperations, OfUnknownNamesAreNone) {
    TracedOperation operation = traced_operation(file(), "nothing");
    EXPECT_EQ(operation.name(), "");
    EXPECT_EQ(operation.size(), 0);
}

TEST_F(TracedOperations, ThatCannotBeReadSayWhere) {
    std::ofstream(file()) << R"({"operations": {"ttnn::add": {"configurations": [["no argument"]]}}})";
    TracedOperation operation = traced_operation(file(), "add");
    ASSERT_EQ(operation.size(), 1);
    EXPECT_THAT(operation.problem(0), HasSubstr("operations/ttnn::add/configurations[0]"));
    EXPECT_THROW(operation.configuration(0), std::invalid_argument);
}

}  // namespace
}  // namespace tracelift
