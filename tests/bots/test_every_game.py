"""Bots in every game: whatever the house rules are and whoever sits with them, they go on, and only by the rules."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain import commands
from domain.errors import Refused
from domain.games import GAMES, options_of
from domain.table.state import PASSED_CUP
from services.engines.level_names import LEVELS
from tests.bots.tables import BotTable
from tests.domain.test_every_game import OPTIONS
from tests.sizes import cases, spread

TURNS_MAX = 1_500
SESSION = 150
EVERY = [(game, options, most) for game, sets in OPTIONS.items() for options in sets for most in (False, True)]


@pytest.mark.parametrize(("game", "options", "most"), spread(EVERY, 1, lambda one: (one[0], one[2])))
def test_bots_alone_bring_every_match_to_its_end_and_never_stop_in_a_session(game, options, most):
    rules = GAMES[game].rules(msgspec.convert(options, GAMES[game].options))
    table = BotTable(options, min(4, rules.seats[1]) if most else rules.seats[0], 1, game=game)
    rounds = rules.match.open_ended
    moves = sum(1 for _ in table.turns(SESSION if rounds else TURNS_MAX))
    assert table.match.ended or (rounds and moves == SESSION)
    assert table.match.table is not None
    assert table.match.table.last is not None


@settings(max_examples=cases(12, 1_000), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_bots_play_by_whatever_house_rules_with_whomever(data):
    drawn = random.Random(data.draw(st.integers(0, 2**32)))
    game = drawn.choice(list(GAMES))
    options = house_rules(game, drawn)
    rules = GAMES[game].rules(options_of(game, options))
    seats = drawn.randint(rules.seats[0], min(5, rules.seats[1]))
    per = drawn.choice(rules.deals)
    table = BotTable(options, seats, drawn.getrandbits(32), per, game, drawn.choice((None, *LEVELS)))
    people = {seat for seat in range(1, seats + 1) if drawn.random() < 0.4}
    for _ in range(40):
        if table.match.ended:
            return
        seat = table.turn
        if drawn.random() < 0.01 and people:
            with suppress(Refused):
                table.do(commands.Forfeit(min(people)))
        elif seat in people:
            table.act_at_random(seat, drawn)
        else:
            sight, command = table.chosen(seat)
            assert {*sight.dice} <= {seat, PASSED_CUP}
            assert command is not None
            table.do(command)
        table.go_on()


def house_rules(game: str, drawn: random.Random) -> dict[str, Any]:
    """Return some options of a game, taken from their types."""
    while True:
        fields = msgspec.structs.fields(GAMES[game].options)
        given = {field.name: value_of(field.type, drawn) for field in fields if drawn.random() < 0.5}
        with suppress(Refused):
            options_of(game, given)
            return given


def value_of(kind: Any, drawn: random.Random) -> Any:
    plain = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    if get_origin(plain) is Literal:
        return drawn.choice(get_args(plain))
    return drawn.random() < 0.5 if plain is bool else drawn.randint(0, 4) if plain is int else None
