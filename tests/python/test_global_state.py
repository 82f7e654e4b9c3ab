"""docs/architecture.md lists every variable that outlives a call: of the process and of a thread. A new one needs a reason."""

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


def found_in_sources():
    files = sorted((ROOT / "src").rglob("*.[ch]pp"))
    assert len(files) > 400
    return {(name, str(path.relative_to(ROOT))) for path in files for name in variables(path.read_text())}


def listed():
    text = (ROOT / "docs" / "architecture.md").read_text()
    section = text.partition("## Global state\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| `([\w/.]+)` \| (\S.*) \|$", section, re.MULTILINE)
    assert len(rows) == len({row[:2] for row in rows}), "a variable is listed twice"
    return {(name, f"src/{path}") for name, path, _ in rows}


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
