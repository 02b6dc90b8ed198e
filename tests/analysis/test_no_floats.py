"""Nothing that computes an analysis knows a float: it would be another number on another machine.

Trees are walked, nothing is run: a quotient stands only where a side of it is a fraction by what the code itself says.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
ROOMS = ("domain/strategy", "domain/analysis")
BANNED_MODULES = {"random", "cmath", "statistics", "decimal", "numpy"}
BANNED_OF_MATH = {"exp", "log", "log2", "log10", "sqrt", "pow", "fsum", "cbrt", "hypot"}
UNORDERED = {"values", "keys", "items"}


MODULES = [path.relative_to(ROOT).as_posix() for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]


def tree_of(name: str) -> ast.Module:
    return ast.parse((ROOT / name).read_text(encoding="utf-8"))


def says_fraction(annotation: ast.expr | None) -> bool:
    return annotation is not None and ast.unparse(annotation) == "Fraction"


@cache
def named_fractions() -> frozenset[str]:
    """Return the names that modules annotate as fractions: members, constants, and what functions return."""
    nodes = [node for name in (*MODULES, "domain/statistics/odds.py") for node in ast.walk(tree_of(name))]
    found = {node.name for node in nodes if isinstance(node, ast.FunctionDef) and says_fraction(node.returns)}
    for node in nodes:
        if isinstance(node, ast.AnnAssign) and says_fraction(node.annotation):
            found.add(ast.unparse(node.target).rpartition(".")[2])
    return frozenset(found)


class Walker:
    """What is a fraction in one function: its arguments, and what is made of fractions there."""

    def __init__(self, names: frozenset[str], node: ast.AST) -> None:
        self.names = set(names)
        for each in ast.walk(node):
            if isinstance(each, ast.arg) and says_fraction(each.annotation):
                self.names.add(each.arg)
        for each in ast.walk(node):
            if isinstance(each, ast.Assign) and self.is_fraction(each.value):
                self.names.update(ast.unparse(target) for target in each.targets)

    def is_fraction(self, node: ast.expr) -> bool:
        match node:
            case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
                return name == "Fraction" or name in self.names
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return name in self.names
            case ast.BinOp(left=left, right=right):
                return self.is_fraction(left) or self.is_fraction(right)
            case ast.UnaryOp(operand=operand):
                return self.is_fraction(operand)
            case ast.IfExp(body=body, orelse=orelse):
                return self.is_fraction(body) and self.is_fraction(orelse)
        return False


def quotients(tree: ast.Module, names: frozenset[str]) -> Iterator[str]:
    for scope in ast.walk(tree):
        if not isinstance(scope, ast.FunctionDef):
            continue
        walker = Walker(names, scope)
        for node in ast.walk(scope):
            divides = isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div)
            sides = (
                [node.left, node.right]
                if isinstance(node, ast.BinOp)
                else [node.target, node.value]
                if isinstance(node, ast.AugAssign)
                else []
            )
            if divides and not any(map(walker.is_fraction, sides)):
                yield f"{getattr(node, 'lineno', 0)}: {ast.unparse(node)}"


def is_unordered(node: ast.expr) -> bool:
    match node:
        case ast.Set() | ast.SetComp() | ast.Dict() | ast.DictComp():
            return True
        case ast.Call(func=ast.Name(id="set" | "frozenset" | "dict")):
            return True
        case ast.Call(func=ast.Attribute(attr=attr)):
            return attr in UNORDERED
        case ast.GeneratorExp(generators=generators) | ast.ListComp(generators=generators):
            return any(is_unordered(each.iter) for each in generators)
    return False


def floats(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=float() | complex()) | ast.Name(id="float"):
                yield f"{node.lineno}: {ast.unparse(node)}"
            case ast.Import(names=names) if {each.name.partition(".")[0] for each in names} & BANNED_MODULES:
                yield f"{node.lineno}: {ast.unparse(node)}"
            case ast.ImportFrom(module=str(module), names=names) if module.partition(".")[0] in BANNED_MODULES or (
                module == "math" and {each.name for each in names} & BANNED_OF_MATH
            ):
                yield f"{node.lineno}: {ast.unparse(node)}"
            case ast.Attribute(value=ast.Name(id="math"), attr=attr) if attr in BANNED_OF_MATH:
                yield f"{node.lineno}: {ast.unparse(node)}"
            case ast.Call(func=ast.Name(id="sum"), args=[first, *_]) if is_unordered(first):
                yield f"{node.lineno}: {ast.unparse(node)}"


def faults(tree: ast.Module, names: frozenset[str]) -> list[str]:
    return [*floats(tree), *quotients(tree, names)]


@pytest.mark.parametrize("name", MODULES)
def test_no_module_of_an_analysis_knows_a_float(name: str) -> None:
    assert {name: faults(tree_of(name), named_fractions())} == {name: []}


@pytest.mark.parametrize(
    "line",
    [
        "x = 0.5",
        "x: float = 1",
        "import random",
        "from math import sqrt",
        "import math\nx = math.log(2)",
        "def f(a: int, b: int) -> None:\n    return a / b",
        "def f(a: int) -> None:\n    a /= 2",
        "x = sum({1, 2})",
        "x = sum(y.values())",
        "x = sum(a * b for a, b in y.items())",
        "x = sum([z for z in set(y)])",
    ],
)
def test_a_float_is_found_wherever_it_hides(line: str) -> None:
    assert faults(ast.parse(line), frozenset())


@pytest.mark.parametrize(
    "line",
    [
        "def f(a: Fraction, b: int) -> None:\n    return (1 - a) / b",
        "def f(a: int) -> None:\n    b = -Fraction(a)\n    return b / 2 if a else b // 2",
        "x = sum(y[key] for key in sorted(y))",
        "from math import comb, isqrt",
    ],
)
def test_fractions_and_sums_in_an_order_are_none(line: str) -> None:
    assert faults(ast.parse(line), frozenset()) == []
