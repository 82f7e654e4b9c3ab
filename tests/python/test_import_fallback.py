"""`import ttnn` with and without another ttnn on the path."""

import subprocess
import sys
from pathlib import Path

import pytest

import tracelift

START = "from tracelift import _import_fallback; _import_fallback.install()\n"


def run(program, *paths):
    prefix = "".join(f"import sys; sys.path.insert(0, {str(path)!r})\n" for path in paths)
    result = subprocess.run([sys.executable, "-c", START + prefix + program], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_without_another_ttnn_it_is_ours():
    assert run("import ttnn, tracelift.ttnn; print(ttnn is tracelift.ttnn)") == "True"
    assert run("import tracelift.ttnn, ttnn; print(ttnn is tracelift.ttnn)") == "True"
    assert run("import ttnn; print(ttnn.DataType.BFLOAT16)") == "DataType.BFLOAT16"


def test_submodules_are_not_loaded_twice():
    program = (
        "import ttnn.device, tracelift.ttnn.device as own; print(ttnn.device is own, ttnn.device.Arch is own.Arch)"
    )
    assert run(program) == "True True"
    assert run("from ttnn.cluster import get_cluster_type; print(get_cluster_type())") == "ClusterType.N150"
    assert run("import ttnn._ttnn.tensor; print(ttnn._ttnn.tensor.Tensor is ttnn.Tensor)") == "True"
    assert run("import ttnn.experimental; print(ttnn.experimental.view.__name__)") == "ttnn.experimental.view"
    failed = "try:\n    import ttnn.no_such_thing\nexcept ModuleNotFoundError as error:\n    print(error)"
    assert "no_such_thing" in run(failed)


def test_another_ttnn_wins(tmp_path):
    package = tmp_path / "ttnn"
    package.mkdir()
    (package / "__init__.py").write_text("kind = 'real'\n")
    (package / "graph.py").write_text("kind = 'real graph'\n")
    program = "import ttnn, ttnn.graph, tracelift.ttnn; print(ttnn.kind, ttnn.graph.kind, ttnn is tracelift.ttnn)"
    assert run(program, tmp_path) == "real real graph False"


def test_a_folder_without_init_does_not_hide_ours(tmp_path):
    """A checkout of the original has its sources in such a folder, at a root that is on the path."""
    inside = tmp_path / "ttnn" / "ttnn"
    inside.mkdir(parents=True)
    (inside / "__init__.py").write_text("raise RuntimeError('the sources need the compiled module')\n")
    program = "import ttnn, tracelift.ttnn; print(ttnn is tracelift.ttnn, ttnn.ttnn is ttnn)"
    assert run(program, tmp_path) == "True True"
    program = "import ttnn.operations.conv2d as part, ttnn; print(part.Conv2dConfig is ttnn.Conv2dConfig)"
    assert run(program, tmp_path) == "True"
    found = "import importlib.util; print(type(importlib.util.find_spec('ttnn').loader).__name__)"
    assert run(found, tmp_path) == "_AliasLoader"


def test_a_real_ttnn_behind_such_a_folder_still_wins(tmp_path):
    (tmp_path / "checkout" / "ttnn").mkdir(parents=True)
    package = tmp_path / "installed" / "ttnn"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("kind = 'real'\n")
    (package / "graph.py").write_text("kind = 'real graph'\n")
    # run() puts each path before those that came earlier: the folder of the checkout is found first.
    program = "import sys, ttnn, ttnn.graph; print(sys.path[0].endswith('checkout'), ttnn.kind, ttnn.graph.kind)"
    assert run(program, tmp_path / "installed", tmp_path / "checkout") == "True real real graph"


def test_a_real_ttnn_of_another_finder_wins(tmp_path):
    """An editable installation answers by an entry of sys.meta_path of its own."""
    (tmp_path / "checkout" / "ttnn").mkdir(parents=True)
    package = tmp_path / "sources" / "ttnn"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("kind = 'editable'\n")
    program = f"""
import importlib.util, sys
class Editable:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "ttnn":
            return importlib.util.spec_from_file_location(name, {str(package / "__init__.py")!r},
                                                          submodule_search_locations=[{str(package)!r}])
sys.meta_path.append(Editable)
import ttnn
print(ttnn.kind)
"""
    assert run(program, tmp_path / "checkout") == "editable"


def test_pickles_made_under_either_name_can_be_read():
    program = "import pickle, ttnn; data = pickle.dumps([ttnn.bfloat16, ttnn.Shape([1, 2]), ttnn.exp, ttnn.DRAM_MEMORY_CONFIG]); print(data.hex())"
    data = bytes.fromhex(run(program))
    import pickle

    from tracelift import ttnn

    assert pickle.loads(data) == [ttnn.bfloat16, ttnn.Shape([1, 2]), ttnn.exp, ttnn.DRAM_MEMORY_CONFIG]


def test_installing_the_fallback_imports_nothing_heavy():
    heavy = "import sys; print(sorted({'numpy', 'torch', 'tracelift.ttnn', 'tracelift._ttnn'} & set(sys.modules)))"
    assert run(heavy) == "[]"


def test_importing_ttnn_needs_neither_torch_nor_numpy_yet():
    assert run("import sys, ttnn; print('torch' in sys.modules, 'numpy' in sys.modules)") == "False False"


def test_version_is_that_of_the_project():
    project = Path(__file__).resolve().parents[2] / "pyproject.toml"
    if not project.exists():
        pytest.skip("not run from the source tree")
    assert f'version = "{tracelift.__version__}"' in project.read_text()
