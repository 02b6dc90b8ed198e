"""Loaded dice: what seldom happens, such as five aces that are chased, happens often, and is seen line by line."""

from __future__ import annotations

import random
from typing import Any

import pytest

from domain.fairness import sampling
from domain.fairness.openings import DealSecrets
from domain.games import GAMES, rules_of
from domain.match.record import fold
from projections.glass import ALL, Glass, frames_through, take
from projections.view import view_of
from tests.bots.tables import BotTable
from tests.domain.test_every_game import OPTIONS
from tests.sizes import cases

TURNS_MAX = 50
OFTEN = 0.8
SETS = [
    (game, {**options, **({"five_aces": True} if game == "german_liar_dice" else {})})
    for game in GAMES
    for options in OPTIONS[game]
]


def load_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have most dice show the last of their faces; which of them do is told by their keys."""
    fair = sampling.value

    def loaded(key: bytes, mix: bytes, address: bytes, m: int) -> int:
        return m - 1 if key[0] < OFTEN * 256 else fair(key, mix, address, m)

    monkeypatch.setattr(sampling, "value", loaded)


@pytest.mark.parametrize(("game", "options"), SETS)
def test_every_line_can_be_seen_by_everybody_whatever_the_dice_come_to(
    game: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    load_dice(monkeypatch)
    fewest, most = rules_of(game, options).seats
    for number in range(cases(4, 200)):
        drawn = random.Random(number)
        table = BotTable(options, drawn.randint(fewest, min(4, most)), number, game=game)
        check_seen(table, played_at_random(table, drawn))


def played_at_random(table: BotTable, drawn: random.Random) -> dict[int, DealSecrets]:
    """Play on for some turns, and return the secrets of the deals."""
    keepers = dict[int, DealSecrets]()
    for _ in range(TURNS_MAX):
        if table.keeper is not None:
            keepers[table.keeper.number] = table.keeper
        if table.match.ended:
            break
        table.act_at_random(table.turn, drawn)
        table.go_on()
    return keepers


def check_seen(table: BotTable, keepers: dict[int, DealSecrets]) -> None:
    """Look at every line as each seat and a spectator do, and back through glass."""
    steps, glass = list(fold(table.lines)), Glass()
    for written, event in steps:
        deal = written.match.ceremony
        for seat in (None, 1, 2):
            view_of(written, seat, None if deal is None else keepers.get(deal.deal), {})
        take(glass, written.match, event)
    for eyes in (1, 2, ALL):
        assert len(list(frames_through(steps, glass, eyes, {}))) == len(steps)
