"""The .pyi files that ship with the package."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from viewer_client import programs

import tracelift
from tracelift._stubs import make_stubs, make_ttnn_stubs

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
    for folder, stubs in ((PACKAGE, make_stubs()), (PACKAGE.with_name("ttnn-stubs"), make_ttnn_stubs())):
        for path, text in stubs.items():
            assert (folder / path).read_text() == text, f"{path} is not what the operations say now; build again"


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
slices = ttnn.Conv2dSliceConfig(slice_type=ttnn.Conv2dSliceConfig.SliceTypeEnum.L1Full)
slices.slice_type = ttnn.Conv2dDRAMSliceWidth
added = ttnn.bcast(x, x, ttnn.BcastOpMath.ADD, ttnn.BcastOpDim.H)
spec = ttnn.allocate_tensor_on_device(x.spec, device).spec
memory: ttnn.MemoryConfig = spec.memory_config
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


# What people write: no word of tracelift.
PLAIN_GOOD = """
import ttnn
import ttnn.graph
import ttnn.operation_tracer
import ttnn.operations.conv2d
from ttnn.database import query_operations
from ttnn.device import Arch, is_blackhole
from ttnn.model_preprocessing import ParameterDict, preprocess_model_parameters
from ttnn.types import BlackholeComputeKernelConfig

def parameters(device: ttnn.Device, mesh: ttnn._ttnn.multi_device.MeshDevice | None = None) -> ParameterDict:
    return preprocess_model_parameters(initialize_model=lambda: None, device=device)

fits: bool = is_blackhole() and Arch.BLACKHOLE.name == "BLACKHOLE"
pages: list[ttnn._ttnn.reports.BufferPageInfo] = []
config = ttnn.operations.conv2d.Conv2dConfig()
compute = BlackholeComputeKernelConfig(math_fidelity=ttnn.MathFidelity.LoFi)
with ttnn.tracer.trace():
    graph = ttnn.torch_tracer.get_graph(1)
program = ttnn.ProgramDescriptor(kernels=[], semaphores=[], cbs=[])
device: ttnn.MeshDevice = ttnn.open_device(device_id=0)
x: ttnn.Tensor = ttnn.exp(ttnn.Tensor([1.0], [1], ttnn.bfloat16, ttnn.TILE_LAYOUT), memory_config=ttnn.L1_MEMORY_CONFIG)
ttnn.operation_tracer._ENABLE_TRACE = True
ttnn.graph.begin_graph_capture(ttnn.graph.RunMode.NO_DISPATCH)
y = ttnn.experimental.view(x, [1, 1])
name: str = y.dtype.name
ttnn.CONFIG.enable_logging = True
"""
PLAIN_MISTAKES = [
    "ttnn.exp(x, memory_confg=None)",
    "ttnn.exp('x')",
    "ttnn.no_such_operation(x)",
    "ttnn.graph.no_such_function()",
    "ttnn.graph.begin_graph_capture('FOO')",
    "number: int = ttnn.exp(x)",
    "ttnn.operations.conv2d.Conv2dConfg()",
    "is_blackhole('n150')",
    "ttnn.ProgramDescriptor(kernel=[])",
]


@pytest.fixture
def installed():
    if not PACKAGE.with_name("ttnn-stubs").exists():
        pytest.skip("the package is used from the source tree, without ttnn-stubs")


def sample(tmp_path, mistakes=()):
    """A file with the good lines and then one mistake per line; and the numbers of these lines."""
    file = tmp_path / "sample.py"
    file.write_text(PLAIN_GOOD + "".join(f"{line}\n" for line in mistakes))
    first = PLAIN_GOOD.count("\n") + 1
    return file, list(range(first, first + len(mistakes)))


def test_mypy_finds_ttnn(installed, tmp_path):
    file, wrong = sample(tmp_path, PLAIN_MISTAKES)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(file)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    found = [line.split(":")[1] for line in result.stdout.splitlines() if ": error:" in line]
    assert sorted(set(map(int, found))) == wrong, result.stdout + result.stderr


@pytest.fixture
def pyright():
    if os.environ.get("TRACELIFT_LONG") != "1":
        pytest.skip("a long test: TRACELIFT_LONG=1 (make test-long) runs it")
    command = programs.CLIENTS / "pyright/node_modules/.bin/pyright"
    assert command.exists(), f"{command} is not there: run scripts/setup_clients.sh"
    return command


@pytest.mark.long
def test_pyright_finds_ttnn(installed, pyright, tmp_path):
    file, wrong = sample(tmp_path, PLAIN_MISTAKES)
    command = [pyright, "--outputjson", "--pythonpath", sys.executable, file]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    found = json.loads(result.stdout)["generalDiagnostics"]
    errors = [problem for problem in found if problem["severity"] == "error"]
    assert sorted({problem["range"]["start"]["line"] + 1 for problem in errors}) == wrong, result.stdout
