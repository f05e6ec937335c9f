# SPDX-License-Identifier: Apache-2.0
"""Finds the mutants of a source: walks its syntax tree and asks every place what could be wrong.

| operator    | change |
|-------------|--------|
| negate      | a condition or any other truth value is turned round |
| boundary    | < and <=, > and >= |
| logical     | && and \\|\\| |
| arithmetic  | + and -, * and /, << and >>, & and \\|, also with an assignment |
| constant    | a number one more or less, true and false, an enumerator and the next one |
| off-by-one  | a whole number or a revision that is handed on: one more, one less |
| drop-call   | x.f() becomes x, where both are of one type |
| sibling     | a call of the function beside it: min and max, lower_bound and upper_bound, ... |
| swap        | two neighbouring arguments of one type |
| drop-field  | a field of a designated initialiser keeps its default |
| drop-step   | ++ and -- |
| drop        | a statement: a call, an assignment, break, continue, a return that is not the last |
"""

import itertools
import re
from typing import Any

from mutant import DROP, NEGATE, REPLACE, REQUIRE_NOT, Edit, Mutant, on_one_line
from source_tree import HIDDEN_MACRO, RETURN_IF_ERROR, File, Node, closing_of, top_level

BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
LOGICAL = {"&&": "||", "||": "&&"}
ARITHMETIC = {
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "%": "/",
    "<<": ">>",
    ">>": "<<",
    "&": "|",
    "|": "&",
    "^": "&",
    "+=": "-=",
    "-=": "+=",
    "*=": "/=",
    "<<=": ">>=",
    ">>=": "<<=",
    "|=": "&=",
    "&=": "|=",
}
ASSIGNMENT = re.compile(r"(?:[-+*/%&|^]|<<|>>)?=$")
SIBLINGS = [
    ("min", "max"),
    ("lower_bound", "upper_bound"),
    ("front", "back"),
    ("all_of", "any_of"),
    ("floor", "ceil"),
    ("NotifyOne", "NotifyAll"),
    ("first", "last"),
]
SIBLING = dict(SIBLINGS) | {b: a for a, b in SIBLINGS}
# The order of their arguments does not matter.
SYMMETRIC = {"min", "max", "swap", "SameEvents"}
# They change nothing that could be seen.
UNSEEN = {"reserve"}
NUMBER = re.compile(r"(0[xX][0-9a-fA-F']+|\d[\d']*)([uUlL]*)$")
FUNCTIONS = {
    "FUNCTION_DECL",
    "CXX_METHOD",
    "CONSTRUCTOR",
    "DESTRUCTOR",
    "FUNCTION_TEMPLATE",
    "CONVERSION_FUNCTION",
}
CLASSES = {"CLASS_DECL", "STRUCT_DECL", "CLASS_TEMPLATE"}
# A step one way is undone by one the other way: off-by-one would be a second drop-call.
STEPS = {"next": "previous", "previous": "next"}


class Finder:
    """The mutants of one file, in `mutants`."""

    def __init__(self, file: File, name: str) -> None:
        self.file = file
        self.name = name
        self.mutants: list[Mutant] = []
        self.scope: list[str] = []
        self.last_return: Node | None = None  # where the function ends, when it ends in a return
        self.returns_nothing = True
        for root in file.roots:
            self.declaration(root)

    # What a mutant is made of.

    def source(self, node: Node) -> str:
        return on_one_line(self.file.of(node))

    def add(
        self,
        operator: str,
        node: Node,
        mutated: str,
        edits: list[Edit] | None = None,
        original: str | None = None,
    ) -> None:
        text = self.source(node) if original is None else original
        if edits is None:
            edits = [Edit(node.begin, node.end, REPLACE, mutated)]
        line = self.file.text.count("\n", 0, edits[0].begin) + 1
        self.mutants.append(
            Mutant(self.name, "::".join(self.scope), operator, line, text, mutated, edits)
        )

    def negate(self, node: Node) -> None:
        text = self.source(node)
        mutated = text[1:] if node.kind == "UNARY" and node.name == "!" else f"!({text})"
        self.add("negate", node, mutated, [Edit(node.begin, node.end, NEGATE)])

    # Declarations.

    def declaration(self, node: Node) -> None:
        if node.kind in CLASSES or node.kind == "NAMESPACE":
            named = node.kind in CLASSES and node.name
            self.scope += [node.name] * bool(named)
            for child in node.children:
                self.declaration(child)
            del self.scope[len(self.scope) - bool(named) :]
        elif node.kind in FUNCTIONS:
            self.function(node)
        elif node.kind == "FIELD_DECL" and node.children:
            self.scope.append(node.name)
            self.value(node.children[-1])
            self.scope.pop()

    def function(self, node: Node) -> None:
        bodies = [child for child in node.children if child.kind == "COMPOUND_STMT"]
        if not bodies or "constexpr" in self.file.text[node.begin : bodies[0].begin]:
            return
        outer = len(self.scope)
        parent = node.cursor.semantic_parent
        if not self.scope and parent.kind.name in CLASSES:
            self.scope.append(parent.spelling)
        self.scope.append(node.name.split("<")[0])
        for child in node.children:  # of a constructor
            if child.kind not in (
                "PARM_DECL",
                "COMPOUND_STMT",
                "MEMBER_REF",
                "TEMPLATE_TYPE_PARAMETER",
            ):
                self.initialiser(child)
        self.body(bodies[0], node.cursor.result_type.spelling in ("void", ""))
        del self.scope[outer:]

    def body(self, compound: Node, returns_nothing: bool) -> None:
        kept = self.last_return, self.returns_nothing
        last = compound.children[-1] if compound.children else None
        self.last_return = last if last and last.kind == "RETURN_STMT" else None
        self.returns_nothing = returns_nothing
        self.statement(compound)
        self.last_return, self.returns_nothing = kept

    def initialiser(self, node: Node) -> None:
        """Of a variable or a member: T x(a, b), T x{a, b} or T x = a."""
        text = self.file.of(node)
        if (
            node.kind == "CALL_EXPR"
            and re.match(r"[A-Za-z_]\w*\s*[({]", text)
            and not any(child.begin == node.begin for child in node.children)
        ):
            self.arguments(node.children, node.name)
        else:
            self.value(node)

    # Statements.

    def statement(self, node: Node) -> None:
        kind = node.kind
        if kind == "COMPOUND_STMT":
            for child in node.children:
                self.statement(child)
        elif kind in ("IF_STMT", "WHILE_STMT", "SWITCH_STMT"):
            self.branch(node)
        elif kind == "FOR_STMT":
            self.loop(node)
        elif kind == "CXX_FOR_RANGE_STMT":
            for child in node.children[:-1]:
                if child.kind != "VAR_DECL":
                    self.visit(child)
            self.statement(node.children[-1])
        elif kind == "DO_STMT":
            self.statement(node.children[0])
            self.condition(node.children[1])
        elif kind in ("CASE_STMT", "DEFAULT_STMT"):
            self.statement(node.children[-1])
        elif kind == "DECL_STMT":
            for child in node.children:
                self.variable(child)
        elif kind in ("RETURN_STMT", "BREAK_STMT", "CONTINUE_STMT"):
            self.jump(node)
        elif kind != "NULL_STMT" and not node.is_statement:
            self.drop(node, "drop")
            self.visit(node)

    def drop(self, node: Node, operator: str) -> None:
        """Leaves a statement out, unless what is left does the same."""
        end = node.end
        while self.file.text[end].isspace():
            end += 1
        if self.file.text[end] != ";" or node.name in UNSEEN:
            return
        text = self.file.text[node.begin : node.end]
        if HIDDEN_MACRO.match(text) and not text.startswith(RETURN_IF_ERROR):
            return
        if node.kind == "UNARY" and node.name in ("++", "--"):
            operator = "drop-step"
        self.add(
            operator,
            node,
            ";",
            [Edit(node.begin, end + 1, DROP)],
            on_one_line(self.file.text[node.begin : end + 1]),
        )

    def jump(self, node: Node) -> None:
        # Without the last return of a function that returns something, anything could happen.
        last = self.last_return
        if node.kind != "RETURN_STMT" or (
            node is not last and (last is not None or self.returns_nothing)
        ):
            self.drop(node, "drop")
        for child in node.children:
            self.value(child)

    def variable(self, node: Node) -> None:
        text = self.file.of(node)
        if (
            node.kind != "VAR_DECL"
            or not node.children
            or "constexpr" in self.before(node)
            or node.children[-1].kind.endswith("_DECL")
        ):
            return
        value = node.children[-1]
        if "LVALUEREFERENCE" in str(node.cursor.type.kind) and "const" not in text.split("=")[0]:
            self.visit(value)
        else:
            self.initialiser(value)

    def before(self, node: Node) -> Any:
        """What was written before the name of a declaration."""
        start = self.file.text.rfind("\n", 0, node.begin) + 1
        return self.file.text[start : node.begin] + self.file.of(node).split("=")[0]

    def branch(self, node: Node) -> None:
        text = self.file.text
        opening = text.index("(", node.begin)
        if "constexpr" in text[node.begin : opening]:
            return
        closing = closing_of(text, opening)
        head = [child for child in node.children if child.begin < closing]
        for child in [child for child in node.children if child.begin > closing]:
            self.statement(child)
        declared = [child for child in head if child.kind == "VAR_DECL"]
        for child in head[:-1]:
            self.variable(child) if child in declared else self.statement(child)
        tested = head[-1]
        if any(one.begin <= tested.begin < one.end for one in declared):
            if node.kind == "IF_STMT":
                name = declared[-1].name
                edits = [Edit(declared[-1].begin, declared[-1].end, REQUIRE_NOT, name)]
                self.add("negate", declared[-1], f"{self.source(declared[-1])}; !{name}", edits)
        elif node.kind == "SWITCH_STMT":
            self.visit(tested)
        else:
            self.condition(tested)

    def loop(self, node: Node) -> None:
        text = self.file.text
        opening = text.index("(", node.begin)
        closing = closing_of(text, opening)
        first, second = top_level(text, opening + 1, closing, ";")
        for child in node.children:
            if child.begin < first:
                self.statement(child)
            elif child.begin < second:
                self.condition(child)
            elif child.begin < closing:
                self.step(child)
            else:
                self.statement(child)

    def step(self, node: Node) -> None:
        """What a loop does after each round."""
        text = self.source(node)
        edits = [Edit(node.begin, node.end, REPLACE, "void(), 0")]
        if node.kind == "UNARY":
            operand = self.source(node.children[0])
            edits = [Edit(node.begin, node.end, REPLACE, operand)]
            self.add("drop-step", node, operand, edits, text)
        else:
            self.visit(node)

    # Expressions.

    def condition(self, node: Node) -> None:
        """Whatever type it has, it is taken for a truth value."""
        while node.kind == "PAREN_EXPR":
            node = node.children[0]
        if node.kind != "CXX_BOOL_LITERAL_EXPR":
            self.negate(node)
        if node.kind == "BINARY" and node.name in LOGICAL:
            self.logical(node)
        elif node.kind == "UNARY" and node.name == "!":
            self.visit(node.children[0])
        else:
            self.visit(node)

    def logical(self, node: Node) -> None:
        left, right = (self.source(child) for child in node.children)
        self.add("logical", node, f"({left}) {LOGICAL[node.name]} ({right})")
        for child in node.children:
            self.condition(child)

    def value(self, node: Node) -> None:
        """An expression with a value that is handed on: to a variable, a function, the caller."""
        text = self.file.of(node)
        if node.kind == "PAREN_EXPR":
            self.value(node.children[0])
            return
        if text.startswith("{") or node.kind == "LAMBDA_EXPR":
            self.visit(node)
            return
        if node.is_bool and node.kind != "CXX_BOOL_LITERAL_EXPR":
            self.condition(node)
            return
        literal = node.kind in ("INTEGER_LITERAL", "UNARY") and NUMBER.match(text.lstrip("-"))
        with_literal = (
            node.kind == "BINARY"
            and node.name in "+-"
            and any(child.kind == "INTEGER_LITERAL" for child in node.children)
        )
        if node.is_integer and not literal and not with_literal:
            self.add("off-by-one", node, f"({on_one_line(text)}) + 1")
            self.add("off-by-one", node, f"({on_one_line(text)}) - 1")
        if node.is_quantity:
            for step, back in STEPS.items():
                if not text.endswith(f".{back}()"):
                    self.add("off-by-one", node, f"({on_one_line(text)}).{step}()")
        self.visit(node)

    def visit(self, node: Node) -> None:
        """An expression, wherever it stands."""
        if HIDDEN_MACRO.match(self.file.text, node.begin) and node.name != "wp_return_if_error":
            return
        handler = getattr(self, "visit_" + node.kind, None)
        if handler:
            handler(node)
            return
        for child in node.children:
            if not child.kind.endswith("_DECL"):
                self.visit(child)

    def visit_COMPOUND_STMT(self, node: Node) -> None:
        self.statement(node)

    def visit_LAMBDA_EXPR(self, node: Node) -> None:
        for child in node.children:
            if child.kind == "COMPOUND_STMT":
                returns = re.search(r"\breturn\b\s*[^;\s]", self.file.of(child))
                self.body(child, returns is None)

    def visit_CONDITIONAL_OPERATOR(self, node: Node) -> None:
        self.condition(node.children[0])
        for child in node.children[1:]:
            self.value(child)

    def visit_UNARY(self, node: Node) -> None:
        operand = node.children[0]
        if node.name in ("++", "--"):
            if operand.kind != "PAREN_EXPR":
                self.drop_step(node, operand)
            return
        if node.name == "!":
            self.negate(node)
        self.visit(operand)

    def drop_step(self, node: Node, operand: Node) -> None:
        # A statement that consists of it is dropped as a whole.
        dropped = (
            self.mutants
            and self.mutants[-1].operator == "drop-step"
            and self.mutants[-1].edits[0].begin == node.begin
        )
        if not dropped:
            self.add("drop-step", node, self.source(operand))

    def visit_BINARY(self, node: Node) -> None:
        left, right = node.children
        texts = self.source(left), self.source(right)
        if ASSIGNMENT.match(node.name) and node.name not in BOUNDARY and node.name != "==":
            if node.name in ARITHMETIC and "basic_string" not in left.type:
                self.add("arithmetic", node, f"{texts[0]} {ARITHMETIC[node.name]} {texts[1]}")
            self.visit(left)
            self.value(right)
            return
        if node.name in LOGICAL:
            self.negate(node)
            self.logical(node)
            return
        if node.name in BOUNDARY:
            self.add("boundary", node, f"{texts[0]} {BOUNDARY[node.name]} {texts[1]}")
        elif node.name in ARITHMETIC and "basic_string" not in left.type + right.type:
            self.add("arithmetic", node, f"({texts[0]}) {ARITHMETIC[node.name]} ({texts[1]})")
        for child in node.children:
            simple = child.kind in ("INTEGER_LITERAL", "DECL_REF_EXPR")
            self.compared_with = node if simple else None
            self.visit(child)
        self.compared_with = None

    compared_with: Node | None = None

    def visit_CALL_EXPR(self, node: Node) -> None:
        called: Node | None = None
        arguments = list(node.children)
        if arguments and arguments[0].begin == node.begin:
            called = arguments.pop(0)
        if called:
            self.call(node, called, bool(arguments))
        self.arguments(arguments, node.name)

    def call(self, node: Node, called: Node, has_arguments: bool) -> None:
        text = self.file.text
        name_begin = called.end - len(node.name)
        if node.name in SIBLING and text[name_begin : called.end] == node.name:
            mutated = (
                text[node.begin : name_begin] + SIBLING[node.name] + text[called.end : node.end]
            )
            self.add("sibling", node, on_one_line(mutated))
        if called.kind != "MEMBER_REF_EXPR":
            return
        for child in called.children:
            if not has_arguments and child.type == node.type and node.is_quantity:
                self.add("drop-call", node, self.source(child))
            self.visit(child)

    def arguments(self, nodes: list[Node], called: str) -> None:
        """Values in a row, by position or by name."""
        if called in UNSEEN:
            return
        plain = [node for node in nodes if not self.file.of(node).startswith(("{", "[", "."))]
        for first, second in itertools.pairwise(nodes):
            if called in SYMMETRIC or first not in plain or second not in plain:
                continue
            texts = self.source(first), self.source(second)
            # What a range the wrong way round does is undefined: nothing is learnt from it.
            if first.type == second.type and texts[0] != texts[1] and "iterator" not in first.type:
                between = on_one_line(self.file.text[first.end : second.begin]) + " "
                self.add(
                    "swap",
                    first,
                    f"{texts[1]}{between}{texts[0]}",
                    [
                        Edit(first.begin, first.end, REPLACE, texts[1]),
                        Edit(second.begin, second.end, REPLACE, texts[0]),
                    ],
                    f"{texts[0]}{between}{texts[1]}",
                )
        for node in nodes:
            if node.kind == "UNEXPOSED_EXPR" and self.file.of(node).startswith("."):
                self.field(node)
            else:
                self.value(node)

    def visit_INIT_LIST_EXPR(self, node: Node) -> None:
        self.arguments(node.children, "")

    def field(self, node: Node) -> None:
        """.name = value"""
        value = node.children[-1]
        text = self.source(value)
        if text.startswith(("{", "[")):
            self.visit(value)
            return
        if value.kind not in ("CXX_BOOL_LITERAL_EXPR", "INTEGER_LITERAL"):
            edit = Edit(value.begin, value.end, REPLACE, f"std::remove_cvref_t<decltype({text})>()")
            self.add("drop-field", node, "", [edit])
        self.value(value)

    # Constants.

    def visit_INTEGER_LITERAL(self, node: Node) -> None:
        written = NUMBER.match(self.file.of(node))
        if not written:
            return
        digits, suffix = written.groups()
        number = int(digits.replace("'", ""), 0)
        for changed in (number - 1, number + 1):
            if changed >= 0 and not self.same_as_boundary(changed - number, node):
                self.add("constant", node, f"{changed}{suffix}")

    def same_as_boundary(self, difference: int, node: Node) -> bool:
        """a < 8 + 1 is a <= 8, and a >= 8 + 1 is a > 8."""
        whole = self.compared_with
        if whole is None or whole.name not in BOUNDARY:
            return False
        right = node.begin >= whole.children[1].begin
        grows = whole.name in ("<", ">=") if right else whole.name in (">", "<=")
        return difference == (1 if grows else -1)

    def visit_CXX_BOOL_LITERAL_EXPR(self, node: Node) -> None:
        self.add("constant", node, "false" if self.file.of(node) == "true" else "true")

    def visit_DECL_REF_EXPR(self, node: Node) -> None:
        named = node.cursor.referenced
        if named is None or named.kind.name != "ENUM_CONSTANT_DECL":
            return
        path = named.location.file.name if named.location.file else ""
        values = [
            one.spelling
            for one in named.semantic_parent.get_children()
            if one.kind.name == "ENUM_CONSTANT_DECL"
        ]
        two_compared = self.compared_with is not None and len(values) == 2
        if path.startswith("/usr/") or len(values) < 2 or two_compared:
            return
        text = self.source(node)
        after = values[(values.index(named.spelling) + 1) % len(values)]
        if text.endswith(named.spelling):
            self.add("constant", node, text[: len(text) - len(named.spelling)] + after)


def find(file: File, name: str) -> list[Mutant]:
    return Finder(file, name).mutants
