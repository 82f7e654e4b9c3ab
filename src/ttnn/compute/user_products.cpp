#include "ttnn/compute/user_products.hpp"

#include <algorithm>
#include <vector>

#include "ttnn/compute/gemm.hpp"
#include "ttnn/core/stop.hpp"

namespace ttnn::compute {

void multiply_users(const UserProducts& shape, const float* a, const float* b, float* out) {
    const size_t group = shape.heads / shape.kv_heads;
    std::vector<float> rows(group * shape.k);
    std::vector<float> product(group * shape.n);
    for (size_t user = 0; user < shape.users; ++user) {
        for (size_t kv = 0; kv < shape.kv_heads; ++kv) {
            checkpoint();
            for (size_t i = 0; i < group; ++i) {
                std::copy_n(a + ((kv * group + i) * shape.users + user) * shape.k, shape.k, rows.data() + i * shape.k);
            }
            gemm({.m = group, .n = shape.n, .k = shape.k, .transpose_b = shape.transpose_b}, rows.data(),
                 b + (user * shape.kv_heads + kv) * shape.b_size, product.data());
            for (size_t i = 0; i < group; ++i) {
                std::copy_n(product.data() + i * shape.n, shape.n,
                            out + ((kv * group + i) * shape.users + user) * shape.n);
            }
        }
    }
}

}  // namespace ttnn::compute
