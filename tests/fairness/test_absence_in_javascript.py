"""People who stop, and ends that are asked for, ruled alike by both referees: fair records, and lies about them."""

from __future__ import annotations

import random
from functools import cache
from itertools import chain

import msgspec
import pytest

from domain import commands
from domain.games import GAMES
from tests.domain import test_absence, test_ends_asked_for, test_start_times
from tests.domain.absence_tables import IDLE, claim, start, stopped, table, wait, wait_for_the_end
from tests.domain.playing import Played
from tests.domain.record_mutations import events_moved, members_changed
from tests.domain.test_referee import shifted
from tests.domain.truth_oracle import Record
from tests.fairness.test_rules_in_javascript import agree, is_left_to_the_rules, some_of

LIES_MAX = 60
MEMBERS = ("game.absent", "game.returned", "game.end_asked", "game.forfeited", "game.seed_custody", "seat.", "match.")


def record_of(played: Played) -> Record:
    wait_for_the_end(played)
    return [msgspec.json.decode(line) for line in played.lines]


def returned() -> Played:
    played = table(3)
    start(played, "ada", "bob", "bot/bold/1")
    wait(played)
    while played.absence.turns:
        claim(played)
    return played


def asked_to_end() -> Played:
    played = table(2, "finska", clock={"bank_ms": 60_000})
    start(played, "ada", "bob")
    played.do(commands.EndMatch())
    return played


def slow_with_seeds() -> Played:
    played = table(2, deal_per="round")
    test_ends_asked_for.seat_with_own_seeds(played)
    test_ends_asked_for.fix_seed(played, 8_000)
    test_ends_asked_for.open_seed(played, 4_001)
    played.go_on()
    test_ends_asked_for.end_round(played)
    return played


def left_and_taken_again() -> Played:
    played = table(2)
    for number in range(4):
        played.do(commands.Join(f"p{number}", "server"))
        played.do(commands.Leave(1))
    start(played, "ada", "bob")
    return played


def given_each_once() -> Played:
    played = Played(seats=2)
    played.do(commands.Join("p1", "server", 1))
    played.do(commands.Leave(1))
    for seat in (2, 3):
        played.do(commands.Join(f"p{seat}", "server", seat))
    played.do(commands.EndMatch())
    return played


def won_by_nobody() -> Played:
    played = table(2)
    start(played, "ada", "bob")
    test_absence.leave(played, *test_absence.others(played))
    return played


def begun_at_its_time() -> Played:
    return test_start_times.waiting("ada", "bob")


def over_at_its_time() -> Played:
    return test_start_times.waiting("ada", "bot/bold/1")


@cache
def fair() -> list[Record]:
    some = (returned, asked_to_end, slow_with_seeds, left_and_taken_again, given_each_once, won_by_nobody, table)
    return [record_of(make()) for make in (*some, begun_at_its_time, over_at_its_time)]


def test_matches_people_leave_are_fair_to_both() -> None:
    assert agree(fair()) == [(True, None, len(record)) for record in fair()]


@pytest.mark.parametrize("game", GAMES)
def test_a_match_of_any_game_in_which_everybody_stops_is_ruled_alike(game: str) -> None:
    record, drawn = record_of(stopped(game, 1)), random.Random(game)
    lies = some_of(chain(members_changed(record, drawn, MEMBERS), events_moved(record, drawn)), drawn, 12)
    told = [lie.record for lie in lies if is_left_to_the_rules(lie)]
    assert agree([record, *told])[0] == (True, None, len(record))


@pytest.mark.parametrize("number", range(9))
def test_a_lie_about_who_was_there_is_found_on_the_same_line_by_both(number: int) -> None:
    record, drawn = fair()[number], random.Random(number)
    lies = some_of(chain(members_changed(record, drawn, MEMBERS), events_moved(record, drawn)), drawn, LIES_MAX)
    agree([lie.record for lie in lies if is_left_to_the_rules(lie)])


@pytest.mark.parametrize("number", range(9))
def test_times_that_are_a_little_wrong_are_ruled_alike(number: int) -> None:
    record = fair()[number]
    agree([shifted(record, at, ms)[0] for at in range(1, len(record)) for ms in (-1, 1, -60_000)][:150])


@pytest.mark.parametrize(("member", "value"), [("turn_ms", 999), ("turns", 101), ("bots_ms", None)])
def test_a_rule_that_is_none_is_found_by_both(member: str, value: int | None) -> None:
    first, *others = fair()[0]
    rules = {**first["data"]["rules"], "idle": {**IDLE, member: value}}
    assert agree([[{**first, "data": {**first["data"], "rules": rules}}, *others]]) == [(True, 1, 1)]


def test_a_limit_that_nobody_has_heard_of_leaves_the_rules_unjudged_by_both() -> None:
    first, *others = fair()[0]
    rules = {**first["data"]["rules"], "idle": {**IDLE, "more": 1}}
    assert agree([[{**first, "data": {**first["data"], "rules": rules}}, *others]]) == [(False, None, 0)]
