"""Operations that order, pick, move and count elements, and products of parts of tensors."""

import pytest
import torch
import torch.nn.functional as F
from torch_support import Comparisons, put, rows

from tracelift import ttnn

COMPARED = Comparisons()


def distinct(*shape):
    """Whole numbers that bfloat16 holds, in any order, each once."""
    size = torch.Size(shape).numel()
    assert size <= 512
    return (torch.randperm(size) - size // 2).reshape(shape).float()


@COMPARED("cumsum", "cumprod")
def running_totals(device):
    for dtype in (ttnn.float32, ttnn.bfloat16):
        tensor, held = put(device, torch.rand(2, 40, 50) + 0.5, dtype)
        yield ttnn.cumsum(tensor, 1), held.cumsum(1)
        yield ttnn.cumsum(tensor, -1, reverse_order=True), held.flip(-1).cumsum(-1).flip(-1)
        yield ttnn.cumprod(tensor, 0), held.cumprod(0)
        yield ttnn.cumprod(tensor, 1, reverse_order=True), held.flip(1).cumprod(1).flip(1)
    tensor, held = put(device, torch.randint(-9, 9, (2, 40, 50), dtype=torch.int32), ttnn.int32)
    yield ttnn.cumsum(tensor, 2), held.cumsum(2)


@COMPARED("ema")
def moving_average(device):
    tensor, held = put(device, torch.randn(1, 2, 32, 64))
    steps = [held[..., 0]]
    for time in range(1, 64):
        steps.append(0.75 * steps[-1] + 0.25 * held[..., time])
    yield ttnn.ema(tensor, 0.75), torch.stack(steps, dim=-1)


@COMPARED("sort", exact=True)
def sort(device):
    tensor, held = put(device, torch.randint(-9, 9, (2, 32, 64)).float())
    for dim, descending in ((-1, False), (1, True)):
        values, places = ttnn.sort(tensor, dim, descending)
        expected, indices = held.sort(dim=dim, descending=descending, stable=True)
        yield values, expected
        yield places, indices


@COMPARED("topk", exact=True)
def topk(device):
    tensor, held = put(device, distinct(1, 1, 4, 128))
    for largest in (True, False):
        values, places = ttnn.topk(tensor, 32, -1, largest)
        expected, indices = held.topk(32, -1, largest)
        yield values, expected
        yield places, indices


@COMPARED("gather", exact=True)
def gather(device):
    tensor, held = put(device, torch.randn(2, 32, 64))
    for dim, size in ((2, 64), (1, 32)):
        index, places = put(device, torch.randint(0, size, (2, 20, 30)), ttnn.uint32)
        yield ttnn.gather(tensor, dim, index), held.gather(dim, places.long())
    tensor, held = put(device, torch.randn(2, 3, 2, 4, 8))
    for dim, shape in ((4, (2, 2, 2, 4, 5)), (1, (2, 6, 1, 3, 8)), (0, (5, 2, 2, 4, 7))):
        index, places = put(device, torch.randint(0, held.shape[dim], shape), ttnn.uint32)
        yield ttnn.gather(tensor, dim, index), held.gather(dim, places.long())


@COMPARED("scatter", exact=True)
def scatter(device):
    tensor, held = rows(device, torch.randn(2, 32, 64), ttnn.float32)
    source, values = rows(device, torch.randn(2, 32, 48), ttnn.float32)
    index, places = rows(
        device, torch.stack([torch.randperm(64)[:48] for _ in range(64)]).reshape(2, 32, 48), ttnn.int32
    )
    yield ttnn.scatter(tensor, 2, index, source), held.scatter(2, places.long(), values)
    tensor, held = rows(device, torch.randn(2, 3, 2, 4, 8), ttnn.float32)
    for dim, shape in ((4, (2, 2, 2, 4, 5)), (1, (2, 2, 1, 3, 8)), (0, (2, 2, 2, 4, 7))):
        source, values = rows(device, torch.randn(2, 3, 2, 4, 8), ttnn.float32)
        # No place is named twice.
        order = torch.rand(shape).argsort(dim)
        index, places = rows(device, order, ttnn.int32)
        yield ttnn.scatter(tensor, dim, index, source), held.scatter(dim, places.long(), values)


@COMPARED("scatter_add")
def scatter_add(device):
    tensor, held = rows(device, torch.rand(2, 32, 64), ttnn.float32)
    source, values = rows(device, torch.rand(2, 32, 48) + 0.5, ttnn.float32)
    index, places = rows(device, torch.randint(0, 64, (2, 32, 48)), ttnn.int32)
    added = held.scatter_add(2, places.long(), values)
    yield ttnn.scatter_add(tensor, 2, index, source), added
    deep, deep_held = rows(device, torch.rand(2, 3, 2, 4, 8), ttnn.float32)
    deep_source, deep_values = rows(device, torch.rand(2, 3, 2, 4, 8) + 0.5, ttnn.float32)
    for dim, shape in ((4, (2, 2, 2, 4, 5)), (1, (2, 3, 1, 3, 8))):
        deep_index, deep_places = rows(device, torch.randint(0, 3, shape), ttnn.int32)
        deep_added = deep_held.scatter_add(dim, deep_places.long(), deep_values)
        yield ttnn.scatter_add(deep, dim, deep_index, deep_source), deep_added
    yield ttnn.scatter(tensor, 2, index, source, reduce="add"), added
    multiplied = held.scatter(2, places.long(), values, reduce="multiply")
    yield ttnn.scatter(tensor, 2, index, source, reduce="multiply"), multiplied


@COMPARED("index_fill", exact=True)
def index_fill(device):
    tensor, held = rows(device, torch.randn(3, 20, 30))
    index, places = rows(device, torch.tensor([4, 0, 17]), ttnn.uint32)
    yield ttnn.index_fill(tensor, 1, index, 2.5), held.index_fill(1, places.long(), 2.5)


@COMPARED("indexed_fill", exact=True)
def indexed_fill(device):
    tensor, held = rows(device, torch.randn(4, 2, 16, 32))
    other, values = rows(device, torch.randn(2, 2, 16, 32))
    index, places = rows(device, torch.tensor([3, 1]).reshape(1, 1, 1, 2), ttnn.uint32)
    yield ttnn.indexed_fill(index, tensor, other), held.index_copy(0, places.flatten().long(), values)


@COMPARED("nonzero", exact=True)
def nonzero(device):
    tensor, held = rows(device, torch.randint(0, 3, (1, 1, 1, 96)).float())
    count, places = (ttnn.to_torch(each).flatten() for each in ttnn.nonzero(tensor))
    expected = held.flatten().nonzero().flatten()
    yield count[:1], torch.tensor([len(expected)])
    yield places[: len(expected)], expected


@COMPARED("tosa_gather", "tosa_scatter", exact=True)
def rows_of_batches(device):
    tensor, held = put(device, torch.randn(2, 40, 64))
    source, values = put(device, torch.randn(2, 12, 64))
    index, places = put(device, torch.stack([torch.randperm(40)[:12] for _ in range(2)]), ttnn.uint32)
    places = places.long()[..., None].expand(2, 12, 64)
    yield ttnn.tosa_gather(tensor, index), held.gather(1, places)
    yield ttnn.tosa_scatter(tensor, index, source), held.scatter(1, places, values)


@COMPARED("experimental.isin", exact=True)
def isin(device):
    tensor, held = rows(device, torch.randint(0, 50, (4, 30)), ttnn.int32)
    tested, values = rows(device, torch.randint(0, 50, (12,)), ttnn.int32)
    for invert in (False, True):
        result = ttnn.to_torch(ttnn.experimental.isin(tensor, tested, invert=invert))
        yield result != 0, torch.isin(held, values, invert=invert)


@COMPARED("sampling", exact=True)
def sampling_of_the_most_probable(device):
    values, held = put(device, distinct(1, 1, 8, 64).repeat(1, 1, 4, 1))
    index, _ = rows(device, torch.arange(64).expand(1, 1, 32, 64), ttnn.int32)
    k, p, heat = (
        rows(device, torch.full((32,), n), dtype)[0]
        for n, dtype in ((1, ttnn.uint32), (0.0, ttnn.bfloat16), (1.0, ttnn.bfloat16))
    )
    yield ttnn.sampling(values, index, k, p, heat), held.argmax(-1).reshape(1, 1, 1, 32)


@COMPARED("moe")
def share_of_the_first_expert(device):
    scores, held = put(device, torch.randn(1, 1, 32, 64))
    experts, expert_mask = put(device, torch.where(torch.arange(64) < 40, 0.0, -1e4).expand(1, 1, 32, 64))
    best, best_mask = put(device, torch.where(torch.arange(32) < 2, 0.0, -1e4).expand(1, 1, 32, 32))
    values, places = (held + expert_mask).topk(32)
    yield ttnn.moe(scores, experts, best), ((values + best_mask).softmax(-1) * (places == 0)).sum(-1, keepdim=True)


@COMPARED("experimental.deepseek_grouped_gate")
def grouped_gate(device):
    """Weights are compared; where two scores are as good as equal, indices may differ."""
    scores, held = put(device, torch.randn(1, 1, 32, 256))
    bias, shift = put(device, torch.randn(1, 1, 32, 256) * 0.25)
    weights, _ = ttnn.experimental.deepseek_grouped_gate(scores, bias, route_scale=2.5)
    sigmoid = held.sigmoid()
    judged = (sigmoid + shift).reshape(1, 1, 32, 8, 32)
    groups = judged.topk(2).values.sum(-1).topk(4).indices
    kept = torch.zeros(1, 1, 32, 8).scatter(-1, groups, 1.0)[..., None].expand_as(judged) == 1
    chosen = sigmoid.gather(-1, judged.masked_fill(~kept, -torch.inf).flatten(-2).topk(8).indices)
    yield weights, chosen / chosen.sum(-1, keepdim=True) * 2.5


@COMPARED("plus_one", "experimental.plus_one", exact=True)
def plus_one(device):
    for operation in (ttnn.plus_one, ttnn.experimental.plus_one):
        tensor, held = rows(device, torch.randint(-9, 9, (32,)), ttnn.int32)
        yield operation(tensor), held + 1
        yield tensor, held + 1


@COMPARED("roll", exact=True)
def roll(device):
    for tensor, held in (put(device, torch.randn(2, 33, 40)), rows(device, torch.randn(2, 33, 40))):
        for arguments in ((5,), (-3, 1), ([1, -7], [0, 2])):
            yield ttnn.roll(tensor, *arguments), held.roll(*arguments)


@COMPARED("repeat_interleave", exact=True)
def repeat_interleave(device):
    tensor, held = put(device, torch.randn(2, 32, 64))
    for dim in (0, 1, -1):
        yield ttnn.repeat_interleave(tensor, 3, dim), held.repeat_interleave(3, dim)


@COMPARED("fill_rm", "fill_ones_rm", exact=True)
def fill_the_upper_left(device):
    like, _ = rows(device, torch.randn(1, 1, 32, 32))
    inside = (torch.arange(20)[:, None] < 7) & (torch.arange(30) < 11)
    ones = inside.float().expand(2, 3, 20, 30)
    yield ttnn.fill_ones_rm(2, 3, 20, 30, 7, 11, like), ones
    yield ttnn.fill_rm(2, 3, 20, 30, 7, 11, like, 2.5, -1.0), ones * 3.5 - 1


@COMPARED("reshape_on_device", "experimental.view", exact=True)
def other_shapes(device):
    tensor, held = put(device, torch.randn(1, 2, 64, 96))
    yield ttnn.reshape_on_device(tensor, 1, 4, -1, 96), held.reshape(1, 4, 32, 96)
    yield ttnn.experimental.view(tensor, [2, 2, 32, 96]), held.reshape(2, 2, 32, 96)


@COMPARED("experimental.broadcast_to", exact=True)
def broadcast_to(device):
    tensor, held = put(device, torch.randn(2, 1, 1, 40))
    yield ttnn.experimental.broadcast_to(tensor, [2, 3, 33, 40]), held.broadcast_to(2, 3, 33, 40)


@COMPARED("experimental.padded_slice", "padded_slice", exact=True)
def padded_slice(device):
    tensor, held = rows(device, torch.randn(1, 8, 16, 32))
    memory = ttnn.create_sharded_memory_config([1, 1, 64, 32], ttnn.CoreGrid(x=4, y=1), ttnn.ShardStrategy.HEIGHT)
    for operation in (ttnn.padded_slice, ttnn.experimental.padded_slice):
        yield operation(tensor, [0, 2, 0, 0], [1, 6, 16, 32], memory_config=memory), held[:, 2:6]


@COMPARED("experimental.slice_write", exact=True)
def slice_write(device):
    target, held = rows(device, torch.randn(1, 8, 16, 32))
    part, values = rows(device, torch.randn(1, 3, 16, 32))
    held[:, 2:5] = values
    yield ttnn.experimental.slice_write(part, target, [0, 2, 0, 0], [1, 5, 16, 32], [1, 1, 1, 1]), held
    yield target, held


@COMPARED("interleaved_to_sharded_partial", "sharded_to_interleaved_partial", exact=True)
def parts_in_shards(device):
    tensor, held = put(device, torch.randn(1, 1, 128, 64))
    target, others = put(device, torch.randn(1, 1, 128, 64))
    height, order = ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.ShardOrientation.ROW_MAJOR
    part = ttnn.interleaved_to_sharded_partial(tensor, ttnn.CoreCoord(2, 1), [32, 64], 2, 1, height, order)
    yield part, held[:, :, 64:]
    others[:, :, 64:] = held[:, :, 64:]
    yield ttnn.sharded_to_interleaved_partial(part, target, 2, 1), others


@COMPARED("bcast")
def bcast(device):
    tensor, held = put(device, torch.randn(2, 3, 64, 96))
    functions = {"ADD": torch.add, "SUB": torch.sub, "MUL": torch.mul}
    for dim, shape in (("H", (2, 3, 1, 96)), ("W", (2, 3, 64, 1)), ("HW", (2, 3, 1, 1))):
        other, values = put(device, torch.randn(shape))
        for name, function in functions.items():
            yield ttnn.bcast(tensor, other, ttnn.BcastOpMath[name], ttnn.BcastOpDim[dim]), function(held, values)


@COMPARED("experimental.where")
def where(device):
    (predicate, held), (a, x), (b, y) = (put(device, torch.randn(2, 64, 64)) for _ in range(3))
    yield ttnn.experimental.where(ttnn.gtz(predicate), a, b), torch.where(held > 0, x, y)
    yield ttnn.experimental.where(ttnn.gtz(predicate), 2.5, b), torch.where(held > 0, 2.5, y)


@COMPARED("experimental.typecast", exact=True)
def typecast(device):
    tensor, held = put(device, distinct(4, 64))
    yield ttnn.experimental.typecast(tensor, ttnn.int32), held.int()


@COMPARED("experimental.dropout", exact=True)
def dropout(device):
    """The same elements twice, a quarter of them zeros."""
    tensor, held = put(device, torch.rand(2, 64, 64) + 0.5)
    first, second = (ttnn.to_torch(ttnn.experimental.dropout(tensor, 0.25, 2.0, 7)).double() for _ in range(2))
    assert 0.7 < (first != 0).double().mean() < 0.8
    yield first, held * 2 * (first != 0)
    yield second, first


@COMPARED("experimental.fast_reduce_nc")
def sums_over_leading_dimensions(device):
    tensor, held = put(device, torch.rand(3, 4, 32, 64))
    yield ttnn.experimental.fast_reduce_nc(tensor, dims=[0, 1]), held.sum((0, 1), keepdim=True)


@COMPARED("experimental.minimal_matmul", "experimental.minimal_matmul_split")
def products_with_bias(device):
    (a, x), (b, y), (bias, z) = (put(device, torch.randn(*shape)) for shape in ((1, 1, 64, 96), (96, 192), (1, 192)))
    expected = F.linear(x, y.T, z.flatten())
    yield ttnn.experimental.minimal_matmul(a, b, bias_tensor=bias), expected
    relu = ttnn.UnaryWithParam(ttnn.UnaryOpType.RELU)
    yield ttnn.experimental.minimal_matmul(a, b, bias_tensor=bias, fused_activation=relu), expected.relu()
    yield from zip(ttnn.experimental.minimal_matmul_split(a, b, bias_tensor=bias), expected.chunk(3, -1))


@COMPARED("experimental.dit_minimal_matmul_addcmul_fused")
def gated_product(device):
    shapes = (1, 1, 64, 96), (96, 128), (1, 1, 64, 128), (1, 1, 1, 128), (1, 128)
    (a, x), (b, y), (base, u), (gate, v), (bias, z) = (put(device, torch.randn(*shape)) for shape in shapes)
    operation = ttnn.experimental.dit_minimal_matmul_addcmul_fused
    yield operation(a, b, 1.0, base, gate), u + x @ y * v
    yield operation(a, b, -0.5, base, gate, bias), u - 0.5 * (x @ y + z) * v


@COMPARED("matmul_batched_weights")
def products_with_each_weight(device):
    (a, x), *weights = (put(device, torch.randn(*shape)) for shape in ((2, 1, 64, 96), (96, 32), (96, 128)))
    results = ttnn.matmul_batched_weights(a, [weight for weight, _ in weights])
    yield from zip(results, (x @ held for _, held in weights), strict=True)


@COMPARED("experimental.deepseek_moe_fast_reduce_nc")
def sums_in_parts(device):
    tensor, held = put(device, torch.rand(8, 1, 32, 128))
    parts = ttnn.experimental.deepseek_moe_fast_reduce_nc(tensor, 0, split_size=32)
    yield from zip(parts, held.sum(0, keepdim=True).split(32, -1), strict=True)


@COMPARED("sparse_matmul")
def sparse_matmul(device):
    (a, x), (b, y) = put(device, torch.randn(2, 1, 32, 64)), put(device, torch.randn(1, 4, 64, 96))
    used = torch.tensor([[1.0, 0, 1, 1], [0, 1, 0, 1]]).reshape(1, 1, 2, 4)
    sparsity, _ = rows(device, used)
    config = ttnn.MatmulMultiCoreReuseMultiCast1DProgramConfig(
        compute_with_storage_grid_size=ttnn.CoreCoord(3, 1),
        in0_block_w=2,
        out_subblock_h=1,
        out_subblock_w=1,
        per_core_M=1,
        per_core_N=1,
        fuse_batch=False,
        fused_activation=None,
        mcast_in0=True,
    )
    result = ttnn.to_torch(ttnn.sparse_matmul(a, b, sparsity=sparsity, nnz=5, program_config=config))
    expected = torch.einsum("amk,bkn->abmn", x[:, 0], y[0]) * used.reshape(2, 4, 1, 1)
    yield result.reshape(expected.shape), expected


@COMPARED("experimental.attn_matmul", "experimental.attn_matmul_from_cache", "experimental.group_attn_matmul")
def products_of_heads(device):
    cores = ttnn.CoreCoord(8, 8)
    (a, x), (b, y) = put(device, torch.randn(1, 16, 32, 64)), put(device, torch.randn(32, 1, 64, 96))
    one_matrix = torch.einsum("xhuk,uykn->xhun", x, y)
    yield ttnn.experimental.attn_matmul(a, b, compute_with_storage_grid_size=cores), one_matrix
    cache, z = put(device, torch.randn(32, 1, 96, 64))
    options = dict(num_tokens=64, transpose_hw=True, compute_with_storage_grid_size=cores)
    yield (
        ttnn.experimental.attn_matmul_from_cache(a, cache, **options),
        torch.einsum("xhuk,uynk->xhun", x, z[:, :, :64]),
    )
    groups, w = put(device, torch.randn(32, 4, 64, 96))
    expected = torch.einsum("xhuk,uhkn->xhun", x, w.repeat_interleave(4, 1))
    yield ttnn.experimental.group_attn_matmul(a, groups, compute_with_storage_grid_size=cores), expected


@pytest.mark.parametrize("name", COMPARED)
def test_indexing_operation(device, name):
    COMPARED.run(name, device)
