"""Survivors: who is still in as of now is whoever the ranking puts before all who went out, and at last the winner."""

from __future__ import annotations

from random import Random

import pytest

from domain.tournaments import commands
from domain.tournaments.deciding.due import due
from domain.tournaments.field import StageField
from domain.tournaments.formats.table import format_of
from projections.tournaments.brackets import bracket_view
from projections.tournaments.watching.still_in import survivors
from tests.tournaments.events_by_hand import HOST
from tests.tournaments.events_for_audit import WrittenEvent
from tests.tournaments.seen_events import NAMES, steps
from tests.tournaments.test_last_longer import event_of, play_level


def still_in(event: WrittenEvent) -> set[int]:
    found = survivors(event.tournament, NAMES)
    assert found is not None
    return {line.number for line in found.lines}


@pytest.mark.parametrize("name", ["single", "double", "knockout"])
@pytest.mark.parametrize("entrants", [5, 8])
def test_nobody_is_in_who_went_out_and_the_winner_is_to_the_end(name: str, entrants: int) -> None:
    event = WrittenEvent(name)
    event.enter(entrants).check_in(draws=(1,)).draw().step()
    before = still_in(event)
    assert before == set(range(1, entrants + 1))
    for tournament in steps(event):
        if tournament.ended:
            break
        now = still_in(event)
        assert now <= before, "nobody comes back"
        before = now
        stage = tournament.stage
        assert stage is not None
        field = StageField(tournament, 1)
        is_out = format_of(field.rules).is_out
        assert is_out is not None
        in_play = {number for number in field.numbers if not is_out(field, number)}
        if stage.last is not None and stage.last.closed_at is not None and in_play:
            # Who plays for the third place has a match left, and goes on to none.
            assert before - in_play == set()
            assert in_play - before <= {n for table in stage.last.tables.values() for n in table.seats}
    assert before == set(event.tournament.ranking[0])


def test_a_table_that_is_over_puts_its_loser_out_before_the_round_is_closed_and_matches_say_who_is_next() -> None:
    event = WrittenEvent("single").begin(8)
    event.start()
    winner, loser = event.table(1).seats
    event.record(1, ((winner,), (loser,)))
    found = survivors(event.tournament, NAMES)
    assert found is not None
    assert loser not in {line.number for line in found.lines}
    assert (found.of, len(found.lines), found.unit) == (8, 7, None)
    assert [match.state for match in found.matches] == ["started"] * 3
    told = {side.number: side.won for match in bracket_view(event.tournament, NAMES, 1).matches for side in match.sides}
    assert (told[winner], told[loser]) == (True, False), "its page says so as well"
    event.do(commands.Withdraw(by=HOST, reason="request", number=winner))
    assert winner not in still_in(event)


def test_the_second_match_of_a_grand_final_keeps_the_loser_of_the_first_in() -> None:
    event = WrittenEvent("double").begin(4)
    while True:
        event.start()
        table = event.table(1)
        found = survivors(event.tournament, NAMES)
        assert found is not None
        if any(match.id == "G1" for match in found.matches):
            break
        event.play_round()
    upper = next(match.sides[0].number for match in found.matches if match.id == "G1")
    lower = next(number for number in table.seats if number != upper)
    assert upper is not None
    event.record(1, ((lower,), (upper,)))
    assert still_in(event) == {upper, lower}


def test_dice_go_along_where_whoever_lasts_longer_wins() -> None:
    event, chance = event_of(9), Random(4)
    first = survivors(event.tournament, NAMES)
    assert first is not None
    assert (first.unit, {line.left for line in first.lines}, first.of) == ("die", {5}, 9)
    assert still_in(event_of(9).start()) == set(range(1, 10)), "no table is over"
    out: set[int] = set()
    while event.tournament.phase == "running":
        found = due(event.tournament)
        if found is not None and found.step not in {"pair", "start"}:
            event.step()
            continue
        out |= play_level(event, chance).keys()
        now = survivors(event.tournament, NAMES)
        assert now is not None
        assert {line.number for line in now.lines} == set(range(1, 10)) - out
        left = [line.left or 0 for line in now.lines]
        assert left == sorted(left, reverse=True)


def test_nobody_goes_out_where_points_decide_or_nothing_has_begun() -> None:
    assert survivors(WrittenEvent("single").tournament, NAMES) is None
    assert survivors(WrittenEvent("pods").begin(8).tournament, NAMES) is None
