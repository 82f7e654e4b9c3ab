"""A BERT-style text classifier in plain ttnn, compared with the same model in torch.

Embeddings, three encoder layers, a pooler and a classifier, with random weights from a seed: nothing is downloaded.
The placements are those of real bring-ups: weights of the large products are BFLOAT8_B, the attention scores live in
L1, the queries are scaled height sharded by head, and the feed-forward half of a layer is block sharded over 8 x 4
cores.

    pytest examples/bert/test_bert_encoder.py
"""

from dataclasses import dataclass

import torch

import ttnn
from tracelift.testing import assert_with_pcc


@dataclass(frozen=True)
class Config:
    vocabulary: int = 1000
    batch: int = 2
    sequence: int = 128
    hidden: int = 256
    heads: int = 4
    feed_forward: int = 1024
    layers: int = 3
    labels: int = 32
    epsilon: float = 1e-12

    @property
    def head(self):
        return self.hidden // self.heads


# --- weights ----------------------------------------------------------------------------------------------------------


def random_weights(config):
    """Name -> float32 tensor; products are stored as [in, out], the way ttnn.linear wants them."""
    hidden, wide = config.hidden, config.feed_forward
    products = {"pooler": (hidden, hidden), "classifier": (hidden, config.labels)}
    norms = ["embedding_norm"]
    for i in range(config.layers):
        products[f"{i}.query"] = products[f"{i}.key"] = products[f"{i}.value"] = (hidden, hidden)
        products[f"{i}.attention_output"] = (hidden, hidden)
        products[f"{i}.up"], products[f"{i}.down"] = (hidden, wide), (wide, hidden)
        norms += [f"{i}.attention_norm", f"{i}.output_norm"]

    weights = {
        "words": torch.randn(config.vocabulary, hidden),
        "positions": torch.randn(config.sequence, hidden) * 0.5,
    }
    for name, (rows, columns) in products.items():
        weights[f"{name}.weight"] = torch.randn(rows, columns) * 1.5 / rows**0.5
        weights[f"{name}.bias"] = torch.randn(1, columns) * 0.1
    for name in norms:
        weights[f"{name}.weight"] = 1 + 0.1 * torch.randn(1, hidden)
        weights[f"{name}.bias"] = 0.1 * torch.randn(1, hidden)
    return weights


# --- the model in torch -----------------------------------------------------------------------------------------------


def torch_model(config, weights, ids, lengths):
    """(hidden states, probabilities of the labels) in float32."""

    def linear(x, name):
        return x @ weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def norm(x, name):
        weight, bias = weights[f"{name}.weight"][0], weights[f"{name}.bias"][0]
        return torch.nn.functional.layer_norm(x, (config.hidden,), weight, bias, config.epsilon)

    def heads(x):
        return x.reshape(config.batch, config.sequence, config.heads, config.head).transpose(1, 2)

    mask = attention_mask(config, lengths)
    x = norm(weights["words"][ids] + weights["positions"], "embedding_norm")
    for i in range(config.layers):
        query, key, value = (heads(linear(x, f"{i}.{name}")) for name in ("query", "key", "value"))
        scores = query @ key.transpose(-2, -1) / config.head**0.5 + mask
        mixed = (torch.softmax(scores, dim=-1) @ value).transpose(1, 2).reshape(x.shape)
        x = norm(x + linear(mixed, f"{i}.attention_output"), f"{i}.attention_norm")
        wide = torch.nn.functional.gelu(linear(x, f"{i}.up"))
        x = norm(x + linear(wide, f"{i}.down"), f"{i}.output_norm")
    pooled = torch.tanh(linear(x[:, 0], "pooler"))
    return x, torch.softmax(linear(pooled, "classifier"), dim=-1)


def attention_mask(config, lengths):
    """[batch, 1, 1, sequence]: 0 for tokens, a large negative number for the padding behind them."""
    padding = torch.arange(config.sequence) >= lengths[:, None]
    return (padding * -10000.0)[:, None, None, :]


# --- the model in ttnn ------------------------------------------------------------------------------------------------


class Encoder:
    """The model's weights on a device."""

    def __init__(self, config, weights, device):
        self.config = config
        self.device = device
        self.weights = {name: self.upload(name, weight) for name, weight in weights.items()}
        self.by_head = ttnn.create_sharded_memory_config(
            (config.batch, config.heads, config.sequence, config.head),
            ttnn.CoreGrid(x=8, y=1),
            ttnn.ShardStrategy.HEIGHT,
        )
        self.blocked_cores = ttnn.CoreGrid(x=8, y=4)
        self.blocks = ttnn.create_sharded_memory_config(
            (1, 1, config.batch * config.sequence, config.hidden), self.blocked_cores, ttnn.ShardStrategy.BLOCK
        )

    def upload(self, name, weight):
        if name in ("words", "positions"):  # tables are looked up by row
            return ttnn.from_torch(weight, dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=self.device)
        large = weight.shape[0] > 1
        dtype = ttnn.bfloat8_b if large else ttnn.bfloat16
        return ttnn.from_torch(weight, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=self.device)

    def linear(self, x, name, **options):
        return ttnn.linear(x, self.weights[f"{name}.weight"], bias=self.weights[f"{name}.bias"], **options)

    def norm(self, x, name, **options):
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return ttnn.layer_norm(x, epsilon=self.config.epsilon, weight=weight, bias=bias, **options)

    def embed(self, ids):
        options = {"layout": ttnn.TILE_LAYOUT, "memory_config": ttnn.DRAM_MEMORY_CONFIG}
        places = ttnn.arange(0, self.config.sequence, dtype=ttnn.uint32, device=self.device)
        places = ttnn.reshape(places, [1, self.config.sequence])
        words = ttnn.embedding(ids, self.weights["words"], **options)
        positions = ttnn.embedding(places, self.weights["positions"], **options)
        x = ttnn.add(words, positions, memory_config=ttnn.L1_MEMORY_CONFIG)
        return self.norm(x, "embedding_norm")

    def split_heads(self, x, memory_config, transposed=False):
        """[batch, sequence, hidden] -> [batch, heads, sequence, head], or the last two swapped for the keys."""
        config = self.config
        x = ttnn.reshape(x, [config.batch, config.sequence, config.heads, config.head])
        x = ttnn.permute(x, [0, 2, 1, 3], memory_config=memory_config)
        return ttnn.transpose(x, -2, -1) if transposed else x

    def attention(self, x, mask, layer):
        l1 = ttnn.L1_MEMORY_CONFIG
        query, key, value = (self.linear(x, f"{layer}.{name}") for name in ("query", "key", "value"))
        query = ttnn.to_memory_config(self.split_heads(query, l1), self.by_head)
        # One core's queries are one head of one text: the factor is applied where they lie.
        query = ttnn.multiply(query, self.config.head**-0.5, memory_config=self.by_head)
        query = ttnn.sharded_to_interleaved(query, l1)
        scores = ttnn.matmul(query, self.split_heads(key, l1, transposed=True), memory_config=l1)
        ttnn.deallocate(query)
        probabilities = ttnn.scale_mask_softmax(scores, 1.0, mask)
        mixed = ttnn.matmul(probabilities, self.split_heads(value, ttnn.DRAM_MEMORY_CONFIG), memory_config=l1)
        ttnn.deallocate(scores)
        ttnn.deallocate(probabilities)
        mixed = ttnn.permute(mixed, [0, 2, 1, 3], memory_config=ttnn.DRAM_MEMORY_CONFIG)
        mixed = ttnn.reshape(mixed, [self.config.batch, self.config.sequence, self.config.hidden])
        return self.linear(mixed, f"{layer}.attention_output", memory_config=l1)

    def blocked_linear(self, x, name, activation=None):
        """linear from a block sharded tensor to one over the same cores."""
        cores, tile = self.blocked_cores, ttnn.TILE_SIZE
        _, _, rows, inner = x.shape
        columns = self.weights[f"{name}.weight"].shape[-1]
        program = ttnn.MatmulMultiCoreReuseMultiCastProgramConfig(
            compute_with_storage_grid_size=(cores.x, cores.y),
            in0_block_w=inner // cores.x // tile,
            out_subblock_h=1,
            out_subblock_w=1,
            per_core_M=rows // cores.y // tile,
            per_core_N=columns // cores.x // tile,
            transpose_mcast=False,
            fused_activation=activation,
        )
        return self.linear(
            x, name, program_config=program, memory_config=ttnn.L1_BLOCK_SHARDED_MEMORY_CONFIG, dtype=ttnn.bfloat16
        )

    def feed_forward(self, x, layer):
        """Residual and norm included. `x` is [1, 1, batch * sequence, hidden], and so is the result."""
        x = ttnn.to_memory_config(x, self.blocks)
        wide = self.blocked_linear(x, f"{layer}.up", ttnn.UnaryWithParam(ttnn.UnaryOpType.GELU, 0.0))
        total = ttnn.add(x, self.blocked_linear(wide, f"{layer}.down"), memory_config=self.blocks)
        ttnn.deallocate(wide)
        shard_rows, shard_columns = self.blocks.shard_spec.shape
        program = ttnn.LayerNormShardedMultiCoreProgramConfig(
            compute_with_storage_grid_size=(self.blocked_cores.x, self.blocked_cores.y),
            subblock_w=1,
            block_h=shard_rows // ttnn.TILE_SIZE,
            block_w=shard_columns // ttnn.TILE_SIZE,
            inplace=False,
        )
        x = self.norm(total, f"{layer}.output_norm", memory_config=self.blocks, program_config=program)
        return ttnn.sharded_to_interleaved(x, ttnn.L1_MEMORY_CONFIG)

    def layer(self, x, mask, layer):
        config = self.config
        attended = self.attention(x, mask, layer)
        x = self.norm(attended, f"{layer}.attention_norm", residual_input_tensor=x)
        x = ttnn.reshape(x, [1, 1, config.batch * config.sequence, config.hidden])
        x = self.feed_forward(x, layer)
        return ttnn.reshape(x, [config.batch, config.sequence, config.hidden])

    def classify(self, x):
        first = ttnn.slice(x, [0, 0, 0], [self.config.batch, 1, self.config.hidden])
        pooled = ttnn.tanh(self.linear(first, "pooler"))
        return ttnn.softmax(self.linear(pooled, "classifier"), dim=-1)

    def __call__(self, ids, mask):
        x = self.embed(ids)
        for layer in range(self.config.layers):
            x = self.layer(x, mask, layer)
        return x, self.classify(x)


def test_bert_encoder(device):
    config = Config()
    torch.manual_seed(0)
    weights = random_weights(config)
    ids = torch.randint(config.vocabulary, (config.batch, config.sequence))
    lengths = torch.tensor([config.sequence, 77])  # the second text is shorter than the batch
    expected_states, expected_probabilities = torch_model(config, weights, ids, lengths)

    model = Encoder(config, weights, device)
    device_ids = ttnn.from_torch(ids.int(), dtype=ttnn.uint32, device=device)
    mask = attention_mask(config, lengths)
    device_mask = ttnn.from_torch(mask, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    states, probabilities = model(device_ids, device_mask)
    labels = ttnn.argmax(ttnn.untilize(probabilities), dim=-1)

    assert_with_pcc(expected_states, ttnn.to_torch(states).float(), 0.98)
    assert_with_pcc(expected_probabilities, ttnn.to_torch(probabilities).float()[:, 0], 0.98)
    assert ttnn.to_torch(labels).flatten().tolist() == expected_probabilities.argmax(dim=-1).tolist()
