"""Calls of a passed cup are doubted by who answers as level 1 doubts them, whatever is worked out together."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from domain import commands, events
from domain.strategy.chance import Words
from domain.strategy.level_one.hands import own_faces, shown_of
from domain.strategy.level_one.thinking import weigh
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.level_two.call_prospects import CallProspects
from domain.strategy.level_two.outlook import outlook_of
from domain.strategy.reading.beliefs import ONE
from domain.strategy.reading.reader import Beliefs
from domain.strategy.sight import Sight
from domain.table.evolve import evolve
from domain.table.moves import moves_of
from domain.table.offers import CallMove
from domain.table.state import PASSED_CUP, next_seat
from services.engines.seen import SeenMatch
from tests.bots.tables import BotTable
from tests.sizes import cases


@pytest.mark.parametrize(
    ("game", "level"), [("finska", "L0"), ("stanford", "L0"), ("beat_this", "L1"), ("mexican", "L1")]
)
def test_a_call_of_a_passed_cup_is_doubted_as_level_1_doubts_it_in_the_game_after_it(game: str, level: str) -> None:
    compared = 0
    for seed in range(6):
        table = BotTable({}, 2, seed, game=game, level=level)
        for _ in range(cases(25, 200)):
            if table.match.ended:
                break
            compared += doubts_compared(table.seen(table.turn))
            _, command = table.chosen(table.turn)
            assert command is not None
            table.do(command)
            table.go_on()
    assert compared > 20


def doubts_compared(seen: SeenMatch) -> int:
    """Compare how likely each call is to be doubted with what level 1 does in the game after it; return how many."""
    sight = seen.sight
    assert sight is not None
    state, seat = sight.state, sight.seat
    place, dice = state.places.get(PASSED_CUP), own_faces(sight) if state.places else ()
    if place is None or len(dice) < place.size or not any(isinstance(move, CallMove) for move in moves_of(state, seat)):
        return 0
    prospects = CallProspects(outlook_of(sight, Beliefs(LEVEL_ONE, {}), Words(bytes(32))), state, place.knowers)
    answerer, rungs = next_seat(state, seat), prospects.rungs(dice)
    known = sight.dice if answerer in place.knowers else {}
    for rung in rungs:
        hand = state.ladder.hands[rung]
        after = replace(evolve(state, events.HandClaimed(seat, hand.shape, hand.faces, beats=True)), turn=answerer)
        share = weigh(Sight(after, answerer, known), LEVEL_ONE).share(commands.Challenge(answerer))
        assert prospects.doubt(rung, shown_of(state, seat), dice) == share.weight * ONE // share.total
    return len(rungs)
