"""The front page: tables where people wait come first, and what nobody looks for leaves it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import msgspec
import playwright
import pytest

from services.web.assets import FOLDER
from services.web.front import BOTS_MAX, STALE_MS, on_front

NODE = Path(playwright.__file__).parent / "driver" / "node"
CHOSEN = """
const { onFront } = await import(`${process.argv[1]}/table/tickets.js`);
const rows = JSON.parse(process.argv[2]);
const chosen = ["open", "live", "ended"].map((state) => onFront(rows, state).shown.map((row) => row.match));
process.stdout.write(JSON.stringify(chosen));
"""
NOW = 1_764_000_000_000


def row(match: str, phase: str, *, people: int = 0, age_ms: int = 0) -> dict[str, Any]:
    seats = [{"seat": 1, "name": "Basil", "bot": True}, *[{"seat": 2, "name": "Ada", "bot": False}] * people]
    return {"match": match, "phase": phase, "seats": seats, "at": NOW - age_ms}


ROWS = [
    row("open to bots", "lobby"),
    row("open", "lobby", people=1, age_ms=STALE_MS),
    row("bots", "responding"),
    row("played", "responding", people=2, age_ms=STALE_MS - 1),
    row("left", "responding", people=1, age_ms=STALE_MS),
    *(row(f"demo {number}", "finished") for number in range(BOTS_MAX + 2)),
    row("old", "finished", people=1, age_ms=9 * STALE_MS),
]
CHOICE = [
    ["open", "open to bots"],
    ["played", "bots"],
    ["old", *(f"demo {number}" for number in range(BOTS_MAX))],
]


def chosen_here(rows: list[dict[str, Any]]) -> list[list[str]]:
    return [[found["match"] for found in those] for those in on_front(rows).values()]


@pytest.mark.parametrize(("rows", "choice"), [(ROWS, CHOICE), ([], [[], [], []])])
def test_people_come_first_and_neither_bots_nor_tables_that_stand_still_crowd_them_out(
    rows: list[dict[str, Any]], choice: list[list[str]]
) -> None:
    assert chosen_here(rows) == choice
    given: list[str | bytes | Path] = [
        NODE,
        "--no-warnings",
        "--input-type=module",
        "-e",
        CHOSEN,
        FOLDER,
        msgspec.json.encode(rows),
    ]
    run = subprocess.run(given, capture_output=True, check=False)
    assert run.returncode == 0, run.stderr.decode()
    assert msgspec.json.decode(run.stdout) == choice
