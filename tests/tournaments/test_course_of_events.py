"""Whole tournaments of every format: they come to an end, audit, and refuse without changing anything."""

from __future__ import annotations

from typing import Any

import pytest

from domain.tournaments import commands, events
from domain.tournaments.deciding.due import due
from domain.tournaments.formats.table import format_of
from domain.tournaments.options import rules_from
from domain.tournaments.presets import PRESETS
from tests.tournaments.events_by_hand import BEGAN, HOST, SEASON, player
from tests.tournaments.events_for_audit import BEACON, NOON, WrittenEvent, judged
from tests.tournaments.random_commands import RandomCommands

NAMES = (
    "pods",
    "duel_swiss",
    "knockout",
    "single",
    "double",
    "round_robin",
    "league_day",
    "pods_final",
    "last_longer",
    "groups",
    "ladder",
    "chouette",
)
PAIRS = {"duel_swiss": "swiss", "single": "single", "double": "double", "round_robin": "round_robin"}
"""Presets of tables of two, of which some play several matches."""
LEAST = {"pods": 3, "pods_final": 3, "league_day": 3}
"""How many a table of a preset takes, where two are too few."""
PRIZES = {"unit": "EUR", "amounts": [10, 5, 2]}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("count", [2, 5, 9])
def test_an_event_of_any_format_comes_to_its_end_and_audits(name: str, count: int) -> None:
    # Two fill no table of pods: what becomes of them, their officials say (`test_too_few`).
    count = max(count, LEAST.get(name, 2))
    event = WrittenEvent(name, prizes=PRIZES)
    event.begin(count).close()
    ruling = judged(event.lines)
    assert (ruling.code, ruling.upto) == (None, len(event.lines)), ruling.why
    assert sorted(n for level in event.tournament.ranking for n in level) == list(range(1, count + 1))
    finished = next(each for each in event.events if isinstance(each, events.TournamentFinished))
    assert sum(whole for _, _, whole in finished.paid) == sum(PRIZES["amounts"][:count])  # type: ignore[arg-type]


def _several_matches(name: str, number: int) -> dict[str, Any]:
    """Return rules by which tables of two play several matches, for some that have them."""
    if name not in PAIRS or number % 4 < 2:
        return {}
    sizes = {"sizes": {"preferred": 2, "min": 2, "max": 2}} if name == "duel_swiss" else {}
    return {"stages": [{"format": PAIRS[name], "best_of": 3, **sizes}]}


def of_number(number: int) -> WrittenEvent:
    """Return one of many tournaments that differ in format and in rules, some of them begun."""
    name, members = NAMES[number % len(NAMES)], dict[str, Any]()
    if number % 3 == 0:
        members["prizes"] = PRIZES
    waits = all(format_of(stage).next_step is None for stage in rules_from(PRESETS[name]).stages)
    if number % 5 == 0 and waits:
        members["time"] = {"start": "host"}
    if number % 5 == 1 and waits:
        members["time"] = {"start": "times", "times": [BEGAN + 10, *[BEGAN + 10**6] * 3]}
    if number % 4 == 0:
        members["entry"] = {"late_rounds": 2, "approve": number % 7 == 0}
    members |= {0: {"seeding": "rating", "season": SEASON}, 1: {"seeding": "manual"}}.get(number % 6, {})
    heard = number % 11 == 0
    if heard:
        members["lots"] = {"beacon": BEACON}
    if number % 2:
        members["lots"] = {**members.get("lots", {}), "deal": "each"}
    event = WrittenEvent(name, **members, **_several_matches(name, number))
    event.at = NOON if heard else event.at
    if number % 4:
        event.enter(4 + number % 5)
    if number % 4 > 1:
        event.check_in(draws=(1, 2) if number % 3 else ())
    if number % 4 == 3 and not heard:
        event.draw()
    return event


def check_random(number: int) -> None:
    """Check that nothing but refusals comes of random commands, and that an audit accuses nobody."""
    asked = RandomCommands(of_number(number), str(number))
    asked.run(120)
    asked.close()
    ruling = judged(asked.event.lines)  # type: ignore[attr-defined]
    assert (ruling.code, ruling.upto) == (None, len(asked.event.lines)), ruling.why  # type: ignore[attr-defined]


@pytest.mark.parametrize("number", range(40))
def test_random_commands_are_done_or_refused_and_what_comes_of_them_audits(number: int) -> None:
    check_random(number)


@pytest.mark.long
def test_thousands_of_random_commands_are_done_or_refused() -> None:
    for number in range(40, 2_000):
        check_random(number)


def test_a_round_that_is_taken_back_uses_no_id_of_a_match_again() -> None:
    event = WrittenEvent().begin(4).start()
    event.do(commands.Unpair(by=HOST))
    event.pair()
    assert event.table().attempt == 2
    event.do(commands.Unpair(by=HOST))
    event.pair()
    assert event.table().attempt == 3


def test_a_round_that_everybody_asked_to_be_left_out_of_is_closed_without_tables() -> None:
    event = WrittenEvent(entry={"half_byes": 1}).begin(4)
    for number in range(1, 5):
        event.do(commands.RequestBye(by=player(number), number=number, round=1))
    event.pair()
    assert (event.round.tables, event.round.byes) == ({}, ())
    step = due(event.tournament)
    assert step is not None
    assert step.step == "close_round"


def test_who_comes_while_the_first_round_is_played_plays_from_the_second() -> None:
    event = WrittenEvent("duel_swiss", entry={"late_rounds": 1}).begin(3).start()
    event.enter(1)
    assert event.tournament.entrants[4].since == (1, 2)
    event.play_round().pair()
    assert 4 in {number for table in event.round.tables.values() for number in table.seats}
    assert judged(event.close().lines).code is None


def test_where_rounds_begin_by_hand_the_host_pairs_and_stands_in_the_line() -> None:
    event = WrittenEvent("duel_swiss", time={"start": "host"}).begin(4)
    assert due(event.tournament) is None
    event.hurry(HOST)
    assert event.events[-1].by == HOST  # type: ignore[union-attr]
    event.do(commands.Unpair(by=HOST))
    event.hurry(HOST)
    assert event.round.is_paired


def test_while_the_log_is_waited_for_no_stage_is_opened() -> None:
    event = WrittenEvent().enter(2).check_in()
    event.step()
    assert event.ceremony.stage == "sealed"
    assert due(event.tournament) is None


def test_a_ruling_after_the_end_leads_to_new_places_and_prizes() -> None:
    event = WrittenEvent("duel_swiss", prizes=PRIZES).begin(2).finish()
    stage = event.tournament.stage
    assert stage is not None
    for number in stage.rounds:
        one, two = sorted(stage.rounds[number].tables[1].seats)
        event.do(commands.Rule(by=HOST, stage=1, round=number, table=1, ranking=((two,), (one,))))
    step = due(event.tournament)
    assert step is not None
    assert step.step == "finish"
    event.step()
    assert event.tournament.ranking == ((2,), (1,))
    event.close()
    assert sum(isinstance(each, events.TournamentFinished) for each in event.events) == 2
    assert judged(event.lines).code is None


def test_in_eliminations_officials_set_no_tables_and_rule_on_no_round_that_was_played_on() -> None:
    event = WrittenEvent("single").begin(4)
    assert event.code(commands.FixTables(by=HOST, tables=((1, 2), (3, 4)))) == "bad_tables"
    first = event.start().table().seats
    event.play_round().pair()
    ruled = commands.Rule(by=HOST, stage=1, round=1, table=1, ranking=((first[1],), (first[0],)))
    assert event.code(ruled) == "too_late"


def test_a_cancelled_event_waits_for_a_deal_that_the_log_has() -> None:
    event = WrittenEvent().enter(3).check_in(draws=(1,))
    event.step()
    event.do_commits().log_deal()
    event.do(commands.Cancel(by=HOST))
    step = due(event.tournament)
    assert step is not None
    assert step.step == "void"
    event.close()
    assert judged(event.lines).upto == len(event.lines)
