"""The engine under random play: any options, any number of seats, people who give up or run out of time at any moment.

After each step every viewer's frame, the row of the lobby and the tally of dice are made. Nothing may raise, no command
of a bot may be refused, and nothing grows longer than a page.
"""

from __future__ import annotations

import random
from contextlib import suppress

import pytest
from msgspec import json

from domain import commands
from domain.errors import Refused
from domain.games import GAMES, options_of
from domain.match.dues import due_at
from domain.match.record import event_of
from domain.statistics.tallies import tally_of_match
from projections.frames import encode_frame, frame_of
from projections.lobby import row_of
from projections.view import view_of
from tests.bots.tables import BotTable
from tests.bots.test_every_game import house_rules
from tests.sizes import cases

STEPS = 31
SEATS_MAX = 12
FRAME_BYTES_MAX = 16_384
"""Twice the longest that was ever seen, at a table of twelve."""
LINE_BYTES_MAX = 8_192
CLOCK = {"bank_ms": 5_000, "increment_ms": 0}


@pytest.mark.parametrize("game", GAMES)
def test_whatever_house_rules_are_played_at_random_every_viewer_is_told(game: str) -> None:
    for number in range(cases(1, 279)):
        drawn = random.Random(f"{game} {number}")
        table = begun(game, drawn)
        for _ in range(STEPS):
            if table.match.ended:
                break
            step(table, drawn)
            tell(table)


def begun(game: str, drawn: random.Random) -> BotTable:
    """Open a table with some of the options of a game, and as many seats as it may have."""
    options = house_rules(game, drawn)
    rules = GAMES[game].rules(options_of(game, options))
    seats = drawn.randint(rules.seats[0], min(SEATS_MAX, rules.seats[1]))
    clock = CLOCK if drawn.random() < 0.3 else None
    return BotTable(options, seats, drawn.getrandbits(32), drawn.choice(rules.deals), game, clock=clock)


def step(table: BotTable, drawn: random.Random) -> None:
    """Let a seat give up, its time run out, a person do anything, or a bot do what it likes best."""
    state = table.match.table
    assert state is not None
    luck = drawn.random()
    if luck < 0.02:
        with suppress(Refused):
            table.do(commands.Forfeit(drawn.choice(state.remaining)))
    elif luck < 0.08 and table.match.clocks is not None and table.match.clocks.due_at is not None:
        table.do(commands.Advance(table.chance()), max(0, table.match.clocks.due_at - table.at))
    elif state.turn is None:
        due = due_at(table.match)
        assert due is not None
        table.do(commands.Advance(table.chance()), max(0, due - table.at))
    elif luck < 0.5:
        table.act_at_random(state.turn, drawn)
    else:
        _, command = table.chosen(state.turn)
        assert command is not None
        table.do(command)
    table.go_on()


def tell(table: BotTable) -> None:
    """Make all that anybody is told now."""
    last, _ = event_of(table.lines[-1])
    state = table.match.table
    assert state is not None
    for viewer in (None, *state.seats):
        assert len(encode_frame(frame_of(table.written, last, viewer, table.keeper, {}, more=False))) <= FRAME_BYTES_MAX
    assert json.encode(row_of(view_of(table.written, None, None, {})))
    assert tally_of_match(table.lines).matches <= 1
    assert len(table.lines[-1]) <= LINE_BYTES_MAX
