"""Last longer, played level by level: who goes out when, who sits where then, and what goes along."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from domain.match.evolve import open_match
from domain.tournaments import commands
from domain.tournaments.deciding.due import due
from domain.tournaments.matches import match_object
from domain.tournaments.pairing.lots import match_id
from domain.tournaments.tournament import PairedTable
from tests.tournaments.events_by_hand import HOST, TOURNAMENT
from tests.tournaments.events_for_audit import WrittenEvent, judged

HIGH = 5
LEVEL_ROUNDS = 3
STAGE = {"format": "last_longer", "high": HIGH, "level_rounds": LEVEL_ROUNDS}


def event_of(count: int, **members: Any) -> WrittenEvent:
    return WrittenEvent("last_longer", stages=[STAGE], **members).begin(count)


def play_level(event: WrittenEvent, chance: Random) -> dict[int, int]:
    """Play a level by chance, and return who went out in which of its rounds."""
    out: dict[int, int] = {}
    event.start()
    for number in event.round.missing:
        seats = event.table(number).seats
        gone = {
            each: chance.randint(1, LEVEL_ROUNDS) for each in chance.sample(seats, chance.randint(0, len(seats) - 1))
        }
        staying = [each for each in seats if each not in gone]
        ranking = [tuple(staying)]
        ranking += [tuple(n for n in gone if gone[n] == each) for each in range(LEVEL_ROUNDS, 0, -1)]
        opens = chance.randrange(len(seats))
        order = (*seats[opens:], *seats[:opens])
        units = tuple((each, -gone[each] if each in gone else chance.randint(1, 5)) for each in order)
        event.record(number, tuple(level for level in ranking if level), units=units)
        out |= gone
    return out


@pytest.mark.parametrize("seed", range(6))
def test_levels_go_on_until_one_is_left_and_who_goes_out_later_stands_better(seed: int) -> None:
    chance = Random(seed)
    count = chance.randint(2, 30)
    event = event_of(count)
    went: dict[int, tuple[int, int]] = {}
    while event.tournament.phase == "running":
        found = due(event.tournament)
        if found is not None and found.step not in {"pair", "start"}:
            event.step()
            continue
        still = {n for n in range(1, count + 1) if n not in went}
        gone = play_level(event, chance)
        tables = event.round.tables.values()
        assert sorted(n for table in tables for n in table.seats) == sorted(still)
        assert len(tables) == -(-len(still) // HIGH)
        assert max(len(t.seats) for t in tables) - min(len(t.seats) for t in tables) <= 1
        went |= {n: (event.round.number, each) for n, each in gone.items()}
    ranking = event.tournament.ranking
    last, *others = ranking
    assert [n for n in range(1, count + 1) if n not in went] == list(last)
    assert [{went[n] for n in level} for level in others] == [
        {each} for each in sorted(set(went.values()), reverse=True)
    ]
    assert judged(event.close().lines).code is None


def object_of_table(event: WrittenEvent, number: int = 1) -> dict[str, Any]:
    return match_object(event.tournament, 1, event.round, event.table(number))


def test_dice_go_along_and_who_was_to_open_opens() -> None:
    event = event_of(4)
    seats = event.start().table().seats
    first = object_of_table(event)
    assert (first["starter"], first["rounds_max"], "stacks" in first) == (1, LEVEL_ROUNDS, False)
    order = (seats[2], seats[3], seats[0], seats[1])
    units = tuple(zip(order, (2, 5, -3, 1), strict=True))
    event.record(1, ((seats[3],), (seats[2],), (seats[1],), (seats[0],)), units=units)
    assert event.start().table().seats == (seats[2], seats[3], seats[1])
    second = object_of_table(event)
    assert second["stacks"] == {"1": 2, "2": 5, "3": 1}
    assert second["event"] == {"tournament": str(TOURNAMENT), "stage": 1, "round": 2, "table": 1, "attempt": 1}
    event.record(1, ((seats[3],), (seats[2], seats[1])), units=((seats[2], -2), (seats[3], 4), (seats[1], -2)))
    event.close()
    assert event.tournament.ranking == ((seats[3],), tuple(sorted((seats[1], seats[2]))), (seats[0],))


def test_who_does_not_come_is_out_before_the_first_round_and_who_is_alone_keeps_all() -> None:
    event = event_of(3)
    one, two, three = event.start().table().seats
    event.record(1, ((one,),), absent=(two, three), how="walkover", match=None, version=None, head=None, units=())
    event.close()
    assert event.tournament.ranking == ((one,), tuple(sorted((two, three))))


def test_who_withdraws_between_two_levels_stands_behind_all_who_play_on() -> None:
    event = event_of(4)
    one, two, three, four = event.start().table().seats
    units = ((one, 5), (two, 5), (three, 5), (four, -1))
    event.record(1, ((one, two, three), (four,)), units=units)
    event.do(commands.Withdraw(by=HOST, number=two, reason="request"))
    assert event.start().table().seats == (one, three)
    event.record(1, ((three,), (one,)), units=((three, 1), (one, -1)))
    event.close()
    assert event.tournament.ranking == ((three,), (one,), (two,), (four,))


def test_where_all_but_one_withdraw_that_one_is_left() -> None:
    event = event_of(3)
    one, two, three = event.start().table().seats
    event.record(1, ((one, two), (three,)), units=((one, 3), (two, 3), (three, -2)))
    event.do(commands.Withdraw(by=HOST, number=one, reason="request"))
    event.close()
    assert event.tournament.ranking == ((two,), (one,), (three,))


def test_a_ruling_says_who_was_ahead_and_leaves_what_was_played() -> None:
    event = event_of(3)
    one, two, three = event.start().table().seats
    event.do(commands.Rule(by=HOST, stage=1, round=1, table=1, ranking=((one,), (two,)), absent=(three,)))
    assert event.start().table().seats == (one, two)
    assert object_of_table(event)["stacks"] == {"1": 5, "2": 5}
    event.record(1, ((two,), (one,)), units=((two, 4), (one, 1)))
    event.do(commands.Rule(by=HOST, stage=1, round=2, table=1, ranking=((one,), (two,))))
    assert event.start().table().seats == (two, one)
    assert object_of_table(event)["stacks"] == {"1": 4, "2": 1}
    event.record(1)
    event.close()
    assert event.tournament.ranking == ((two,), (one,), (three,))


@pytest.mark.parametrize(
    "units", [{1: 5, 2: 5}, {1: 5, 2: 5, 3: 6}, {1: 5, 2: 5, 9: 1}, {1: 5, 2: 5, 3: -10_001}, {1: 5, 2: 5, 3: 1, 9: 1}]
)
def test_nobody_has_more_left_than_the_game_gives_and_everybody_has_something_said(units: dict[int, int]) -> None:
    event = event_of(3)
    event.start()
    assert event.code(event.result(1, units=tuple(units.items()))) == "bad_ranking"


def test_what_was_played_names_its_match_and_what_was_not_names_none() -> None:
    event = event_of(3)
    event.start()
    one, two, three = event.table().seats
    assert event.code(event.result(1, version=None)) == "wrong_match"
    assert event.code(event.result(1, ((one,),), absent=(two, three), how="walkover", units=())) == "wrong_match"


def test_a_template_with_a_host_becomes_rules_of_a_table_without_one() -> None:
    template = {"game": "common_hand", "options": {}, "host": {}, "start": "full", "pause_ends": "all"}
    event = WrittenEvent("pods", match=template).begin(4).start()
    found = object_of_table(event)
    assert (found.keys() & {"host", "start", "rounds_max", "stacks"}, found["pause_ends"]) == (set(), "all")
    table: PairedTable = event.table()
    opened = open_match(event.tournament.id, found)
    assert opened.rules["event"]["table"] == table.number
    assert match_id(str(TOURNAMENT), 1, 1, 1, 1) == event.result().match
