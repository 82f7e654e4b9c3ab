"""What transformers are made of: attention, heads, rotary embeddings, caches and norms of rows that chips share."""

import pytest
import torch
import torch.nn.functional as F
from torch_support import Comparisons, put, rows

from tracelift import ttnn

COMPARED = Comparisons()


def attention(q, k, v, *, attn_mask=None, is_causal=False, scale=None, sink=None):
    """What torch 2 has as scaled_dot_product_attention; a head of keys serves several neighbouring heads of queries. A
    sink is one more score of each head, scaled like the others, that takes its share and has no value."""
    k, v = (each.repeat_interleave(q.shape[1] // each.shape[1], 1) for each in (k, v))
    scale = scale or q.shape[-1] ** -0.5
    scores = q @ k.transpose(2, 3) * scale
    if is_causal:
        attn_mask = torch.ones(scores.shape[2:], dtype=torch.bool).tril()
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -torch.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
    if sink is not None:
        scores = torch.cat([scores, sink.expand_as(scores[..., :1]) * scale], dim=-1)
    return scores.softmax(-1)[..., : k.shape[2]] @ v


def several(device, *shapes):
    """Tensors, then their values."""
    pairs = [put(device, torch.randn(shape)) for shape in shapes]
    return [tensor for tensor, _ in pairs] + [held for _, held in pairs]


def users(count, width, height=32, row=0):
    """Height sharded, a user on each core of a row."""
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, row), ttnn.CoreCoord(count - 1, row))])
    spec = ttnn.ShardSpec(cores, [height, width], ttnn.ShardOrientation.ROW_MAJOR)
    return ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, spec)


def heads_of(held, count):
    """[batch, 1, rows, count * width] -> [batch, count, rows, width]."""
    batch, _, height, width = held.shape
    return held.reshape(batch, height, count, width // count).transpose(1, 2)


def side_by_side(held):
    """[batch, heads, rows, width] -> [batch, 1, rows, heads * width]."""
    return held.transpose(1, 2).flatten(-2)[:, None]


def in_pages(held, table):
    """The sequence of every user, page by page, as a cache of blocks of 32 rows."""
    batch, heads, height, width = held.shape
    cache = torch.zeros(int(table.max()) + 1, heads, 32, width, dtype=held.dtype)
    cache[table] = held.reshape(batch, heads, height // 32, 32, width).transpose(1, 2)
    return cache


TABLE = torch.tensor([[5, 1, 4, 0], [2, 7, 3, 6]])


@COMPARED("transformer.scaled_dot_product_attention")
def scaled_dot_product_attention(device):
    q, k, v, x, y, z = several(device, (2, 8, 64, 32), (2, 2, 64, 32), (2, 2, 64, 32))
    operation = ttnn.transformer.scaled_dot_product_attention
    yield operation(q, k, v), attention(x, y, z, is_causal=True)
    yield operation(q, k, v, is_causal=False, scale=0.3), attention(x, y, z, scale=0.3)
    mask, added = put(device, torch.where(torch.rand(2, 1, 64, 64) < 0.7, 0.0, -1e4))
    yield operation(q, k, v, is_causal=False, attn_mask=mask), attention(x, y, z, attn_mask=added)
    distance = torch.arange(64)[:, None] - torch.arange(64)
    seen = (distance >= 0) & (distance < 16)
    yield operation(q, k, v, sliding_window_size=16), attention(x, y, z, attn_mask=seen)
    sink, share = put(device, torch.randn(1, 8, 1, 1) * 4)
    yield operation(q, k, v, attention_sink=sink), attention(x, y, z, is_causal=True, sink=share)


def decoded(x, y, z, positions=None, *, window=None, added=None, **options):
    """One query for each user, [1, users, heads, width]: it sees the keys up to the user's position, or all of them
    with a mask [users, 1, heads, keys] added."""
    if added is None:
        distance = torch.tensor(positions)[:, None, None, None] - torch.arange(y.shape[2])
        seen = (distance >= 0) & (distance < (window or y.shape[2]))
    else:
        seen = added.transpose(1, 2)
    return attention(x.transpose(0, 1).transpose(1, 2), y, z, attn_mask=seen, **options).transpose(1, 2).transpose(0, 1)


@COMPARED("transformer.scaled_dot_product_attention_decode", "transformer.flash_multi_latent_attention_decode")
def decoding(device):
    q, k, v, x, y, z = several(device, (1, 2, 8, 64), (2, 2, 128, 64), (2, 2, 128, 64))
    plain = ttnn.transformer.scaled_dot_product_attention_decode
    yield plain(q, k, v, cur_pos=[100, 31]), decoded(x, y, z, [100, 31])
    positions, _ = rows(device, torch.tensor([5, 127]), ttnn.int32)
    yield plain(q, k, v, cur_pos_tensor=positions, scale=0.2), decoded(x, y, z, [5, 127], scale=0.2)
    sinks, share = put(device, torch.randn(8, 32) * 8)
    expected = decoded(x, y, z, [100, 31], sink=share[:, :1, None])
    yield plain(q, k, v, cur_pos=[100, 31], attention_sink=sinks), expected
    latent = ttnn.transformer.flash_multi_latent_attention_decode
    yield latent(q, k, head_dim_v=32, cur_pos=[100, 31]), decoded(x, y, y[..., :32], [100, 31])
    values, w = put(device, torch.randn(2, 2, 128, 32))
    yield latent(q, k, values, 32, cur_pos=[100, 31]), decoded(x, y, w, [100, 31])
    expected = decoded(x, y, y[..., :32], [100, 31], sink=share[:, :1, None])
    yield latent(q, k, head_dim_v=32, cur_pos=[100, 31], attention_sink=sinks), expected
    expected = decoded(x, y, y[..., :32], [100, 31], window=20)
    yield latent(q, k, head_dim_v=32, cur_pos=[100, 31], sliding_window_size=20), expected


@COMPARED(
    "transformer.paged_scaled_dot_product_attention_decode",
    "transformer.paged_flash_multi_latent_attention_decode",
)
def decoding_from_pages(device):
    q, x = put(device, torch.randn(1, 2, 8, 64))
    y, z = (torch.randn(2, 2, 128, 64).bfloat16().double() for _ in range(2))
    (k, _), (v, _) = (put(device, in_pages(each, TABLE)) for each in (y, z))
    (table, _), (positions, _) = rows(device, TABLE, ttnn.int32), rows(device, torch.tensor([100, 31]), ttnn.int32)
    options = dict(page_table_tensor=table, cur_pos_tensor=positions)
    plain = ttnn.transformer.paged_scaled_dot_product_attention_decode
    yield plain(q, k, v, **options), decoded(x, y, z, [100, 31])
    latent = ttnn.transformer.paged_flash_multi_latent_attention_decode
    yield latent(q, k, head_dim_v=32, **options), decoded(x, y, y[..., :32], [100, 31])
    mask, added = put(device, torch.where(torch.rand(2, 1, 8, 128) < 0.7, 0.0, -1e4))
    chunks = ttnn.SDPAProgramConfig(
        compute_with_storage_grid_size=ttnn.CoreCoord(4, 4), q_chunk_size=32, k_chunk_size=32
    )
    masked = dict(page_table_tensor=table, is_causal=False, attn_mask=mask, program_config=chunks)
    yield plain(q, k, v, **masked), decoded(x, y, z, added=added)
    sinks, share = put(device, torch.randn(8, 32) * 8)
    share = share[:, :1, None]
    yield plain(q, k, v, attention_sink=sinks, **options), decoded(x, y, z, [100, 31], sink=share)
    expected = decoded(x, y, y[..., :32], [100, 31], sink=share)
    yield latent(q, k, head_dim_v=32, attention_sink=sinks, **options), expected
    yield plain(q, k, v, sliding_window_size=20, **options), decoded(x, y, z, [100, 31], window=20)
    expected = decoded(x, y, y[..., :32], [100, 31], window=20)
    yield latent(q, k, head_dim_v=32, sliding_window_size=20, **options), expected


@COMPARED("transformer.chunked_scaled_dot_product_attention", "transformer.chunked_flash_mla_prefill")
def a_chunk_of_queries(device):
    """Queries 64 to 95 of a sequence of 128."""
    q, x = put(device, torch.randn(2, 4, 32, 64))
    y, z = (torch.randn(2, 2, 128, 64).bfloat16().double() for _ in range(2))
    (k, _), (v, _) = (put(device, in_pages(each, TABLE)) for each in (y, z))
    table, _ = rows(device, TABLE, ttnn.int32)
    seen = torch.arange(128) <= torch.arange(64, 96)[:, None]
    plain = ttnn.transformer.chunked_scaled_dot_product_attention
    yield plain(q, k, v, table, 64), attention(x, y, z, attn_mask=seen)
    latent = ttnn.transformer.chunked_flash_mla_prefill
    yield latent(q, k, 32, table, 64), attention(x, y, y[..., :32], attn_mask=seen)
    yield plain(q, k, v, table, 64, scale=0.3), attention(x, y, z, attn_mask=seen, scale=0.3)
    yield latent(q, k, 32, table, 64, scale=0.3), attention(x, y, y[..., :32], attn_mask=seen, scale=0.3)


@COMPARED("transformer.flash_mla_prefill")
def latent_attention(device):
    q, k, v, x, y, z = several(device, (2, 8, 64, 64), (2, 1, 64, 64), (2, 2, 64, 32))
    operation = ttnn.transformer.flash_mla_prefill
    yield operation(q, k, 32), attention(x, y, y[..., :32], is_causal=True)
    yield operation(q, k, v, is_causal=False), attention(x, y, z)


@COMPARED("transformer.joint_scaled_dot_product_attention")
def joint_attention(device):
    shapes = [(1, 4, 64, 32)] * 3 + [(1, 4, 20, 32)] * 3
    *tensors, q, k, v, joint_q, joint_k, joint_v = several(device, *shapes)
    expected = attention(*(torch.cat(pair, dim=2) for pair in ((q, joint_q), (k, joint_k), (v, joint_v))))
    yield from zip(ttnn.transformer.joint_scaled_dot_product_attention(*tensors), expected.split([64, 20], dim=2))


@COMPARED(
    "transformer.ring_joint_scaled_dot_product_attention", "transformer.ring_distributed_scaled_dot_product_attention"
)
def attention_of_a_ring_of_one_or_two(device):
    shapes = [(1, 4, 128, 32)] * 3 + [(1, 4, 32, 32)] * 3
    *tensors, q, k, v, joint_q, joint_k, joint_v = several(device, *shapes)
    out, joint, logs = ttnn.transformer.ring_joint_scaled_dot_product_attention(
        *tensors, persistent_output_buffer_k=tensors[1], persistent_output_buffer_v=tensors[2], logical_n=100
    )
    keys, values = torch.cat([k[:, :, :100], joint_k], dim=2), torch.cat([v[:, :, :100], joint_v], dim=2)
    yield out, attention(q, keys, values)
    yield joint, attention(joint_q, keys, values)
    scores = torch.cat([q, joint_q], dim=2) @ keys.transpose(2, 3) * 32**-0.5
    yield logs, scores.logsumexp(-1, keepdim=True).bfloat16()  # numbers that lie near each other
    # The second of two chips has the second and the third quarter.
    part = ttnn.transformer.ring_distributed_scaled_dot_product_attention(*tensors[:3], 2, 1)
    yield part, attention(q, k, v, is_causal=True)[:, :, 32:96]


@COMPARED("transformer.windowed_scaled_dot_product_attention")
def attention_in_windows(device):
    q, k, v, x, y, z = several(device, (1, 4, 96, 32), (1, 4, 96, 32), (1, 4, 96, 32))
    borders, held = rows(device, torch.tensor([0, 20, 70, 96]), ttnn.int32)
    window = torch.bucketize(torch.arange(96), held[1:], right=True)
    result = ttnn.transformer.windowed_scaled_dot_product_attention(q, k, v, borders)
    yield result, attention(x, y, z, attn_mask=window[:, None] == window)


@COMPARED("transformer.attention_softmax", "transformer.attention_softmax_")
def attention_softmax(device):
    scores, held = put(device, torch.randn(2, 4, 32, 64))
    mask, added = put(device, torch.where(torch.rand(2, 1, 1, 64) < 0.7, 0.0, -1e4))
    expected = (held / 8 + added).softmax(-1)
    yield ttnn.transformer.attention_softmax(scores, head_size=64, attention_mask=mask), expected
    yield ttnn.transformer.attention_softmax_(scores, head_size=64, attention_mask=mask), expected
    yield scores, expected


@COMPARED(
    "transformer.concatenate_heads", "experimental.nlp_concat_heads", "experimental.concatenate_heads",
    "experimental.nlp_concat_heads_boltz", "experimental.nlp_concat_heads_decode", exact=True,
)  # fmt: skip
def heads_side_by_side(device):
    tensor, held = put(device, torch.randn(2, 4, 40, 32))
    yield ttnn.transformer.concatenate_heads(tensor), side_by_side(held)[:, 0]
    yield ttnn.experimental.nlp_concat_heads(tensor), side_by_side(held)
    tensor, held = put(device, torch.randn(7, 16, 384, 64))
    yield ttnn.experimental.concatenate_heads(tensor, ttnn.CoreCoord(12, 8)), side_by_side(held)
    tensor, held = put(device, torch.randn(4, 32, 32, 32))
    yield ttnn.experimental.nlp_concat_heads_boltz(tensor), held.permute(1, 2, 0, 3).flatten(-2)[None]
    tensor, held = put(device, torch.randn(1, 8, 32, 64), memory_config=users(8, 64))
    result = ttnn.experimental.nlp_concat_heads_decode(tensor, num_heads=6)
    yield ttnn.to_torch(result)[:, :, :8], held[:, :, :6].reshape(1, 1, 8, 384)


@COMPARED(
    "experimental.nlp_create_qkv_heads", "transformer.split_query_key_value_and_split_heads",
    "experimental.split_query_key_value_and_split_heads", "experimental.nlp_create_qkv_heads_vit",
    "experimental.nlp_create_qkv_heads_falcon7b", "experimental.nlp_create_qkv_heads_segformer",
    "experimental.nlp_create_qkv_heads_boltz", exact=True,
)  # fmt: skip
def heads_out_of_rows(device):
    def three(held, heads, key_heads, width, turned=True):
        q, k, v = held.split([heads * width, key_heads * width, key_heads * width], dim=-1)
        q, k, v = heads_of(q, heads), heads_of(k, key_heads), heads_of(v, key_heads)
        return q, k.transpose(2, 3) if turned else k, v

    tensor, held = put(device, torch.randn(2, 1, 64, 12 * 32))
    for turned in (False, True):
        result = ttnn.experimental.nlp_create_qkv_heads(tensor, num_heads=8, num_kv_heads=2, transpose_k_heads=turned)
        yield from zip(result, three(held, 8, 2, 32, turned))
    tensor, held = put(device, torch.randn(2, 64, 12 * 32))
    result = ttnn.transformer.split_query_key_value_and_split_heads(tensor, num_heads=4)
    yield from zip(result, three(held[:, None], 4, 4, 32))
    tensor, held = put(device, torch.randn(2, 1, 384, 3072))
    result = ttnn.experimental.split_query_key_value_and_split_heads(tensor, ttnn.CoreCoord(8, 8))
    yield from zip(result, three(held, 16, 16, 64))
    tensor, held = put(device, torch.randn(2, 1, 64, 2304))
    yield from zip(ttnn.experimental.nlp_create_qkv_heads_vit(tensor), three(held, 12, 12, 64, False))
    tensor, held = put(device, torch.randn(1, 1, 32, 4672))
    yield from zip(ttnn.experimental.nlp_create_qkv_heads_falcon7b(tensor), three(held, 71, 1, 64, False))
    tensor, held = put(device, torch.randn(2, 1, 64, 4 * 32))
    yield ttnn.experimental.nlp_create_qkv_heads_segformer(tensor)[0], heads_of(held, 4)
    tensor, held = put(device, torch.randn(1, 32, 32, 12 * 32))
    result = ttnn.experimental.nlp_create_qkv_heads_boltz(tensor, num_heads=4, transpose_k_heads=False)
    parts = (each.reshape(32, 32, 4, 32).permute(2, 0, 1, 3) for each in held[0].chunk(3, -1))
    yield from zip(result, parts)


@COMPARED(
    "experimental.nlp_create_qkv_heads_decode", "experimental.create_qkv_heads",
    "experimental.create_qkv_heads_from_separate_tensors", exact=True,
)  # fmt: skip
def heads_on_cores(device):
    tensor, held = put(device, torch.randn(1, 1, 8, 12 * 64))
    result = ttnn.experimental.nlp_create_qkv_heads_decode(tensor, num_heads=8, num_kv_heads=2)
    yield from zip(result, (each.reshape(1, 8, -1, 64) for each in held.split([512, 128, 128], dim=-1)))

    def blocks(width):
        cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 1))])
        spec = ttnn.ShardSpec(cores, [64, width // 2], ttnn.ShardOrientation.ROW_MAJOR)
        return ttnn.MemoryConfig(ttnn.TensorMemoryLayout.BLOCK_SHARDED, ttnn.BufferType.L1, spec)

    in_l1 = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1)
    options = dict(num_heads=4, num_kv_heads=2, transpose_k_heads=False, memory_config=in_l1)
    # The two queries of a key stand before it and its value.
    tensor, held = put(device, torch.randn(2, 1, 64, 8 * 32), memory_config=blocks(256))
    grouped = held.reshape(2, 64, 2, 4, 32).permute(0, 2, 3, 1, 4)
    expected = grouped[:, :, :2].flatten(1, 2), grouped[:, :, 2], grouped[:, :, 3]
    yield from zip(ttnn.experimental.create_qkv_heads(tensor, **options), expected)
    tensor, held = put(device, torch.randn(2, 1, 64, 4 * 32), memory_config=blocks(128))
    other, pairs = put(device, torch.randn(2, 1, 64, 4 * 32), memory_config=blocks(128))
    pairs = pairs.reshape(2, 64, 2, 2, 32).permute(0, 2, 3, 1, 4)
    result = ttnn.experimental.create_qkv_heads_from_separate_tensors(tensor, other, **options)
    yield from zip(result, (heads_of(held, 4), pairs[:, :, 0], pairs[:, :, 1]))


def half_turned(x):
    first, second = x.chunk(2, -1)
    return torch.cat([-second, first], dim=-1)


def turned_by_pairs(x):
    return torch.stack([-x[..., 1::2], x[..., ::2]], dim=-1).flatten(-2)


def pair_matrix():
    matrix = torch.zeros(32, 32)
    even = torch.arange(0, 32, 2)
    matrix[even, even + 1], matrix[even + 1, even] = 1, -1
    return matrix.reshape(1, 1, 32, 32)


@COMPARED("experimental.rotate_half", exact=True)
def rotate_half(device):
    tensor, held = put(device, torch.randn(2, 4, 32, 64))
    yield ttnn.experimental.rotate_half(tensor), half_turned(held)


@COMPARED("experimental.rotary_embedding", "experimental.rotary_embedding_llama")
def rotary_embedding(device):
    tensor, held = put(device, torch.randn(2, 4, 64, 64))
    angles = torch.rand(1, 1, 64, 64)
    (cosines, c), (sines, s), (matrix, _) = (put(device, each) for each in (angles.cos(), angles.sin(), pair_matrix()))
    yield ttnn.experimental.rotary_embedding(tensor, cosines, sines), held * c + half_turned(held) * s
    one_user, x = put(device, torch.randn(1, 4, 32, 64))
    expected = x * c[:, :, 9:10] + half_turned(x) * s[:, :, 9:10]
    yield ttnn.experimental.rotary_embedding(one_user, cosines, sines, 9), expected
    result = ttnn.experimental.rotary_embedding_llama(tensor, cosines, sines, matrix)
    yield result, held * c + turned_by_pairs(held) * s


@COMPARED("experimental.rotary_embedding_llama_fused_qk")
def rotary_embedding_while_decoding(device):
    angles = torch.rand(1, 4, 1, 64)
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 1))])
    height = ttnn.TensorMemoryLayout.HEIGHT_SHARDED

    def on_both(width):
        return ttnn.MemoryConfig(
            height, ttnn.BufferType.L1, ttnn.ShardSpec(cores, [32, width], ttnn.ShardOrientation.ROW_MAJOR)
        )

    q, x = put(device, torch.randn(1, 2, 8, 64), memory_config=users(2, 64))
    k, y = put(device, torch.randn(1, 2, 2, 64), memory_config=users(2, 64, row=1))
    (cosines, c), (sines, s) = (put(device, each, memory_config=on_both(64)) for each in (angles.cos(), angles.sin()))
    matrix, _ = put(device, pair_matrix().repeat(1, 1, 4, 1), memory_config=on_both(32))
    results = ttnn.experimental.rotary_embedding_llama_fused_qk(q, k, cosines, sines, matrix)
    turned = (each * c[:, at] + turned_by_pairs(each) * s[:, at] for each, at in ((x, slice(0, 2)), (y, slice(2, 4))))
    yield from zip(results, turned)


@COMPARED(
    "fill_cache", "update_cache", "kv_cache.fill_cache_for_user_", "kv_cache.update_cache_for_token_",
    "experimental.nlp_kv_cache_load_slice", exact=True,
)  # fmt: skip
def caches(device):
    filled = (
        (ttnn.fill_cache, ttnn.update_cache),
        (ttnn.kv_cache.fill_cache_for_user_, ttnn.kv_cache.update_cache_for_token_),
    )
    for fill, update in filled:
        cache, held = put(device, torch.randn(4, 2, 128, 64))
        rows_of_one, x = put(device, torch.randn(1, 2, 64, 64))
        held[3, :, :64] = x[0]
        yield fill(cache, rows_of_one, 3), held
        row_of_each, y = put(device, torch.randn(1, 2, 32, 64))
        held[:, :, 77] = y[0, :, :4].transpose(0, 1)
        yield update(cache, row_of_each, 77), held
        yield cache, held
        yield ttnn.experimental.nlp_kv_cache_load_slice(cache, seq_len_start=32, seq_len_end=96), held[:, :, 32:96]


@COMPARED(
    "experimental.paged_fill_cache", "experimental.paged_update_cache", "experimental.paged_fused_update_cache", exact=True
)  # fmt: skip
def caches_in_pages(device):
    table, _ = rows(device, TABLE, ttnn.int32)
    (cache, held), (other, also) = (put(device, torch.randn(8, 2, 32, 64)) for _ in range(2))
    sequence, x = put(device, torch.randn(1, 2, 128, 64))
    held[TABLE[1]] = x[0].reshape(2, 4, 32, 64).transpose(0, 1)
    yield ttnn.experimental.paged_fill_cache(cache, sequence, table, batch_idx=1), held
    one_row, y = put(device, torch.randn(1, 2, 2, 64), memory_config=users(2, 64))
    held[TABLE[0, 1], :, 5], held[TABLE[1, 3], :, 31] = y[0, 0], y[0, 1]
    places, _ = rows(device, torch.tensor([37, 127]), ttnn.int32)
    yield ttnn.experimental.paged_update_cache(cache, one_row, update_idxs_tensor=places, page_table=table), held
    another, z = put(device, torch.randn(1, 2, 2, 64), memory_config=users(2, 64, row=1))
    options = dict(update_idxs_tensor=rows(device, torch.tensor([0, 64]), ttnn.int32)[0], page_table=table)
    results = ttnn.experimental.paged_fused_update_cache(cache, one_row, other, another, **options)
    for target, written in ((held, y), (also, z)):
        target[TABLE[0, 0], :, 0], target[TABLE[1, 2], :, 0] = written[0, 0], written[0, 1]
    yield from zip(results, (held, also))
    yield cache, held


@COMPARED("rms_norm_pre_all_gather", "rms_norm_post_all_gather", "experimental.dit_rms_norm_unary_fused")
def rms_norms(device):
    tensor, held = put(device, torch.randn(1, 1, 64, 256))
    weight, factors = put(device, torch.rand(1, 1, 1, 256))
    halves = [ttnn.slice(tensor, [0, 0, 0, at], [1, 1, 64, at + 128]) for at in (0, 128)]
    weights = [ttnn.slice(weight, [0, 0, 0, at], [1, 1, 1, at + 128]) for at in (0, 128)]
    stats = ttnn.concat([ttnn.rms_norm_pre_all_gather(half, dtype=ttnn.float32) for half in halves], dim=-1)
    expected = held * (held.square().mean(-1, keepdim=True) + 1e-5).rsqrt() * factors
    for half, part, wanted in zip(halves, weights, expected.chunk(2, -1)):
        yield ttnn.rms_norm_post_all_gather(half, stats, epsilon=1e-5, weight=part), wanted
    fused = ttnn.experimental.dit_rms_norm_unary_fused(tensor, epsilon=1e-5, weight=weight, activation="silu")
    yield fused, F.silu(expected)


@COMPARED("experimental.dit_layernorm_pre_allgather", "experimental.dit_layernorm_post_allgather")
def layer_norm_in_halves(device):
    tensor, held = put(device, torch.randn(1, 1, 64, 256), ttnn.float32)
    halves = [ttnn.slice(tensor, [0, 0, 0, at], [1, 1, 64, at + 128]) for at in (0, 128)]
    pre, post = ttnn.experimental.dit_layernorm_pre_allgather, ttnn.experimental.dit_layernorm_post_allgather
    stats = ttnn.concat([pre(half, dtype=ttnn.float32) for half in halves], dim=-1)
    for half, wanted in zip(halves, F.layer_norm(held, [256], eps=1e-5).chunk(2, -1)):
        yield post(half, stats, epsilon=1e-5), wanted


@pytest.mark.parametrize("name", COMPARED)
def test_transformer_operation(device, name):
    COMPARED.run(name, device)
