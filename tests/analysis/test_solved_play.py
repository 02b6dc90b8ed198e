"""Solved rounds folded back: they are worth what their certificates say, and no move that is played is a mistake."""

from __future__ import annotations

from fractions import Fraction

import pytest
from msgspec.structs import replace

from domain import events
from domain.analysis.worths.equity import decide, public_worths, seat_worth
from domain.analysis.worths.scenes import Sampling, Scene
from domain.games import rules_of
from domain.rules.orders import Count
from domain.strategy.duels.duel import CHALLENGE, Duel
from domain.strategy.duels.solved import SolvedTable
from domain.strategy.folding.bidding import LevelOne, bidding_of
from domain.strategy.folding.fold_back import Position, Questions, fold_back
from domain.strategy.folding.solved_play import SolvedPlay
from domain.strategy.folding.verdicts import stakes_by
from domain.strategy.hands import all_hands
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.policies.facts import facts_of
from domain.strategy.policies.files import Policy
from domain.strategy.reading.beliefs import prior_of
from domain.strategy.tables import MatchTable
from domain.table.evolve import evolve
from domain.table.state import State
from services.evaluators.batch_evaluator import evaluate
from services.policies.shelf import Shelf
from tests.analysis.test_fold_back import Dice, opened, small
from tests.sizes import spread

PPM = Fraction(1, 10**6)
SYSTEMS = ("quantity_first", "face_first", "highest_number", "product", "no_decrease")
ONE_EACH: Dice = {1: (4,), 2: (6,)}


def solved(state: State) -> Policy:
    policy = Shelf().default("play", facts_of(state))
    assert isinstance(policy.content, SolvedTable)
    return policy


def scene_of(options: dict[str, object], made: tuple[Count, ...] = ()) -> tuple[Scene, Policy]:
    before, state = opened(rules_of("common_hand", {"dice_per_player": 1, **options}), ONE_EACH)
    policy = solved(state)
    assert isinstance(policy.content, SolvedTable)
    bidding = bidding_of(state, SolvedPlay(policy.content), made)
    stakes = stakes_by(bidding, MatchTable(before))
    beliefs = {seat: prior_of(all_hands(1, state.rules.tokens.faces)) for seat in (1, 2)}
    return Scene(stakes, state, beliefs, 0, Sampling("", ""), evaluate), policy


@pytest.mark.parametrize(
    ("system", "wild"),
    spread(
        [(system, wild) for system in SYSTEMS for wild in ("always", "never", "unless_opened")], 1, lambda one: one[0]
    ),
)
def test_a_round_is_worth_what_its_certificate_says(system: str, wild: str) -> None:
    scene, policy = scene_of({"system": system, "wild": wild})
    assert policy.certificate is not None
    value = (1 + policy.certificate.lower) * Fraction(1, 2)
    assert abs(public_worths(scene)[1].value - value) < PPM
    own = [decide(scene, 1, (face,), Count(1, 2)) for face in range(1, 7)]
    assert abs(sum((each.worths[each.best].value for each in own), Fraction(0)) * Fraction(1, 6) - value) < PPM
    for each in own:
        played = [worth for way, worth in zip(each.ways, each.worths, strict=True) if way.weight]
        assert all(each.worths[each.best].value - worth.value < PPM for worth in played)


def test_what_a_table_says_hangs_on_the_claims_before() -> None:
    scene, policy = scene_of({})
    bidding, table = scene.bidding, policy.content
    assert isinstance(table, SolvedTable)
    hand, made = next((key, moves) for key, moves in table.records.items() if len(key[1]) == 2 and len(moves) > 1)
    claims = tuple(table.duel.claim(number) for number in hand[1])
    node = bidding.nodes[bidding.places[scene.state.auction, claims]]
    said = {(None if move == CHALLENGE else table.duel.claim(move)): weight for move, weight in made}
    found = {
        bidding.nodes[link.node].claim: link.rows[0][hand[0]] for link in bidding.links_of(bidding.nodes.index(node))
    }
    assert {claim: weight for claim, weight in found.items() if weight} == {
        claim: weight for claim, weight in said.items() if claim is not None and weight
    }
    assert node.totals[0][hand[0]] == sum(said.values())


def test_a_claim_that_nobody_thought_of_is_followed_by_level_one() -> None:
    strange = (Count(2, 5),)
    scene, _ = scene_of({}, strange)
    assert scene.state.turn == 1
    after = evolve(scene.state, events.Bid(1, 2, 5))
    then = replace(scene, state=after, claims=strange)
    assert 0 < seat_worth(then, 2, ONE_EACH[2]).value < 1
    decided = decide(then, 2, ONE_EACH[2], "challenge")
    assert [way.answer for way in decided.ways] == [Count(2, 6), "challenge"]


def test_seats_with_other_dice_are_weighed_by_their_own_hands() -> None:
    dice: Dice = {1: (2,), 2: (1, 3)}
    before, state = opened(small("common_hand", {}, 3), dice)
    tokens, counting = state.rules.tokens, state.rules.claims
    duel = Duel((1, 2), tokens.faces, counting)  # type: ignore[arg-type]  # its claims are counts
    bidding = bidding_of(state, SolvedPlay(SolvedTable(duel, {(1, b""): ((2, 1),)})))
    stakes = stakes_by(bidding, MatchTable(before))
    asked = Questions(
        (Position(bidding.node_of(state), 1), Position(bidding.after(bidding.node_of(state), Count(1, 3)), 0)), (), (0,)
    )
    deal = [bidding.hand_of(place, dice[seat]) for place, seat in enumerate(bidding.seats)]
    (opening,), (forced,) = fold_back(stakes, [deal], asked)
    # The table has whoever opens with a two claim one three, whatever the other one holds.
    assert abs(opening[0] - forced[0]) <= 1
    level = bidding_of(state, LevelOne(LEVEL_ONE))
    by_level = stakes_by(level, MatchTable(before))
    claimed = Questions((Position(level.after(level.node_of(state), Count(1, 3)), 0),), (), (0,))
    ((beside,),) = fold_back(by_level, [deal], claimed)
    assert abs(forced[0] - beside[0]) <= 8
