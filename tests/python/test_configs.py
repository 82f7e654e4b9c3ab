import copy
import json
import pickle

import pytest

from tracelift import ttnn


def test_compute_kernel_config():
    config = ttnn.WormholeComputeKernelConfig(math_fidelity=ttnn.MathFidelity.HiFi2, fp32_dest_acc_en=True)
    assert config.math_fidelity is ttnn.MathFidelity.HiFi2 and config.math_approx_mode is True
    config.packer_l1_acc = True
    assert config.packer_l1_acc and config == copy.copy(config) != ttnn.WormholeComputeKernelConfig()
    assert ttnn.BlackholeComputeKernelConfig is ttnn.WormholeComputeKernelConfig
    assert repr(config).startswith("WormholeComputeKernelConfig(math_fidelity=MathFidelity::HiFi2,math_approx_mode=1,")
    with pytest.raises(TypeError, match="math_fidelity"):
        config.math_fidelity = "HiFi2"
    with pytest.raises(TypeError, match="fidelity"):
        ttnn.WormholeComputeKernelConfig(fidelity=1)
    with pytest.raises(TypeError):
        ttnn.WormholeComputeKernelConfig(ttnn.MathFidelity.HiFi2)


def test_init_device_compute_kernel_config(device):
    made = ttnn.init_device_compute_kernel_config(device.arch(), math_fidelity=ttnn.MathFidelity.HiFi4)
    assert made.math_fidelity is ttnn.MathFidelity.HiFi4
    assert ttnn.init_device_compute_kernel_config(device.arch(), made) is made


def test_matmul_configs_have_json_and_text():
    config = ttnn.MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig(
        in0_block_w=1, per_core_M=1, per_core_N=2, fused_activation=None
    )
    assert repr(config) == (
        "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig(in0_block_w=1, per_core_M=1, per_core_N=2, fused_activation=None)"
    )
    wide = ttnn.MatmulMultiCoreReuseMultiCastProgramConfig(
        compute_with_storage_grid_size=(8, 8),
        in0_block_w=8,
        out_subblock_h=1,
        out_subblock_w=4,
        per_core_M=2,
        per_core_N=4,
        transpose_mcast=False,
        fused_activation=(ttnn.UnaryOpType.GELU, 1.0),
    )
    assert wide.compute_with_storage_grid_size == ttnn.CoreCoord(8, 8)
    assert wide.fused_activation.op_type is ttnn.UnaryOpType.GELU
    values = json.loads(wide.to_json())
    assert values["compute_with_storage_grid_size"] == {"x": 8, "y": 8} and values["in0_block_w"] == 8
    assert type(wide).from_json(wide.to_json()) == wide == pickle.loads(pickle.dumps(wide)) == copy.deepcopy(wide)
    with pytest.raises(TypeError, match="per_core_N"):
        ttnn.MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig(in0_block_w=1, per_core_M=1)


def test_observed_texts():
    assert (
        repr(ttnn.LayerNormDefaultProgramConfig())
        == "LayerNormDefaultProgramConfig(legacy_reduction=0,legacy_rsqrt=0,use_welford=0)"
    )
    attention = ttnn.SDPAProgramConfig(
        compute_with_storage_grid_size=ttnn.CoreCoord(8, 8), q_chunk_size=32, k_chunk_size=32, exp_approx_mode=False
    )
    assert repr(attention) == (
        "SDPAProgramConfig(compute_with_storage_grid_size=(x=8,y=8), sub_core_grids=std::nullopt, q_chunk_size=32, "
        "k_chunk_size=32, exp_approx_mode=false, max_cores_per_head_batch=16)"
    )


def test_every_record_can_be_made_and_shown():
    names = [name for name in dir(ttnn) if name.endswith("ProgramConfig")]
    assert len(names) >= 10
    for name in names:
        assert "__init__" in dir(getattr(ttnn, name))
