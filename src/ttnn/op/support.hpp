// Rules that many operations share: output memory config, preallocated outputs, checks by argument.
#pragma once

#include <optional>
#include <string_view>

#include "ttnn/core/error.hpp"
#include "ttnn/op/parameter_types.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn {

// Explicit config, else the preallocated output's, else the first input's.
inline const MemoryConfig& output_memory_config(const std::optional<MemoryConfig>& given,
                                                const std::optional<Tensor>& preallocated, const Tensor& first_input) {
    if (given) {
        return *given;
    }
    return preallocated ? preallocated->memory_config() : first_input.memory_config();
}

// Explicit dtype against a preallocated output's: they must agree.
DataType output_dtype(std::string_view op, std::optional<DataType> given, const std::optional<Tensor>& preallocated,
                      DataType otherwise);

// A preallocated output must have the computed logical shape (leading ones ignored where allowed).
void check_preallocated(std::string_view op, std::string_view argument, const Tensor& preallocated,
                        const Shape& computed, bool ignore_leading_ones = false);

// Throws "<op>: argument '<argument>' must have layout <allowed>, got <layout>" and the like.
void check_layout(std::string_view op, std::string_view argument, const Tensor& tensor, Layout allowed);
void check_dtype(std::string_view op, std::string_view argument, const Tensor& tensor,
                 std::initializer_list<DataType> allowed);
void check_on_device(std::string_view op, std::string_view argument, const Tensor& tensor);
void check_interleaved(std::string_view op, std::string_view argument, const Tensor& tensor);

// Tiles of a tile tensor's padded shape: rows (all batches), columns.
inline uint64_t tile_columns(const Tensor& tensor) { return tensor.spec().page_columns(); }
inline uint64_t tile_rows(const Tensor& tensor) { return tensor.spec().page_rows(); }
// Bytes of one shard of a sharded tensor.
uint64_t shard_bytes(const Tensor& tensor);

}  // namespace ttnn
