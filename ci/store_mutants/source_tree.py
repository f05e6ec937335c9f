# SPDX-License-Identifier: Apache-2.0
"""Reads a C++ file into a small syntax tree in which every node has its exact place in the source.

    file = parse("/src/embedded_store/watch/watch_sync.cc", flags)
    file.text[node.begin:node.end]

libclang does the reading. What it shows of a source is evened out here: implicit conversions are
left out, a rewritten comparison (a != b through operator==) is the comparison that was written, and
an overloaded operator looks like a built-in one.
"""

import re
import sys
from collections.abc import Iterator

try:
    from clang import cindex
except ImportError:  # the interpreter is not Debian's
    sys.path.append("/usr/lib/python3/dist-packages")
    from clang import cindex

from clang.cindex import CursorKind as Kind
from clang.cindex import TypeKind

LIBRARY = "libclang-16.so.1"
if not cindex.Config.loaded:
    cindex.Config.set_library_file(LIBRARY)

# The macros of harness/base/status.h hide the expressions in them. They are read as something of
# the same length: a call, and a declaration.
RETURN_IF_ERROR = "WP_RETURN_IF_ERROR("
ASSIGN_OR_RETURN = "WP_ASSIGN_OR_RETURN("
READ_AS = "wp_return_if_error("
DECLARATIONS = "template <typename T> void wp_return_if_error(T&&);"
HIDDEN_MACRO = re.compile(r"WP_[A-Z_]+\(")

INTEGERS = {
    TypeKind.INT,
    TypeKind.UINT,
    TypeKind.LONG,
    TypeKind.ULONG,
    TypeKind.LONGLONG,
    TypeKind.ULONGLONG,
    TypeKind.SHORT,
    TypeKind.USHORT,
}
# Counters of this project, which can be stepped with next() and previous().
QUANTITY = re.compile(r"watchproof::Quantity<(?!watchproof::ByteCount)[\w:]+Tag, [\w ]+>$")
OPERATOR_NAME = re.compile(r"operator\s*(\W+)$")
# References to names, and attributes: neither statements nor expressions.
NO_NODES = {
    Kind.TYPE_REF,
    Kind.NAMESPACE_REF,
    Kind.TEMPLATE_REF,
    Kind.OVERLOADED_DECL_REF,
    Kind.CXX_BASE_SPECIFIER,
    Kind.LABEL_REF,
}
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


class Node:
    """`kind` is libclang's name, or BINARY, UNARY or SUBSCRIPT; `name` is the operator of those,
    and what is named or called for the rest."""

    def __init__(
        self,
        cursor: cindex.Cursor,
        kind: str,
        name: str,
        begin: int,
        end: int,
        children: list["Node"],
    ) -> None:
        self.cursor = cursor
        self.kind = kind
        self.name = name
        self.begin = begin
        self.end = end
        self.children = children
        plain = cursor.type.get_canonical()
        self.type = plain.spelling.removeprefix("const ")
        self.is_bool = plain.kind == TypeKind.BOOL
        self.is_integer = plain.kind in INTEGERS
        self.is_quantity = QUANTITY.match(self.type) is not None

    @property
    def is_statement(self) -> bool:
        return self.kind.endswith("_STMT")


class File:
    def __init__(self, path: str, text: str, roots: list[Node]) -> None:
        self.path = path
        self.text = text
        self.roots = roots

    def of(self, node: Node) -> str:
        return self.text[node.begin : node.end]


def readable(text: str) -> str:
    """The source as libclang gets it, character for character in the same place."""
    text = text.replace(RETURN_IF_ERROR, READ_AS)
    at = text.find(ASSIGN_OR_RETURN)
    while at >= 0:
        opening = at + len(ASSIGN_OR_RETURN) - 1
        closing = closing_of(text, opening)
        comma = top_level(text, opening + 1, closing, ",")[-1]
        for other in top_level(text, opening + 1, closing, ","):
            if text[other + 1] == " ":
                comma = other
                break
        text = (
            text[:at]
            + " " * len(ASSIGN_OR_RETURN)
            + text[opening + 1 : comma]
            + "=*"
            + text[comma + 2 : closing]
            + " "
            + text[closing + 1 :]
        )
        at = text.find(ASSIGN_OR_RETURN)
    return text


def closing_of(text: str, opening: int) -> int:
    """Where the bracket at `opening` is closed. Literals and comments with brackets are not
    expected where this is used."""
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth == 0:
            return at
    raise ValueError("a bracket stays open")


def top_level(text: str, begin: int, end: int, char: str) -> list[int]:
    """The places of a character outside of all brackets."""
    depth = 0
    places = []
    for at in range(begin, end):
        if text[at] == char and depth == 0:
            places.append(at)
        depth += (text[at] in "([{") - (text[at] in ")]}")
    return places


def precompile(headers: list[str], flags: list[str], path: str) -> list[str]:
    """Reads system headers once for all sources. Returns the flags that add them."""
    text = "".join(f"#include <{header}>\n" for header in headers)
    unit = cindex.Index.create().parse(
        "/wp_headers.h",
        ["-x", "c++-header", *flags[2:], "-w"],
        unsaved_files=[("/wp_headers.h", text)],
        options=cindex.TranslationUnit.PARSE_INCOMPLETE,
    )
    unit.save(path)
    return ["-include-pch", path]


class Unreadable(Exception):
    pass


def parse(path: str, flags: list[str]) -> File:
    with open(path, encoding="ascii") as file:
        text = file.read()
    unit = cindex.Index.create().parse(
        path,
        [*flags, "-w", "-Wno-pragma-once-outside-header", "-include", "/wp_declarations.h"],
        unsaved_files=[(path, readable(text)), ("/wp_declarations.h", DECLARATIONS)],
    )
    wrong = [str(one) for one in unit.diagnostics if one.severity >= cindex.Diagnostic.Error]
    if wrong:
        raise Unreadable(f"{path}: {'; '.join(wrong[:3])}")
    reader = Reader(path, text)
    return File(
        path,
        text,
        [
            node
            for cursor in unit.cursor.get_children()
            if reader.here(cursor)
            for node in reader.read(cursor)
        ],
    )


class Reader:
    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text

    def here(self, cursor: cindex.Cursor) -> bool:
        return cursor.location.file is not None and cursor.location.file.name == self.path

    @staticmethod
    def span(cursor: cindex.Cursor) -> tuple[int, int]:
        return cursor.extent.start.offset, cursor.extent.end.offset

    def within(self, cursor: cindex.Cursor) -> Iterator[cindex.Cursor]:
        """The children that were written inside it."""
        begin, end = self.span(cursor)
        for child in cursor.get_children():
            first, last = self.span(child)
            if child.kind in NO_NODES or child.kind.is_attribute() or not self.here(child):
                continue
            if begin <= first < last <= end:
                yield child

    def read(self, cursor: cindex.Cursor) -> list[Node]:
        """The node of a cursor, in a list; an empty list where there is nothing to see."""
        begin, end = self.span(cursor)
        if HIDDEN_MACRO.match(self.text, begin) and not self.text.startswith(
            (RETURN_IF_ERROR, ASSIGN_OR_RETURN), begin
        ):
            return []
        children = list(self.within(cursor))
        written = self.rewritten(cursor, children)
        if written:
            return [written]
        if (
            cursor.kind.is_expression()
            and len(children) == 1
            and children[0].kind.is_expression()
            and self.span(children[0]) == (begin, end)
        ):
            return self.read(children[0])
        return [self.operator(cursor, children) or self.plain(cursor, children)]

    def plain(self, cursor: cindex.Cursor, children: list[cindex.Cursor]) -> Node:
        nodes = [node for child in children for node in self.read(child)]
        return Node(cursor, cursor.kind.name, cursor.spelling, *self.span(cursor), nodes)

    def rewritten(self, cursor: cindex.Cursor, children: list[cindex.Cursor]) -> Node | None:
        """a != b and a < b are shown as calls of == and <=> in which some places are wrong."""
        if cursor.kind != Kind.UNEXPOSED_EXPR or len(children) != 1:
            return None
        call = children[0]
        if call.kind == Kind.UNARY_OPERATOR:
            call = next(call.get_children())
        elif call.kind == Kind.CALL_EXPR and call.spelling[len("operator") :] in COMPARISONS:
            call = next(
                (child for child in call.get_children() if child.spelling == "operator<=>"), None
            )
        else:
            return None
        if call is None or call.spelling not in ("operator==", "operator<=>"):
            return None
        name, operands = self.split(cursor, call)
        if name not in COMPARISONS or len(operands) != 2:
            return None
        return self.binary(cursor, name, operands)

    def split(self, whole: cindex.Cursor, call: cindex.Cursor) -> tuple[str, list[cindex.Cursor]]:
        """The operator as it was written, and the operands in the order of the source."""
        begin, end = self.span(whole)
        name, operands = "", []
        for child in call.get_children():
            first, last = self.span(child)
            if child.spelling == call.spelling and child.kind in (
                Kind.UNEXPOSED_EXPR,
                Kind.DECL_REF_EXPR,
            ):
                name = self.text[first:last]
            elif begin <= first < last <= end:
                operands.append(child)
        return name, sorted(operands, key=lambda one: self.span(one)[0])

    def binary(
        self, cursor: cindex.Cursor, name: str, operands: list[cindex.Cursor]
    ) -> Node | None:
        nodes = [node for child in operands for node in self.read(child)]
        if len(nodes) != 2:
            return None
        return Node(cursor, "BINARY", name, *self.span(cursor), nodes)

    def operator(self, cursor: cindex.Cursor, children: list[cindex.Cursor]) -> Node | None:
        begin, end = self.span(cursor)
        if cursor.kind in (Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR):
            if len(children) != 2:
                return None
            between = self.text[self.span(children[0])[1] : self.span(children[1])[0]]
            return self.binary(cursor, between.strip(), children)
        if cursor.kind == Kind.UNARY_OPERATOR and len(children) == 1:
            first, last = self.span(children[0])
            name = (self.text[begin:first] + self.text[last:end]).strip()
            if not name:  # it stands for what a macro does
                return self.read(children[0])[0]
            return Node(cursor, "UNARY", name, begin, end, self.read(children[0]))
        named = OPERATOR_NAME.match(cursor.spelling or "")
        if cursor.kind != Kind.CALL_EXPR or not named:
            return None
        name, operands = self.split(cursor, cursor)
        if named.group(1) == "()":
            return None
        if named.group(1) == "[]":
            nodes = [node for child in operands for node in self.read(child)]
            return Node(cursor, "SUBSCRIPT", "[]", begin, end, nodes)
        if len(operands) == 2 and named.group(1) not in ("++", "--"):
            return self.binary(cursor, name, operands)
        if not name.strip():
            return self.read(operands[0])[0]
        return Node(cursor, "UNARY", named.group(1), begin, end, self.read(operands[0]))
