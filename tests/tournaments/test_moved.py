"""Tables and rows that a line moves: whoever has the standings before it has those after it."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.tournaments import commands
from domain.tournaments.field import StageField
from domain.tournaments.ranking.standings import standings_object
from domain.tournaments.tournament import Tournament
from projections.tournaments.rounds import state_of_table
from projections.tournaments.watching.moved import Moved, moved_by, newest_field
from tests.sizes import cases
from tests.tournaments.events_by_hand import HOST
from tests.tournaments.ladder_events import LadderEvent
from tests.tournaments.test_standings_anew import Disputed

Rows = dict[int, tuple[Any, ...]]


def rows_of(field: StageField | None) -> Rows:
    """Return the rows of standings, as they are hashed, by number."""
    if field is None:
        return {}
    found = standings_object(field.stage.number, field.upto, field.tournament.rules.tiebreaks, field.rows)
    return {row[0]: tuple(row) for row in found["rows"]}


def as_told(rows: Rows, moved: Moved) -> Rows:
    """Return rows as somebody shows them who is told what moved."""
    assert moved.rows is not None
    told: Rows = {number: (number, place, score, [list(v) if isinstance(v, tuple) else v for v in values])
                  for number, place, score, values in moved.rows}  # fmt: skip
    shifted = {
        place: place + by
        for place in {row[1] for row in rows.values() if row[1] is not None}
        for first, last, by in moved.shifts
        if first <= place <= last
    }
    return {number: (number, shifted.get(row[1], row[1]), *row[2:]) for number, row in rows.items()} | told


def tables_of(tournament: Tournament) -> dict[tuple[int, int, int], Any]:
    rounds = ((stage.number, held) for stage in tournament.stages for held in stage.rounds.values())
    return {(number, held.number, table.number): table for number, held in rounds for table in held.tables.values()}


class Watcher:
    """Somebody who shows a tournament, and is told what moved."""

    def __init__(self, tournament: Tournament) -> None:
        self._before, self._known = tournament, newest_field(tournament)
        self._rows = rows_of(self._known)

    def see(self, after: Tournament) -> Moved:
        """Hear of a line, and hold what is shown then against what is true."""
        moved, self._known = moved_by(self._before, after, self._known)
        newest = newest_field(after)
        assert (moved.stage, moved.round) == ((None, None) if newest is None else (newest.stage.number, newest.upto))
        self._rows = rows_of(newest) if moved.rows is None else as_told(self._rows, moved)
        assert self._rows == rows_of(newest)
        was, now = tables_of(self._before), tables_of(after)
        others = {at for at in {*was, *now} if was.get(at) is not now.get(at)}
        told = {(each.stage, each.round, each.table): each.state for each in moved.tables}
        assert told == {at: state_of_table(now[at]) if at in now else "gone" for at in others}
        self._before = after
        return moved


@settings(max_examples=cases(8, 300))
@given(st.integers(0, 2**32), st.sampled_from([4, 7, 13, 18]))
def test_whoever_is_told_what_moved_shows_what_is(seed: int, entrants: int) -> None:
    event = Disputed(entrants, 3, seed)
    watcher = Watcher(event.tournament)
    while not event.tournament.ended:
        event.advance()
        watcher.see(event.tournament)
        if event.tournament.phase == "running" and event.chance.random() < 0.3:
            event.meddle()
            watcher.see(event.tournament)


def test_a_result_moves_its_table_and_few_rows_and_what_concerns_nobody_moves_none() -> None:
    event = Disputed(64, 3, 1)
    event.before_round(3)
    before, after = event.before_last_result()
    watcher = Watcher(before)
    moved = watcher.see(after)
    assert [(each.round, each.state) for each in moved.tables] == [(3, "over")]
    assert moved.rows is not None
    assert 4 <= len(moved.rows) < 64
    event.do(commands.Forbid(by=HOST, reason="request", numbers=(1, 2)))
    assert watcher.see(event.tournament) == Moved(stage=1, round=3)


def test_tables_that_are_taken_back_are_gone_and_another_round_is_read_anew() -> None:
    event = Disputed(8, 2, 1)
    event.before_round(1)
    watcher = Watcher(event.tournament)
    event.advance()
    paired = watcher.see(event.tournament)
    assert (paired.round, paired.rows) == (1, None)
    assert {each.state for each in paired.tables} == {"paired"}
    event.do(commands.Unpair(by=HOST, reason="request"))
    assert {each.state for each in watcher.see(event.tournament).tables} == {"gone"}


def test_places_of_a_ladder_move_without_a_point() -> None:
    event = LadderEvent(5)
    number = event.meet(3, 1)
    watcher = Watcher(event.tournament)
    event.end(number, 3)
    moved = watcher.see(event.tournament)
    assert (moved.shifts, [row[:3] for row in moved.rows or ()]) == (((1, 2, 1),), [(3, 1, "1")])
    event.answer(event.challenge(2, 1), accepted=False)
    moved = watcher.see(event.tournament)
    assert (moved.tables, moved.rows, moved.shifts) == ((), (), ((2, 2, 1), (3, 3, -1)))
