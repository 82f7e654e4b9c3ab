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

// The erased table of a record.
template <Record T>
const std::vector<FieldInfo>& record_fields() {
    static const T defaults{};
    static const std::vector<FieldInfo> table = RecordInfo<T>::fields.lower(defaults);
    return table;
}

}  // namespace ttnn
