// Calls on attention heads as graph captures have them: every argument of the C++ call, in its order.
#include <gtest/gtest.h>

#include "tracelift/bind/binding.hpp"

namespace tracelift {
namespace {

Value tensor(Value::List shape, const std::string& dtype = "BFLOAT16", const std::string& layout = "TILE") {
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

std::string identity_of(const StoredCall& call, Order order) {
    Binder binder;
    const BoundCall bound = binder.bind(call, order);
    EXPECT_TRUE(bound.bound) << bound.note;
    return identity(bound, std::nullopt);
}

TEST(AttentionBinding, JoiningHeadsHasAPlaceForItsOutput) {
    const Value heads = tensor({1, 4, 32, 64});
    EXPECT_EQ(identity_of({"ttnn::experimental::nlp_concat_heads", {heads, Value(), Value()}, {}}, Order::CPP),
              identity_of({"ttnn.experimental.nlp_concat_heads", {heads}, {}}, Order::PYTHON));
}

TEST(AttentionBinding, TheScaleOfAChunkFollowsItsStart) {
    const Value q = tensor({1, 4, 32, 64});
    const Value cache = tensor({8, 1, 32, 64});
    const Value pages = tensor({1, 4}, "INT32", "ROW_MAJOR");
    const std::string name = "chunked_scaled_dot_product_attention";
    EXPECT_EQ(identity_of({"ttnn::transformer::" + name,
                           {q, cache, cache, pages, Value(32), Value(0.125), Value(), Value(), Value()},
                           {}},
                          Order::CPP),
              identity_of({"ttnn.transformer." + name,
                           {q, cache, cache, pages},
                           {{"chunk_start_idx", Value(32)}, {"scale", Value(0.125)}}},
                          Order::PYTHON));
}

}  // namespace
}  // namespace tracelift
