#include "ttnn/ops/eltwise/unary_activations.hpp"
#include "ttnn/ops/eltwise/unary_chain.hpp"
#include "ttnn/ops/matmul/matmul_program.hpp"

namespace ttnn::matmul_program {

Tensor activated(const Tensor& tensor, const UnaryWithParam& activation, const std::optional<Tensor>& output) {
    switch (activation.op_type) {
        case UnaryOpType::RELU: return relu(tensor, {.output_tensor = output});
        case UnaryOpType::GELU: {
            const bool approximate = !activation.params.empty() && activation.params.front() != 0.0F;
            return gelu(tensor, {.fast_and_approximate_mode = approximate, .output_tensor = output});
        }
        case UnaryOpType::SILU: return silu(tensor, {.output_tensor = output});
        case UnaryOpType::SIGMOID: return sigmoid(tensor, {.output_tensor = output});
        default: return unary_chain(tensor, {activation}, {.output_tensor = output});
    }
}

}  // namespace ttnn::matmul_program
