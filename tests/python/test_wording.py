"""What people read (documentation, help, messages) is plain English: turns of phrase that are not have a list here."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

from test_masters_command import find_tool

ROOT = Path(__file__).parents[2]

# The phrase, and what to write.
FORBIDDEN = {
    r"\b(?:is|are|was|were|be|been|being) told\b": "appears, is described, is listed",
    r"\btell(?:s|ing)? of\b": "lists, reports, mentions",
    r"\bmend(?:s|ed|ing)?\b": "fixed",
    r"\b(?:has|have) not (?:enough|any)\b": "not enough memory; has no",
    r"\b(?:this|it|that) is no (?!longer|more|less|different)": "this is not a",
    r"\bin case that\b": "in case",
    r"\b(?:allows|permits|enables) to\b": "lets one",
}
C_TOKENS = re.compile(
    r'//[^\n]*|/\*.*?\*/|\bR"(?P<mark>[^(\s]*)\((?P<raw>.*?)\)(?P=mark)"|\'(?:[^\'\\\n]|\\.)\'|"(?P<text>(?:[^"\\\n]|\\.)*)"',
    re.DOTALL,
)


def plain(text):
    return re.sub(r"\s+", " ", text)


def c_strings(text):
    """The literals, those that follow each other joined as the compiler does."""
    joined, end = "", None
    for token in C_TOKENS.finditer(text):
        literal = token["raw"] if token["raw"] is not None else token["text"]
        if literal is None:
            continue
        if end is not None and text[end : token.start()].strip() == "":
            joined += literal
        else:
            yield joined
            joined = literal
        end = token.end()
    yield joined


def python_strings(text):
    for node in ast.walk(ast.parse(re.sub(r"@(\w+)@", r"\1", text))):  # `tracelift init` fills in places
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)


def shell_strings(text):
    return (line for line in text.splitlines() if not line.lstrip().startswith("#"))


def found_in(texts):
    for text in texts:
        for phrase, instead in FORBIDDEN.items():
            if match := re.search(phrase, plain(text), re.IGNORECASE):
                around = plain(text)[max(0, match.start() - 60) : match.end() + 40]
                yield f"'{around}': write {instead}"


def files(pattern, *folders):
    return sorted(
        path for folder in folders for path in (ROOT / folder).rglob(pattern) if "__pycache__" not in path.parts
    )


DOCUMENTS = [ROOT / "README.md", *files("*.md", "docs", "examples")]
SOURCES = [*files("*.cpp", "src"), *files("*.hpp", "src")]
SCRIPTS = files("*.py", "python", "scripts", "src/tracelift/project")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_documents(path):
    assert list(found_in([path.read_text()])) == []


def test_messages_of_the_programs():
    assert [
        (str(path.relative_to(ROOT)), found) for path in SOURCES for found in found_in(c_strings(path.read_text()))
    ] == []


def test_messages_of_the_package_and_the_scripts():
    found = [(path, each) for path in SCRIPTS for each in found_in(python_strings(path.read_text()))]
    found += [(path, each) for path in files("*.sh", "scripts") for each in found_in(shell_strings(path.read_text()))]
    assert [(str(path.relative_to(ROOT)), each) for path, each in found] == []


def help_of(*words):
    """Of a command and of those below it."""
    text = subprocess.run([find_tool(), *words, "--help"], capture_output=True, text=True, check=True).stdout
    yield text
    listed = text.partition("Commands:\n")[2].partition("\n\n")[0]
    for name in re.findall(r"^  ([a-z][a-z-]*) ", listed, re.MULTILINE):
        yield from help_of(*words, name)


def test_help():
    texts = list(help_of())
    assert len(texts) > 30
    assert list(found_in(texts)) == []


def test_the_phrases_are_found():
    """Also where a line of text or of code ends in the middle of one."""
    assert len(list(found_in(["circular buffers are\n    told once"]))) == 1
    assert len(list(found_in(c_strings('fmt::print("git tells "\n    "of no changes"); // is told')))) == 1
    assert "{} has not enough memory" in next(found_in(python_strings('print(f"{name} has not "\n  "enough memory")')))
    assert list(found_in(["it is no longer there", "people are tolerant", "the text is not mine"])) == []
