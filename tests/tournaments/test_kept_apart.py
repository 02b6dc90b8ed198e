"""Pairs that are kept from one table: only where a round to come looks at it, and against no tables set by hand."""

from __future__ import annotations

from typing import Any, Final

import pytest
from msgspec.structs import replace

from domain.tournaments import commands
from tests.tournaments.events_by_hand import HOST, EventByHand
from tests.tournaments.events_for_audit import WrittenEvent, judged

FORBID: Final = commands.Forbid(by=HOST, numbers=(1, 2))
IN_VAIN: Final = ("single", "double", "knockout", "last_longer", "round_robin", "chouette", "groups")
LOOKED_AT: Final = ("pods", "duel_swiss", "arena", "dutch", "duplicate", "ladder", "pods_final")
STAGES: Final = [{"format": "swiss", "rounds": 2, "advance": 4}, {"format": "single"}]


@pytest.mark.parametrize("name", IN_VAIN)
def test_nobody_is_kept_apart_where_who_meets_whom_follows_from_something_else(name: str) -> None:
    event = EventByHand(name).enter(4)
    assert event.code(commands.Forbid(by=HOST, numbers=(1, 9))) == "unknown_number"
    refused = event.refusal(FORBID)
    assert (refused.code, "why" in refused.facts) == ("bad_tables", True)


@pytest.mark.parametrize("name", LOOKED_AT)
def test_two_are_kept_apart_wherever_a_round_looks_at_it(name: str) -> None:
    event = EventByHand(name).enter(4)
    event.do(FORBID)
    assert list(event.tournament.forbidden.values()) == [(1, 2)]


def test_in_groups_it_is_their_rounds_that_count() -> None:
    inner: dict[str, Any] = {"format": "swiss"}
    stages = [{"format": "groups", "groups": 2, "through": 1, "inner": inner}, {"format": "single"}]
    EventByHand("groups", stages=stages).enter(4).do(FORBID)


def test_a_design_keeps_nobody_apart_and_balanced_tables_without_one_do() -> None:
    balanced = EventByHand("league_day", stages=[{"format": "balanced", "size": 4}]).enter(13)
    balanced.copy().do(FORBID)
    designed = balanced.copy().enter(3).check_in().draw().do_step()
    assert designed.code(FORBID) == "bad_tables"
    balanced.check_in().draw().do_step().do(FORBID)


def test_a_stage_that_is_over_keeps_nobody_apart_in_the_next() -> None:
    event = EventByHand("pods", stages=STAGES).begin(6)
    while event.tournament.stages[0].closed is None:
        event.copy().do(FORBID)
        event.play_round()
    assert event.code(FORBID) == "bad_tables"


def test_who_is_set_at_one_table_is_kept_apart_once_others_are_set() -> None:
    event = WrittenEvent("pods").begin(8)
    event.do(commands.FixTables(by=HOST, tables=((4, 3, 2, 1),)))
    assert event.refusal(FORBID).facts["numbers"] == [1, 2]
    event.do(commands.Forbid(by=HOST, numbers=(1, 5)))
    event.do(commands.FixTables(by=HOST, tables=()))
    event.do(FORBID)
    event.pair()
    assert not any({1, 2} <= set(table.seats) for table in event.round.tables.values())
    assert judged(event.lines).code is None


def test_a_record_in_which_two_were_kept_apart_in_vain_accuses_nobody_and_the_line_is_named() -> None:
    event = WrittenEvent("single").enter(4)
    event.tournament = replace(event.tournament, earlier=True)
    event.do(FORBID)
    event.tournament = replace(event.tournament, earlier=False)
    ruling = judged(event.lines)
    assert (ruling.code, ruling.earlier) == (None, (len(event.lines),))
