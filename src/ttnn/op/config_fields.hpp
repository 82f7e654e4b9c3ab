// The members of every configuration record, written down once: Python classes, traces, decoding and text use these.
#pragma once

#include "ttnn/op/configs.hpp"
#include "ttnn/op/field.hpp"

namespace ttnn {

// Specialised for each record: its Python class name, fields and a line of documentation.
template <class T>
struct RecordInfo;

template <class T>
concept Record = requires {
    RecordInfo<T>::name;
};

template <>
struct RecordInfo<ComputeKernelConfig> {
    using C = ComputeKernelConfig;
    static constexpr std::string_view name = "WormholeComputeKernelConfig";
    static constexpr std::string_view doc =
        "Precision of the compute kernels; BlackholeComputeKernelConfig is the same.";
    static constexpr FieldList fields{kw<&C::math_fidelity>(), kw<&C::math_approx_mode>(), kw<&C::fp32_dest_acc_en>(),
                                      kw<&C::packer_l1_acc>(), kw<&C::dst_full_sync_en>(), kw<&C::throttle_level>()};
};
template <>
struct RecordInfo<MatmulMultiCoreReuseProgramConfig> {
    using C = MatmulMultiCoreReuseProgramConfig;
    static constexpr std::string_view name = "MatmulMultiCoreReuseProgramConfig";
    static constexpr std::string_view doc = "Matmul without multicast.";
    static constexpr FieldList fields{kwreq<&C::compute_with_storage_grid_size>(),
                                      kwreq<&C::in0_block_w>(),
                                      kwreq<&C::out_subblock_h>(),
                                      kwreq<&C::out_subblock_w>(),
                                      kwreq<&C::per_core_M>(),
                                      kwreq<&C::per_core_N>()};
};
template <>
struct RecordInfo<MatmulMultiCoreReuseMultiCastProgramConfig> {
    using C = MatmulMultiCoreReuseMultiCastProgramConfig;
    static constexpr std::string_view name = "MatmulMultiCoreReuseMultiCastProgramConfig";
    static constexpr std::string_view doc = "Matmul on a 2-D grid with multicast of both operands.";
    static constexpr FieldList fields{kwreq<&C::compute_with_storage_grid_size>(),
                                      kwreq<&C::in0_block_w>(),
                                      kwreq<&C::out_subblock_h>(),
                                      kwreq<&C::out_subblock_w>(),
                                      kw<&C::out_block_h>("default: per_core_M"),
                                      kw<&C::out_block_w>("default: per_core_N"),
                                      kwreq<&C::per_core_M>(),
                                      kwreq<&C::per_core_N>(),
                                      kwreq<&C::transpose_mcast>(),
                                      kw<&C::fused_activation>(),
                                      kw<&C::fuse_batch>()};
};
template <>
struct RecordInfo<MatmulMultiCoreReuseMultiCast1DProgramConfig> {
    using C = MatmulMultiCoreReuseMultiCast1DProgramConfig;
    static constexpr std::string_view name = "MatmulMultiCoreReuseMultiCast1DProgramConfig";
    static constexpr std::string_view doc = "Matmul on a row of cores with multicast of one operand.";
    static constexpr FieldList fields{kwreq<&C::compute_with_storage_grid_size>(),
                                      kwreq<&C::in0_block_w>(),
                                      kwreq<&C::out_subblock_h>(),
                                      kwreq<&C::out_subblock_w>(),
                                      kw<&C::out_block_h>("default: per_core_M"),
                                      kw<&C::out_block_w>("default: per_core_N"),
                                      kwreq<&C::per_core_M>(),
                                      kwreq<&C::per_core_N>(),
                                      kwreq<&C::fuse_batch>(),
                                      kw<&C::fused_activation>(),
                                      kwreq<&C::mcast_in0>(),
                                      kw<&C::gather_in0>(),
                                      kw<&C::hop_cores>(),
                                      kw<&C::num_global_cb_receivers>(),
                                      kw<&C::untilize_out>()};
};
template <>
struct RecordInfo<MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig> {
    using C = MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig;
    static constexpr std::string_view name = "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig";
    static constexpr std::string_view doc = "Matmul with weights sharded over DRAM banks.";
    static constexpr FieldList fields{kwreq<&C::in0_block_w>(), kwreq<&C::per_core_M>(), kwreq<&C::per_core_N>(),
                                      kw<&C::fused_activation>()};
};
template <>
struct RecordInfo<MatmulMultiCoreReuseMultiCastBatchedDRAMShardedProgramConfig> {
    using C = MatmulMultiCoreReuseMultiCastBatchedDRAMShardedProgramConfig;
    static constexpr std::string_view name = "MatmulMultiCoreReuseMultiCastBatchedDRAMShardedProgramConfig";
    static constexpr std::string_view doc = "Batched matmul with weights sharded over DRAM banks.";
    static constexpr FieldList fields{kwreq<&C::in0_block_w>(), kwreq<&C::per_core_M>(), kwreq<&C::per_core_N>(),
                                      kw<&C::fused_activation>()};
};
template <>
struct RecordInfo<MinimalMatmulConfig> {
    using C = MinimalMatmulConfig;
    static constexpr std::string_view name = "MinimalMatmulConfig";
    static constexpr std::string_view doc = "Blocks of minimal_matmul, in tiles.";
    static constexpr FieldList fields{kw<&C::M_block_size>("rows of the output"),
                                      kw<&C::K_block_size>("along the inner dimension"),
                                      kw<&C::N_block_size>("columns of the output"),
                                      kw<&C::subblock_h>(),
                                      kw<&C::subblock_w>(),
                                      kw<&C::compute_with_storage_grid_size>("cores to use")};
};
template <>
struct RecordInfo<LayerNormDefaultProgramConfig> {
    using C = LayerNormDefaultProgramConfig;
    static constexpr std::string_view name = "LayerNormDefaultProgramConfig";
    static constexpr std::string_view doc = "Layer norm of interleaved tensors.";
    static constexpr FieldList fields{kw<&C::legacy_reduction>(), kw<&C::legacy_rsqrt>(), kw<&C::use_welford>()};
};
template <>
struct RecordInfo<LayerNormShardedMultiCoreProgramConfig> {
    using C = LayerNormShardedMultiCoreProgramConfig;
    static constexpr std::string_view name = "LayerNormShardedMultiCoreProgramConfig";
    static constexpr std::string_view doc = "Layer norm of sharded tensors.";
    static constexpr FieldList fields{kwreq<&C::compute_with_storage_grid_size>(),
                                      kwreq<&C::subblock_w>(),
                                      kwreq<&C::block_h>(),
                                      kwreq<&C::block_w>(),
                                      kwreq<&C::inplace>(),
                                      kw<&C::legacy_reduction>(),
                                      kw<&C::legacy_rsqrt>(),
                                      kw<&C::use_welford>()};
};
template <>
struct RecordInfo<SoftmaxDefaultProgramConfig> {
    static constexpr std::string_view name = "SoftmaxDefaultProgramConfig";
    static constexpr std::string_view doc = "Softmax of interleaved tensors.";
    static constexpr FieldList<> fields{};
};
template <>
struct RecordInfo<SoftmaxShardedMultiCoreProgramConfig> {
    using C = SoftmaxShardedMultiCoreProgramConfig;
    static constexpr std::string_view name = "SoftmaxShardedMultiCoreProgramConfig";
    static constexpr std::string_view doc = "Softmax of sharded tensors.";
    static constexpr FieldList fields{kwreq<&C::compute_with_storage_grid_size>(), kwreq<&C::subblock_w>(),
                                      kwreq<&C::block_h>(), kwreq<&C::block_w>()};
};
template <>
struct RecordInfo<SDPAProgramConfig> {
    using C = SDPAProgramConfig;
    static constexpr std::string_view name = "SDPAProgramConfig";
    static constexpr std::string_view doc = "Chunking of scaled dot product attention.";
    static constexpr FieldList fields{kwreq<&C::compute_with_storage_grid_size>(),
                                      kw<&C::sub_core_grids>(),
                                      kwreq<&C::q_chunk_size>(),
                                      kwreq<&C::k_chunk_size>(),
                                      kw<&C::exp_approx_mode>(),
                                      kw<&C::max_cores_per_head_batch>()};
};
template <>
struct RecordInfo<Op2DSliceConfig> {
    using C = Op2DSliceConfig;
    static constexpr std::string_view name = "Op2DSliceConfig";
    static constexpr std::string_view doc = "How images in DRAM are cut into parts that fit into L1.";
    static constexpr FieldList fields{kwreq<&C::slice_type>(), kw<&C::num_slices>("default: as many as it takes")};
};
template <>
struct RecordInfo<Conv2dConfig> {
    using C = Conv2dConfig;
    static constexpr std::string_view name = "Conv2dConfig";
    static constexpr std::string_view doc = "How a convolution runs; Conv1dConfig is the same.";
    static constexpr FieldList fields{kw<&C::weights_dtype>("of prepared weights, default: the weights' own"),
                                      kw<&C::activation>("function applied to the result"),
                                      kw<&C::deallocate_activation>("frees an input in L1"),
                                      kw<&C::reallocate_halo_output>(),
                                      kw<&C::config_tensors_in_dram>(),
                                      kw<&C::act_block_h_override>("rows of a block, in elements"),
                                      kw<&C::act_block_w_div>(),
                                      kw<&C::reshard_if_not_optimal>("leaves the shards of the input"),
                                      kw<&C::override_sharding_config>("shards over core_grid"),
                                      kw<&C::shard_layout>("default: the smallest in L1"),
                                      kw<&C::core_grid>(),
                                      kw<&C::transpose_shards>("block shards go down the columns of cores"),
                                      kw<&C::output_layout>(),
                                      kw<&C::enable_act_double_buffer>(),
                                      kw<&C::enable_weights_double_buffer>(),
                                      kw<&C::full_inner_dim>(),
                                      kw<&C::enable_kernel_stride_folding>(),
                                      kw<&C::enable_activation_reuse>(),
                                      kw<&C::force_split_reader>(),
                                      kw<&C::override_output_sharding_config>()};
};
template <>
struct RecordInfo<Conv3dConfig> {
    using C = Conv3dConfig;
    static constexpr std::string_view name = "Conv3dConfig";
    static constexpr std::string_view doc = "Blocks of a 3-D convolution.";
    static constexpr FieldList fields{kw<&C::weights_dtype>(),
                                      kw<&C::output_layout>(),
                                      kw<&C::T_out_block>(),
                                      kw<&C::W_out_block>(),
                                      kw<&C::H_out_block>(),
                                      kw<&C::C_out_block>("default: all channels"),
                                      kw<&C::C_in_block>("default: all channels"),
                                      kw<&C::dilation>(),
                                      kw<&C::compute_with_storage_grid_size>()};
};

// The erased table of a record.
template <Record T>
const std::vector<FieldInfo>& record_fields() {
    static const T defaults{};
    static const std::vector<FieldInfo> table = RecordInfo<T>::fields.lower(defaults);
    return table;
}

}  // namespace ttnn
