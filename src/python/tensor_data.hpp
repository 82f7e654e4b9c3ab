// Values of tensors to and from arrays of other libraries.
#pragma once

#include <optional>

#include <nanobind/nanobind.h>

#include "python/placements.hpp"
#include "ttnn/op/parameter_types.hpp"

namespace ttnn::python {

struct ArrayTarget {
    std::optional<DataType> dtype;  // nullopt: what the source type stands for
    std::optional<Layout> layout;   // nullopt: ROW_MAJOR, TILE for block floats
    DeviceHandle device;            // nullptr: host
    std::optional<MemoryConfig> memory_config;
    std::optional<Tile> tile;
    std::optional<double> pad_value;
    std::optional<TensorToMesh> mapper{};  // nullopt: every device gets all of it
    bool col_tilize = false;               // the last two dimensions change places before block floats are packed
};

// From anything that speaks DLPack or the buffer protocol; torch tensors of any strides included.
Tensor tensor_from_array(nanobind::handle source, const ArrayTarget& target);
// From numbers in nested or flat lists.
Tensor tensor_from_numbers(nanobind::handle numbers, const Shape& shape, const ArrayTarget& target);

// These throw for a tensor of several parts; values_of_mesh makes one of them.
// A new numpy array; BFLOAT16 and block floats become float32.
nanobind::object to_numpy(const Tensor& tensor, bool padded = false);
// An object that torch.from_dlpack takes: bfloat16 stays, UINT16 and UINT32 are widened where torch lacks them.
nanobind::object to_dlpack_source(const Tensor& tensor, bool widen_unsigned, bool padded = false);
nanobind::object to_nested_list(const Tensor& tensor);
nanobind::object to_number(const Tensor& tensor);

}  // namespace ttnn::python
