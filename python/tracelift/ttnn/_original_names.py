"""Public names of TT-NN that tracelift.ttnn does not have, so that asking for one can say so.

A name that is emulated by now is never looked up here.
"""

NAMES = frozenset(
    f"ttnn.{name}"
    for name in """
    CBDescriptor CBFormatDescriptor ComputeConfigDescriptor Conv1d Conv1dConfig Conv2dConfig Conv2dDRAMSliceHeight
    Conv2dDRAMSliceWidth Conv2dL1Full Conv2dL1FullSliceConfig Conv2dSliceConfig Conv3dConfig CppMeshToTensor
    CppTensorToMesh D2HSocket DataMovementConfigDescriptor FabricRouterConfig H2DSocket KernelDescriptor
    LayerNormInputs LayerNormParams MeshCoreCoord MeshProgramDescriptor MeshSocket MinimalMatmulConfig NOC_MODE
    Op2DDRAMSliceHeight Op2DDRAMSliceWidth Op2DSliceConfig ProgramDescriptor ReaderConfigDescriptor RuntimeArgs
    SemaphoreDescriptor SlidingWindowParallelConfig SocketConfig SocketConnection SocketMemoryConfig
    TensorAccessorArgs TileDescriptor WriterConfigDescriptor abs_bw acos_bw acosh_bw adaptive_avg_pool2d
    adaptive_max_pool2d add_bw addalpha_bw addcdiv_bw addcmul_bw all_broadcast all_gather all_reduce
    all_to_all_combine all_to_all_dispatch angle angle_bw apply_device_delay asin_bw asinh_bw assign_bw atan2_bw
    atan_bw atanh_bw avg_pool2d barrier batch_norm bcast bias_gelu_bw bmm broadcast cb_descriptor_from_sharded_tensor
    ceil_bw celu_bw clamp_bw clip_bw cluster.serialize_cluster_descriptor complex_tensor
    composite_example_multiple_return concat_bw conj conj_bw conv1d conv2d conv_transpose2d core core.divup
    core.roundup cos_bw cosh_bw create_global_circular_buffer create_global_semaphore create_group_norm_input_mask
    create_group_norm_input_negative_mask create_group_norm_reciprocals create_group_norm_weight_bias_rm
    create_layer_norm_reciprocals create_layernorm_program_config create_socket_pair cumprod cumsum decorators
    deg2rad_bw dequantize determine_expected_group_norm_sharded_config_and_grid_size device.ClearKernelCache
    device.CloseDevice device.DeallocateBuffers device.Device device.DisableMemoryReports device.DispatchCoreConfig
    device.EnableMemoryReports device.ReadDeviceProfiler device.get_optimal_dram_bank_to_logical_worker_assignment
    device.setup_fast_dispatch device.synchronize_device digamma_bw distribute distributed distributed.get_num_devices
    distributed.get_num_pcie_devices distributed_context_barrier distributed_context_get_rank
    distributed_context_get_size distributed_context_is_initialized div_bw div_no_nan_bw dot_access
    dram_group_norm_params_from_torch dram_prefetcher dtype elu_bw ema embedding_bw enable_asynchronous_slow_dispatch
    erf_bw erfc_bw erfinv_bw exp2_bw exp_bw experimental.add experimental.all_gather_async
    experimental.all_gather_async_reversed experimental.all_gather_concat experimental.all_gather_matmul
    experimental.all_gather_matmul_async experimental.all_reduce experimental.all_reduce_async
    experimental.all_reduce_create_qkv_heads experimental.all_to_all_async experimental.all_to_all_async_generic
    experimental.all_to_all_dispatch_metadata experimental.attn_matmul experimental.attn_matmul_from_cache
    experimental.bias_gelu experimental.broadcast_to experimental.concatenate_heads experimental.conv3d
    experimental.convert_to_chw experimental.convert_to_hwc experimental.create_qkv_heads
    experimental.create_qkv_heads_from_separate_tensors experimental.deepseek experimental.deepseek.mla
    experimental.deepseek.mla.matmul_wo experimental.deepseek.moe experimental.deepseek.moe.moe_gate_mm
    experimental.deepseek_grouped_gate experimental.deepseek_moe_fast_reduce_nc
    experimental.deepseek_moe_reduce_scatter experimental.dit_layernorm_post_allgather
    experimental.dit_layernorm_pre_allgather experimental.dit_minimal_matmul_addcmul_fused
    experimental.dit_rms_norm_unary_fused experimental.div experimental.dropout experimental.eq
    experimental.fast_reduce_nc experimental.gelu_bw experimental.get_moe_combine_cores experimental.group_attn_matmul
    experimental.gt experimental.gte experimental.hc_sum_reduce experimental.intimg experimental.isin
    experimental.ldexp experimental.llama_all_gather_matmul_async experimental.llama_reduce_scatter
    experimental.llama_rs_create_heads experimental.llama_rs_matmul experimental.logaddexp experimental.logaddexp2
    experimental.logical_and experimental.logical_or experimental.logical_xor experimental.lt experimental.lte
    experimental.matmul_reduce_scatter_async experimental.minimal_matmul experimental.minimal_matmul_split
    experimental.moe_compute experimental.mul experimental.ne experimental.neighbor_pad_async
    experimental.nlp_concat_heads experimental.nlp_concat_heads_boltz experimental.nlp_concat_heads_decode
    experimental.nlp_create_qkv_heads experimental.nlp_create_qkv_heads_boltz experimental.nlp_create_qkv_heads_decode
    experimental.nlp_create_qkv_heads_falcon7b experimental.nlp_create_qkv_heads_segformer
    experimental.nlp_create_qkv_heads_vit experimental.nlp_kv_cache_load_slice experimental.paged_fill_cache
    experimental.paged_fused_update_cache experimental.paged_update_cache experimental.prefix_scan
    experimental.recv_async experimental.reduce_scatter_minimal_async experimental.repeat_and_interleave_eltwise_mul
    experimental.ring_attention_all_gather_async experimental.rotary_embedding experimental.rotary_embedding_llama
    experimental.rotary_embedding_llama_fused_qk experimental.rotate_half experimental.selective_reduce_combine
    experimental.send_async experimental.slice_reshard_async experimental.slice_write
    experimental.split_query_key_value_and_split_heads experimental.squared_difference
    experimental.strided_all_gather_async experimental.strided_all_gather_minimal_matmul_async experimental.sub
    experimental.typecast experimental.wan_fused_rmsnorm_post_allgather experimental.wan_fused_rmsnorm_pre_allgather
    expm1_bw fill_bw fill_cache fill_ones_rm fill_rm fill_zero_bw floor_bw fmod_bw fold frac_bw from_buffer
    fused_rms_minimal gather gelu_bw generic_op get_all_programs_perf_data get_cb_address get_conv_output_dim
    get_global_semaphore_address get_latest_programs_perf_data get_max_worker_l1_unreserved_size get_num_pcie_devices
    get_tt_fabric_max_payload_size_bytes get_tt_fabric_packet_header_size_bytes global_avg_pool2d grid_sample
    group_norm hardshrink_bw hardsigmoid_bw hardswish_bw hardtanh_bw hypot_bw i0_bw imag imag_bw index_fill
    indexed_fill init_distributed_context interleaved_to_sharded_partial is_imag is_real kv_cache
    kv_cache.fill_cache_for_user_ kv_cache.update_cache_for_token_ l1_loss layer_norm_post_all_gather
    layer_norm_pre_all_gather layernorm_default_compute_config ldexp_bw leaky_relu_bw lerp_bw lgamma_bw
    light_metal_begin_capture light_metal_end_capture log10_bw log1p_bw log2_bw log_bw log_sigmoid_bw logaddexp2_bw
    logaddexp_bw logit_bw logiteps_bw manual_seed max_bw max_pool2d merge_program_descriptors mesh_partition min_bw
    model_preprocessing model_preprocessing.ParameterDict model_preprocessing.preprocess_model_parameters moe
    moe_expert_token_remap moe_routing_remap moreh_abs_pow moreh_adam moreh_adamw moreh_arange moreh_bmm
    moreh_bmm_backward moreh_clip_grad_norm moreh_cumsum moreh_cumsum_backward moreh_dot moreh_dot_backward moreh_fold
    moreh_full moreh_full_like moreh_getitem moreh_group_norm moreh_group_norm_backward moreh_layer_norm
    moreh_layer_norm_backward moreh_linear moreh_linear_backward moreh_logsoftmax moreh_logsoftmax_backward
    moreh_matmul moreh_matmul_backward moreh_mean moreh_mean_backward moreh_nll_loss moreh_nll_loss_backward
    moreh_nll_loss_unreduced_backward moreh_norm moreh_norm_backward moreh_sgd moreh_softmax moreh_softmax_backward
    moreh_softmin moreh_softmin_backward moreh_sum moreh_sum_backward mse_loss mul_bw multigammaln_bw neg_bw nonzero
    operations operations.moreh operations.moreh.adam operations.moreh.adamw operations.moreh.arange
    operations.moreh.bmm operations.moreh.bmm_backward operations.moreh.clip_grad_norm operations.moreh.cumsum
    operations.moreh.cumsum_backward operations.moreh.dot operations.moreh.dot_backward operations.moreh.fold
    operations.moreh.getitem operations.moreh.group_norm operations.moreh.group_norm_backward
    operations.moreh.layer_norm operations.moreh.layer_norm_backward operations.moreh.linear
    operations.moreh.linear_backward operations.moreh.logsoftmax operations.moreh.logsoftmax_backward
    operations.moreh.matmul operations.moreh.matmul_backward operations.moreh.mean operations.moreh.mean_backward
    operations.moreh.nll_loss operations.moreh.nll_loss_backward operations.moreh.nll_loss_unreduced_backward
    operations.moreh.norm operations.moreh.norm_backward operations.moreh.sgd operations.moreh.softmax
    operations.moreh.softmax_backward operations.moreh.softmin operations.moreh.softmin_backward operations.moreh.sum
    operations.moreh.sum_backward operations.normalization operations.normalization.dram_group_norm_virtual_columns
    operations.normalization.find_max_tile_span padded_slice plus_one point_to_point polar polar_bw polygamma_bw
    pow_bw prepare_conv_bias prepare_conv_transpose2d_bias prepare_conv_transpose2d_weights prepare_conv_weights
    prepare_grid_sample_grid prod_bw profiler quantize rad2deg_bw rdiv_bw real real_bw reciprocal_bw reduce_scatter
    reduce_to_root reflection relu6_bw relu_bw remainder_bw repeat_bw repeat_interleave requantize
    reset_global_semaphore_value reshape_on_device rms_norm_post_all_gather rms_norm_pre_all_gather
    rmsnorm_default_compute_config roll rotate round_bw rpow_bw rsqrt_bw rsub_bw sampling scatter scatter_add selu_bw
    setup_fabric_connection setup_routing_plane_connection sharded_to_interleaved_partial sigmoid_bw sign_bw silu_bw
    sin_bw sinh_bw softplus_bw softshrink_bw softsign_bw sort sparse_matmul sqrt_bw square_bw squared_difference_bw
    sub_bw subalpha_bw tan_bw tanh_bw tanhshrink_bw threshold_bw to topk torch_tracer tosa_gather tosa_scatter tracer
    tracer.InputTensorIndex tracer.PositionalArgumentName tracer.TorchFunction tracer.TorchParameter
    tracer.TorchTensor tracer.codegen tracer.disable_tracing tracer.get_graph tracer.trace tracer.visualize
    transformer transformer.attention_softmax transformer.attention_softmax_ transformer.chunked_flash_mla_prefill
    transformer.chunked_scaled_dot_product_attention transformer.concatenate_heads transformer.flash_mla_prefill
    transformer.flash_multi_latent_attention_decode transformer.joint_scaled_dot_product_attention
    transformer.paged_flash_multi_latent_attention_decode transformer.paged_scaled_dot_product_attention_decode
    transformer.ring_distributed_scaled_dot_product_attention transformer.ring_joint_scaled_dot_product_attention
    transformer.scaled_dot_product_attention transformer.scaled_dot_product_attention_decode
    transformer.split_query_key_value_and_split_heads transformer.windowed_scaled_dot_product_attention trunc_bw types
    types.BlackholeComputeKernelConfig types.bfloat16 untilize_with_halo_v2 update_cache upsample
    using_distributed_env visualize_mesh_device visualize_tensor where_bw xlogy_bw
""".split()
)
