// Binding calls to declarations: one identity whichever road a call came by.
#include "tracelift/bind/binding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tracelift/bind/left_out.hpp"
#include "tracelift/dialects/format1.hpp"
#include "ttnn/check/case_maker.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift {
namespace {

using testing::HasSubstr;

Value tensor(Value::List shape) {
    const Value memory = Value::Struct{"MemoryConfig",
                                       {{"memory_layout", Value::Enum{"TensorMemoryLayout", "INTERLEAVED"}},
                                        {"buffer_type", Value::Enum{"BufferType", "DRAM"}}}};
    return Value::Struct{"Tensor",
                         {{"shape", std::move(shape)},
                          {"dtype", Value::Enum{"DataType", "BFLOAT16"}},
                          {"layout", Value::Enum{"Layout", "TILE"}},
                          {"storage_type", Value::Enum{"StorageType", "DEVICE"}},
                          {"memory_config", memory}}};
}

class BindingTest : public testing::Test {
protected:
    std::string identity_of(const StoredCall& call, Order order = Order::PYTHON) {
        const BoundCall bound = binder_.bind(call, order);
        EXPECT_TRUE(bound.bound) << bound.note;
        return identity(bound, hardware_of_board("n150"));
    }
    Binder binder_;
    const Value a_ = tensor({1, 1, 32, 64});
    const Value b_ = tensor({1, 1, 32, 64});
};

TEST_F(BindingTest, DefaultsPositionsAndPlaceholdersDoNotMatter) {
    const std::string plain = identity_of({"ttnn.add", {a_, b_}, {}});
    EXPECT_EQ(identity_of({"ttnn.add", {a_, b_}, {{"memory_config", Value()}}}), plain);
    EXPECT_EQ(identity_of({"ttnn::add", {}, {{"input_tensor_b", b_}, {"input_tensor_a", a_}}}), plain);
    EXPECT_EQ(identity_of({"add", {a_, b_, std::nullopt, std::nullopt, std::nullopt}, {}}, Order::CPP), plain);
    const Json format1 = Json::array({{{"arg0", write_arguments({a_})[0]["arg0"]}},
                                      {{"arg1", write_arguments({b_})[0]["arg0"]}},
                                      {{"arg2", "nullopt"}},
                                      {{"arg3", "nullopt"}}});
    EXPECT_EQ(identity_of({"ttnn::add", read_arguments(format1), {}}, Order::CPP), plain);
}

TEST_F(BindingTest, ArgumentsHardwareAndMeshMatter) {
    const StoredCall call{"ttnn.add", {a_, b_}, {}};
    const BoundCall bound = binder_.bind(call, Order::PYTHON);
    const std::string plain = identity(bound, hardware_of_board("n150"));
    EXPECT_NE(identity(bound, hardware_of_board("p150")), plain);
    EXPECT_NE(identity(bound, std::nullopt), plain);
    Hardware mesh = *hardware_of_board("n150");
    mesh.mesh_shape = {1, 2};
    EXPECT_NE(identity(bound, mesh), plain);
    EXPECT_NE(identity_of({"ttnn.add", {a_, tensor({1, 1, 32, 1})}, {}}), plain);
    EXPECT_NE(identity_of({"ttnn.multiply", {a_, b_}, {}}), plain);
    EXPECT_NE(identity_of({"ttnn.add", {a_, b_}, {{"dtype", Value::Enum{"DataType", "FLOAT32"}}}}), plain);
}

TEST_F(BindingTest, IntAndFloatDifferOnlyWhereTheDeclarationHasBoth) {
    EXPECT_NE(identity_of({"ttnn.add", {a_, 1}, {}}), identity_of({"ttnn.add", {a_, 1.0}, {}}));
    EXPECT_EQ(identity_of({"ttnn.layer_norm", {a_}, {{"epsilon", 1}}}),
              identity_of({"ttnn.layer_norm", {a_}, {{"epsilon", 1.0}}}));
}

TEST_F(BindingTest, AliasesAreTheOperationTheyStandFor) {
    EXPECT_EQ(identity_of({"ttnn.sub", {a_, b_}, {}}), identity_of({"ttnn.subtract", {a_, b_}, {}}));
}

TEST_F(BindingTest, CallsWithoutADeclarationAreKeptAsStored) {
    const BoundCall unknown =
        binder_.bind({"ttnn.conv9d", {Value(1), std::nullopt, Value("x")}, {{"groups", 3}}}, Order::CPP);
    EXPECT_FALSE(unknown.bound);
    EXPECT_EQ(Value(unknown.arguments), Value(Value::Dict{{"arg0", 1}, {"arg2", "x"}, {"groups", 3}}));
    const BoundCall misfit = binder_.bind({"ttnn.add", {a_, b_}, {{"no_such", 1}}}, Order::PYTHON);
    EXPECT_FALSE(misfit.bound);
    EXPECT_THAT(misfit.note, HasSubstr("no_such"));
}

// Old files have the fields of a program config without its type: the call binds without it, and counts it as lost.
TEST_F(BindingTest, AProgramConfigWithoutItsTypeIsLeftOut) {
    const Value weight = tensor({1, 1, 64, 32});
    const Value fields = Value::Dict{{"in0_block_w", 1}, {"per_core_M", 1}, {"per_core_N", 11}};
    for (const char* operation : {"ttnn.linear", "ttnn.matmul"}) {
        const BoundCall bound = binder_.bind({operation, {a_, weight}, {{"program_config", fields}}}, Order::PYTHON);
        const BoundCall without = binder_.bind({operation, {a_, weight}, {}}, Order::PYTHON);
        ASSERT_TRUE(bound.bound) << bound.note;
        EXPECT_TRUE(has_lost_arguments(bound));
        EXPECT_FALSE(has_lost_arguments(without));
        EXPECT_EQ(Value(replayable(bound.arguments)), Value(replayable(without.arguments)));
        EXPECT_NE(identity(bound, hardware_of_board("n150")), identity(without, hardware_of_board("n150")));
    }
    // A type that does not exist is no lost one.
    const Value unknown = Value::Struct{"MatmulNoSuchProgramConfig", {{"per_core_M", 1}}};
    EXPECT_FALSE(binder_.bind({"ttnn.linear", {a_, weight}, {{"program_config", unknown}}}, Order::PYTHON).bound);
}

TEST_F(BindingTest, TensorsOfAnySizeAreBoundWithoutMemory) {
    identity_of({"ttnn.add", {tensor({64, 1024, 8192, 8192}), Value(1)}, {}});
}

// Every case of every operation, through the master's format and back.
TEST(BindingOfEveryOperation, SurvivesTheMasterFormat) {
    const auto device = ttnn::Device::open({.board = "n150"});
    const auto hardware = hardware_of_board("n150");
    Binder binder;
    size_t cases = 0;
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
                for (const ttnn::AnyParams& params : maker.take()) {
                    ++cases;
                    const StoredCall call{std::string(op->name), {}, ttnn::encode_call(*op, params.data())};
                    const BoundCall bound = binder.bind(call, Order::PYTHON);
                    ASSERT_TRUE(bound.bound) << op->name << ": " << bound.note;
                    const Json json = Json::parse(write_arguments(positional_arguments(bound)).dump());
                    const BoundCall back = binder.bind({cpp_name(op->name), read_arguments(json), {}}, Order::CPP);
                    ASSERT_TRUE(back.bound) << op->name << ": " << back.note << "\n" << json.dump();
                    ASSERT_EQ(identity(back, hardware), identity(bound, hardware))
                        << op->name << "\n"
                        << Value(bound.arguments).to_text() << "\n"
                        << Value(back.arguments).to_text();
                }
            }
        }
    }
    EXPECT_GT(cases, 500U);
}

}  // namespace
}  // namespace tracelift
