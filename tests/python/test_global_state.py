"""docs/architecture.md lists every variable that outlives a call: of the process and of a thread. A new one needs a reason."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# A variable that can change: at namespace scope (which is not indented), or static or thread_local wherever it is.
VARIABLE = re.compile(
    r"""^(?P<indent>[ ]*)
        (?P<how>(?:(?:static|inline|constinit|thread_local|volatile|\[\[\w+\]\])\s+)*)
        (?:const\s+(?=[\w:]+(?:<[^;={}]*>)?\s*\*\s*\w))?       # what a pointer points at may be constant
        (?!(?:case|class|concept|const|constexpr|delete|else|enum|extern|friend|goto|namespace|new|private|public|requires
            |return|struct|template|throw|typedef|using)\b)
        [\w:]+(?:<[^;={}]*>)?(?:\s*[*&]+|\s+)\s*               # its type
        (?:\(\*(?P<function>\w+)\)\([^)]*\)|(?P<name>\w+))\s*  # a pointer to a function, or a plain name
        (?:=|;|\{[^}]*\};|\[\w*\]\s*=)""",
    re.VERBOSE,
)


def variables(text):
    names = set()
    for line in text.splitlines():
        found = VARIABLE.match(line)
        if found and (not found["indent"] or re.search("static|thread_local|constinit", found["how"])):
            names.add(found["name"] or found["function"])
    return names


# Methods that change what they are called on.
CHANGING = frozenset(["add", "append", "clear", "extend", "insert", "pop", "popitem", "remove", "setdefault", "update"])
# Calls that make what no code changes.
CONSTANTS = ("getLogger", "frozenset", "namedtuple", "compile")


def changed_in(function):
    """Names that a function rebinds in its module, or whose objects it changes."""
    for node in ast.walk(function):
        if isinstance(node, ast.Global):
            yield from node.names
        elif isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.value, ast.Name):
            method = isinstance(node, ast.Attribute) and node.attr in CHANGING
            if method or not isinstance(node.ctx, ast.Load):
                yield node.value.id


def is_object(name, value):
    """Made for this name at import, and not written as a constant."""
    if isinstance(value, ast.Call) and ast.unparse(value.func).endswith(CONSTANTS):
        return False
    made = (ast.Call, ast.Dict, ast.DictComp, ast.List, ast.ListComp, ast.Set, ast.SetComp)
    return name.strip("_")[0].islower() and isinstance(value, made)


def python_variables(text):
    module = ast.parse(text)
    values = {}
    for statement in module.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            values |= {target.id: statement.value for target in targets if isinstance(target, ast.Name)}
    functions = (node for node in ast.walk(module) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    changed = {name for function in functions for name in changed_in(function)}
    names = {name for name, value in values.items() if name in changed or is_object(name, value)}
    return {name for name in names if not name.startswith("__")}


def found_in_sources():
    files = sorted((ROOT / "src").rglob("*.[ch]pp"))
    modules = sorted((ROOT / "python").rglob("*.py"))
    assert len(files) > 400 and len(modules) > 60
    finders = [(variables, files), (python_variables, modules)]
    return {
        (name, str(path.relative_to(ROOT)))
        for find, paths in finders
        for path in paths
        for name in find(path.read_text())
    }


def listed():
    text = (ROOT / "docs" / "architecture.md").read_text()
    section = text.partition("## Global state\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| `([\w/.]+)` \| (\S.*) \|$", section, re.MULTILINE)
    assert len(rows) == len({row[:2] for row in rows}), "a variable is listed twice"
    return {(name, f"{'python/tracelift' if path.endswith('.py') else 'src'}/{path}") for name, path, _ in rows}


def test_every_variable_is_listed_with_its_reason():
    assert sorted(found_in_sources() - listed()) == []


def test_the_list_has_no_variable_that_is_gone():
    assert sorted(listed() - found_in_sources()) == []


@pytest.mark.parametrize(
    "line",
    [
        "int planted = 0;",
        "std::atomic<uint64_t> planted = 1;",
        "inline constinit std::atomic<bool> planted{false};",
        "inline thread_local const Thing* planted = nullptr;",
        "thread_local Thing planted;",
        "    thread_local std::map<std::string, int> planted;",
        "    static std::vector<int> planted;",
        "    static auto* planted = new Thing();",
        "    static Thing& planted = *[] {",
        "    static inline constinit std::atomic<int> planted{1};  // why",
        "volatile std::sig_atomic_t planted = 0;",
        "std::string (*planted)() = nullptr;",
        "PyMethodDef planted[] = {{nullptr}};",
    ],
)
def test_a_planted_variable_is_found(line):
    assert variables(line) == {"planted"}


@pytest.mark.parametrize(
    "line",
    [
        "constexpr int size = 4;",
        "inline constexpr Op<Add> add{};",
        "const std::string text = join();",
        "    static const Table table = make();",
        "    static constexpr int most = 8;",
        "    static Tensor allocate(const Shape& shape);",
        "    static bool here() { return call_context.untraced; }",
        "    int count = 0;",
        "using Map = std::map<int, int>;",
        "extern PyObject* interceptor;",
        "struct Slot;",
        "return result;",
        "}  // namespace ttnn",
    ],
)
def test_what_is_no_such_variable_is_not_found(line):
    assert variables(line) == set()


@pytest.mark.parametrize(
    "text",
    [
        "planted = itertools.count(0)",
        "planted: dict[str, int] = {}",
        "planted = _Settings()",
        "planted = None\ndef change():\n    global planted\n    planted = 1",
        "PLANTED = []\ndef change(value):\n    PLANTED.append(value)",
        "PLANTED = _Settings()\ndef change(value):\n    PLANTED.value = value",
        "PLANTED = dict()\nclass A:\n    def change(self, key):\n        del PLANTED[key]",
    ],
)
def test_a_planted_variable_of_a_module_is_found(text):
    assert {name.lower() for name in python_variables(text)} == {"planted"}


@pytest.mark.parametrize(
    "text",
    [
        "NAMES = ['a', 'b']",
        "_log = logging.getLogger('ttnn')",
        "__all__ = ['a']",
        "alias = module.other",
        "def work():\n    local = []\n    local.append(1)",
        "TABLE = {}\ndef read(key):\n    return TABLE[key].name",
    ],
)
def test_what_is_no_variable_of_a_module_is_not_found(text):
    assert python_variables(text) == set()
