// Block sizes and tile formats that the programs of softmax and layer norm share.
#pragma once

#include "ttnn/op/parameter_types.hpp"

namespace ttnn::normalization {

// Largest divisor of `value` not above `limit`, never 7 or 5.
inline uint64_t largest_block(uint64_t value, uint64_t limit) {
    for (uint64_t block = limit; block > 1; --block) {
        if (block != 7 && block != 5 && value % block == 0) {
            return block;
        }
    }
    return 1;
}

inline bool fp32_accumulation(const std::optional<ComputeKernelConfig>& config, DataType dtype) {
    return config ? config->fp32_dest_acc_en : dtype == DataType::FLOAT32;
}

inline uint64_t tile_bytes(DataType dtype) { return Tile().bytes(dtype); }

// Row buffers of very wide tensors are cut to about this many tiles.
inline constexpr uint64_t longest_row_buffer = 80;

inline bool exceeds_l1(uint64_t bytes, uint64_t available) { return bytes > available / 10 * 9; }

}  // namespace ttnn::normalization
