import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tracelift import ttnn

FLOATS = [ttnn.float32, ttnn.bfloat16, ttnn.bfloat8_b, ttnn.bfloat4_b]
INTEGERS = [ttnn.int32, ttnn.uint32, ttnn.uint16, ttnn.uint8]
TORCH = {
    ttnn.float32: torch.float32,
    ttnn.bfloat16: torch.bfloat16,
    ttnn.bfloat8_b: torch.float32,
    ttnn.bfloat4_b: torch.float32,
    ttnn.int32: torch.int32,
    ttnn.uint32: getattr(torch, "uint32", torch.int64),
    ttnn.uint16: getattr(torch, "uint16", torch.int32),
    ttnn.uint8: torch.uint8,
}
STEP = {ttnn.float32: 0, ttnn.bfloat16: 2**-8, ttnn.bfloat8_b: 2**-5, ttnn.bfloat4_b: 2**-1}


def source(dtype, shape):
    torch.manual_seed(1)
    if dtype in INTEGERS:
        low = -1000 if dtype == ttnn.int32 else 0
        high = 200 if dtype == ttnn.uint8 else 60000
        return torch.randint(low, high, shape, dtype=torch.int64)
    return torch.randn(shape)


def memory_configs(shape):
    strategies = ttnn.ShardStrategy
    grid = ttnn.CoreGrid(x=2, y=2)
    return {
        "host": None,
        "dram": ttnn.DRAM_MEMORY_CONFIG,
        "l1": ttnn.L1_MEMORY_CONFIG,
        **{
            strategy.name.lower(): ttnn.create_sharded_memory_config(shape, grid, strategy)
            for strategy in (strategies.HEIGHT, strategies.WIDTH, strategies.BLOCK)
        },
    }


@pytest.mark.parametrize("memory", ["host", "dram", "l1", "height", "width", "block"])
@pytest.mark.parametrize("layout", [ttnn.ROW_MAJOR_LAYOUT, ttnn.TILE_LAYOUT], ids=str)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS, ids=str)
def test_torch_round_trip(device, dtype, layout, memory):
    shape = (2, 64, 128)
    expected = source(dtype, shape)
    config = memory_configs(shape)[memory]
    tensor = ttnn.from_torch(
        expected, dtype, layout=layout, device=None if memory == "host" else device, memory_config=config
    )
    assert tensor.dtype == dtype and tensor.shape == shape
    assert tensor.layout == (ttnn.TILE_LAYOUT if dtype in FLOATS[2:] else layout)
    assert tensor.storage_type() == (ttnn.StorageType.HOST if memory == "host" else ttnn.StorageType.DEVICE)
    actual = ttnn.to_torch(tensor)
    assert actual.dtype == TORCH[dtype]
    if dtype in INTEGERS:
        assert torch.equal(actual.to(torch.int64), expected)
    else:
        limit = STEP[dtype] * expected.abs().max()
        assert (actual.float() - expected).abs().max() <= limit
    assert torch.equal(ttnn.to_torch(tensor.cpu()), actual)


@pytest.mark.parametrize("shape", [(), (1,), (5,), (0,), (3, 0), (33, 65), (1, 2, 3, 4, 5)])
@pytest.mark.parametrize("layout", [ttnn.ROW_MAJOR_LAYOUT, ttnn.TILE_LAYOUT], ids=str)
def test_any_shape_goes_through(shape, layout):
    expected = torch.randn(shape).to(torch.bfloat16)
    tensor = ttnn.from_torch(expected, layout=layout)
    assert tensor.dtype == ttnn.bfloat16
    assert torch.equal(ttnn.to_torch(tensor), expected)


@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=4),
    st.booleans(),
    st.sampled_from(["float32", "int32", "uint8", "uint16", "uint32"]),
)
@settings(max_examples=50, deadline=None)
def test_numpy_round_trip(shape, tiled, name):
    values = np.random.default_rng(0).integers(0, 200, shape).astype(name)
    tensor = ttnn.from_numpy(values, layout=ttnn.TILE_LAYOUT if tiled else ttnn.ROW_MAJOR_LAYOUT)
    result = ttnn.to_numpy(tensor)
    assert result.dtype == values.dtype and np.array_equal(result, values)


@pytest.mark.parametrize(
    "dtype, numbers",
    [
        (ttnn.float32, [0.5, -1.25, 3e38, 0, 1, 2]),
        (ttnn.bfloat16, [0.5, -1.25, 256, 0, 1, 2]),
        (ttnn.uint32, [2**32 - 1, 2**24 + 1, 2, 3, 4, 5]),
        (ttnn.int32, [-(2**31), 2**31 - 1, 2, 3, 4, 5]),
        (ttnn.uint16, [65535, 1, 2, 3, 4, 5]),
        (ttnn.uint8, [255, 1, 2, 3, 4, 5]),
    ],
    ids=lambda value: value.name if isinstance(value, ttnn.DataType) else "",
)
def test_a_tensor_from_a_list_of_numbers(device, dtype, numbers):
    tensor = ttnn.from_buffer(numbers, [2, 3], dtype, device)
    assert tensor.dtype == dtype and tensor.layout == ttnn.ROW_MAJOR_LAYOUT and tensor.is_allocated()
    assert tensor.memory_config() == ttnn.DRAM_MEMORY_CONFIG
    assert ttnn.to_numpy(tensor).tolist() == np.asarray(numbers, ttnn.to_numpy(tensor).dtype).reshape(2, 3).tolist()
    there = dict(layout=ttnn.TILE_LAYOUT, memory_config=ttnn.L1_MEMORY_CONFIG)
    tiles = ttnn.from_buffer(buffer=numbers, shape=ttnn.Shape([2, 3]), dtype=dtype, device=device, **there)
    assert tiles.layout == ttnn.TILE_LAYOUT and tiles.memory_config() == ttnn.L1_MEMORY_CONFIG
    assert np.array_equal(ttnn.to_numpy(tiles), ttnn.to_numpy(tensor))


def test_a_buffer_has_as_many_numbers_as_the_shape(device):
    with pytest.raises(RuntimeError, match=r"'buffer' has 5 numbers, but the shape is \[2, 3\]"):
        ttnn.from_buffer([1] * 5, [2, 3], ttnn.float32, device)
    with pytest.raises(RuntimeError, match="must not be a block float"):
        ttnn.from_buffer([1] * 6, [2, 3], ttnn.bfloat8_b, device)


@pytest.mark.parametrize(
    "torch_dtype, dtype",
    [
        (torch.bfloat16, ttnn.bfloat16),
        (torch.float16, ttnn.bfloat16),
        (torch.float32, ttnn.float32),
        (torch.int32, ttnn.int32),
        (torch.int64, ttnn.uint32),
        (torch.int16, ttnn.uint16),
        (torch.uint8, ttnn.uint8),
        (torch.bool, ttnn.uint8),
    ],
    ids=str,
)
def test_dtype_follows_torch(torch_dtype, dtype):
    expected = torch.tensor([[0, 1], [1, 1]]).to(torch_dtype)
    tensor = ttnn.from_torch(expected)
    assert tensor.dtype == dtype
    assert torch.equal(ttnn.to_torch(tensor).float(), expected.float())


@pytest.mark.parametrize("torch_dtype", [torch.float64, torch.int8], ids=str)
def test_dtypes_without_a_counterpart_need_one(torch_dtype):
    values = torch.tensor([1, 2]).to(torch_dtype)
    with pytest.raises(RuntimeError, match="dtype"):
        ttnn.from_torch(values)
    assert ttnn.to_torch(ttnn.from_torch(values, ttnn.float32)).tolist() == [1.0, 2.0]


def test_bfloat16_bits_survive():
    bits = torch.arange(-(1 << 15), 1 << 15, dtype=torch.int32).to(torch.int16).reshape(256, 256)
    expected = bits.view(torch.bfloat16)
    result = ttnn.to_torch(ttnn.from_torch(expected, layout=ttnn.TILE_LAYOUT))
    numbers = ~torch.isnan(expected)
    assert torch.equal(result.view(torch.int16)[numbers], bits[numbers])
    assert torch.isnan(result[~numbers]).all()


def test_strides_gradients_and_read_only_sources():
    matrix = torch.arange(12.0).reshape(3, 4)
    assert torch.equal(ttnn.to_torch(ttnn.from_torch(matrix.t())), matrix.t())
    assert ttnn.to_torch(ttnn.from_torch(matrix.clone().requires_grad_())).requires_grad is False
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    values.setflags(write=False)
    assert np.array_equal(ttnn.to_numpy(ttnn.from_numpy(values.T)), values.T)


def test_pad_value_fills_tile_padding():
    tensor = ttnn.from_torch(torch.ones(3, 5), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, pad_value=7.0)
    padded = tensor.to_torch_with_padded_shape()
    assert tensor.padded_shape == [32, 32] == list(padded.shape)
    assert padded[3, 0] == 7 and padded[0, 5] == 7 and padded[2, 4] == 1


def test_spec_of_from_torch(device):
    spec = ttnn.TensorSpec([32, 64], ttnn.bfloat16, ttnn.TILE_LAYOUT, ttnn.BufferType.L1)
    tensor = ttnn.from_torch(torch.ones(32, 64), spec=spec, device=device)
    assert tensor.spec == spec and tensor.memory_config() == ttnn.L1_MEMORY_CONFIG
    with pytest.raises(RuntimeError, match="spec"):
        ttnn.from_torch(torch.ones(32, 64), ttnn.float32, spec=spec)
    with pytest.raises(RuntimeError, match="shape"):
        ttnn.from_torch(torch.ones(32, 32), spec=spec)
    with pytest.raises(RuntimeError, match="shard spec"):
        ttnn.from_torch(torch.ones(32, 32), device=device, memory_config=ttnn.L1_BLOCK_SHARDED_MEMORY_CONFIG)
    with pytest.raises(TypeError, match="'tensor' must be a torch.Tensor or a numpy array, not None"):
        ttnn.from_torch(None)


def test_to_torch_options():
    tensor = ttnn.from_torch(torch.ones(1, 1, 2, 3))
    assert ttnn.to_torch(tensor, torch.float64).dtype == torch.float64
    assert list(ttnn.to_torch(tensor, torch_rank=2).shape) == [2, 3]
    with pytest.raises(RuntimeError, match="Unable to squeeze to desired rank"):
        ttnn.to_torch(tensor, torch_rank=1)
    with pytest.raises(TypeError):
        ttnn.to_torch(torch.ones(2))


def test_facts_of_a_tensor(device):
    tensor = ttnn.from_torch(torch.ones(33, 65), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    assert tensor.volume() == 64 * 96 and tensor.logical_volume() == 33 * 65
    assert tensor.device() is device and tensor.devices() == [device]
    assert (
        tensor.get_dtype() == ttnn.bfloat16
        and tensor.get_layout() == ttnn.TILE_LAYOUT
        and tensor.get_tile() == ttnn.Tile((32, 32))
    )
    assert tensor.is_allocated() and not tensor.is_sharded() and tensor.buffer_address() > 0
    assert tensor.tensor_id is None
    tensor.tensor_id = 7
    assert tensor.tensor_id == 7
    assert tensor.tensor_topology().placements() == [ttnn.PlacementReplicate()]
    host = tensor.cpu()
    assert host.device() is None and host.devices() == [] and host.spec == tensor.spec
    with pytest.raises(RuntimeError, match="doesn't support buffer_address method"):
        host.buffer_address()
    assert host.to(device, ttnn.L1_MEMORY_CONFIG).memory_config() == ttnn.L1_MEMORY_CONFIG
    assert ttnn.is_tensor_storage_on_device(tensor) and ttnn.has_storage_type_of(host, ttnn.StorageType.HOST)
    assert ttnn.get_memory_config(host) is None and ttnn.has_tile_padding(tensor)


def test_host_tensors_give_their_values(device):
    tensor = ttnn.from_torch(torch.arange(4.0), device=device)
    host = tensor.cpu()
    assert host.to_list() == [0.0, 1.0, 2.0, 3.0]
    assert torch.equal(host.to_torch(), torch.arange(4.0))
    assert np.array_equal(np.asarray(host), np.arange(4, dtype=np.float32))
    assert torch.equal(torch.utils.dlpack.from_dlpack(host), torch.arange(4.0))
    assert host.host_buffer().nbytes == 16


def test_item(device):
    assert ttnn.from_torch(torch.tensor([[2.5]]), device=device).item() == 2.5
    assert ttnn.from_torch(torch.tensor([3], dtype=torch.int32)).item() == 3
    with pytest.raises(RuntimeError, match="exactly one element, but got 2 elements"):
        ttnn.from_torch(torch.ones(2)).item()


def test_construction_from_lists_arrays_and_tensors(device):
    tensor = ttnn.Tensor([1, 2, 3, 4], [2, 2], ttnn.int32, ttnn.ROW_MAJOR_LAYOUT, device)
    assert tensor.device() is device and tensor.cpu().to_list() == [[1, 2], [3, 4]]
    assert ttnn.Tensor([[1.0, 2.0]], [1, 2], ttnn.bfloat16, ttnn.TILE_LAYOUT).to_list() == [[1.0, 2.0]]
    assert ttnn.Tensor(np.ones((2, 2), np.float32), ttnn.bfloat16).dtype == ttnn.bfloat16
    assert ttnn.Tensor(torch.ones(2, 2), layout=ttnn.TILE_LAYOUT).layout == ttnn.TILE_LAYOUT
    copy = ttnn.Tensor(tensor)
    assert copy is not tensor and copy.buffer_address() == tensor.buffer_address()
    with pytest.raises(RuntimeError, match="do not fill"):
        ttnn.Tensor([1, 2, 3], [2, 2], ttnn.int32, ttnn.ROW_MAJOR_LAYOUT)


def test_deallocation(device, allocated_bytes):
    before = allocated_bytes()
    tensor = ttnn.from_torch(torch.ones(64, 64), device=device)
    other = ttnn.Tensor(tensor)
    assert allocated_bytes() != before
    tensor.deallocate(force=True)
    assert allocated_bytes() == before
    assert not tensor.is_allocated() and not other.is_allocated()
    assert "<buffer is not allocated>" in str(tensor)
    with pytest.raises(RuntimeError, match="not allocated"):
        ttnn.to_torch(other)


def test_memory_is_given_back_with_the_last_reference(device, allocated_bytes):
    before = allocated_bytes()
    tensor = ttnn.from_torch(torch.ones(64, 64), device=device)
    del tensor
    assert allocated_bytes() == before


def test_host_helpers():
    tensor = ttnn.from_torch(torch.arange(6.0).reshape(2, 3))
    padded = tensor.pad([3, 4], [1, 0], 9.0)
    assert padded.to_list() == [[9, 9, 9, 9], [0, 1, 2, 9], [3, 4, 5, 9]]
    assert padded.unpad([1, 0], [3, 3]).to_list() == tensor.to_list()
    tile = tensor.pad_to_tile(0.0)
    assert tile.shape == [32, 32] and tile.unpad_from_tile([2, 3]).to_list() == tensor.to_list()


@pytest.mark.parametrize("layout", [ttnn.ROW_MAJOR_LAYOUT, ttnn.TILE_LAYOUT], ids=str)
def test_extract_shard(device, layout):
    values = torch.arange(128 * 64.0).reshape(128, 64)
    config = ttnn.create_sharded_memory_config([128, 64], ttnn.CoreGrid(x=2, y=2), ttnn.ShardStrategy.HEIGHT)
    tensor = ttnn.from_torch(values, layout=layout, device=device, memory_config=config)
    assert torch.equal(tensor.extract_shard(ttnn.CoreCoord(1, 0)).to_torch().reshape(32, 64), values[32:64])
    assert torch.equal(tensor.extract_shard(3).to_torch().reshape(32, 64), values[96:])
    with pytest.raises(RuntimeError):
        tensor.extract_shard(ttnn.CoreCoord(5, 5))


@pytest.fixture
def print_options():
    yield ttnn.set_printoptions
    ttnn.set_printoptions(profile="short")


def test_printing_cuts_long_dimensions_and_keeps_widths():
    text = str(ttnn.from_torch(torch.arange(64.0).reshape(8, 8), dtype=ttnn.bfloat16))
    assert text == (
        "ttnn.Tensor([[ 0.0000,  1.0000,  ...,  6.0000,  7.0000],\n"
        "             [ 8.0000,  9.0000,  ..., 14.0000, 15.0000],\n"
        "             ...,\n"
        "             [48.0000, 49.0000,  ..., 54.0000, 55.0000],\n"
        "             [56.0000, 57.0000,  ..., 62.0000, 63.0000]], "
        "shape=Shape([8, 8]), dtype=DataType::BFLOAT16, layout=Layout::ROW_MAJOR)"
    )


def formatted(values, number, indent=12):
    """Nested lists as text, in the few rules there are: two of each end, lines apart by their rank."""
    if not isinstance(values, list):
        return number.format(values)
    inner = isinstance(values[0], list)
    parts = [formatted(value, number, indent + 1) for value in values]
    if len(parts) > 4:
        parts[2:-2] = ["..." if inner else " ..."]
    rank = str(values).partition(str(values).lstrip("["))[0].count("[")
    return "[" + (("," + "\n" * min(rank - 1, 2) + " " * (indent + 1)) if inner else ", ").join(parts) + "]"


@pytest.mark.parametrize("layout", [ttnn.ROW_MAJOR_LAYOUT, ttnn.TILE_LAYOUT], ids=str)
@pytest.mark.parametrize(
    "dtype, number",
    [(ttnn.uint16, "{:5d}"), (ttnn.uint32, "{:5d}"), (ttnn.float32, "{:11.4e}"), (ttnn.bfloat16, "{:7.4f}")],
    ids=str,
)
def test_printing_of_four_dimensions(device, dtype, number, layout):
    torch.manual_seed(0)
    shape = (2, 16, 64, 32)
    whole = dtype in (ttnn.uint16, ttnn.uint32)
    values = torch.randint(0, 1024, shape) if whole else torch.rand(shape, dtype=torch.float32)
    if dtype == ttnn.bfloat16:
        values = (torch.randint(1, 256, shape) / 256).bfloat16()  # largest / smallest < 1000: not scientific
    text = str(ttnn.from_torch(values, dtype=dtype, layout=layout, device=device))
    facts = f"shape=Shape([2, 16, 64, 32]), dtype=DataType::{dtype.name}, layout=Layout::{layout.name}"
    assert text == f"ttnn.Tensor({formatted(values.tolist(), number)}, {facts})"
    assert text.count("\n\n              ...,\n\n") == 2


def printed(values, dtype=None):
    text = str(ttnn.from_torch(torch.tensor(values), dtype=dtype, layout=ttnn.TILE_LAYOUT))
    return text.removeprefix("ttnn.Tensor(").partition(", shape=")[0]


def test_numbers_are_scientific_where_fixed_notation_would_hide_them():
    assert printed([1.0, 1000.0]) == "[ 1.0000, 1000.0000]"
    assert printed([1.0, 1001.0]) == "[ 1.0000e+00,  1.0010e+03]"
    assert printed([1.1e8, 1.2e8]) == "[ 1.1000e+08,  1.2000e+08]"
    assert printed([2e-4, -1e-4]) == "[ 2.0000e-04, -1.0000e-04]"  # 1e-4 as float32 is below 1e-4
    assert printed([0.0, float("inf"), float("nan")]) == "[ 0.0000,     inf,     nan]"
    assert printed([1.0, 4096.0], ttnn.bfloat16) == "[ 1.0000e+00,  4.0960e+03]"
    assert printed([-5, 123456], ttnn.int32) == "[   -5, 123456]"


def test_tensors_of_rank_zero_print_their_number():
    assert printed(3.5) == " 3.5000"
    assert printed(7, ttnn.int32) == "    7"
    text = str(ttnn.from_torch(torch.tensor(1.0), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT))
    assert text == "ttnn.Tensor( 1.0000, shape=Shape([]), dtype=DataType::BFLOAT16, layout=Layout::TILE)"


def test_print_options_hold(print_options):
    print_options(profile="full", precision=1)
    assert printed([0.0, 1.0, 2.0, 3.0, 4.0, 5.0]) == "[ 0.0,  1.0,  2.0,  3.0,  4.0,  5.0]"
    print_options(profile="EMPTY")
    assert printed([1.0, 2.0]) == "..."
    print_options(profile="short", sci_mode=True, precision=2)
    assert printed([1.0, 2.0]) == "[ 1.00e+00,  2.00e+00]"
    print_options(profile="short", sci_mode="false")
    assert printed([1.0, 1e9]) == "[ 1.0000, 1000000000.0000]"
    print_options(profile="short", sci_mode="default")
    assert printed([1.0, 1e9]) == "[ 1.0000e+00,  1.0000e+09]"
    with pytest.raises(RuntimeError, match="profile must be"):
        print_options(profile="long")
    with pytest.raises(RuntimeError, match="sci_mode must be"):
        print_options(sci_mode="maybe")
    with pytest.raises(RuntimeError, match="precision must be"):
        print_options(precision=-1)


def test_device_tensors_are_read_back_by_their_methods(device):
    values = torch.arange(6.0).reshape(2, 3)
    for dtype in (ttnn.float32, ttnn.bfloat16, ttnn.int32):
        tensor = ttnn.from_torch(values, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)
        assert tensor.to_list() == values.tolist()
        assert torch.equal(tensor.to_torch().float(), values)
        assert tensor.to_numpy().tolist() == values.tolist()
        assert np.asarray(tensor).tolist() == values.tolist()
        assert tensor.to_torch_with_padded_shape().shape == (32, 32)
        assert tensor.storage_type() == ttnn.StorageType.DEVICE
    with pytest.raises(RuntimeError, match="host storage"):
        tensor.host_buffer()
    tensor.deallocate()
    with pytest.raises(RuntimeError, match="Buffer is not allocated"):
        tensor.to_list()


@pytest.mark.parametrize("values, shape", [(3.0, [32, 32]), ([1.0, 2.0, 3.0], [32, 32]), ([0.0] * 40, [32, 64])])
def test_pad_to_tile_of_low_rank_gives_tiles(values, shape):
    tile = ttnn.from_torch(torch.tensor(values)).pad_to_tile(9.0)
    assert list(tile.shape) == shape
    given = torch.tensor(values).reshape(1, -1)
    expected = torch.full(shape, 9.0)
    expected[:1, : given.shape[1]] = given
    assert torch.equal(tile.to_torch(), expected)


@pytest.mark.parametrize("dtype", [ttnn.bfloat8_b, ttnn.bfloat4_b], ids=str)
@pytest.mark.parametrize("shape", [(64, 32), (2, 3, 40, 70)], ids=str)
def test_col_tilize_packs_columns(device, dtype, shape):
    torch.manual_seed(0)
    # Columns of very different sizes: an exponent per column keeps the small ones, one per row does not.
    values = torch.rand(shape) * torch.logspace(-6, 6, shape[-1], base=2)
    turned = values.transpose(-2, -1)
    tensor = ttnn.from_torch(values, dtype=dtype, device=device, col_tilize=True)
    assert list(tensor.shape) == list(turned.shape) and tensor.layout == ttnn.TILE_LAYOUT
    expected = ttnn.to_torch(ttnn.from_torch(turned.contiguous(), dtype=dtype, layout=ttnn.TILE_LAYOUT))
    assert torch.equal(ttnn.to_torch(tensor), expected)
    assert torch.equal(ttnn.to_torch(ttnn.Tensor(values, dtype, col_tilize=True)), expected)
    assert torch.equal(ttnn.to_torch(ttnn.from_torch(values.numpy(), dtype, col_tilize=True)), expected)


def test_col_tilize_is_for_block_floats_in_tiles():
    values = torch.ones(32, 64)
    with pytest.raises(RuntimeError, match="BFLOAT8_B or BFLOAT4_B"):
        ttnn.from_torch(values, dtype=ttnn.bfloat16, col_tilize=True)
    with pytest.raises(RuntimeError, match="BFLOAT8_B or BFLOAT4_B"):
        ttnn.from_torch(values, col_tilize=True)
    with pytest.raises(RuntimeError, match="rank 2 or more"):
        ttnn.from_torch(torch.ones(32), dtype=ttnn.bfloat8_b, col_tilize=True)
    with pytest.raises(RuntimeError, match="TILE"):
        ttnn.from_torch(values, dtype=ttnn.bfloat8_b, layout=ttnn.ROW_MAJOR_LAYOUT, col_tilize=True)
    with pytest.raises(RuntimeError, match="spec"):
        spec = ttnn.TensorSpec([32, 64], ttnn.bfloat8_b, ttnn.TILE_LAYOUT)
        ttnn.from_torch(values, spec=spec, col_tilize=True)


def test_files(tmp_path, device):
    for dtype in FLOATS + INTEGERS:
        tensor = ttnn.from_torch(source(dtype, (33, 65)), dtype, layout=ttnn.TILE_LAYOUT)
        file = tmp_path / f"{dtype.name}.tensorbin"
        ttnn.dump_tensor(file, tensor)
        loaded = ttnn.load_tensor(file, device=device)
        assert loaded.device() is device and loaded.dtype == dtype
        assert torch.equal(ttnn.to_torch(loaded), ttnn.to_torch(tensor))
    with pytest.raises(RuntimeError, match="must have .tensorbin extension"):
        ttnn.load_tensor(tmp_path / "x.bin")
    with pytest.raises(RuntimeError, match=".tensorbin"):
        ttnn.dump_tensor(tmp_path / "x.pt", tensor)
    with pytest.raises(RuntimeError, match="does not exist"):
        ttnn.load_tensor(tmp_path / "none.tensorbin")
    (tmp_path / "bad.tensorbin").write_bytes(b"something else")
    with pytest.raises(RuntimeError, match="bad.tensorbin is not a tensor file"):
        ttnn.load_tensor(tmp_path / "bad.tensorbin")
    (tmp_path / "cut.tensorbin").write_bytes(file.read_bytes()[:-10])
    with pytest.raises(RuntimeError, match="cut.tensorbin.*bytes"):
        ttnn.load_tensor(tmp_path / "cut.tensorbin")


def test_as_tensor_caches(tmp_path, device):
    calls = []

    def preprocess(tensor):
        calls.append(tensor)
        return tensor * 2

    for _ in range(2):
        tensor = ttnn.as_tensor(
            torch.ones(32, 32), ttnn.bfloat8_b, layout=ttnn.TILE_LAYOUT, device=device,
            memory_config=ttnn.L1_MEMORY_CONFIG, cache_file_name=tmp_path / "weights" / "w", preprocess=preprocess,
        )  # fmt: skip
        assert tensor.memory_config() == ttnn.L1_MEMORY_CONFIG
        assert torch.equal(ttnn.to_torch(tensor), torch.full((32, 32), 2.0))
    assert len(calls) == 1
    assert (tmp_path / "weights" / "w_dtype_BFLOAT8_B_layout_TILE.tensorbin").exists()
    with pytest.raises(RuntimeError, match="memory_config must be specified"):
        ttnn.as_tensor(torch.ones(2), device=device)


@pytest.mark.parametrize("layout", [ttnn.ROW_MAJOR_LAYOUT, ttnn.TILE_LAYOUT])
@pytest.mark.parametrize("shape", [(2, 1, 3, 1, 2, 1, 2, 5, 6), (1, 2, 1, 3, 1, 2, 1, 2, 5, 6)])
def test_tensors_of_more_than_eight_dimensions(device, shape, layout):
    given = torch.arange(720, dtype=torch.float32).reshape(shape)
    tensor = ttnn.from_torch(given, layout=layout, device=device)
    assert list(tensor.shape) == list(shape) and tensor.shape.rank == len(shape)
    assert torch.equal(ttnn.to_torch(tensor), given)
    order = [*range(2, len(shape)), 1, 0]
    assert torch.equal(ttnn.to_torch(ttnn.permute(tensor, order)), given.permute(order))
    assert torch.equal(ttnn.to_torch(ttnn.reshape(tensor, (720,))), given.reshape(720))
    assert torch.equal(ttnn.to_torch(ttnn.sum(tensor, 2)), given.sum(2))
    assert tensor.to_list() == given.tolist()


def test_nd_shards_are_reported_as_they_were_given(device, tmp_path):
    grid = ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(3, 0))})
    config = ttnn.MemoryConfig(ttnn.BufferType.L1, ttnn.NdShardSpec([1, 40, 50], grid))
    given = torch.arange(2 * 64 * 64, dtype=torch.float32).reshape(2, 64, 64)
    host = ttnn.from_torch(given, layout=ttnn.TILE_LAYOUT)
    with pytest.raises(RuntimeError, match="must be tile"):
        ttnn.TensorSpec((2, 64, 64), ttnn.float32, ttnn.TILE_LAYOUT, config.nd_shard_spec, config.buffer_type)
    moved = ttnn.to_device(host, device, memory_config=config)
    assert moved.memory_config() == config
    assert moved.memory_config().nd_shard_spec.shard_shape == [1, 40, 50]
    assert torch.equal(ttnn.to_torch(moved), given)
    ttnn.dump_tensor(tmp_path / "shards.tensorbin", moved)
    loaded = ttnn.load_tensor(tmp_path / "shards.tensorbin", device=device)
    assert loaded.memory_config() == config
    assert torch.equal(ttnn.to_torch(loaded), given)
