#include "ttnn/check/traced_call.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "ttnn/check/opcheck.hpp"
#include "ttnn/op/op_info.hpp"
#include "ttnn/op/tensor_placement.hpp"

namespace ttnn {
namespace {

constexpr uint64_t seed = 1;

// Devices stay open from test to test.
const std::shared_ptr<Device>& device_of(const std::string& board, const MeshShape& mesh) {
    thread_local std::map<std::pair<std::string, std::string>, std::shared_ptr<Device>> devices;
    auto& device = devices[{board, mesh.to_string()}];
    if (!device || !device->is_open()) {
        device = Device::open({.board = board, .mesh = mesh});
    }
    return device;
}

tracelift::Value described(const TensorSpec& spec, StorageType storage) {
    const Tensor tensor = Tensor::without_bytes(spec, storage);
    return type_info<Tensor>().encode(&tensor);
}

std::string text_of(const TensorSpec& spec) {
    return fmt::format("{} {} {} {}", spec.logical_shape(), member_name(spec.dtype()), member_name(spec.layout()),
                       spec.memory_config());
}

bool is_as_expected(const TensorSpec& actual, const TensorSpec& expected) {
    return actual.logical_shape() == expected.logical_shape() && actual.dtype() == expected.dtype() &&
           actual.layout() == expected.layout() && actual.memory_config() == expected.memory_config();
}

// The first overload that takes the arguments; `why` says why none does.
std::optional<AnyParams> decoded(const OpInfo& op, const tracelift::Value::Dict& arguments,
                                 const std::shared_ptr<Device>& device, std::string& why) {
    for (const OpInfo* form = &op; form != nullptr; form = form->next_overload) {
        try {
            return decode_call(*form, {}, arguments, {device, {}});
        } catch (const Error& error) {
            why += (why.empty() ? "" : "; ") + std::string(error.what());
        }
    }
    return std::nullopt;
}

}  // namespace

TracedCall::TracedCall(std::string operation, std::string board, std::vector<uint32_t> mesh)
    : operation_(std::move(operation)), board_(std::move(board)), mesh_{std::move(mesh)} {}

void TracedCall::give(std::string name, const MemoryConfig& config) {
    give(std::move(name), type_info<MemoryConfig>().encode(&config));
}

void TracedCall::tensor(std::string name, const Shape& shape, DataType dtype, Layout layout,
                        const MemoryConfig& config) {
    give(std::move(name), traced_tensor(shape, dtype, layout, config));
}

void TracedCall::host_tensor(std::string name, const Shape& shape, DataType dtype, Layout layout) {
    give(std::move(name), described(TensorSpec(shape, dtype, layout), StorageType::HOST));
}

void TracedCall::device(std::string name) { give(std::move(name), tracelift::Value::Object{"MeshDevice", board_}); }

void TracedCall::spread(std::string_view name, const std::vector<std::optional<int32_t>>& dims,
                        std::vector<uint32_t> distribution) {
    const auto found = std::ranges::find(arguments_, name, &tracelift::Value::Entry::key);
    const auto* given = found == arguments_.end() ? nullptr : found->value.as<tracelift::Value::Struct>();
    require(given != nullptr, "'{}' is spread before it is given", name);
    Topology topology{{}, mesh_};
    if (!distribution.empty()) {
        topology.distribution.dims = std::move(distribution);
    }
    for (const std::optional<int32_t>& dim : dims) {
        topology.placements.push_back({dim});
    }
    tracelift::ValueBuilder described;
    TensorPlacement{std::move(topology), mesh_}.put(described);
    tracelift::Value::Struct tensor = *given;
    tensor.fields.push_back({std::string(placement_field), described.take()});
    found->value = std::move(tensor);
}

void TracedCall::expect(const Shape& shape, DataType dtype, Layout layout, const MemoryConfig& config) {
    expected_.emplace_back(shape, dtype, layout, config.with_shards_of_any_size());
}

std::string TracedCall::problem() { return made(Judge::EVERYTHING); }
std::string TracedCall::shape_problem() { return made(Judge::SHAPES); }
std::string TracedCall::value_problem() { return made(Judge::VALUES); }

std::string TracedCall::made(Judge judge) {
    const OpInfo* op = find_operation(operation_);
    if (op == nullptr) {
        return fmt::format("there is no operation '{}'", operation_);
    }
    std::string why;
    auto params = decoded(*op, arguments_, device_of(board_, mesh_), why);
    if (!params) {
        return why;
    }
    const bool compare = judge == Judge::EVERYTHING || (judge == Judge::VALUES && params->op().is_judged());
    const CallCheck check = check_call(*params, seed, {.compare = compare});
    if (!check.scorecard.pass) {
        return check.scorecard.reason;
    }
    if (judge == Judge::VALUES) {
        return {};
    }
    if (check.outputs.size() != expected_.size()) {
        return fmt::format("{} outputs, expected {}", check.outputs.size(), expected_.size());
    }
    for (size_t i = 0; i < expected_.size(); ++i) {
        if (!is_as_expected(check.outputs[i], expected_[i])) {
            return fmt::format("output {} is {}, expected {}", i, text_of(check.outputs[i]), text_of(expected_[i]));
        }
    }
    return {};
}

tracelift::Value traced_tensor(const Shape& shape, DataType dtype, Layout layout, const MemoryConfig& config) {
    return described(TensorSpec(shape, dtype, layout, config.with_shards_of_any_size()), StorageType::DEVICE);
}

MemoryConfig sharded(TensorMemoryLayout layout, BufferType buffer, const CoreRangeSet& cores,
                     std::array<uint32_t, 2> shape, ShardOrientation orientation) {
    return MemoryConfig(layout, buffer, ShardSpec{cores, shape, orientation});
}

}  // namespace ttnn
