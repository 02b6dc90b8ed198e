"""Cross tables: what two came to against each other is told by both, and a row comes to the score."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from projections.tournaments.formats.cross import CROSS_MAX
from projections.tournaments.standings import StandingsView, standings_view
from tests.tournaments.events_for_audit import WrittenEvent
from tests.tournaments.seen_events import NAMES, steps

ROUND_ROBIN = {"stages": [{"format": "round_robin", "cycles": 2}], "tiebreaks": ["DE", "SB"]}
BALANCED = {"stages": [{"format": "balanced", "size": 4, "rounds": 3}], "tiebreaks": ["DE", "SB"]}


def started(name: str = "pods", entrants: int = 5, **members: Any) -> WrittenEvent:
    event = WrittenEvent(name, **members)
    event.enter(entrants).check_in(draws=(1,)).draw().step()
    return event


def check(view: StandingsView) -> None:
    """Check that what one says of a meeting the other says as well, and that all of it is where it was."""
    assert view.cross is not None
    assert [row.number for row in view.cross] == [row.number for row in view.rows]
    told = {
        (row.number, met.against, met.round, met.table): (Fraction(met.ahead.value), met.how, met.match)
        for row in view.cross
        for met in row.meetings
    }
    for (one, other, number, table), (ahead, how, match) in told.items():
        back, _, same = told[other, one, number, table]
        assert match == same
        assert how != "played" or ahead + back == 1


@pytest.mark.parametrize(("name", "members"), [("pods", ROUND_ROBIN), ("pods", BALANCED), ("duel_swiss", {})])
def test_both_say_the_same_of_every_meeting_at_every_step(name: str, members: dict[str, Any]) -> None:
    event = started(name, 8 if members is BALANCED else 5, **members)
    for _ in steps(event):
        check(standings_view(event.tournament, NAMES))
    for row in standings_view(event.tournament, NAMES).rows if members is ROUND_ROBIN else ():
        cross = standings_view(event.tournament, NAMES).cross
        assert cross is not None
        (met,) = (each.meetings for each in cross if each.number == row.number)
        assert len(met) == 8, "four others, twice"
        assert sum(Fraction(each.ahead.value) for each in met) + 2 == Fraction(row.score.value), "a bye a cycle"


def test_a_walkover_is_told_as_one() -> None:
    event = started("duel_swiss", 4)
    event.start()
    first, other = event.table(1).seats
    event.absent(1, other)
    event.play_round()
    cross = standings_view(event.tournament, NAMES).cross
    assert cross is not None
    met = {row.number: row.meetings[0] for row in cross}
    assert (met[first].how, met[first].against, met[first].ahead.value) == ("walkover", other, "1")
    assert (met[other].how, met[other].ahead.value) == ("absent", "0")


def test_larger_tables_many_people_and_eliminations_have_none() -> None:
    assert standings_view(started().tournament, NAMES).cross is None
    many = started("duel_swiss", CROSS_MAX + 1)
    assert standings_view(many.tournament, NAMES).cross is None
    assert standings_view(started("single").tournament, NAMES).cross is None


def test_groups_have_one_each_and_none_together() -> None:
    event = started("groups", 8)
    assert standings_view(event.tournament, NAMES).cross is None
    event.start()
    event.play_round()
    view = standings_view(event.tournament, NAMES, 1, 1, 1)
    check(view)
    assert view.cross is not None
    assert [len(row.meetings) for row in view.cross] == [1] * 4
