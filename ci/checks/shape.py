# SPDX-License-Identifier: Apache-2.0
"""Sizes: lines of 100 columns, functions of 60 lines, files of 500."""

import ast
import re
from collections.abc import Iterable, Iterator

from source import File, Problem

LINE_COLUMNS = 100
FUNCTION_LINES = 60
FILE_LINES = 500

SCOPE = re.compile(
    r"^(?:template\s*<.*>\s*)?(?:inline\s+)?(namespace|class|struct|union|enum|extern)\b"
)
DIRECTIVE = re.compile(r"(?m)^\s*#.*(?:\\\n.*)*")
LAMBDA = re.compile(r"\]\s*(?:\([^()]*\)\s*(?:mutable|noexcept)?\s*(?:->\s*[^;={}]+)?)?$")
# What stands before the brace of a function body: the end of its parameters, or what may follow.
BODY = re.compile(
    r"(?:\)|\b(?:const|noexcept|override|final|mutable|try|else|do))\s*[&]*\s*$"
    r"|\)[^()]*->[^;=]*$"
    r"|\)\s*:[^;]*\}\s*$"
    r"|^\s*(?:else|do|try)\s*$"
)


def functions(code: str) -> Iterator[tuple[int, int]]:
    """Yields (first line, last line) of every outermost function of C++ code without literals."""
    frames: list[
        tuple[str, int, str, int]
    ] = []  # of (kind, line where the head began, head so far, parentheses open)
    head, head_line, parens, body_depth = "", 1, 0, None
    for line, text in enumerate(DIRECTIVE.sub(_newlines, code).split("\n"), start=1):
        for char in text + "\n":
            if not head.strip():
                head, head_line = "", line
            if char == "{":
                kind = _kind(head, parens)
                if kind == "function" and body_depth is None:
                    body_depth = len(frames)
                frames.append((kind, head_line, head, parens))
                head, parens = "", 0
            elif char == "}" and frames:
                kind, head_line, before, parens = frames.pop()
                if kind == "function" and body_depth == len(frames):
                    yield head_line, line
                    body_depth = None
                head = before + "{}" if kind == "value" else ""
            elif char == ";" and parens == 0:
                head = ""
            else:
                parens += (char == "(") - (char == ")")
                head += char


def _newlines(match: re.Match[str]) -> str:
    return "\n" * match.group(0).count("\n")


def _kind(head: str, parens: int) -> str:
    stripped = re.sub(r"\[\[[^\]]*\]\]", " ", head).strip()
    if parens == 0 and SCOPE.match(stripped):
        return "scope"
    # Inside parentheses only a lambda has a body: f([](int x) {
    if LAMBDA.search(head):
        return "function"
    if parens == 0 and "(" in stripped and "=" not in stripped.split("(")[0] and BODY.search(head):
        return "function"
    return "value"


def check_lines(file: File) -> Iterator[Problem]:
    for number, line in enumerate(file.lines, start=1):
        if len(line) > LINE_COLUMNS:
            text = f"{len(line)} columns; break the line at {LINE_COLUMNS} at the latest"
            yield Problem(file.path, number, text)


def check_functions(file: File) -> Iterator[Problem]:
    if file.is_cpp:
        spans: Iterable[tuple[int, int]] = functions(file.code)
    elif file.path.endswith(".py"):
        try:
            tree = ast.parse(file.text)
        except SyntaxError as error:
            yield Problem(file.path, error.lineno or 1, f"not Python: {error.msg}; repair it")
            return
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
        spans = (
            (n.lineno, n.end_lineno or n.lineno) for n in ast.walk(tree) if isinstance(n, kinds)
        )
    else:
        return
    for first, last in spans:
        length = last - first + 1
        if length > FUNCTION_LINES:
            text = f"a function of {length} lines; split it into steps of at most {FUNCTION_LINES}"
            yield Problem(file.path, first, text)


def check_file(file: File) -> Iterator[Problem]:
    length = len(file.lines)
    if length > FILE_LINES:
        text = (
            f"{length} lines; a file over {FILE_LINES} usually holds two things, and a reader "
            "has to keep both in mind: consider splitting it"
        )
        yield Problem(file.path, FILE_LINES + 1, text, warning=True)


def check(file: File) -> Iterator[Problem]:
    yield from check_lines(file)
    yield from check_functions(file)
    yield from check_file(file)
