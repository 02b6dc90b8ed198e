"""The machine of states: every step of matches of every game stands in its table, and leads where the table says."""

from __future__ import annotations

import random
from typing import get_args

import pytest

from domain import commands, events
from domain.games import GAMES
from domain.match import evolve as matches
from domain.match.record import fold
from domain.rules.rules import SharedCup
from domain.table.decide import HAPPENINGS
from domain.table.evolve import CHANGES
from domain.table.interludes import KINDS
from domain.table.phases import CORE, LAWFUL, TRANSITIONS
from tests.domain.test_every_game import OPTIONS, begun, play_on

STEPS_MAX = 200
OF_INTERLUDES = {phase for kind in KINDS for phase in kind.phases}


@pytest.mark.parametrize("game", GAMES)
def test_every_change_of_phase_is_a_row_of_the_table(game: str) -> None:
    seen: set[type[events.BaseEvent]] = set()
    for number, options in enumerate(OPTIONS[game]):
        played, drawn = begun(game, random.Random(number), options), random.Random(number)
        play_on(played, drawn, STEPS_MAX, STEPS_MAX // 2)
        before = None
        for written, event in fold(played.lines):
            after = written.match.table
            if before is not None and after is not None and before.phase != after.phase:
                passed = isinstance(after.rules.tokens, SharedCup)
                rows = [row for row in TRANSITIONS if row.trigger.event is type(event) and before.phase in row.phases]
                leads = {row.passed if passed else row.own for row in rows}
                by_interlude = {before.phase, after.phase} & OF_INTERLUDES
                assert by_interlude or after.phase in leads, (before.phase, event, after.phase)
                seen.add(type(event))
            before = after
    assert events.Judged in seen


def test_the_table_knows_no_phase_but_its_own_and_each_leads_somewhere() -> None:
    named = {phase for row in TRANSITIONS for phase in row.phases}
    reached = {phase for row in TRANSITIONS for phase in (row.own, row.passed) if phase is not None}
    assert named | reached == set(CORE)
    assert set(CORE) - named == {"finished"}, "nothing follows the end"
    assert {phase for phases in LAWFUL.values() for cups in phases.values() for phase in cups} <= set(CORE)
    assert len({row.trigger for row in TRANSITIONS}) == len(TRANSITIONS)


def test_every_event_of_the_table_says_what_it_changes() -> None:
    of_the_table = {*get_args(events.TableEvent), events.DealReady, events.DealVoided} - {events.AnyInterludeEvent}
    assert of_the_table == CHANGES.keys()


def test_every_event_around_the_table_says_what_it_changes() -> None:
    # Of what happens at the table handlings alone are counted around it: what was sealed of each is kept until the end.
    assert {*get_args(events.CourseEvent), events.Arranged} == matches.CHANGES.keys()


def test_every_command_of_the_table_says_what_it_leads_to() -> None:
    assert {*get_args(commands.CoreCommand)} == HAPPENINGS.keys()
