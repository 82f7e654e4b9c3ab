// What the tests of collectives share: tensors that hold other values on every chip, who works together, and meshes.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "movement_support.hpp"
#include "ttnn/device/device.hpp"

namespace ttnn::testing {

using Axis = std::optional<int64_t>;
using Values = std::vector<float>;

inline std::shared_ptr<Device> mesh_of(uint32_t rows, uint32_t columns) {
    return Device::open({.board = "n150", .mesh = {{rows, columns}}});
}

// Small enough that sums over 32 chips are exact in every dtype, and different on every chip.
inline float element(uint32_t chip, uint64_t index) {
    return static_cast<float>(((chip * 2654435761U + static_cast<uint32_t>(index) * 40503U) >> 7U) % 3U);
}

inline Values values_of(uint32_t chip, uint64_t count) {
    Values values(count);
    for (uint64_t i = 0; i < count; ++i) {
        values[i] = element(chip, i);
    }
    return values;
}

inline Tensor spread(const std::shared_ptr<Device>& device, const Shape& shape, DataType dtype, Layout layout) {
    Tensor tensor = Tensor::allocate_on_device(TensorSpec(shape, dtype, layout), device);
    for (uint32_t chip = 0; chip < device->num_chips(); ++chip) {
        Tensor part = tensor.part(chip);
        write<float>(part, values_of(chip, shape.volume()));
    }
    tensor.set_topology({{{0}, {1}}, device->mesh()});
    return tensor;
}

// The first of the chips that share their bytes with one: it was written for all of them.
inline uint32_t holder_of(const Tensor& tensor, uint32_t chip) {
    uint32_t first = 0;
    while (tensor.part_identity(first) != tensor.part_identity(chip)) {
        ++first;
    }
    return first;
}
inline std::vector<uint32_t> holders_of(const Tensor& tensor, std::vector<uint32_t> chips) {
    for (uint32_t& chip : chips) {
        chip = holder_of(tensor, chip);
    }
    return chips;
}

// The chips that work together with one, in rising order.
inline std::vector<uint32_t> group_of(const MeshShape& mesh, Axis axis, uint32_t chip) {
    const uint32_t columns = mesh.dims[1];
    std::vector<uint32_t> group;
    for (uint32_t other = 0; other < mesh.num_chips(); ++other) {
        const bool same_row = other / columns == chip / columns;
        const bool same_column = other % columns == chip % columns;
        if (!axis || (*axis == 0 ? same_column : same_row)) {
            group.push_back(other);
        }
    }
    return group;
}

inline size_t place_of(const std::vector<uint32_t>& group, uint32_t chip) {
    size_t place = 0;
    while (group[place] != chip) {
        ++place;
    }
    return place;
}

struct Kind {
    DataType dtype;
    Layout layout;
};
inline constexpr Kind kinds[] = {{DataType::BFLOAT16, Layout::TILE},
                                 {DataType::BFLOAT16, Layout::ROW_MAJOR},
                                 {DataType::FLOAT32, Layout::TILE},
                                 {DataType::BFLOAT8_B, Layout::TILE},
                                 {DataType::INT32, Layout::ROW_MAJOR}};

// On meshes of several shapes.
class OnMeshes : public ::testing::TestWithParam<std::array<uint32_t, 2>> {
protected:
    // Calls `check` for all axes, dims, shapes and kinds of tensors; and for tensors of which all chips of a row, of a
    // column or of the mesh hold the same bytes.
    template <class Check>
    void for_all(Check check) {
        const auto device = mesh_of(GetParam()[0], GetParam()[1]);
        for (const Shape& shape : {Shape({32, 64}), Shape({17, 40})}) {
            for (const Kind& kind : kinds) {
                for_axes_and_dims(spread(device, shape, kind.dtype, kind.layout), check);
            }
            const uint32_t columns = device->mesh().dims[1];
            const std::array<std::array<uint32_t, 2>, 3> kept = {{{1, 0}, {0, 1}, {0, 0}}};
            for (const auto& [row, column] : kept) {
                SCOPED_TRACE(fmt::format("copies along {}{}", row == 0 ? "rows " : "", column == 0 ? "columns" : ""));
                Tensor input = spread(device, shape, DataType::BFLOAT16, Layout::TILE);
                for (uint32_t chip = 0; chip < device->num_chips(); ++chip) {
                    input.share_part(chip / columns * row * columns + chip % columns * column, chip);
                }
                for_axes_and_dims(input, check);
            }
        }
    }

private:
    template <class Check>
    void for_axes_and_dims(const Tensor& input, Check check) {
        for (const Axis axis : {Axis(0), Axis(1), Axis()}) {
            for (const int64_t dim : {0, 1, -1}) {
                SCOPED_TRACE(fmt::format("axis {} dim {} of {} {} {}", axis.value_or(-1), dim, input.logical_shape(),
                                         input.dtype(), input.layout()));
                check(input, axis, dim, dim == 0 ? size_t{0} : size_t{1});
            }
        }
    }
};

inline auto some_meshes() {
    return ::testing::Values(std::array{1U, 2U}, std::array{1U, 8U}, std::array{2U, 4U}, std::array{4U, 8U});
}
inline std::string mesh_name(const ::testing::TestParamInfo<std::array<uint32_t, 2>>& mesh) {
    return fmt::format("{}x{}", mesh.param[0], mesh.param[1]);
}

}  // namespace ttnn::testing
