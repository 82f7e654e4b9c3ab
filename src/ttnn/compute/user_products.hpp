// Products of decoding attention: every user has a matrix of its own.
#pragma once

#include <cstddef>

#include "ttnn/compute/guard.hpp"

namespace ttnn::compute {

// a [heads, users, k], b [users, kv_heads, ...] -> out [heads, users, n]. Head h meets kv head h / (heads / kv_heads);
// of each of these the first k x n numbers count, or n x k where b is transposed.
struct UserProducts {
    size_t heads = 0;
    size_t users = 0;
    size_t kv_heads = 1;
    size_t k = 0;
    size_t n = 0;
    size_t b_size = 0;  // numbers of one kv head of a user
    bool transpose_b = false;
};
void multiply_users(const UserProducts& shape, const float* a, const float* b, float* out);

}  // namespace ttnn::compute
