"""Attention operations as Python calls them: arguments that must be given stand behind one that need not be."""

import pytest
import torch

from tracelift import ttnn


@pytest.fixture
def tensors(device):
    torch.manual_seed(0)
    q = torch.rand(1, 1, 4, 64)
    k = torch.rand(1, 1, 64, 64)
    return [ttnn.from_torch(x, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device) for x in (q, k)]


def integers(values, device):
    return ttnn.from_torch(torch.tensor(values, dtype=torch.int32), device=device)


def test_latent_attention_by_position_and_by_keyword(tensors):
    q, k = tensors
    attend = ttnn.transformer.flash_multi_latent_attention_decode
    first = ttnn.to_torch(attend(q, k, None, 32, cur_pos=[40]))
    assert first.shape == (1, 1, 4, 32)
    assert torch.equal(ttnn.to_torch(attend(q, k, head_dim_v=32, cur_pos=[40])), first)
    with pytest.raises(RuntimeError, match="'head_dim_v' is missing"):
        attend(q, k, cur_pos=[40])


def test_paged_latent_attention_by_position_and_by_keyword(tensors, device):
    q, k = tensors
    attend = ttnn.transformer.paged_flash_multi_latent_attention_decode
    table = integers([[0]], device)
    position = integers([40], device)
    first = ttnn.to_torch(attend(q, k, None, 32, table, cur_pos_tensor=position))
    keywords = attend(q, k, head_dim_v=32, page_table_tensor=table, cur_pos_tensor=position)
    assert torch.equal(ttnn.to_torch(keywords), first)
    with pytest.raises(RuntimeError, match="'page_table_tensor' is missing"):
        attend(q, k, head_dim_v=32, cur_pos_tensor=position)
