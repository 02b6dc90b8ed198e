"""The rooms of the house: what each is for, what it may import, how many files lie in it."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("domain", "projections", "infra", "services")
FILES_MAX = 12
CONTRIBUTING = (ROOT / ".docs" / "contributing.md").read_text(encoding="utf-8")
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]


TWICE = {
    "Options": "each game has its own, and a game is read by itself",
    "Figure": "a bench measures one, an analysis works one out, and neither knows of the other",
    "Bid": "what is asked for and what happened have one word in the field, as a command and as an event",
    **dict.fromkeys(
        ("CloseSession", "EndMatch", "StandIn", "TakeBack"),
        "the body of a request has the name of its command in /openapi.json",
    ),
    "Duel": "two seats in a round that is solved, and two players that are measured: neither is told of the other",
    "Policy": "whom to believe about a log, and how a seat plays: the field has one word for both",
    **dict.fromkeys(("Frame", "LobbyRow", "LobbySeat"), "the answer has the name of the projection in /openapi.json"),
}
"""Type names that stand in several modules, and why."""
SHAPES = "domain/fairness/shapes.py"
"""The auditor reads a record by shapes of its own, so that what it checks is not what the server believes it wrote."""


def layers_of(container: str) -> list[set[str]]:
    contract = next(each for each in CONTRACTS if each.get("containers") == [container])
    return [set(re.split(r" [|:] ", layer)) for layer in contract["layers"]]


def documented(container: str) -> list[set[str]]:
    """Return the rooms of the table that stands below the line about a package, from the top of the house down."""
    table = CONTRIBUTING.partition(f"\n`{container}`: ")[2].partition("|---|---|\n")[2].partition("\n\n")[0]
    return [set(re.findall(r"`(\w+)`", row.split("|")[1])) for row in table.splitlines()]


@pytest.mark.parametrize("container", ["domain", "services"])
def test_the_rooms_that_are_written_down_are_those_that_are_enforced(container: str) -> None:
    assert documented(container) == layers_of(container)
    there = {path.stem for path in (ROOT / container).iterdir() if path.stem not in {"__init__", "__pycache__"}}
    assert set().union(*layers_of(container)) == there


def folders() -> Iterator[Path]:
    for package in PACKAGES:
        yield from (path.parent for path in sorted((ROOT / package).rglob("__init__.py")))


def files_of(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob("*.py") if path.stem != "__init__"}


def test_no_folder_has_more_files_than_can_be_overseen_but_those_that_are_named() -> None:
    named = set(re.findall(r"`((?:domain|services)/[\w/]+)` ?(?:\(|and)", CONTRIBUTING.partition("at most twelve")[2]))
    full = {folder.relative_to(ROOT).as_posix() for folder in folders() if len(files_of(folder)) > FILES_MAX}
    assert full == named & full
    assert full == {name for name in named if (ROOT / name).is_dir() and name != "domain/games/NAME"}


@pytest.mark.parametrize("folder", list(folders()), ids=lambda folder: folder.relative_to(ROOT).as_posix())
def test_a_room_says_what_it_is_for_and_lists_its_files(folder: Path) -> None:
    said = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    assert said
    rooms = {path.name for path in folder.iterdir() if (path / "__init__.py").is_file()}
    listed = set(re.findall(r"\w+", said))
    assert (files_of(folder) | rooms) - listed == set()


def types() -> dict[str, set[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found[node.name].add(path.relative_to(ROOT).as_posix())
    return found


def test_no_type_name_stands_in_two_modules_without_a_reason() -> None:
    twice = {name: sorted(where - {SHAPES}) for name, where in types().items() if len(where - {SHAPES}) > 1}
    assert {name: where for name, where in twice.items() if name not in TWICE} == {}
    assert TWICE.keys() <= twice.keys(), "a reason that is none any more is taken off the list"
