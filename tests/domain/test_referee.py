"""Laws of the referee: whatever is done to a fair record, it never stumbles, and nothing that matters slips through."""

from __future__ import annotations

from itertools import combinations, islice, product
from typing import Any

import pytest

from domain.audit.replay import replay
from domain.audit.rulings import ReplayResult
from domain.fairness.records import RecordLine
from tests.domain.test_lies import Record, changed, first, judged, played_out, twice, without
from tests.sizes import cases

CLOCK = {"bank_ms": 5_000, "increment_ms": 100}
FREE = {"game.bid", "game.clock_set", "game.timed_out", "deal.logged", "seat.joined", "game.seed_custody"}
"""What people chose, or what other layers prove: another choice may be as fair as the one that was made."""
SHAPED = ("deal.", "seed.", "cup.")
"""Events whose members layer 2 has seen to before the referee looks."""
OTHER: tuple[Any, ...] = (-1, 0, 1, 7, 2**53 - 1, None, True, "", "pot", [], [0], [[0, 0]], {})


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """Return fair records: with clocks, with a deal a round, with a pot."""
    options = {"spot_on": True, "push": True, "pass_once": True, "challenge_by": "anyone"}
    return [
        played_out(options, clock=CLOCK),
        played_out({"stakes": "winner_take_all"}, deal_per="round"),
        played_out(deal_per="round", clock={"bank_ms": 5_000, "on_timeout": "forfeit"}),
    ]


@pytest.fixture(scope="module")
def timed(records: list[Record]) -> Record:
    return records[0]


def kept(found: ReplayResult, record: Record) -> bool:
    """Report whether the referee took the record for fair, to its last line."""
    return found.line is None and found.upto == len(record)


def test_a_table_that_was_closed_before_it_began_is_a_fair_record(records: list[Record]) -> None:
    closed = [*first_lines(records[0]), {**records[0][-1], "data": {"winner": None}}]
    assert kept(judged(closed), closed)

    won = [*first_lines(records[0]), {**records[0][-1], "data": {"winner": 1}}]
    assert judged(won).line == len(won)


def first_lines(record: Record) -> Record:
    """Return a record as far as its lobby."""
    return record[: next(at for at, one in enumerate(record) if one["type"] == "game.started")]


def test_no_event_is_left_out_unseen(records: list[Record]) -> None:
    unseen = set()
    for record in records:
        for at in range(1, len(record)):
            shorter, _ = without(record, at)
            if kept(judged(shorter), shorter):
                unseen.add(record[at]["type"])
    assert unseen <= FREE


def test_no_event_is_slipped_in_unseen(records: list[Record]) -> None:
    events = [one for other in records for one in other]
    unseen = set()
    for record in records:
        for event, at in islice(product(events, range(1, len(record) + 1)), 0, None, cases(151, 61)):
            longer = [*record[:at], {**event, "at": record[at - 1]["at"]}, *record[at:]]
            if kept(judged(longer), longer):
                unseen.add(event["type"])
    assert unseen <= {"game.clock_set"}


def test_no_two_events_change_places_unseen(records: list[Record]) -> None:
    for record in records:
        for here, there in islice(combinations(range(1, len(record)), 2), 0, None, cases(59, 23)):
            swapped = list(record)
            swapped[here], swapped[there] = record[there], record[here]
            assert record[here]["data"] == record[there]["data"] or not kept(judged(swapped), swapped)


def test_no_member_is_anything_else_unseen(records: list[Record]) -> None:
    unseen = set()
    for record in records:
        members = [
            (at, name)
            for at, one in enumerate(record)
            if at and not one["type"].startswith(SHAPED)
            for name in one["data"]
        ]
        for (at, name), other in islice(product(members, OTHER), 0, None, cases(17, 7)):
            lie, _ = changed(record, at, **{name: other})
            if record[at]["data"][name] != other and kept(judged(lie), lie):
                unseen.add(record[at]["type"])
    assert unseen <= FREE


# ---- time -------------------------------------------------------------------------------------


def shifted(record: Record, start: int, ms: int, end: int | None = None) -> tuple[Record, int]:
    """Return the record with these events at another time."""
    stop = len(record) if end is None else end
    return [{**one, "at": one["at"] + (ms if start <= i < stop else 0)} for i, one in enumerate(record)], start + 1


def test_where_clocks_run_time_does_not_run_backwards(timed: Record) -> None:
    record, line = shifted(timed, first(timed, "game.bid", 1), -60_000)
    found = judged(record)
    assert (found.line, found.why) == (line, "time runs backwards")


def test_where_clocks_run_what_follows_of_itself_happens_at_once(timed: Record) -> None:
    at = first(timed, "game.judged")
    record, line = shifted(timed, at, 5, at + 1)
    assert judged(record).line == line


def test_nobody_is_out_of_time_early(timed: Record) -> None:
    out = first(timed, "game.timed_out")
    record, line = shifted(timed, out, -1)
    found = judged(record)
    assert (found.line, "game.timed_out is refused" in found.why) == (line, True)


def test_without_clocks_times_are_for_show(records: list[Record]) -> None:
    record = [{**one, "at": 1_000_000 - i} for i, one in enumerate(records[1])]
    late = [i for i, one in enumerate(record) if i and one["at"] < record[i - 1]["at"]]
    assert len(late) == len(record) - 1
    assert judged(shifted(records[1], 1, 7)[0]).line is None


# ---- records from elsewhere -------------------------------------------------------------------


@pytest.mark.parametrize("game", [["common_hand"], {"name": "common_hand"}, None, 5, "liars"])
def test_a_game_of_any_name_is_met_without_stumbling(game: Any) -> None:
    line = RecordLine(1, "match.created", {"match": "m", "policy": "all", "rules": {"game": game}}, 1)
    assert not replay([line]).judged


def test_what_a_match_publishes_is_not_changed_afterwards(timed: Record) -> None:
    lie, _ = changed(timed, 0, policy="shown")
    assert judged(lie).line == first(timed, "deal.committed") + 1


def test_an_event_has_no_second_type(timed: Record) -> None:
    record, line = changed(timed, first(timed, "game.bid"), type="game.bid")
    assert judged(record).line == line


def test_a_match_begins_once(records: list[Record]) -> None:
    begun = first(records[1], "game.started")
    record, line = twice(records[1], begun, first(records[1], "game.bid"))
    found = judged(record)
    assert (found.line, found.why) == (line, "the match had started before")


def test_a_round_is_not_opened_without_the_deal_it_needs(records: list[Record]) -> None:
    record = records[1]
    begun = first(record, "deal.committed", 1)
    lie, _ = twice(record, first(record, "game.round_opened", 1), begun)
    assert judged(lie).line == begun + 1
