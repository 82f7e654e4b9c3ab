// Nothing is computed inside a NO_DISPATCH capture, but everything can be called there: every operation and transfer,
// in every dtype, layout and memory kind, on tensors that were made inside. Reading gives zeros, writing changes
// nothing.
#include <gtest/gtest.h>

#include "captured.hpp"
#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/data_movement/clone.hpp"
#include "ttnn/ops/data_movement/host_transfer.hpp"
#include "ttnn/ops/data_movement/to_layout.hpp"
#include "ttnn/ops/data_movement/typecast.hpp"
#include "ttnn/ops/eltwise/binary.hpp"
#include "ttnn/ops/sharding/to_memory_config.hpp"

namespace ttnn::graph::testing {
namespace {

std::vector<double> numbers(const Tensor& tensor) {
    const Dense<double> values = read<double>(tensor);
    return {values.begin(), values.end()};
}

bool all_zero(const Tensor& tensor) {
    const auto values = numbers(tensor);
    return std::ranges::all_of(values, [](double value) { return value == 0; });
}

// Zeros, or refused: not every dtype goes everywhere.
template <class Call>
void expect_zeros(Call call) {
    try {
        EXPECT_TRUE(all_zero(call()));
    } catch (const Error&) {
    }
}

uint64_t reserved(const Device& device) {
    return device.statistics(BufferType::DRAM).total_allocated + device.statistics(BufferType::L1).total_allocated;
}

struct Run {
    size_t called = 0;
    size_t refused = 0;
};

// The operation's own cases with inputs made inside the capture.
Run run_cases(const OpInfo& op, const std::shared_ptr<Device>& device, const Combination& combination) {
    Run run;
    CaseMaker maker(op, device, combination);
    try {
        op.cases(maker);
    } catch (const std::exception&) {  // the combination does not apply
    }
    for (AnyParams& params : maker.take()) {
        fill_inputs(params, 1);
        try {
            for (const Tensor& output : call_operation(params)) {
                EXPECT_TRUE(!output.is_on_device() || !output.is_allocated() || all_zero(output));
            }
            ++run.called;
        } catch (const Error&) {
            ++run.refused;
        }
    }
    return run;
}

class NoDispatch : public ::testing::TestWithParam<DataType> {};

TEST_P(NoDispatch, TakesEveryOperation) {
    size_t called = 0;
    for (const Layout layout : {Layout::ROW_MAJOR, Layout::TILE}) {
        for (const auto& memory : EnumInfo<ttnn::MemoryKind>::members) {
            for (const OpInfo* first : all_operations()) {
                for (const OpInfo* op = first; op != nullptr; op = op->next_overload) {
                    if (op->cases == nullptr) {
                        continue;
                    }
                    const auto device = device_8x8();
                    SCOPED_TRACE(fmt::format("{} {} {}", op->name, member_name(layout), memory.name));
                    GraphProcessor::begin_graph_capture(RunMode::NO_DISPATCH);
                    called += run_cases(*op, device, {GetParam(), layout, memory.value}).called;
                    GraphProcessor::end_graph_capture();
                    EXPECT_EQ(reserved(*device), 0U);
                }
            }
        }
    }
    EXPECT_GT(called, 100U);
}

std::vector<MemoryConfig> places() {
    const CoreRangeSet cores(CoreRange({0, 0}, {1, 0}));
    const auto sharded = [&](TensorMemoryLayout layout, std::array<uint32_t, 2> shape) {
        return MemoryConfig(layout, BufferType::L1, ShardSpec{cores, shape});
    };
    return {MemoryConfig(), l1_memory_config(), sharded(TensorMemoryLayout::HEIGHT_SHARDED, {32, 64}),
            sharded(TensorMemoryLayout::WIDTH_SHARDED, {64, 32}),
            MemoryConfig(BufferType::L1, NdShardSpec{{32, 32}, cores})};
}

Tensor ones_on_host(DataType dtype, Layout layout) {
    Tensor host = Tensor::allocate_on_host(TensorSpec({64, 64}, dtype, layout));
    if (is_integer(dtype)) {
        write<uint32_t>(host, std::vector<uint32_t>(4096, 1));
    } else {
        write<float>(host, std::vector<float>(4096, 1.0F));
    }
    return host;
}

TEST_P(NoDispatch, TakesEveryTransfer) {
    const DataType dtype = GetParam();
    const auto device = device_8x8();
    for (const Layout layout : {Layout::ROW_MAJOR, Layout::TILE}) {
        if (layout == Layout::ROW_MAJOR && is_block_float(dtype)) {
            continue;
        }
        for (const MemoryConfig& config : places()) {
            SCOPED_TRACE(fmt::format("{} {}", member_name(layout), config));
            const Tensor host = ones_on_host(dtype, layout);
            const Tensor real = to_device(host, device, {.memory_config = config});
            ASSERT_EQ(numbers(real), numbers(host));
            Tensor left;  // outlives the capture
            GraphProcessor::begin_graph_capture(RunMode::NO_DISPATCH);
            const Tensor inside = to_device(host, device, {.memory_config = config});
            EXPECT_TRUE(inside.is_mocked());
            EXPECT_TRUE(all_zero(from_device(inside)));
            EXPECT_EQ(numbers(from_device(real)), numbers(host));
            copy_host_to_device_tensor(host, inside);
            copy_host_to_device_tensor(Tensor::allocate_on_host(host.spec()), real);
            Tensor back = ones_on_host(dtype, layout);
            copy_device_to_host_tensor(inside, back);
            expect_zeros([&] { return clone(inside); });
            for (const MemoryConfig& other : places()) {
                expect_zeros([&] { return to_memory_config(inside, other); });
            }
            for (const Layout other : {Layout::ROW_MAJOR, Layout::TILE}) {
                expect_zeros([&] { return to_layout(inside, other); });
            }
            for (const auto& other : EnumInfo<DataType>::members) {
                expect_zeros([&] { return typecast(inside, other.value); });
            }
            left = inside;
            GraphProcessor::end_graph_capture();
            EXPECT_EQ(numbers(real), numbers(host)) << "a write reached the device";
            EXPECT_TRUE(all_zero(left));
            expect_zeros([&] { return clone(left); });
            left.deallocate();
        }
    }
}

TEST(NoDispatchResults, CanBeUsedAfterwardsAsZeros) {
    const auto device = device_8x8();
    const Tensor real = to_device(ones_on_host(DataType::BFLOAT16, Layout::TILE), device);
    GraphProcessor::begin_graph_capture(RunMode::NO_DISPATCH);
    const Tensor made = add(real, real);
    GraphProcessor::end_graph_capture();
    const Tensor later = add(made, real);
    EXPECT_EQ(later.logical_shape(), (Shape{64, 64}));
    EXPECT_TRUE(all_zero(made));
    Tensor target = made;
    EXPECT_NO_THROW(add(real, real, {.output_tensor = target}));
}

INSTANTIATE_TEST_SUITE_P(Dtypes, NoDispatch,
                         ::testing::Values(DataType::BFLOAT16, DataType::FLOAT32, DataType::UINT32, DataType::INT32,
                                           DataType::UINT16, DataType::UINT8, DataType::BFLOAT8_B, DataType::BFLOAT4_B),
                         [](const auto& chosen) { return std::string(member_name(chosen.param)); });

}  // namespace
}  // namespace ttnn::graph::testing
