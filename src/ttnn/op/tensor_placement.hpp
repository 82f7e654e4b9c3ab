// TensorPlacement: how a tensor lies on a mesh of several chips, in the three texts that masters have for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tracelift/value/sink.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn {

inline constexpr std::string_view placement_field = "tensor_placement";  // of an encoded tensor

struct TensorPlacement {
    Topology topology;
    MeshShape mesh;

    // Nothing for tensors on one chip, and where nobody said how it is spread.
    static std::optional<TensorPlacement> of(const Tensor& tensor) {
        return tensor.num_parts() == 1 && !tensor.chip() ? std::nullopt : of_several_chips(tensor);
    }

    // {"placement": "['PlacementShard(2)', 'PlacementReplicate']", "distribution_shape": "[4, 8]",
    //  "mesh_device_shape": "[4, 8]"}
    void put(tracelift::ValueSink& sink) const;
    // Throws DecodeError.
    static TensorPlacement decode(const tracelift::Value& value);

    // Chips with equal parts count once.
    uint32_t num_different_parts() const;

private:
    static std::optional<TensorPlacement> of_several_chips(const Tensor& tensor);
};

// A tensor that was made on the host or on `device`, spread as an encoded placement says. On one chip it stays as it
// is: what a chip of the mesh would hold. Throws DecodeError where the device is another mesh.
Tensor placed(Tensor tensor, const tracelift::Value& placement, const std::shared_ptr<Device>& device);

}  // namespace ttnn
