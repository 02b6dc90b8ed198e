"""Level 1 plays every game of the house, and games the house does not have, by moves the rules accept."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any, Final

import pytest
from msgspec.structs import replace

from domain import commands
from domain.analysis.odds.chances import chance_of_claim
from domain.errors import Refused
from domain.games import GAMES, rules_of
from domain.rules.rules import Counting, Doubt, Rules, SharedCup
from domain.strategy.knowledge import NOTHING
from domain.strategy.level_one import arranging
from domain.strategy.level_one.arrangements import Arranger, DiceAfter
from domain.strategy.level_one.hands import chance_of_rung, throw_after
from domain.strategy.level_one.thinking import drawn, weigh
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.sight import Sight
from domain.strategy.weighing import Option
from domain.table.decide import decide, initial_state
from domain.table.interlude import is_throwing_openly
from domain.table.interludes import chase
from domain.table.interludes.cocked import Look, ShowCocked, is_cocked
from domain.table.moves import moves
from domain.table.offers import ArrangeMove, CatchMove, DemandBillsMove, LookMove, ShowCockedMove
from domain.table.places import Place
from domain.table.state import State
from tests.analysis.sights import all_faces, hidden_faces, played_by_level_one, sight_of, word_of
from tests.domain.seeded import Game
from tests.domain.test_fifteenth import name as fifteenth
from tests.domain.test_five_aces import ACES, dealt

__all__ = ["fifteenth"]
UNTHOUGHT: Final = (CatchMove, DemandBillsMove, LookMove, ShowCockedMove)
"""What is not thought of: the last two are where dice are unseen, and where the seat has seen that some lie cocked."""
VARIANTS: Final[dict[str, tuple[str, dict[str, Any], int, int]]] = {
    "mexican where four-one hands out a drink": ("mexican", {"forty_one": "impose"}, 3, 60),
    "mexican where weak claims are let through": ("mexican", {"claim_check": "next_player"}, 3, 30),
    "liars with cocked dice": ("boss_liars", {"cocked": True}, 2, 40),
    "liars for money": ("boss_liars", {"stakes": "money", "buy_back": True, "hands_to_lose": 1}, 3, 40),
    "a last throw that forces the verdict": ("individual_hand", {"rerolls": 1}, 2, 40),
}
HANDLED: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "finska": ("finska", {}),
    "finska where shown is shown": ("finska", {"may_rehide": False}),
    "six_six_six": ("six_six_six", {"dice": 4}),
    "beat_this": ("beat_this", {}),
    "german_liar_dice": ("german_liar_dice", {}),
    "stud_liars": ("stud_liars", {}),
    "common_hand with a push": ("common_hand", {"push": True}),
}


def check_thoughts(game: Game, state: State) -> None:
    for seat, offers in moves(state).items():
        weighing = weigh(sight_of(state, seat, game.dealer), LEVEL_ONE)
        asked = [option.command for option in weighing.options]
        assert len({*map(repr, asked)}) == len(asked), "nothing is thought of twice"
        assert asked or all(isinstance(offer, UNTHOUGHT) for offer in offers), "who may do something thinks of it"
        assert weighing.legal >= len(offers)
        for word in (0, 2**64 - 1, *[word_of(seat, number) for number in range(4)]):
            found = drawn(sight_of(state, seat, game.dealer), LEVEL_ONE, word)
            assert found == (weighing.draw(word).command if asked else None)
        for option in weighing.options:
            assert 0 <= option.worth <= 1
            assert 1 <= option.weight <= 2**20
            decide(state, option.command, game.dealer)


@pytest.mark.parametrize("flags", [(), ("palifico",)])
@pytest.mark.parametrize("wild", ["always", "unless_opened"])
def test_level_one_gives_an_opening_hand_the_chance_an_analysis_gives_it(wild: str, flags: tuple[str, ...]) -> None:
    game = Game({"wild": wild}, 2, "palifico", game="beat_this")
    game.deal_if_due()
    game.do(commands.Roll(1))
    state = replace(game.state, flags=flags)
    for hand in state.ladder.hands[::20]:
        throw = throw_after(state, hand)
        assert chance_of_rung(throw, throw.ladder.rungs[hand], ()) == chance_of_claim(state, hand, 1, NOTHING)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seats", [2, 4])
def test_it_plays_every_game_by_lawful_moves(name: str, seats: int) -> None:
    least, most = GAMES[name].rules(GAMES[name].options()).seats
    game = Game({}, min(max(seats, least), most), f"{name} {seats}", game=name)
    for state in played_by_level_one(game, 16):
        check_thoughts(game, state)
    assert game.state.round_number >= 1


def test_ways_to_handle_dice_that_were_forgotten_are_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arranging, "WAYS_MAX", 1)
    game = Game({}, 2, "forgotten", game="finska")
    for state in played_by_level_one(game, 16):
        check_thoughts(game, state)


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_plays_variants_by_lawful_moves(variant: str) -> None:
    name, options, seats, steps = VARIANTS[variant]
    game = Game(options, seats, variant, None, game=name)
    for state in played_by_level_one(game, steps):
        check_thoughts(game, state)


def test_cocked_dice_that_were_seen_are_shown() -> None:
    for number in range(100):
        game = Game({"cocked": True, "first": "high_roll"}, 2, f"cocked {number}", game="boss_liars")
        game.deal_if_due()
        if is_cocked(game.state, 1, game.dealer):
            break
    assert ShowCocked not in thoughts(sight_of(game.state, 1, game.dealer))
    game.do(Look(1))
    assert thoughts(sight_of(game.state, 1, game.dealer))[ShowCocked].worth == 1
    # Who has seen them makes no bid, whatever word it draws.
    found = [drawn(sight_of(game.state, 1, game.dealer), LEVEL_ONE, word << 60) for word in range(16)]
    assert {type(command) for command in found} == {ShowCocked}
    assert ShowCocked not in thoughts(Sight(game.state, 1))
    game.do(ShowCocked(1))


def test_it_plays_games_the_house_does_not_have(fifteenth: str) -> None:
    game = Game({}, 3, fifteenth, game=fifteenth)
    for state in played_by_level_one(game, 30):
        check_thoughts(game, state)
    assert game.state.round_number > 1


# ---- handling -----------------------------------------------------------------------------------


def result_of(state: State, place: Place, faces: tuple[int, ...], command: commands.Arrange) -> DiceAfter:
    """Return what lies where after a handling, but for the dice that are rolled."""
    indoors, outdoors = command.roll_inside, command.roll_outside
    if is_throwing_openly(state):
        indoors, outdoors = (), (*indoors, *outdoors)
    hidden = {*range(len(place.inside)), *command.inside} - {*command.outside, *indoors, *outdoors}
    shown = {*range(len(faces))} - hidden - {*indoors, *outdoors}
    inside, outside = (tuple(sorted([faces[each] for each in some])) for some in (hidden, shown))
    return DiceAfter(inside, outside, len(indoors), len(outdoors))


def every_arrangement(seat: int, placements: tuple[str, ...], dice: int) -> list[commands.Arrange]:
    found = []
    for fate in product(("", *placements), repeat=dice):
        put = {name: tuple(at for at, chosen in enumerate(fate) if chosen == name) for name in placements}
        found.append(commands.Arrange(seat, **put))
    return found


@pytest.mark.parametrize("handled", HANDLED)
def test_every_lawful_way_to_handle_dice_is_gone_through_once(handled: str) -> None:
    name, options = HANDLED[handled]
    game, seen = Game(options, 2, handled, game=name), 0
    for state in played_by_level_one(game, 60):
        seat = state.turn or 0
        offer = next((move for move in moves(state).get(seat, ()) if isinstance(move, ArrangeMove)), None)
        if offer is None or seen > 1:
            continue
        place = state.place_of(seat)
        assert place is not None
        faces, lawful = all_faces(state, place, game.dealer), set()
        for command in every_arrangement(seat, offer.placements, len(faces)):
            try:
                decide(state, command, game.dealer)
            except Refused:
                continue
            lawful.add(result_of(state, place, faces, command))
        hidden, arranger = hidden_faces(state, place, game.dealer), Arranger(state, seat)
        found = list(arranger.arrangements(hidden))
        assert {*arranger.results(hidden)} == lawful
        assert {made.result for made in found} == lawful
        assert len(found) == len(lawful)
        seen += 1
    assert seen


def test_ways_to_handle_dice_are_found_again_once_they_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game({}, 2, game="six_six_six")
    game.do(commands.Roll(1))
    game.do(commands.ClaimHand(1, "score", (2, 1, 1)))
    game.do(commands.Accept(2))
    arranger = Arranger(game.state, 2)
    found = [*arranger.kept((1, 2, 2))]
    monkeypatch.setattr("domain.strategy.level_one.arrangements.FATES_MAX", 0)
    monkeypatch.setattr("domain.strategy.level_one.arrangements._FATES", {})
    assert [*arranger.kept((1, 1, 2))] != found
    assert [*arranger.kept((1, 2, 2))] == found


def test_in_a_chase_it_keeps_the_aces_and_throws_the_rest() -> None:
    game = dealt({(1, 0): (5, 5, 0, 1, 2), (2, 0): ACES})
    weighing = weigh(sight_of(game.state, 1, game.dealer), LEVEL_ONE)
    check_thoughts(game, game.state)
    best = max(weighing.options, key=lambda option: option.worth)
    assert best.worth == Fraction(1, 6**3)
    assert best.command == commands.Arrange(1, roll_outside=(2, 3, 4))
    assert weighing.options[-1].command == chase.Stop(1)
    assert weighing.options[-1].worth == 0


# ---- choices that no game of the house has together ---------------------------------------------


def thoughts(sight: Sight) -> dict[type[commands.Command], Option]:
    """Return by kind what is thought of; of several of a kind the last."""
    return {type(option.command): option for option in weigh(sight, LEVEL_ONE).options}


def begun(rules: Rules, seats: int = 3) -> Game:
    game = Game({}, seats, rules.name)
    game.begun = game.state = initial_state(rules, tuple(range(1, seats + 1)), 1)
    return game


def test_counts_of_a_cup_that_is_believed_blind_are_worth_what_fresh_dice_make() -> None:
    rules = replace(rules_of("mexican", {}), name="blind counts", tokens=SharedCup(2), claims=Counting())
    game = begun(rules)
    game.do(commands.Roll(1))
    game.do(commands.Bid(1, 1, 3))
    options = thoughts(Sight(game.state, 2))
    makes = 1 - Fraction(5, 6) ** 2
    assert options[commands.Challenge].worth == 1 - makes
    assert options[commands.Accept].worth == makes + (1 - makes) * (1 - (1 - makes) ** 3) / 2
    for state in played_by_level_one(game, 20):
        check_thoughts(game, state)


def test_a_pass_beside_hands_is_worth_what_dice_that_differ_are() -> None:
    rules = replace(rules_of("individual_hand", {}), name="hands and passes", doubt=Doubt(pass_once=True))
    game = begun(rules, 2)
    game.deal_if_due()
    game.do(commands.ClaimHand(1, "pair", (2,)))
    own = hidden_faces(game.state, game.state.places[2], game.dealer)
    options = thoughts(sight_of(game.state, 2, game.dealer))
    assert options[commands.Pass].worth == int(len(set(own)) == len(own))
    game.do(commands.Pass(2))
    options = thoughts(sight_of(game.state, 1, game.dealer))
    assert options[commands.Challenge].worth == 1 - Fraction(720, 6**5)


def test_who_has_not_seen_its_dice_calls_as_if_they_were_worth_nothing() -> None:
    game = Game({}, 2, game="individual_hand")
    game.deal_if_due()
    options = weigh(Sight(game.state, 1), LEVEL_ONE).options
    assert all(option.worth <= Fraction(1, 2) for option in options)
    game.do(commands.ClaimHand(1, "runt", ()))
    assert thoughts(Sight(game.state, 2)).keys() == {commands.ClaimHand, commands.Challenge}, "it handles none of them"
    assert not isinstance(drawn(Sight(game.state, 2), LEVEL_ONE, 2**64 - 1), commands.Arrange)
