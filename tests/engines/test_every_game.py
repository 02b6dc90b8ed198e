"""Every game of the house is played by the level that is asked for, and by no lower one."""

from __future__ import annotations

import pytest

from domain.games import GAMES
from services.engines.levels import player_of
from tests.bots.tables import BotTable
from tests.domain.test_every_game import OPTIONS
from tests.sizes import cases

TURNS = cases(8, 200)


@pytest.mark.parametrize("game", GAMES)
def test_level_2_itself_answers_every_decision(game: str) -> None:
    rules = OPTIONS[game][0]
    table = BotTable(rules, GAMES[game].rules(GAMES[game].options(**rules)).seats[0], 3, game=game)
    for _ in range(TURNS):
        if table.match.ended:
            return
        thought = player_of("L2").choose(table.seen(table.turn), table.drawn())
        assert thought is not None
        assert thought.level == "L2"
        table.do(thought.command)
        table.go_on()
