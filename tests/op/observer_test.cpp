// The events that observers see.
#include "ttnn/core/observer.hpp"

#include <gtest/gtest.h>

#include "ttnn/device/device.hpp"
#include "ttnn/ops/example/composite_example.hpp"

namespace ttnn {
namespace {

class Recorder : public Observer {
public:
    bool watches_steps() const override { return true; }
    void operation_begin(const OpInfo& op, const void*) override { open(op.cpp_name()); }
    void operation_end(const OpInfo& op, const void*) override { close(op.cpp_name()); }
    void function_begin(const FunctionCall& call) override { open(std::string(call.name)); }
    void function_end(std::string_view name, std::span<const Tensor>) override { close(std::string(name)); }
    void operation_failed(const OpInfo& op, std::string_view) override { fail(op.cpp_name()); }
    void function_failed(std::string_view name, std::string_view) override { fail(name); }
    void buffer_allocated(const Buffer& buffer) override { add(fmt::format("allocate {}", buffer.size())); }
    void buffer_deallocated(const Buffer& buffer) override { add(fmt::format("deallocate {}", buffer.size())); }
    void circular_buffers_allocated(const Device&, std::span<const PlacedCircularBuffer> placed, bool) override {
        for (const auto& buffer : placed) {
            add(fmt::format("cb {} at {} on {} cores", buffer.request->size, buffer.address,
                            buffer.request->cores.num_cores()));
        }
    }

    std::vector<std::string> lines;

private:
    void open(const std::string& name) {
        add("> " + name);
        ++depth_;
    }
    void close(const std::string& name) {
        --depth_;
        add("< " + name);
    }
    void fail(std::string_view name) {
        --depth_;
        add(fmt::format("! {}", name));
    }
    void add(const std::string& text) { lines.push_back(std::string(depth_ * 2, ' ') + text); }
    size_t depth_ = 0;
};

// Attached while it lives.
struct Attached {
    std::shared_ptr<Recorder> recorder = std::make_shared<Recorder>();
    Attached() { attach(recorder); }
    ~Attached() { detach(recorder); }
};

Tensor bfloat16_tiles(const std::shared_ptr<Device>& device, const Shape& shape) {
    return Tensor::allocate_on_device(TensorSpec(shape, DataType::BFLOAT16, Layout::TILE, l1_memory_config()), device);
}

TEST(Observer, SeesTheCallHierarchyDownToTheBuffer) {
    const auto device = Device::open({.board = "n150"});
    const Tensor input = bfloat16_tiles(device, {1, 3, 32, 32});
    const Attached capture;
    { const Tensor output = composite_example(input); }
    EXPECT_EQ(capture.recorder->lines,
              (std::vector<std::string>{"> ttnn::composite_example", "  > ttnn::prim::example",
                                        "    > Device Operation", "      > create_device_tensor",
                                        "        allocate 6144", "      < create_device_tensor",
                                        "      cb 4096 at 103712 on 3 cores", "    < Device Operation",
                                        "  < ttnn::prim::example", "< ttnn::composite_example", "deallocate 6144"}));
}

TEST(Observer, SeesAFailureAtEveryLevelItLeaves) {
    const auto device = Device::open();
    // Two buffers of more than half of L1: the second, made by the operation, does not fit.
    const Tensor input = bfloat16_tiles(device, {1, 1, 32, 32 * 64 * 360});
    const auto before = device->statistics(BufferType::L1);
    const Attached capture;
    EXPECT_THROW(composite_example(input), OutOfMemory);
    EXPECT_EQ(
        capture.recorder->lines,
        (std::vector<std::string>{"> ttnn::composite_example", "  > ttnn::prim::example", "    > Device Operation",
                                  "      > create_device_tensor", "      ! create_device_tensor",
                                  "    ! Device Operation", "  ! ttnn::prim::example", "! ttnn::composite_example"}));
    EXPECT_EQ(device->statistics(BufferType::L1).total_allocated, before.total_allocated);
}

TEST(Observer, SeesNothingOnceDetached) {
    const auto device = Device::open();
    const Tensor input = bfloat16_tiles(device, {32, 32});
    const auto recorder = std::make_shared<Recorder>();
    attach(recorder);
    EXPECT_TRUE(captured());
    detach(recorder);
    EXPECT_FALSE(captured());
    composite_example(input);
    EXPECT_TRUE(recorder->lines.empty());
}

}  // namespace
}  // namespace ttnn
