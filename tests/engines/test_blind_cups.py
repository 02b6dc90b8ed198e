"""Level 5 at a cup that two seats pass on unseen: it plays by the tablebase, as fast for any throw."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from domain import commands, events
from domain.rules.rules import PIPS, Rungs
from domain.strategy.duels.blind_cup import BlindCup, weigh_cup
from domain.strategy.sight import Sight
from domain.table.phases import TO_ROLL
from services.engines.levels import player_of
from services.engines.solved_rounds import weigh_by_file
from tests.bots.tables import BotTable

MEXICAN = BlindCup(PIPS, Rungs("mexican", specials=("social", "reverse")))


@pytest.mark.parametrize("evenly", [False, True])
def test_level_5_plays_a_cup_by_its_tablebase_at_tables_of_the_house_as_well(*, evenly: bool) -> None:
    table, player = BotTable({}, 2, 3, game="mexican"), player_of("L5", evenly=evenly)
    claims: list[int] = []
    for _ in range(30):
        seen, before = table.seen(table.turn), table.table
        thought = player.choose(seen, table.drawn())
        assert thought is not None
        if before.phase != TO_ROLL:
            assert thought.level == "L5"
            weighing = weigh_cup(MEXICAN, seen.sight or Sight(before, table.turn), claims)
            assert weighing is not None
            assert thought.command in [option.command for option in weighing.options]
        table.do(thought.command)
        table.go_on()
        claims = [*MEXICAN.rungs_of(table.events[rounds_begun(table)[-1] :])]


def rounds_begun(table: BotTable) -> list[int]:
    return [0, *[at for at, event in enumerate(table.events) if isinstance(event, events.RoundOpened)]]


def test_of_three_seats_level_5_goes_by_the_level_below() -> None:
    table = BotTable({}, 3, 3, game="mexican")
    table.do(commands.Roll(table.turn))
    thought = player_of("L5", evenly=True).choose(table.seen(table.turn), table.drawn())
    assert thought is not None
    assert thought.level == "L1"


def test_who_may_not_look_is_told_nothing_of_a_claim() -> None:
    table = BotTable({}, 2, 3, game="mexican")
    table.do(commands.Roll(table.turn))
    assert weigh_cup(MEXICAN, Sight(table.table, table.turn), ()) is None
    sight = table.seen(table.turn).sight
    assert sight is not None
    assert weigh_by_file(replace(sight, seat=3 - table.turn), table.events) is None
