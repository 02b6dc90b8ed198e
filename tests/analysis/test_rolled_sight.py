"""Rounds of dice that are handled or passed say of a seat only what it could know: other dice change no figure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Final

import pytest
from msgspec import Struct
from msgspec.structs import replace

from domain import commands
from domain.analysis.record.following import follow
from domain.ids import CupId, Seat, Version
from domain.table.offers import RollMove
from domain.table.state import PASSED_CUP
from tests.analysis.sights import hidden_faces
from tests.analysis.test_documents import document
from tests.analysis.test_fold_back import DRINKS
from tests.domain.truth_oracle import Course

HEAD: Final = "ab" * 32
"""All chance of an analysis comes from the end of its record, which hidden dice have a part in."""
CALLS: Final[dict[str, tuple[str, tuple[int, ...]]]] = {
    "mexican": ("score", (5, 4)),
    "two_dice_pass": ("score", (5, 4)),
    "finska": ("pair", (13,)),
}
FOLDED: Final = frozenset({"mexican", "two_dice_pass"})
"""Games whose throws are gone through instead."""


class Match(Struct, frozen=True, dict=True):
    """A match of one round, looked at by one of two seats.

    Attributes:
        seat: Whose figures are looked at.
        version: How many lines there were when it could act first.
        known: The dice that it saw, in its own numbering.
        hidden: The dice that it did not.
        lines: All that happened.
    """

    seat: Seat
    version: Version
    known: tuple[int, ...]
    hidden: tuple[int, ...]
    lines: tuple[bytes, ...]

    @cached_property
    def found(self) -> dict[str, Any]:
        """The analysis, as if all records ended alike."""
        return document(replace(follow(self.lines), head=HEAD))

    @cached_property
    def figures(self) -> dict[str, Any]:
        """All that is told of the seat up to the verdict, but whether it turned out right to doubt."""
        events = [event for event in self.found["events"] if "equity" in event]
        decisions = [event["decision"] for event in events if event["seat"] == self.seat and "decision" in event]
        return {
            "decisions": [{name: told for name, told in each.items() if name != "marks"} for each in decisions],
            "public": [event["equity"]["public"] for event in events[:-1]],
            "seat": [event["equity"]["seat"][str(self.seat)] for event in events[:-1]],
            "stake": self.found["rounds"][0]["stake"],
        }


def started(game: str, seed: int, options: dict[str, Any]) -> Course:
    course = Course(options, 2, f"sight{seed}", game, pause_ms=0, deal_per="match")
    course.start()
    return course


def finished(course: Course) -> tuple[bytes, ...]:
    """Return the lines of a match that is given up after its first round."""
    ends = course.table.rules.match.open_ended
    course.do(commands.CloseSession() if ends else commands.Forfeit(course.table.remaining[-1]))
    course.go_on()
    return tuple(course.lines)


def faces_in(course: Course, cup: CupId) -> tuple[int, ...]:
    """Return what lies hidden in a cup, in the holder's numbering."""
    table = course.table
    assert course.keeper is not None
    assert course.ceremony.mix is not None
    return hidden_faces(table, table.places[cup], course.keeper.open_deal(course.ceremony.mix))


def some_alike(matches: Iterable[Match]) -> list[Match]:
    """Return matches that are the same to their seat, though what it did not see is not."""
    alike: dict[tuple[object, ...], list[Match]] = defaultdict(list)
    for match in matches:
        some = alike[match.seat, match.version, match.known]
        some.append(match)
        if len({each.hidden for each in some}) > 1:
            return some
    raise AssertionError("no two of them are alike")


def doubted(game: str, seed: int) -> Match:
    """Return a match in which a call is doubted by who has not seen the cup."""
    course = started(game, seed, {})
    roller = course.turn
    if any(isinstance(move, RollMove) for _, move in course.offers()):
        course.do(commands.Roll(roller))
    version, held = len(course.lines), faces_in(course, PASSED_CUP)
    course.do(commands.ClaimHand(roller, *CALLS[game]))
    course.do(commands.Challenge(3 - roller))
    return Match(3 - roller, version, (), held, finished(course))


@pytest.mark.parametrize("game", CALLS)
def test_who_looked_at_no_dice_is_judged_alike_whatever_they_are(game: str) -> None:
    some = some_alike(doubted(game, seed) for seed in range(30))
    assert some[0].figures == some[-1].figures
    (decision,) = some[0].figures["decisions"]
    assert decision["loss"][1] == ("model" if game in FOLDED else "sampled")


def bid(seed: int) -> Match:
    """Return a match of two dice each, which might be shown and rolled again, but are not."""
    course = started("common_hand", seed, {"dice_per_player": 2, "push": True, **DRINKS})
    first, version = course.turn, len(course.lines)
    own, other = faces_in(course, first), faces_in(course, 3 - first)
    course.do(commands.Bid(first, 1, 3))
    course.do(commands.Bid(3 - first, 1, 4))
    course.do(commands.Bid(first, 2, 4))
    course.do(commands.Challenge(3 - first))
    return Match(first, version, own, other, finished(course))


def test_dice_of_another_seat_change_nothing_of_ones_own() -> None:
    some = some_alike(bid(seed) for seed in range(200))
    figures = some[0].figures
    assert figures == some[-1].figures
    assert len(figures["decisions"]) == 2
