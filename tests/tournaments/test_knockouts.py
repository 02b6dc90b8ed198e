"""Knockouts at larger tables: who goes on, who has left meanwhile, and the places of all in the end."""

from __future__ import annotations

from domain.tournaments import commands
from domain.tournaments.field import StageField
from domain.tournaments.formats.knockouts import KNOCKOUT
from tests.tournaments.events_by_hand import HOST, player
from tests.tournaments.events_for_audit import WrittenEvent, judged


def played(count: int) -> tuple[WrittenEvent, tuple[int, ...]]:
    """Return a knockout at tables of four after its first round, and who went on, in seed order."""
    event = WrittenEvent("knockout").begin(count).play_round()
    held, seeds = event.round, event.tournament.stages[0].seeds
    through = {n for table in held.tables.values() for n in sorted(table.seats)[:2]} | set(held.byes)
    return event, tuple(number for number in seeds if number in through)


def leave(event: WrittenEvent, *numbers: int) -> None:
    for number in numbers:
        event.do(commands.Withdraw(by=player(number), number=number))


def places(event: WrittenEvent) -> list[list[int]]:
    return [list(level) for level in KNOCKOUT.ranking(StageField(event.tournament, 1))]


def test_who_has_left_is_seated_no_more_and_the_law_of_sizes_looks_at_those_who_play() -> None:
    # Ten go on from five tables: in fours and threes, as three tables; of nine who stay there are three of three.
    event, through = played(20)
    assert len(through) == 10
    leave(event, through[0])
    event.pair()
    assert sorted(len(table.seats) for table in event.round.tables.values()) == [3, 3, 3]
    assert through[0] not in {n for table in event.round.tables.values() for n in table.seats}
    assert event.round.byes == ()


def test_when_at_most_so_many_are_left_who_play_they_sit_at_the_last_table() -> None:
    event, through = played(12)
    assert len(through) == 6
    leave(event, *through[:2])
    event.pair()
    assert sorted(event.table().seats) == sorted(through[2:])
    event.play_round()
    # Who left had come to the last round, and played less of it than anybody there.
    assert places(event)[:4] == [[number] for number in sorted(through[2:])]
    assert places(event)[4] == sorted(through[:2])
    assert judged(event.close().lines).upto == len(event.lines)


def test_where_one_is_left_who_plays_it_is_over_and_who_left_is_second() -> None:
    event, through = played(8)
    leave(event, *through[1:])
    event.finish()
    assert len(event.tournament.stages[0].rounds) == 1
    assert places(event)[:2] == [[through[0]], sorted(through[1:])]
    assert judged(event.close().lines).upto == len(event.lines)


def test_where_nobody_is_left_all_who_went_on_share() -> None:
    event, through = played(8)
    leave(event, *through)
    event.finish()
    assert places(event)[0] == sorted(through)
    assert judged(event.close().lines).upto == len(event.lines)


def test_who_is_disqualified_between_two_rounds_has_no_place() -> None:
    event, through = played(8)
    event.do(commands.Penalise(by=HOST, number=through[0], kind="disqualified", reason="conduct"))
    event.pair()
    assert sorted(event.table().seats) == sorted(through[1:])
    event.finish()
    assert through[0] not in {number for level in places(event) for number in level}
    assert judged(event.close().lines).upto == len(event.lines)
