// What the norms of rows that are spread over chips share: each chip states what its part adds up to, the statements
// are joined along the last dimension, and each chip normalises its part with the statistics of the whole row.
#pragma once

#include "ttnn/op/parameter_types.hpp"

namespace ttnn::distributed_norm {

inline constexpr std::string_view statistics_doc =
    "a tile for each statistic of each chip, its first column in use; joined along the last dimension";

// Numbers that a chip states for each row.
inline uint32_t statistics_per_chip(bool center) { return center ? 2 : 1; }

inline const LayerNormShardedMultiCoreProgramConfig* sharded_config(
    const std::optional<LayerNormProgramConfig>& config) {
    return config ? std::get_if<LayerNormShardedMultiCoreProgramConfig>(&*config) : nullptr;
}

// Mean and variance instead of sums.
inline bool uses_welford(const std::optional<LayerNormProgramConfig>& config) {
    const auto* chosen = config ? std::get_if<LayerNormDefaultProgramConfig>(&*config) : nullptr;
    return chosen != nullptr && chosen->use_welford;
}

struct PreArguments {
    std::string_view op;
    bool center = true;  // layer norm; false: rms norm
    const Tensor& input;
    DataType dtype = DataType::BFLOAT16;
    std::optional<Tensor> residual{};
    std::optional<ComputeKernelConfig> compute_kernel_config{};
    std::optional<LayerNormProgramConfig> program_config{};
    std::optional<MemoryConfig> memory_config{};
    std::optional<Tensor> reciprocals{};
    std::string_view primitive = "ttnn::prim::layer_norm_pre_all_gather";  // of interleaved inputs
    bool sum_first = false;  // of interleaved inputs: the sum before the sum of squares

    // The program of sharded inputs stores the sum of both in the input.
    bool stores_sum() const { return residual && input.is_sharded(); }
};

struct PostArguments {
    std::string_view op;
    bool center = true;
    const Tensor& input;
    const Tensor& stats;
    double epsilon = 1e-12;
    std::optional<Tensor> weight{};
    std::optional<Tensor> bias{};
    std::optional<MemoryConfig> memory_config{};
    std::optional<ComputeKernelConfig> compute_kernel_config{};
    std::optional<LayerNormProgramConfig> program_config{};
    std::optional<DataType> dtype{};
    std::string_view primitive = "ttnn::prim::layer_norm_post_all_gather";
    bool sum_first = false;
    bool strict = false;  // interleaved rows and their vectors are as the two operations without a prefix want them
};

void validate(const PreArguments& args);
Tensor run(const PreArguments& args);
// Of the normalised rows: what the caller asked for, else like the input.
TensorSpec output_spec(const PostArguments& args);
void validate(const PostArguments& args);
Tensor run(const PostArguments& args);

// Normalised rows [1, 1, S, count * D] as heads [1, count, S, D], rotated where there is a matrix of 32 x 32.
struct HeadsArguments {
    uint32_t count = 1;
    Tensor matrix{};
    Tensor cosines{};
    Tensor sines{};
};
Tensor run(const PostArguments& args, const HeadsArguments& heads);

}  // namespace ttnn::distributed_norm
