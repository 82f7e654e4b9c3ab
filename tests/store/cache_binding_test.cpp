// Calls on caches as masters have them: sets of coordinates, positional and by name.
#include <gtest/gtest.h>

#include "tracelift/bind/binding.hpp"
#include "ttnn/device/device.hpp"

namespace tracelift {
namespace {

Value tensor(Value::List shape, const std::string& dtype, const std::string& layout) {
    const Value memory = Value::Struct{"MemoryConfig",
                                       {{"memory_layout", Value::Enum{"TensorMemoryLayout", "INTERLEAVED"}},
                                        {"buffer_type", Value::Enum{"BufferType", "DRAM"}}}};
    return Value::Struct{"Tensor",
                         {{"shape", std::move(shape)},
                          {"dtype", Value::Enum{"DataType", dtype}},
                          {"layout", Value::Enum{"Layout", layout}},
                          {"storage_type", Value::Enum{"StorageType", "DEVICE"}},
                          {"memory_config", memory}}};
}

class CacheBinding : public testing::Test {
protected:
    std::string identity_of(const Value& coordinates) {
        const StoredCall call{"ttnn.experimental.paged_fill_cache",
                              {cache_, input_},
                              {{"page_table", table_}, {"batch_idx", 3}, {"mesh_coords", coordinates}}};
        const BoundCall bound = binder_.bind(call, Order::PYTHON);
        EXPECT_TRUE(bound.bound) << bound.note;
        return identity(bound, std::nullopt);
    }
    Binder binder_;
    const Value cache_ = tensor({256, 1, 32, 576}, "BFLOAT8_B", "TILE");
    const Value input_ = tensor({1, 1, 32, 576}, "BFLOAT8_B", "TILE");
    const Value table_ = tensor({4, 64}, "INT32", "ROW_MAJOR");
};

// A Python set has no order, and its text came by different ways.
TEST_F(CacheBinding, SetsOfCoordinates) {
    const std::string text = "{MeshCoordinate([0, 1]), MeshCoordinate([2, 3])}";
    const std::string plain = identity_of(Value::Struct{"set", {{"value", text}}});
    EXPECT_EQ(identity_of(Value::Struct{"set", {{"value", "{MeshCoordinate([2, 3]), MeshCoordinate([0, 1])}"}}}),
              plain);
    EXPECT_EQ(identity_of(Value::Struct{"set", {{"repr", text}}}), plain);
    EXPECT_EQ(identity_of(Value::Object{"set", text}), plain);
    EXPECT_EQ(identity_of(Value::List{Value::List{0, 1}, Value::List{2, 3}}), plain);
    EXPECT_NE(identity_of(Value::Struct{"set", {{"value", "{MeshCoordinate([0, 1])}"}}}), plain);
    EXPECT_NE(identity_of(Value()), plain);
}

TEST_F(CacheBinding, WhatIsNoSetOfCoordinatesIsNotBound) {
    const StoredCall call{"ttnn.experimental.paged_fill_cache", {cache_, input_, table_}, {{"mesh_coords", "all"}}};
    EXPECT_FALSE(binder_.bind(call, Order::PYTHON).bound);
}

}  // namespace
}  // namespace tracelift
