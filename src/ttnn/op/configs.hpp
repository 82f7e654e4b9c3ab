// Compute and program configurations: plain records, each field declared once in
// config_fields.cpp for Python, tracing and decoding.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <variant>

#include "ttnn/core/enum_text.hpp"
#include "ttnn/device/board.hpp"
#include "ttnn/op/unary_op_type.hpp"
#include "ttnn/tensor/core_coord.hpp"
#include "ttnn/tensor/types.hpp"

namespace ttnn {

enum class MathFidelity : uint8_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4, Invalid = 255 };
enum class ThrottleLevel : uint8_t { NO_THROTTLE, LEVEL_1, LEVEL_2, LEVEL_3, LEVEL_4, LEVEL_5 };
enum class EmbeddingsType : uint8_t { GENERIC, PADDED, BINARY };
enum class SigmoidMode : uint8_t { Accurate, AccurateWithFastExp, FastApproximate };
enum class TileReshapeMapMode : uint8_t { CACHE, RECREATE };
enum class Op2DSliceType : uint8_t { DRAMSliceHeight, DRAMSliceWidth, L1Full };

template <>
struct EnumInfo<MathFidelity> {
    static constexpr std::string_view type = "MathFidelity";
    static constexpr EnumMember<MathFidelity> members[] = {{MathFidelity::LoFi, "LoFi"},
                                                           {MathFidelity::HiFi2, "HiFi2"},
                                                           {MathFidelity::HiFi3, "HiFi3"},
                                                           {MathFidelity::HiFi4, "HiFi4"},
                                                           {MathFidelity::Invalid, "Invalid"}};
};
template <>
struct EnumInfo<ThrottleLevel> {
    static constexpr std::string_view type = "ThrottleLevel";
    static constexpr EnumMember<ThrottleLevel> members[] = {
        {ThrottleLevel::NO_THROTTLE, "NO_THROTTLE"}, {ThrottleLevel::LEVEL_1, "LEVEL_1"},
        {ThrottleLevel::LEVEL_2, "LEVEL_2"},         {ThrottleLevel::LEVEL_3, "LEVEL_3"},
        {ThrottleLevel::LEVEL_4, "LEVEL_4"},         {ThrottleLevel::LEVEL_5, "LEVEL_5"}};
};
template <>
struct EnumInfo<EmbeddingsType> {
    static constexpr std::string_view type = "EmbeddingsType";
    static constexpr EnumMember<EmbeddingsType> members[] = {
        {EmbeddingsType::GENERIC, "GENERIC"}, {EmbeddingsType::PADDED, "PADDED"}, {EmbeddingsType::BINARY, "BINARY"}};
};
template <>
struct EnumInfo<SigmoidMode> {
    static constexpr std::string_view type = "SigmoidMode";
    static constexpr EnumMember<SigmoidMode> members[] = {{SigmoidMode::Accurate, "Accurate"},
                                                          {SigmoidMode::AccurateWithFastExp, "AccurateWithFastExp"},
                                                          {SigmoidMode::FastApproximate, "FastApproximate"}};
};
template <>
struct EnumInfo<TileReshapeMapMode> {
    static constexpr std::string_view type = "TileReshapeMapMode";
    static constexpr EnumMember<TileReshapeMapMode> members[] = {{TileReshapeMapMode::CACHE, "CACHE"},
                                                                 {TileReshapeMapMode::RECREATE, "RECREATE"}};
};
template <>
struct EnumInfo<Op2DSliceType> {
    static constexpr std::string_view type = "SliceTypeEnum";
    static constexpr EnumMember<Op2DSliceType> members[] = {{Op2DSliceType::DRAMSliceHeight, "DRAMSliceHeight"},
                                                            {Op2DSliceType::DRAMSliceWidth, "DRAMSliceWidth"},
                                                            {Op2DSliceType::L1Full, "L1Full"}};
};

struct ComputeKernelConfig {
    MathFidelity math_fidelity = MathFidelity::Invalid;
    bool math_approx_mode = true;
    bool fp32_dest_acc_en = false;
    bool packer_l1_acc = false;
    bool dst_full_sync_en = false;
    ThrottleLevel throttle_level = ThrottleLevel::NO_THROTTLE;
    bool operator==(const ComputeKernelConfig&) const = default;
};

struct MatmulMultiCoreReuseProgramConfig {
    CoreCoord compute_with_storage_grid_size{};
    int64_t in0_block_w = 1;
    int64_t out_subblock_h = 1;
    int64_t out_subblock_w = 1;
    int64_t per_core_M = 1;  // NOLINT(readability-identifier-naming): the users' name
    int64_t per_core_N = 1;  // NOLINT(readability-identifier-naming)
    bool operator==(const MatmulMultiCoreReuseProgramConfig&) const = default;
};
struct MatmulMultiCoreReuseMultiCastProgramConfig {
    CoreCoord compute_with_storage_grid_size{};
    int64_t in0_block_w = 1;
    int64_t out_subblock_h = 1;
    int64_t out_subblock_w = 1;
    std::optional<int64_t> out_block_h{};
    std::optional<int64_t> out_block_w{};
    int64_t per_core_M = 1;  // NOLINT(readability-identifier-naming)
    int64_t per_core_N = 1;  // NOLINT(readability-identifier-naming)
    bool transpose_mcast = false;
    std::optional<UnaryWithParam> fused_activation{};
    bool fuse_batch = true;
    bool operator==(const MatmulMultiCoreReuseMultiCastProgramConfig&) const = default;
};
struct MatmulMultiCoreReuseMultiCast1DProgramConfig {
    CoreCoord compute_with_storage_grid_size{};
    int64_t in0_block_w = 1;
    int64_t out_subblock_h = 1;
    int64_t out_subblock_w = 1;
    std::optional<int64_t> out_block_h{};
    std::optional<int64_t> out_block_w{};
    int64_t per_core_M = 1;  // NOLINT(readability-identifier-naming)
    int64_t per_core_N = 1;  // NOLINT(readability-identifier-naming)
    bool fuse_batch = true;
    std::optional<UnaryWithParam> fused_activation{};
    bool mcast_in0 = true;
    bool gather_in0 = false;
    CoreRangeSet hop_cores{};
    int64_t num_global_cb_receivers = 1;
    bool untilize_out = false;
    bool operator==(const MatmulMultiCoreReuseMultiCast1DProgramConfig&) const = default;
};
struct MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig {
    int64_t in0_block_w = 1;
    int64_t per_core_M = 1;  // NOLINT(readability-identifier-naming)
    int64_t per_core_N = 1;  // NOLINT(readability-identifier-naming)
    std::optional<UnaryWithParam> fused_activation{};
    bool operator==(const MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig&) const = default;
};
struct MatmulMultiCoreReuseMultiCastBatchedDRAMShardedProgramConfig {
    int64_t in0_block_w = 1;
    int64_t per_core_M = 1;  // NOLINT(readability-identifier-naming)
    int64_t per_core_N = 1;  // NOLINT(readability-identifier-naming)
    std::optional<UnaryWithParam> fused_activation{};
    bool operator==(const MatmulMultiCoreReuseMultiCastBatchedDRAMShardedProgramConfig&) const = default;
};
struct MinimalMatmulConfig {
    int64_t M_block_size = 1;  // NOLINT(readability-identifier-naming): the users' name
    int64_t K_block_size = 1;  // NOLINT(readability-identifier-naming)
    int64_t N_block_size = 1;  // NOLINT(readability-identifier-naming)
    int64_t subblock_h = 1;
    int64_t subblock_w = 1;
    CoreCoord compute_with_storage_grid_size{1, 1};
    bool operator==(const MinimalMatmulConfig&) const = default;
};
using MatmulProgramConfig =
    std::variant<MatmulMultiCoreReuseProgramConfig, MatmulMultiCoreReuseMultiCastProgramConfig,
                 MatmulMultiCoreReuseMultiCast1DProgramConfig, MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig,
                 MatmulMultiCoreReuseMultiCastBatchedDRAMShardedProgramConfig>;

struct LayerNormDefaultProgramConfig {
    bool legacy_reduction = false;
    bool legacy_rsqrt = false;
    bool use_welford = false;
    bool operator==(const LayerNormDefaultProgramConfig&) const = default;
};
struct LayerNormShardedMultiCoreProgramConfig {
    CoreCoord compute_with_storage_grid_size{};
    int64_t subblock_w = 1;
    int64_t block_h = 1;
    int64_t block_w = 1;
    bool inplace = false;
    bool legacy_reduction = false;
    bool legacy_rsqrt = false;
    bool use_welford = false;
    bool operator==(const LayerNormShardedMultiCoreProgramConfig&) const = default;
};
using LayerNormProgramConfig = std::variant<LayerNormDefaultProgramConfig, LayerNormShardedMultiCoreProgramConfig>;

struct SoftmaxDefaultProgramConfig {
    bool operator==(const SoftmaxDefaultProgramConfig&) const = default;
};
struct SoftmaxShardedMultiCoreProgramConfig {
    CoreCoord compute_with_storage_grid_size{};
    int64_t subblock_w = 1;
    int64_t block_h = 1;
    int64_t block_w = 1;
    bool operator==(const SoftmaxShardedMultiCoreProgramConfig&) const = default;
};
using SoftmaxProgramConfig = std::variant<SoftmaxDefaultProgramConfig, SoftmaxShardedMultiCoreProgramConfig>;

struct SDPAProgramConfig {
    CoreCoord compute_with_storage_grid_size{};
    std::optional<CoreRangeSet> sub_core_grids{};
    int64_t q_chunk_size = 32;
    int64_t k_chunk_size = 32;
    std::optional<bool> exp_approx_mode{};
    int64_t max_cores_per_head_batch = 16;
    bool operator==(const SDPAProgramConfig&) const = default;
};

// How an operation over images in DRAM cuts them into parts that it works on in L1.
struct Op2DSliceConfig {
    Op2DSliceType slice_type = Op2DSliceType::DRAMSliceWidth;
    int64_t num_slices = 0;  // 0: as many as it takes
    bool operator==(const Op2DSliceConfig&) const = default;
};
// Of what is here only weights_dtype, activation and output_layout change results; the rest is placement and speed.
struct Conv2dConfig {
    std::optional<DataType> weights_dtype{};
    std::optional<std::variant<std::string, UnaryWithParam>> activation{};
    bool deallocate_activation = false;
    bool reallocate_halo_output = true;
    bool config_tensors_in_dram = false;
    int64_t act_block_h_override = 0;
    int64_t act_block_w_div = 1;
    bool reshard_if_not_optimal = false;
    bool override_sharding_config = false;
    std::optional<TensorMemoryLayout> shard_layout{};
    std::optional<CoreRangeSet> core_grid{};
    bool transpose_shards = false;
    Layout output_layout = Layout::TILE;
    bool enable_act_double_buffer = false;
    bool enable_weights_double_buffer = false;
    bool full_inner_dim = false;
    std::optional<bool> enable_kernel_stride_folding{};
    bool enable_activation_reuse = false;
    std::optional<bool> force_split_reader{};
    bool override_output_sharding_config = false;
    bool operator==(const Conv2dConfig&) const = default;
};
struct Conv3dConfig {
    DataType weights_dtype = DataType::BFLOAT16;
    Layout output_layout = Layout::ROW_MAJOR;
    int64_t T_out_block = 1;  // NOLINT(readability-identifier-naming): the users' names
    int64_t W_out_block = 1;  // NOLINT(readability-identifier-naming)
    int64_t H_out_block = 1;  // NOLINT(readability-identifier-naming)
    int64_t C_out_block = 0;  // NOLINT(readability-identifier-naming)
    int64_t C_in_block = 0;   // NOLINT(readability-identifier-naming)
    std::array<uint32_t, 3> dilation{1, 1, 1};
    CoreCoord compute_with_storage_grid_size{1, 1};
    bool operator==(const Conv3dConfig&) const = default;
};

}  // namespace ttnn
