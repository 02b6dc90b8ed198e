"""Tables of tournaments, ruled alike by both referees: their rules, what is done there, and lies about it."""

from __future__ import annotations

import random
from itertools import chain
from typing import Any, Final

import msgspec
import pytest

from domain import commands
from domain.games import GAMES
from domain.match.settings import TIME_MAX
from tests.domain.absence_tables import IDLE
from tests.domain.record_mutations import events_moved, members_changed
from tests.domain.test_every_game import STEPS_MAX, play_on
from tests.domain.test_referee import shifted
from tests.domain.test_rounds_and_stacks import EVENT, TOGETHER, drawn_match
from tests.domain.test_tournament_tables import directed, kept
from tests.domain.truth_oracle import Record
from tests.fairness.test_rules_in_javascript import agree, is_left_to_the_rules, some_of
from tests.sizes import cases, spread

LIES_MAX = cases(8, 60)
MEMBERS = (
    "game.seat_ready",
    "game.last_round",
    "game.stopped",
    "game.started",
    "game.session_closed",
    "seat.",
    "match.",
)
STRANGE: Final[tuple[Any, ...]] = (None, 0, [], {}, True, "1")
SAID: Final[tuple[dict[str, Any], ...]] = (
    *({name: value} for name in TOGETHER for value in STRANGE),
    *({"event": {**EVENT, name: value}} for name in EVENT for value in (0, 2**32, [EVENT[name]], "x")),
    *({"starter": seat} for seat in (4, 255)),
    *({"rounds_max": most} for most in (10_000, 10_001)),
    *({"stacks": {"1": 1, "2": 1, "3": most}} for most in (0, 5, 6, 1_000_001, "1")),
    *({"stacks": stacks} for stacks in ({"1": 1, "2": 1}, {"1": 1, "2": 1, "03": 1}, {"1": 1, "2": 1, "3": 1, "4": 1})),
    {"event": EVENT, "host": {"hold_ms": 0, "away_ms": 1_000}},
    {"event": EVENT, "start": "full"},
    *({"starts_at": at} for at in (*STRANGE, -1, 1, TIME_MAX, TIME_MAX + 1)),
    *({"starts_at": 1, "idle": IDLE, **said} for said in ({}, {"start": "full"}, {"event": EVENT})),
    {"event": {**EVENT, "board": 1}},
)


def lines_of(played: Any) -> Record:
    return [msgspec.json.decode(line) for line in played.lines]


@pytest.mark.parametrize(("game", "number"), spread([(game, number) for number in range(8) for game in GAMES], 3))
def test_whatever_a_director_does_is_ruled_alike_and_so_are_lies_about_it(game: str, number: int) -> None:
    drawn = random.Random(f"{game} {number}")
    record = lines_of(directed(game, number))
    lies = some_of(chain(members_changed(record, drawn, MEMBERS), events_moved(record, drawn)), drawn, LIES_MAX)
    told = [lie.record for lie in lies if is_left_to_the_rules(lie)]
    told += [shifted(record, at, ms)[0] for at in drawn.sample(range(1, len(record)), 3) for ms in (-1, 1)]
    assert agree([record, *told])[0] == (True, None, len(record))


def test_seats_that_were_kept_are_ruled_alike_and_so_are_lies_about_them() -> None:
    played, drawn = kept(), random.Random("kept")
    played.do(commands.StopMatch(9))
    record = lines_of(played)
    lies = [lie.record for lie in some_of(events_moved(record, drawn), drawn, LIES_MAX) if is_left_to_the_rules(lie)]
    joined = [at for at, line in enumerate(record) if line["type"] == "seat.joined"]
    for at, seat in ((joined[0], 4), (joined[2], 2), (joined[1], 1)):
        lies.append([*record[:at], {**record[at], "data": {**record[at]["data"], "seat": seat}}, *record[at + 1 :]])
    for kind, told in (("game.seat_ready", {}), ("seat.left", {"reason": "no_show"})):
        # Nobody has the seat yet: it says nothing, and nobody is sent away from it.
        at = joined[0]
        lies.append([*record[:at], {**record[at], "type": kind, "data": {"seat": 2, **told}}, *record[at:]])
    assert agree([record, *lies])[0] == (True, None, len(record))


@pytest.mark.parametrize(("game", "number"), spread([(game, number) for number in range(8) for game in GAMES], 3))
def test_rounds_and_stacks_are_counted_alike(game: str, number: int) -> None:
    drawn = random.Random(f"{game} {number}")
    played = drawn_match(game, drawn)
    play_on(played, drawn, session=STEPS_MAX)
    record = lines_of(played)
    lies = [lie.record for lie in some_of(events_moved(record, drawn), drawn, LIES_MAX) if is_left_to_the_rules(lie)]
    assert agree([record, *lies])[0] == (True, None, len(record))


def test_rules_of_tournaments_are_held_against_their_game_alike() -> None:
    first = lines_of(drawn_match("common_hand", random.Random(0)))[0]
    plain = {name: value for name, value in first["data"]["rules"].items() if name not in TOGETHER}
    told = [[{**first, "data": {**first["data"], "rules": {**plain, "seats": 3, **said}}}] for said in SAID]
    found = agree(told)
    assert {line for _, line, _ in found} == {None, 1}
