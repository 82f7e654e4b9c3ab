"""Arguments of a trace as JSON: the texts of C++ values become objects, lists and strings."""

from __future__ import annotations

import re
from typing import Any

_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")
_WORD = re.compile(r"[A-Za-z_][\w:]*")


_CLOSING = {"(": ")", "[": "]", "{": "}"}


class _Reader:
    """Reads `Name(key=value,...)`, `Name(a, b)`, `[a, b]`, `{a, b}`, numbers and names. Texts of another form, such as
    those of core ranges, stay texts."""

    def __init__(self, text: str):
        self.text, self.at = text, 0

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def expect(self, what: str) -> None:
        if not self.text.startswith(what, self.at):
            raise ValueError(f"expected '{what}' at {self.at}, found '{self.text[self.at : self.at + 10]}'")
        self.at += len(what)

    def match(self, pattern: re.Pattern[str]) -> str | None:
        found = pattern.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found.group()

    def blanks(self) -> None:
        while self.peek() == " ":
            self.at += 1

    def value(self) -> Any:
        """Up to the next comma or closing bracket; what cannot be read up to there stays text."""
        self.blanks()
        start = self.at
        try:
            value = self.known_value()
        except ValueError:
            value = None
        self.blanks()
        if value is None or self.peek() not in ("", ",", ")", "]", "}"):
            self.at = start
            value = self.balanced_text()
        return value

    def balanced_text(self) -> str:
        start = self.at
        open_brackets: list[str] = []
        while self.at < len(self.text):
            c = self.text[self.at]
            if not open_brackets and c in ",)]}":
                break
            if c in _CLOSING:
                open_brackets.append(_CLOSING[c])
            elif c in open_brackets:  # the original leaves out a bracket in the ranges of a ShardSpec
                while open_brackets.pop() != c:
                    pass
            elif c in ")]}":
                raise ValueError(f"'{c}' at {self.at} closes nothing")
            self.at += 1
        if open_brackets:
            raise ValueError(f"expected '{open_brackets[-1]}' at the end")
        if self.at == start:
            raise ValueError(f"expected a value at {self.at}, found '{self.text[self.at : self.at + 10]}'")
        return self.text[start : self.at].strip()

    def known_value(self) -> Any:
        if self.peek() == "[":
            return self.items("[", "]")
        if self.peek() == "{":  # pairs stay text: "{32, 32}"
            start = self.at
            self.items("{", "}")
            return self.text[start : self.at]
        name = self.match(_WORD)
        if name is not None:
            return self.body() if self.peek() == "(" else name
        number = self.match(_NUMBER)
        if number is None:
            raise ValueError(f"expected a value at {self.at}, found '{self.text[self.at : self.at + 10]}'")
        return float(number) if any(c in number for c in ".e") else int(number)

    def items(self, opening: str, closing: str, whole: bool = False) -> list[Any]:
        """`whole`: with the names of the items' types."""
        self.expect(opening)
        items: list[Any] = []
        self.blanks()
        while self.peek() != closing:
            if items:
                self.expect(",")
            self.blanks()
            name = re.match(r"(\w+)\(", self.text[self.at :]) if whole else None
            item = self.value()
            items.append({name[1]: item} if name else item)
            self.blanks()
        self.expect(closing)
        return items

    def body(self) -> Any:
        """What is in the brackets of a type: its members, or the list that it wraps."""
        if self.text.startswith("([", self.at):
            self.expect("(")
            items = self.items("[", "]")
            self.expect(")")
            return items
        if re.match(r"\(\s*([A-Za-z_]\w*=|\))", self.text[self.at :]):
            return self.members()
        return self.items("(", ")")

    def members(self) -> dict[str, Any]:
        self.expect("(")
        members: dict[str, Any] = {}
        while self.peek() != ")":
            if members:
                self.expect(",")
            self.blanks()
            key = self.match(_WORD)
            if key is None or self.peek() != "=":
                raise ValueError(f"expected 'name=value' at {self.at}")
            self.expect("=")
            members[key] = self.value()
            self.blanks()
        self.expect(")")
        return members

    def end(self) -> None:
        if self.at != len(self.text):
            raise ValueError(f"more text than one value at {self.at}: '{self.text[self.at : self.at + 10]}'")


def _argument(index: int, text: str) -> dict[str, Any]:
    reader = _Reader(text)
    is_list = text.startswith("{Tensor(")  # the tensors of a device operation
    name = None if is_list else reader.match(_WORD)
    if not is_list and (name is None or reader.peek() != "("):
        return {f"arg{index}": text}
    try:
        value = reader.items("{", "}", whole=True) if is_list else {name: reader.body()}
        reader.end()
    except ValueError as error:
        return {"UnparsedElement": {"error": str(error), "element_info": text}}
    return {f"arg{index}": value}


class GraphTracerUtils:
    @staticmethod
    def serialize_graph(captured_graph: list[dict[str, Any]]) -> dict[str, Any]:
        """{"content": [{"operation": name, "arguments": [{"arg0": ...}, ...]}]}, for every call with arguments."""
        return {
            "content": [
                {
                    "operation": node["params"].get("name", ""),
                    "arguments": [_argument(i, text) for i, text in enumerate(node["arguments"])],
                }
                for node in captured_graph
                if node.get("arguments")
            ]
        }
