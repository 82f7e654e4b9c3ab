"""The .pyi files that ship with the package."""

import subprocess
import sys
from pathlib import Path

import pytest

import tracelift
from tracelift._stubs import make_stubs

PACKAGE = Path(tracelift.__file__).parent


@pytest.fixture(scope="module")
def stubs(tmp_path_factory):
    """The stubs of this very module, as a package of their own."""
    root = tmp_path_factory.mktemp("stubs")
    for path, text in make_stubs().items():
        file = root / "tracelift" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (root / "tracelift" / "__init__.pyi").write_text("__version__: str\n")
    for source in (PACKAGE / "ttnn").glob("*.py"):
        if not (root / "tracelift" / "ttnn" / f"{source.stem}.pyi").exists():
            (root / "tracelift" / "ttnn" / source.name).write_text(source.read_text())
    return root


def test_installed_stubs_are_up_to_date():
    if not (PACKAGE / "py.typed").exists():
        pytest.skip("the package is used from the source tree, without its stubs")
    for path, text in make_stubs().items():
        assert (PACKAGE / path).read_text() == text, f"{path} is not what the operations say now; build again"


def check(stubs, tmp_path, program):
    file = tmp_path / "sample.py"
    file.write_text(program)
    command = [sys.executable, "-m", "mypy", "--no-incremental", "--cache-dir", str(tmp_path / "cache"), str(file)]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env={"MYPYPATH": str(stubs), "PATH": "/usr/bin"}
    )


GOOD = """
from tracelift import ttnn

device: ttnn.MeshDevice = ttnn.open_device(device_id=0, board="n150")
x: ttnn.Tensor = ttnn.exp(ttnn.Tensor([1.0], [1], ttnn.bfloat16, ttnn.TILE_LAYOUT), memory_config=ttnn.L1_MEMORY_CONFIG)
y = ttnn.reshape(x, [1, 1, 1])
z = ttnn.concat([x, y], dim=0, queue_id=0)
name: str = z.dtype.name
config = ttnn.WormholeComputeKernelConfig(math_fidelity=ttnn.MathFidelity.HiFi2)
config.packer_l1_acc = True
rank: int = len(z.shape)
grid: ttnn.CoreGrid = device.core_grid
"""


def test_mypy_accepts_a_typed_sample(stubs, tmp_path):
    result = check(stubs, tmp_path, GOOD)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    "line, message",
    [
        ("ttnn.exp(x, memory_confg=None)", "Unexpected keyword argument"),
        ("ttnn.exp('x')", "incompatible type"),
        ("ttnn.exp(x, None)", "Too many positional arguments"),
        ("ttnn.no_such_operation(x)", "no attribute"),
        ("config.math_fidelity = 2", "Incompatible types"),
    ],
)
def test_mypy_rejects_mistakes(stubs, tmp_path, line, message):
    result = check(stubs, tmp_path, GOOD + line + "\n")
    assert result.returncode == 1 and message in result.stdout, result.stdout + result.stderr
