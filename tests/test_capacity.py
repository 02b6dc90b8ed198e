"""The page of capacity, worked out again: every result follows from the figures above it by the formula beside it."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from infra.store.postgres import POOL_MAX
from services.http.bounds import Bounds

PAGE = (Path(__file__).parent.parent / ".docs" / "capacity.md").read_text(encoding="utf-8")
OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
ROUNDED = 0.006
"""A result is told in three places."""


def rows(heading: str) -> list[list[str]]:
    """Return the cells of each row of the table under a heading, without its head."""
    table = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0].partition("|---|")[2].partition("\n")[2]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.partition("\n\n")[0].splitlines()]


def worked_out(formula: ast.expr, known: dict[str, float]) -> float:
    """Return what a formula comes to: numbers, names and the five operations."""
    match formula:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name(id=name):
            return known[name]
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATIONS[type(op)](worked_out(left, known), worked_out(right, known))
    raise AssertionError(ast.dump(formula))


def given() -> dict[str, float]:
    """Return the figures that nothing on the page is made of."""
    headings = ("Measured", "Supposed", "How it scales on one machine")
    return {name.strip("`"): float(figure) for each in headings for name, figure, *_ in rows(each)}


def results() -> list[tuple[str, float, str]]:
    """Return each result with its formula, in their order."""
    made = [*rows("What it takes"), *rows("The law")]
    return [(name.strip("`"), float(figure), formula.strip("`")) for name, figure, _, formula in made]


def test_every_result_follows_from_what_stands_above_it() -> None:
    known = given()
    for name, told, formula in results():
        known[name] = worked_out(ast.parse(formula, mode="eval").body, known)
        assert told == pytest.approx(known[name], rel=ROUNDED), f"{name} is {known[name]:.4g}"


def test_every_figure_is_used_and_every_name_is_a_figure() -> None:
    names = [*given(), *(name for name, *_ in results())]
    assert len(set(names)) == len(names)
    used = {name for *_, formula in results() for name in re.findall(r"[a-z]\w+", formula)}
    assert used <= set(names)
    assert set(given()) <= used
    said = set(re.findall(r"`([a-z]+_[a-z_]+)`", PAGE))
    assert said <= set(names), said - set(names)


def test_the_bounds_it_supposes_are_those_of_a_process() -> None:
    assert given()["streams_of_process"] == Bounds().streams_max
    assert given()["connections_of_process"] == POOL_MAX
