"""The sample that the line takes of a suite: every kind of it, and the same in every run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from msgspec import Struct

from tests.sizes import LINE, LONG, cases, is_long, spread

HERE = Path(__file__).parent
LIST = HERE / "README.md"


@pytest.fixture
def profile() -> Iterator[None]:
    """Leave the run's own profile as it was."""
    before = hypothesis.settings.get_current_profile_name()
    yield
    hypothesis.settings.load_profile(before)


@pytest.mark.usefixtures("profile")
def test_the_line_tries_a_sample_and_long_tries_all() -> None:
    hypothesis.settings.load_profile(LINE)
    assert (is_long(), cases(10, 1_000), spread(range(9), 3)) == (False, 10, [0, 3, 6])
    hypothesis.settings.load_profile(LONG)
    assert (is_long(), cases(10, 1_000), spread(range(9), 3)) == (True, 1_000, list(range(9)))


@pytest.mark.usefixtures("profile")
def test_a_sample_has_some_of_every_kind_however_rare() -> None:
    hypothesis.settings.load_profile(LINE)
    found = ["a1", "a2", "a3", "a4", "b1", "a5", "c1", "c2"]
    assert spread(found, 2, lambda one: one[0]) == ["a1", "a3", "b1", "c1", "c2"]


def test_profiles_are_sized_and_no_test_is_given_a_deadline() -> None:
    line, whole = (hypothesis.settings.get_profile(name) for name in (LINE, LONG))
    assert line.max_examples < whole.max_examples
    assert (line.deadline, whole.deadline) == (None, None)


# ---- the list of what runs where ------------------------------------------------------------------


class Row(Struct, frozen=True):
    """What the list says of a file: the numbers of the line and of `--long`, and what CI runs."""

    line: set[int]
    whole: set[int]
    in_ci: str


def suites() -> Iterator[tuple[Path, str]]:
    """Yield every file of tests but this one, and what a folder has for its tests, with what each says."""
    for path in sorted([*HERE.rglob("test_*.py"), *HERE.glob("*/**/conftest.py")]):
        if path != Path(__file__):
            yield path, path.read_text(encoding="utf-8")


def listed() -> dict[str, Row]:
    rows = [line.strip("| ").split(" | ") for line in LIST.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row[0].startswith("`tests/")]
    return {row[0].strip("`"): Row(numbers(row[1]), numbers(row[3]), row[2]) for row in rows}


def numbers(text: str) -> set[int]:
    return {int(found.replace(",", "")) for found in re.findall(r"\d[\d,]*", text)}


def sizes_of(text: str) -> tuple[set[int], set[int]] | None:
    """Return the numbers a file asks for, of the line and of `--long`; nothing if it has no size."""
    line, whole, has_size = set[int](), set[int](), False
    if "tests.sizes" not in text and "mark.long" not in text:
        return None
    for node in ast.walk(ast.parse(text)):
        has_size = has_size or (isinstance(node, ast.Attribute) and ast.unparse(node) == "pytest.mark.long")
        if isinstance(node, ast.ImportFrom) and node.module == "tests.sizes":
            has_size = True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) > 1:
            given = [part.value for part in node.args if isinstance(part, ast.Constant) and isinstance(part.value, int)]
            if node.func.id == "cases":
                line.add(given[0])
                whole.add(given[1])
            elif node.func.id == "spread":
                line.add(given[0])
    return (line, whole) if has_size else None


def long_tests_of(text: str) -> set[str]:
    """Return the names of the tests that a file marks as long."""
    tests = [node for node in ast.parse(text).body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return {test.name for test in tests if "pytest.mark.long" in map(ast.unparse, test.decorator_list)}


def test_the_list_says_of_every_suite_how_much_of_it_runs_where() -> None:
    told = listed()
    for path, text in suites():
        row = told.pop(f"tests/{path.relative_to(HERE)}", None)
        assert (row and (row.line, row.whole)) == sizes_of(text), path
    assert told == {}, "a file that is gone, or has no size any more"


def test_what_ci_runs_whole_is_what_the_list_says() -> None:
    names = (HERE.parent / ".ci" / "whole").read_text(encoding="utf-8").splitlines()
    told, run = listed(), [name.partition("::") for name in names]
    assert names == sorted(set(names))
    assert {row.in_ci for row in told.values()} == {"whole", "those marked long", "as in the line"}
    assert {name for name, row in told.items() if row.in_ci != "as in the line"} == {file for file, _, _ in run}
    for file in {file for file, _, _ in run}:
        marked = long_tests_of((HERE.parent / file).read_text(encoding="utf-8"))
        assert file in names or marked <= {test for where, _, test in run if where == file}, file
    for file, _, test in run:
        assert not test or f"def {test}(" in (HERE.parent / file).read_text(encoding="utf-8"), (
            f"{test} has another name"
        )


def test_every_number_of_examples_is_sized() -> None:
    unsized = re.compile(r"max_examples=(?!cases\().*")
    assert [(path.name, found) for path, text in suites() for found in unsized.findall(text)] == []
