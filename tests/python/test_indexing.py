import pytest
import torch

from tracelift import ttnn

SHAPE = (2, 3, 64, 96)
INDICES = [
    0,
    -1,
    (1, 2),
    (slice(None), 1),
    (slice(None), slice(1, 3)),
    (Ellipsis, slice(0, 32)),
    (0, Ellipsis, slice(32, 64), slice(32, 96)),
    (slice(-1, None), slice(0, -1)),
    Ellipsis,
    slice(None),
    (slice(None), slice(None, None, 2)),
    (1, 2, 5),
    None,
    (None, 0),
    (slice(None), None, 1),
    (Ellipsis, None),
    (None, 1, Ellipsis, None, slice(0, 32)),
]


@pytest.mark.parametrize("index", INDICES, ids=str)
@pytest.mark.parametrize("layout", [ttnn.ROW_MAJOR_LAYOUT, ttnn.TILE_LAYOUT], ids=str)
def test_indexing_follows_torch(device, index, layout):
    values = torch.arange(2 * 3 * 64 * 96, dtype=torch.int32).reshape(SHAPE).to(torch.float32)
    tensor = ttnn.from_torch(values, layout=layout, device=device)
    part = tensor[index]
    expected = values[index]
    assert list(part.shape) == list(expected.shape)
    assert torch.equal(ttnn.to_torch(part), expected)


def test_indexing_errors(device):
    tensor = ttnn.from_torch(torch.ones(4, 4), device=device)
    with pytest.raises(ValueError, match="Ellipsis"):
        tensor[..., ...]
    with pytest.raises(IndexError, match="too many indices"):
        tensor[0, 0, 0]
    with pytest.raises(IndexError, match="out of range"):
        tensor[4]
    with pytest.raises(ValueError, match="positive"):
        tensor[::-1]
    with pytest.raises(TypeError, match="str"):
        tensor["x"]
    with pytest.raises(RuntimeError, match="step 1"):
        tensor.cpu()[::2]


def test_getitem_is_a_registered_operation():
    names = [operation.__name__ for operation in ttnn.query_registered_operations()]
    assert "ttnn.Tensor.__getitem__" in names
