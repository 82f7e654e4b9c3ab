// Collectives as masters have them: every form that was traced is bound, whatever is left of its semaphores.
#include <gtest/gtest.h>

#include "tracelift/bind/binding.hpp"
#include "tracelift/bind/left_out.hpp"
#include "ttnn/device/device.hpp"

namespace tracelift {
namespace {

Value memory() {
    return Value::Struct{"MemoryConfig",
                         {{"memory_layout", Value::Enum{"TensorMemoryLayout", "INTERLEAVED"}},
                          {"buffer_type", Value::Enum{"BufferType", "DRAM"}}}};
}

Value tensor() {
    return Value::Struct{"Tensor",
                         {{"shape", Value::List{1, 1, 32, 64}},
                          {"dtype", Value::Enum{"DataType", "BFLOAT16"}},
                          {"layout", Value::Enum{"Layout", "TILE"}},
                          {"storage_type", Value::Enum{"StorageType", "DEVICE"}},
                          {"memory_config", memory()}}};
}

// As Python's tracers write one down.
Value semaphore(const std::string& address) {
    return Value::Struct{"global_semaphore",
                         {{"value", "<ttnn._ttnn.global_semaphore.global_semaphore object at " + address + ">"}}};
}

const Value linear_links = Value::Enum{"Topology", "Linear"};

class CollectiveBinding : public testing::Test {
protected:
    BoundCall bound(const StoredCall& call, Order order = Order::PYTHON) {
        BoundCall result = binder_.bind(call, order);
        EXPECT_TRUE(result.bound) << result.note;
        return result;
    }
    std::string identity_of(const StoredCall& call) { return identity(bound(call), std::nullopt); }
    Binder binder_;
};

TEST_F(CollectiveBinding, AlongADimensionOfTheMesh) {
    const auto call = [](const std::string& address) {
        return StoredCall{"ttnn.experimental.all_gather_async",
                          {tensor()},
                          {{"dim", -1},
                           {"cluster_axis", 1},
                           {"mesh_device", Value::Object{"MeshDevice", "MeshDevice(4x8 grid, 32 devices)"}},
                           {"topology", linear_links},
                           {"num_links", 4},
                           {"memory_config", memory()},
                           {"use_broadcast", true},
                           {"multi_device_global_semaphore", Value::List{semaphore(address), semaphore(address)}},
                           {"barrier_semaphore", semaphore(address)}}};
    };
    EXPECT_EQ(identity_of(call("0x721be733f7b0")), identity_of(call("0x1")));
    StoredCall without = call("0x1");
    std::erase_if(without.keywords, [](const Value::Entry& entry) { return entry.key.ends_with("semaphore"); });
    EXPECT_EQ(identity_of(without), identity_of(call("0x1")));
}

TEST_F(CollectiveBinding, IntoABufferThatIsNotGiven) {
    bound({"ttnn.experimental.all_gather_async",
           {tensor()},
           {{"persistent_output_buffer", Value()},
            {"dim", 3},
            {"num_links", 1},
            {"memory_config", memory()},
            {"topology", linear_links},
            {"subdevice_id", Value()},
            {"chunks_per_sync", 10},
            {"num_workers_per_link", 2},
            {"num_buffers_per_channel", 2}}});
}

// Graph captures have no contents of semaphores and links.
TEST_F(CollectiveBinding, FromArgumentsOfCpp) {
    const std::optional<Value> absent;
    const BoundCall call =
        bound({"ttnn::experimental::all_gather_async",
               {tensor(), absent, Value(3), Value(Value::Unparsed{"[{...}]", "contents not captured"}), Value(1),
                memory(), Value(Value::Object{"Topology", "..."}), absent, Value(1), Value(0),
                Value(Value::Object{"GlobalSemaphore", "..."}), Value(10), Value(2), Value(2), Value(0)},
               {}},
              Order::CPP);
    EXPECT_EQ(*Value(call.arguments).find("cluster_axis"), Value(1));
    EXPECT_EQ(Value(call.arguments).find("multi_device_global_semaphore"), nullptr);
    EXPECT_FALSE(has_lost_arguments(call));
}

TEST_F(CollectiveBinding, OfCoordinates) {
    const StoredCall text{"ttnn.point_to_point",
                          {tensor(), Value(Value::Struct{"MeshCoordinate", {{"value", "MeshCoordinate([0, 1])"}}}),
                           Value(Value::List{0, 3})},
                          {}};
    const StoredCall numbers{"ttnn.point_to_point", {tensor(), Value(Value::List{0, 1}), Value(Value::List{0, 3})}, {}};
    EXPECT_EQ(identity_of(text), identity_of(numbers));
}

}  // namespace
}  // namespace tracelift
