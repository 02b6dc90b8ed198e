"""The strength of bots: against somebody who does anything that is allowed, whichever of two seats they have."""

from __future__ import annotations

import random

import pytest

from domain.games import GAMES
from tests.bots.tables import BotTable
from tests.sizes import cases

MATCHES = cases(8, 16)
TURNS_MAX = 60
SHORT = {
    "common_hand": {"dice_per_player": 3},
    "finska": {"stake": 2},
}
UNITS = {"unit": 1, "win": 1, "loss": -1}
"""By what a session is reckoned, and whether more of it is better."""


@pytest.mark.parametrize("game", GAMES)
def test_a_steady_bot_beats_chance_much_more_often_than_its_share(game):
    won = sum(won_by_bot(game, seed) for seed in range(MATCHES))
    assert won >= 0.7 * MATCHES


def won_by_bot(game: str, seed: int) -> float:
    """Return 1 if the bot has won a match or leads a session, 0 if the other one, and a half if nobody."""
    table, drawn = BotTable(SHORT.get(game, {}), 2, seed, game=game, level="L1"), random.Random(seed)
    bot, other = (1, 2) if seed % 2 else (2, 1)
    for _ in range(TURNS_MAX):
        if table.match.ended:
            break
        assert table.match.table is not None
        if table.match.table.turn == bot:
            _, command = table.chosen(bot)
            assert command is not None
            table.do(command)
        else:
            table.act_at_random(other, drawn)
        table.go_on()
    return standing(table, bot, other)


def standing(table: BotTable, bot: int, other: int) -> float:
    state = table.match.table
    assert state is not None
    ahead = sum(sign * (state.balance(unit, bot) - state.balance(unit, other)) for unit, sign in UNITS.items())
    if state.winner is not None:
        return float(state.winner == bot)
    return 0.5 if ahead == 0 else float(ahead > 0)
