"""Reading of real games: the chance of each claim by what people did, beside what the vectors say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from domain import events
from domain.fairness.records import split
from domain.ids import Face, Seat, Version
from domain.match.record import fold
from domain.rules.orders import Count
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.reading.learning import Learning
from domain.strategy.reading.reader import Beliefs
from domain.table.state import State

RECORDS = Path(__file__).parent / "vectors" / "records"
PPM = 10**6
Step = tuple[Version, State, events.Event, State]
"""A line of a game: its number, the game before it, what happened, the game after it."""


def steps_of(name: str) -> Iterator[Step]:
    before = None
    for version, (written, event) in enumerate(fold(split((RECORDS / f"{name}.cup").read_bytes()).lines), start=1):
        after = written.match.table
        if before is not None and after is not None:
            yield version, before, event, after
        before = after


def dealt_in(steps: list[Step]) -> dict[int, dict[Seat, tuple[Face, ...]]]:
    """Return what each seat held in each round, as it was shown at the end of it."""
    found: dict[int, dict[Seat, tuple[Face, ...]]] = {}
    for _, _, event, after in steps:
        if isinstance(event, events.Judged):
            shown = {seat: place.outside for seat, place in after.places.items()}
            found[after.round_number] = {
                seat: tuple([die.value + 1 for die in dice if die.value is not None]) for seat, dice in shown.items()
            }
    return found


@pytest.mark.parametrize("name", ["one-die-each", "two-dice-face-first", "three-seats", "three-by-five"])
def test_claims_that_count_are_read_with_the_doubt_that_was_learnt(name: str) -> None:
    expected = json.loads((RECORDS / f"{name}.json").read_text())
    rows = {row["version"]: row for row in expected["events"]}
    doubts = {played["acted_from"]: played["doubt"] for played in expected["rounds"] if "doubt" in played}
    steps = list(steps_of(name))
    dealt = dealt_in(steps)
    learning, reading = Learning(LEVEL_ONE), Beliefs(LEVEL_ONE, {})
    for version, before, event, after in steps:
        if isinstance(event, events.RoundOpened):
            reading = Beliefs(LEVEL_ONE, {seat: learning.doubt(seat) for seat in after.seats})
        then = reading.after(before, event)
        learning = learning.after(before, event)
        if version in doubts:
            assert {str(seat): str(reading.doubts[seat]) for seat in after.remaining} == doubts[version]
        if version in rows and "read" in rows[version]:
            claim = after.round.standing
            assert isinstance(claim, Count)
            for given, said in ((reading, "before"), (then, "after")):
                found = rows[version]["read"][said]
                assert near(given.chance_of(after, claim), found["public"])
                for seat, ppm in found["seat"].items():
                    own = dealt[after.round_number][int(seat)]
                    assert near(given.chance_of(after, claim, int(seat), own), ppm), (version, said, seat)
        reading = then
    assert rows
    assert doubts


def near(chance: Fraction, ppm: int) -> bool:
    return abs(chance * PPM - ppm) <= 1
