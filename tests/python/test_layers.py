"""Includes go down the layers of src/layers.txt, which docs/architecture.md shows; only the catalog speaks SQL to stores."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src"


def read_layers(text):
    """Folder -> the folders it may include: what its line names, what stands below those, and its line's own."""
    below, peers = {}, {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        folders, _, named = line.partition(":")
        for folder in folders.split():
            assert folder not in below, f"{folder} is listed twice"
            peers[folder] = set(folders.split())
            below[folder] = set(named.split())
            missing = below[folder] - below.keys()
            assert not missing, f"{folder} names {missing}, which must stand above it in the list"
    allowed = {}
    for folder in below:  # those below come first
        allowed[folder] = set(peers[folder]).union(*({one} | allowed[one] | peers[one] for one in below[folder]))
    return allowed


def folder_of(path, folders):
    """The deepest listed folder that a path below src/ is in."""
    parts = Path(path).parts
    return next(("/".join(parts[:n]) for n in range(len(parts) - 1, 0, -1) if "/".join(parts[:n]) in folders), None)


def wrong_includes(allowed, files):
    """(file, include) for every include that goes against the layers; files: path below src/ -> text."""
    wrong = []
    for path, text in files.items():
        folder = folder_of(path, allowed)
        assert folder is not None, f"src/{path} is in no folder of src/layers.txt"
        for included in re.findall(r'^\s*#\s*include\s*"((?:ttnn|tracelift|python)/[^"]+)"', text, re.MULTILINE):
            target = folder_of(included, allowed)
            if target not in allowed[folder]:
                wrong.append((path, included))
    return wrong


@pytest.fixture(scope="module")
def allowed():
    return read_layers((SOURCES / "layers.txt").read_text())


@pytest.fixture(scope="module")
def files():
    found = {str(path.relative_to(SOURCES)): path.read_text() for path in sorted(SOURCES.rglob("*.[ch]pp"))}
    assert len(found) > 400
    return found


def test_includes_go_down_the_layers(allowed, files):
    assert wrong_includes(allowed, files) == []


@pytest.mark.parametrize(
    ("path", "include"),
    [
        ("ttnn/op/op_info.hpp", "tracelift/catalog/catalog.hpp"),  # the runtime knows no tools
        ("tracelift/base/sqlite.cpp", "tracelift/value/value.hpp"),
        ("tracelift/catalog/catalog.hpp", "tracelift/catalog/sqlite/store.hpp"),  # nor the interface its backends
        ("tracelift/catalog/sqlite/store.cpp", "tracelift/store/export.hpp"),
        ("tracelift/report/schema.cpp", "tracelift/store/open.hpp"),
        ("tracelift/store/diff.cpp", "tracelift/cli/table.hpp"),
        ("tracelift/trace/run.cpp", "tracelift/sweep/pool.hpp"),
    ],
)
def test_a_planted_include_is_found(allowed, files, path, include):
    assert path in files and (SOURCES / include).exists()
    planted = {path: f'#include "{include}"\n' + files[path]}
    assert wrong_includes(allowed, planted) == [(path, include)]


def test_the_runtime_knows_only_what_stands_below_both(allowed):
    for folder, may_include in allowed.items():
        if folder.startswith("ttnn/"):
            assert {one for one in may_include if one.startswith("tracelift/")} <= {"tracelift/base", "tracelift/value"}


def test_every_folder_is_described(allowed):
    text = (ROOT / "docs" / "architecture.md").read_text()
    assert [folder for folder in allowed if f"`src/{folder}`" not in text] == []


def test_commands_speak_no_sql(files):
    """What they ask is a question of the catalog, or of the report."""
    sql = re.compile(r'"\s*(SELECT|INSERT|UPDATE|DELETE|PRAGMA|CREATE) [^"]*\b(FROM|INTO|SET|TABLE|=)')
    commands = {path: text for path, text in files.items() if path.startswith("tracelift/cli/")}
    assert len(commands) > 40
    found = [
        path
        for path, text in commands.items()
        if sql.search(re.sub(r"\.example =.*|UsageError.*|throw .*", "", text)) or "sqlite" in "".join(re.findall("#include.*", text))
    ]
    assert found == []


def test_stores_know_no_column_by_its_position(files):
    """Rows are declared once (base/table.hpp): nobody counts columns or question marks by hand."""
    counted = re.compile(r"\.(?:integer|number|text|is_null|json|kind)\(\d+\)|VALUES \(\?|\?, \?")
    catalog = {path: text for path, text in files.items() if path.startswith(("tracelift/catalog/", "tracelift/store/"))}
    assert len(catalog) > 30
    assert [(path, counted.search(text)[0]) for path, text in catalog.items() if counted.search(text)] == []
