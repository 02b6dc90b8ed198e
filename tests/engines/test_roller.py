"""The roller: what cannot be folded back is played on, if few moves are thought of."""

from __future__ import annotations

from domain import commands
from domain.ids import Seat
from domain.strategy.weighing import Weighing
from services.engines.analyst import HALF_A_POINT
from services.engines.levels import player_of
from services.engines.roller import weigh_by_rolling
from tests.bots.tables import BotTable

CHANCE = bytes(range(32))


def weighing(table: BotTable, seat: Seat) -> Weighing | None:
    seen = table.seen(seat)
    assert seen.sight is not None
    return weigh_by_rolling(seen, seen.sight, HALF_A_POINT, CHANCE)


def test_a_round_that_does_not_fold_back_is_rolled_out() -> None:
    table = BotTable({}, 2, 2, game="mexican")
    assert weighing(table, table.turn) is None, "there is nothing but to roll"
    table.do(commands.Roll(table.turn))
    found = weighing(table, table.turn)
    assert found is not None
    assert found == weighing(table, table.turn)
    assert all(isinstance(option.command, commands.ClaimHand) for option in found.options)
    assert weighing(table, 3 - table.turn) is None, "it is not its turn"


def test_level_3_goes_by_it_and_level_2_plays_hands() -> None:
    table = BotTable({}, 2, 2, game="mexican")
    table.do(commands.Roll(table.turn))
    for level in ("L2", "L3"):
        thought = player_of(level).choose(table.seen(table.turn), CHANCE)
        assert thought is not None
        assert thought.level == level


def test_of_many_ways_to_handle_dice_and_of_bids_it_says_nothing() -> None:
    for game in ("six_six_six", "liars_poker"):
        table = BotTable({}, 2, 2, game=game)
        assert weighing(table, table.turn) is None
