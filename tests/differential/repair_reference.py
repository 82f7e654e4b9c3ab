"""Repair of damaged argument texts, written apart from ours: regular expressions and Python's JSON.

    repair_reference.py REPAIR_TEXT [MASTER...]

Feeds damaged texts, of real masters and made up ones, to the program and compares what both make of them.
"""

import json
import random
import re
import subprocess
import sys
from pathlib import Path

POINT = r'\{"x":-?\d+,"y":-?\d+\}'
RANGE = rf"\[{POINT} - {POINT}\]"


def repaired(text):
    """The object a text stands for, None when it cannot be read."""
    text = re.sub(rf'"grid":\{{({RANGE}(?:, {RANGE})*)\}}', r'"grid":[\1]', text)
    text = re.sub(rf"({POINT}) - (?={POINT})", r"\1, ", text)
    text = text.replace("{...}", '"..."')
    text = re.sub(r'":(-?\d+), *(-?\d+)(?= *[,}])', r'":[\1,\2]', text)
    text = re.sub(r'":([A-Za-z_]\w*(?:::\w+)+)', r'":"\1"', text)
    match = re.fullmatch(r'(\{"arg\d+": )"(\[\{.*\}\])"\}', text, re.S)
    if match:
        text = f"{match[1]}{match[2]}}}"
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def real_texts(paths):
    def walk(value):
        if isinstance(value, dict):
            if "element_info" in value:
                yield value["element_info"]
            for inner in value.values():
                yield from walk(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from walk(inner)

    for path in paths:
        yield from walk(json.loads(Path(path).read_text(encoding="utf-8")))


def made_up(rng):
    """A text with some of the damage that captures do."""

    def point():
        return f'{{"x":{rng.randrange(12)},"y":{rng.randrange(12)}}}'

    def grid():
        ranges = [f"[{point()} - {point()}]" for _ in range(rng.randrange(1, 4))]
        return ranges[0] if len(ranges) == 1 and rng.random() < 0.7 else "{" + ", ".join(ranges) + "}"

    def shard():
        return rng.choice(
            ['"std::nullopt"', f'{{"grid":{grid()},"shape":"{{32, 32}}","orientation":"ShardOrientation::ROW_MAJOR"}}']
        )

    def memory():
        return f'{{"memory_layout":"TensorMemoryLayout::BLOCK_SHARDED","shard_spec":{shard()},"nd_shard_spec":{shard()}}}'

    def tensor():
        return f'{{"storage":{{}},"tensor_spec":{{"logical_shape":[1, {rng.randrange(99)}],"memory_config":{memory()}}}}}'

    index = rng.randrange(12)
    body = rng.choice(
        [
            lambda: f'{{"Tensor":{tensor()}}}',
            lambda: f'{{"MemoryConfig":{memory()}}}',
            lambda: rng.choice(['{"Topology":{...}}', '{"GlobalSemaphore":{...}}']),
            lambda: f'{{"SDPAProgramConfig":{{"compute_grid":{rng.randrange(9)},{rng.randrange(9)}, "q_chunk_size":64}}}}',
            lambda: f'"[{tensor()}, {tensor()}]"',
            lambda: f'{{"Tensor":{{"storage_type":StorageType::DEVICE,"layout":Layout::TILE}}}}',
        ]
    )()
    text = f'{{"arg{index}": {body}}}'
    if rng.random() < 0.1:  # beyond repair
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(["", "{", '"', ",,"]) + text[at + rng.randrange(3) :]
    return text


def main():
    rng = random.Random(5)
    texts = list(real_texts(path for path in sys.argv[2:] if Path(path).exists()))
    real = len(texts)
    texts += [made_up(rng) for _ in range(3000)]
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    answer = subprocess.run([sys.argv[1]], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(answer) == len(texts), f"{len(answer)} answers to {len(texts)} texts"
    read = 0
    for text, line in zip(texts, answer):
        expected, found = repaired(text), json.loads(line)
        read += expected is not None
        assert found == expected, f"not the same:\n{text}\nours: {found}\nreference: {expected}"
    assert read > 2000
    print(f"{len(texts)} texts ({real} of real masters), {read} readable: the same on both sides")


if __name__ == "__main__":
    main()
