"""The dearest things anybody may ask for: odds of the largest numbers, and dice handled as often as a turn allows."""

from __future__ import annotations

import random
from itertools import product
from time import thread_time
from typing import Any

import pytest
from msgspec import to_builtins

from domain import commands
from domain.errors import Refused
from domain.games import GAMES, options_of
from domain.table.offers import ArrangeMove, ShowCockedMove, StopMove
from services.audit.odds_questions import answered, question_cards
from tests.bots.tables import BotTable
from tests.bots.test_every_game import house_rules
from tests.domain.playing import commands_for
from tests.sizes import cases

WORK_S = 2.0
"""What no question may take of a core, a hundred times what the dearest took when it was measured."""
TURNS = 6
HANDLINGS_MAX = 12
"""How often dice were handled at most in one turn, over all games and options, is ten."""


# ---- odds -------------------------------------------------------------------------------------


@pytest.mark.parametrize("card", question_cards(), ids=lambda card: card.name)
def test_no_question_about_odds_is_dear(card: Any) -> None:
    fields = card.parameters.get("properties", {})
    answers = 0
    for values in product(*(dearest(name, schema) for name, schema in fields.items())):
        begun = thread_time()
        try:
            answers += bool(to_builtins(answered(card.name, zip(fields, values, strict=True))))
        except ValueError:
            continue  # numbers that are too large for each other are refused, which has to be cheap as well
        finally:
            assert thread_time() - begun < WORK_S, values
    assert answers


def dearest(name: str, schema: dict[str, Any]) -> list[str]:
    """Return the values of a parameter that make the most work."""
    if "enum" in schema:
        return [str(value) for value in schema["enum"]]
    match schema.get("type"):
        case "integer":
            return [str(schema["maximum"]), str(schema["maximum"] // 2), str(schema["minimum"])]
        case "boolean":
            return ["true", "false"]
        case "array":
            return ["", "1,2,3,4,5", ",".join(["3"] * schema["maxItems"])]
        case _:
            return {"chance": ["1/6", "499/997"], "serial": ["01234567890123456789"], "shape": ["pair", "score"]}[name]


# ---- handling ---------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_nobody_handles_dice_for_ever(game: str) -> None:
    for number in range(cases(2, 150)):
        drawn = random.Random(f"{game} {number}")
        options = house_rules(game, drawn)
        rules = GAMES[game].rules(options_of(game, options))
        table = BotTable(options, rules.seats[0], number, game=game)
        for _ in range(TURNS):
            if table.match.ended or table.match.table is None or table.match.table.turn is None:
                break
            seat = table.match.table.turn
            assert handled(table, seat, drawn) <= HANDLINGS_MAX
            if not table.match.ended and table.match.table.turn == seat:
                table.act_at_random(seat, drawn)
                table.go_on()


def handled(table: BotTable, seat: int, drawn: random.Random) -> int:
    """Let a seat handle its dice as long as anything is accepted, and return how often that was."""
    for number in range(HANDLINGS_MAX + 1):
        state = table.match.table
        if table.match.ended or state is None or state.turn != seat or not handle(table, seat, drawn):
            return number
        table.go_on()
    return HANDLINGS_MAX + 1


def handle(table: BotTable, seat: int, drawn: random.Random) -> bool:
    """Do one thing with dice that is no claim and no doubt, if any is accepted."""
    kinds = (ArrangeMove, ShowCockedMove, StopMove)
    wanted = [move for move in table.view(seat).moves if isinstance(move, kinds)]
    possible: list[commands.Play] = [command for move in wanted for command in commands_for(seat, move)]
    drawn.shuffle(possible)
    for command in possible:
        try:
            table.do(command)
        except Refused:
            continue
        return True
    return False
