// The closed list of parameter and result types of operations and configurations.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "ttnn/device/device.hpp"
#include "ttnn/device/mesh.hpp"
#include "ttnn/op/bcast_types.hpp"
#include "ttnn/op/binary_op_type.hpp"
#include "ttnn/op/ccl_types.hpp"
#include "ttnn/op/configs.hpp"
#include "ttnn/op/global_semaphore.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn {

using Scalar = std::variant<int64_t, double>;
using TensorOrScalar = std::variant<Tensor, int64_t, double>;
using Activation = std::variant<std::string, UnaryWithParam>;
using IntOrList = std::variant<int64_t, std::vector<int64_t>>;
using FloatOrList = std::variant<double, std::vector<double>>;
using Padding = std::vector<std::array<int64_t, 2>>;  // (before, after) per dimension
using GridOrSet = std::variant<CoreCoord, CoreRangeSet>;
using DeviceHandle = std::shared_ptr<Device>;
// Both sides alike (height, width), or (top, bottom, left, right).
using Padding2d = std::variant<std::array<uint32_t, 2>, std::array<uint32_t, 4>>;
using Padding1d = std::variant<int64_t, std::array<uint32_t, 2>>;  // both sides alike, or (left, right)
// Prepared weights, and the bias where there is one.
using WeightAndBias = std::tuple<Tensor, std::optional<Tensor>>;
// What convolutions return: the flags of the call say which.
template <class Size>
using ConvolutionResult = std::variant<Tensor, std::tuple<Tensor, Size>, std::tuple<Tensor, WeightAndBias>,
                                       std::tuple<Tensor, Size, WeightAndBias>>;
using Conv2dResult = ConvolutionResult<std::array<uint32_t, 2>>;  // height and width
using Conv1dResult = ConvolutionResult<int64_t>;                  // length

inline double as_double(const Scalar& scalar) {
    return std::visit([](auto value) { return static_cast<double>(value); }, scalar);
}

template <class... Ts>
struct TypeList {};

using ParameterTypes = TypeList<
    // numbers and text
    bool, int64_t, double, std::string, Scalar, std::vector<int64_t>, std::vector<double>, IntOrList, FloatOrList,
    Padding, std::array<uint32_t, 2>, std::optional<bool>, std::optional<int64_t>, std::optional<double>,
    std::optional<std::string>, std::optional<Scalar>, std::optional<std::vector<int64_t>>,
    std::optional<std::vector<double>>, std::optional<IntOrList>,
    // enums
    DataType, Layout, TensorMemoryLayout, BufferType, ShardOrientation, MathFidelity, ThrottleLevel, EmbeddingsType,
    SigmoidMode, TileReshapeMapMode, UnaryOpType, BinaryOpType, Op2DSliceType, BcastOpMath, BcastOpDim,
    std::optional<DataType>, std::optional<Layout>, std::optional<TensorMemoryLayout>, std::optional<MathFidelity>,
    // geometry
    Shape, CoreCoord, CoreRangeSet, CoreGrid, GridOrSet, Tile, MemoryConfig, std::optional<CoreRangeSet>,
    std::optional<CoreGrid>, std::optional<Tile>, std::optional<MemoryConfig>, std::optional<Shape>,
    // tensors
    Tensor, TensorOrScalar, std::vector<Tensor>, std::optional<Tensor>, std::optional<TensorOrScalar>,
    std::tuple<Tensor, Tensor>, std::tuple<Tensor, Tensor, Tensor>, std::optional<std::vector<Tensor>>,
    std::variant<Tensor, double, std::vector<double>>, std::variant<Tensor, std::vector<Tensor>>,
    // activations and configurations
    UnaryWithParam, std::vector<UnaryWithParam>, std::optional<UnaryWithParam>, std::optional<Activation>,
    ComputeKernelConfig, std::optional<ComputeKernelConfig>, std::optional<MatmulProgramConfig>,
    std::optional<MinimalMatmulConfig>, std::optional<LayerNormProgramConfig>, SoftmaxProgramConfig,
    std::optional<SDPAProgramConfig>,
    // convolutions and windows
    std::array<uint32_t, 3>, Padding2d, Padding1d, std::optional<Conv2dConfig>, std::optional<Op2DSliceConfig>,
    std::optional<Conv3dConfig>, Conv2dResult, Conv1dResult,
    // devices
    DeviceHandle, std::optional<DeviceHandle>,
    // meshes and what links their chips
    MeshCoordinate, std::optional<MeshCoordinateSet>, CclTopology, std::optional<CclTopology>, ReduceType,
    GlobalSemaphore, std::optional<GlobalSemaphore>, std::vector<GlobalSemaphore>,
    std::optional<std::vector<GlobalSemaphore>>, SemaphoreArgument>;

}  // namespace ttnn
