"""Beliefs about dice that are handled, beside every world enumerated."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any, Final

import pytest
from msgspec.structs import replace

from domain import commands, events
from domain.games import rules_of
from domain.ids import CupId, Face, Seat
from domain.rules.claims import holds
from domain.rules.ladders import Hand
from domain.rules.orders import Count
from domain.rules.rules import Handling, OwnCups, Rules, Rungs, SharedCup
from domain.strategy.level_one.arrangements import DiceAfter
from domain.strategy.level_one.thinking import weigh
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.reading.cup_reader import CupReader
from domain.strategy.reading.cups import CupBelief, Handled, belief_after_handling, not_told_apart
from domain.strategy.reading.thoughts import DeedShare, Likelihoods, Thoughts
from domain.strategy.sight import Sight
from domain.table import places
from domain.table.decide import decide, evolve, initial_state, next_deal
from domain.table.moves import moves
from domain.table.state import State
from tests.analysis.enumerated import Enumerated
from tests.analysis.sights import hidden_faces, sight_of, word_of
from tests.domain.seeded import Game

DOUBT: Final = Fraction(339, 1024)
WILD_PLAY: Final = LEVEL_ONE.with_power(1)
STEPS: Final = 10
PPM: Final = 10**6


def small(name: str, **changes: Any) -> Rules:
    return replace(rules_of(name, {}), **changes)


RULES: Final[dict[str, Rules]] = {
    "shown, hidden again and rolled (Finska)": small("finska", tokens=SharedCup(3), claims=Rungs("digits")),
    "anything with each die (Stanford)": small("stanford", tokens=SharedCup(3), claims=Rungs("digits")),
    "any hidden dice (Six-Six-Six)": small("six_six_six", tokens=SharedCup(3)),
    "all or none, ones wild until opened on (Beat This)": small("beat_this", tokens=SharedCup(3)),
    "believed blind (Mexican)": rules_of("mexican", {}),
    "one's own cup, three throws (individual hand)": small(
        "individual_hand", tokens=OwnCups(3), claims=Rungs("digits"), handling=Handling(law="any_hidden", limit=3)
    ),
    "a die shown before each claim (Stud Liars)": small("stud_liars", tokens=OwnCups(3)),
}


class Followed:
    """A game followed by the reader and by the oracle at once."""

    def __init__(self, rules: Rules, seats: int, seed: str) -> None:
        self.game = Game({}, seats, seed)
        self.game.state = initial_state(rules, tuple(range(1, seats + 1)), 1)
        self.reader = CupReader(self.game.state.seats, LEVEL_ONE, lambda _: DOUBT, self.sees)
        self.passed = isinstance(rules.tokens, SharedCup)
        cups = (255,) if self.passed else self.game.state.seats
        viewpoints = (None, *self.game.state.seats) if self.passed else (None,)
        self.oracles = [Enumerated(cup, viewpoint, DOUBT) for cup in cups for viewpoint in viewpoints]

    def sees(self, _seat: Seat, cup: CupId) -> Iterable[Face]:
        return hidden_faces(self.game.state, self.game.state.places[cup], self.game.dealer)

    def step(self, number: int) -> None:
        """Play what wild play draws, and read what it leads to."""
        if not moves(self.game.state):
            self.do(self.game.state, None)
            return
        seat = min(moves(self.game.state), key=lambda seat: (seat != self.game.state.turn, seat))
        weighing = weigh(sight_of(self.game.state, seat, self.game.dealer), WILD_PLAY)
        self.do(self.game.state, weighing.draw(word_of(self.game.dealer.seed, number)).command)

    def do(self, before: State, command: Any) -> None:
        for event in decide(before, command or next_deal(before), self.game.dealer):
            before, self.game.state = self.game.state, evolve(self.game.state, event)
            self.reader.take(before, event, self.game.state)
            for oracle in self.oracles:
                oracle.take(before, event, self.game.state, self.dice(oracle.cup))

    def tell(self, event: events.Event) -> None:
        """Read what changes nothing at the table."""
        self.reader.take(self.game.state, event, self.game.state)

    def dice(self, cup: CupId) -> dict[tuple[int, int], int]:
        place = self.game.state.places.get(cup)
        if place is None or place.rolling is not None or not place.inside:
            return {}
        inside = places.handful(place, self.game.dealer).inside
        return {at: self.game.dealer.value(cup, *at, self.game.state.rules.tokens.faces.count) for at in inside}

    def compare_claim(self, oracle: Enumerated) -> None:
        """Hold both to the same chance of a standing hand."""
        state, seat = self.game.state, self.game.state.round.claimant
        if not isinstance(state.round.standing, Hand) or seat is None or oracle.cup not in {255, seat}:
            return
        place, first = state.places[oracle.cup], state.rules.tokens.faces.first
        shown, rung = [die.value or 0 for die in place.outside], state.ladder.rungs[state.round.standing]
        good = sum(
            chance
            for hand, chance in oracle.hands(first).items()
            if state.ladder.measure([*[face - first for face in hand], *shown]) >= rung
        )
        assert abs(self.reader.chance_of(state, state.round.standing, seat, oracle.viewpoint) - good) * PPM <= 1

    def is_over(self) -> bool:
        """Report whether no round is under way."""
        waits = self.game.state.phase == "to_roll" and self.game.state.round.standing is None
        return waits or self.game.state.phase in {"between_rounds", "finished"}

    def compare(self) -> int:
        """Hold both to the same chances, within a millionth; return how many hands were compared."""
        compared = 0
        for oracle in self.oracles:
            place = self.game.state.places.get(oracle.cup)
            if place is None or self.is_over():
                continue
            self.compare_claim(oracle)
            expected = oracle.hands(self.game.state.rules.tokens.faces.first)
            found = self.reader.hands(oracle.cup, oracle.viewpoint)
            total = sum(found.values())
            for hand, chance in expected.items():
                assert abs(Fraction(found[hand], total) - chance) * PPM <= 1, (oracle.viewpoint, hand)
            assert found.keys() == expected.keys()
            compared += len(expected)
        return compared


@pytest.mark.parametrize("name", RULES)
def test_reading_agrees_with_every_world_enumerated(name: str) -> None:
    rules = RULES[name]
    followed, compared = Followed(rules, 2, name), 0
    for number in range(STEPS):
        followed.step(number)
        compared += followed.compare()
    assert compared > 100


def test_what_the_table_does_for_a_seat_out_of_time_says_nothing() -> None:
    followed = Followed(RULES["one's own cup, three throws (individual hand)"], 2, "late")
    followed.step(0)
    fair = followed.reader.hands(1, None)
    followed.tell(events.TimedOut(1))
    followed.step(1)
    assert followed.reader.hands(1, None) == fair
    followed.step(2)
    assert followed.reader.hands(2, None) != fair


def test_dice_that_the_table_rolls_for_a_seat_may_have_been_any() -> None:
    followed = Followed(RULES["any hidden dice (Six-Six-Six)"], 2, "late")
    followed.do(followed.game.state, commands.Roll(1))
    followed.do(followed.game.state, commands.ClaimHand(1, "score", (6, 6, 5)))
    followed.do(followed.game.state, commands.Accept(2))
    followed.tell(events.TimedOut(2))
    before = followed.reader.hands(255, None)
    hands: dict[tuple[int, ...], Fraction] = {}
    followed.do(followed.game.state, commands.Arrange(2, roll_inside=(0,)))
    for hand, chance in before.items():
        for gone, face in product(range(3), range(1, 7)):
            made = tuple(sorted([*hand[:gone], *hand[gone + 1 :], face]))
            hands[made] = hands.get(made, Fraction(0)) + Fraction(chance, 18)
    found, total = followed.reader.hands(255, None), sum(before.values())
    for hand, likely in hands.items():
        assert abs(Fraction(found[hand], 2**48) - likely / total) * PPM <= 1


def test_a_count_is_believed_by_all_cups_together() -> None:
    followed = Followed(RULES["a die shown before each claim (Stud Liars)"], 2, "counts")
    for number in range(7):
        followed.step(number)
    state = followed.game.state
    held = {seat: hidden_faces(state, state.places[seat], followed.game.dealer) for seat in (1, 2)}
    assert all(held.values()), "some dice are hidden still"
    shown = [die.value + 1 for place in state.places.values() for die in place.outside if die.value is not None]
    beliefs = {seat: followed.reader.hands(seat, None) for seat in (1, 2)}
    for claim in (Count(2, 3), Count(3, 5), Count(1, 6)):
        for viewpoint in (None, 1, 2):
            lists = [{held[seat]: 2**48} if seat == viewpoint else beliefs[seat] for seat in (1, 2)]
            expected = sum(
                Fraction(one * two, 2**96)
                for (mine, one), (theirs, two) in product(*[each.items() for each in lists])
                if holds(state.auction, claim, [*mine, *theirs, *shown])
            )
            assert abs(followed.reader.chance_of(state, claim, 1, viewpoint) - expected) * PPM <= 1


def test_who_cannot_tell_any_more_what_a_seat_saw_believes_as_everybody_does() -> None:
    followed = Followed(RULES["believed blind (Mexican)"], 2, "blind")
    followed.reader = CupReader((1, 2), LEVEL_ONE, lambda _: DOUBT, lambda _seat, _cup: None)
    for number in range(2):
        followed.step(number)
    claim = followed.game.state.round.standing
    assert claim is not None
    assert 0 < followed.reader.chance_of(followed.game.state, claim, 1, 1) < 1


def test_a_last_throw_of_a_passed_cup_is_weighed_by_the_dice_it_is_about() -> None:
    law = Handling(law="any_hidden", limit=1, last_forces=True)
    game = Game({}, 2, "last")
    game.state = initial_state(small("six_six_six", tokens=SharedCup(3), handling=law), (1, 2), 1)
    for command in (commands.Roll(1), commands.ClaimHand(1, "score", (4, 3, 1)), commands.Accept(2)):
        game.do(command)
    thoughts = Thoughts(game.state, 2, 255, LEVEL_ONE)
    for hand in ((1, 1, 2), (5, 5, 6)):
        weighing = weigh(Sight(game.state, 2, {255: hand}), LEVEL_ONE)
        assert thoughts.of(hand).total == weighing.total
        for option in weighing.options:
            if not isinstance(option.command, commands.Arrange):
                share = DeedShare(option.weight, weighing.total, len(thoughts.of(hand).weights))
                assert thoughts.share(hand, option.command) == share


def test_a_share_of_all_weights_is_that_of_the_move_where_nothing_may_be_handled() -> None:
    game = Game({}, 2, "share", game="individual_hand")
    game.deal_if_due()
    seat, hand = game.state.turn, (1, 2, 2, 5, 6)
    assert seat is not None
    weighing = weigh(Sight(game.state, seat, {seat: hand}), LEVEL_ONE)
    for option in weighing.options:
        share = Thoughts(game.state, seat, seat, LEVEL_ONE).share(hand, option.command)
        assert (share.weight, share.total) == (option.weight, weighing.total)


def test_a_move_of_a_seat_that_thinks_of_none_says_nothing() -> None:
    game = Game({}, 2, game="liars_poker_wizard")
    game.deal_if_due()
    game.do(commands.Bid(1, 1, 9))
    game.do(commands.Challenge(2))
    likely = Likelihoods(Thoughts(game.state, 1, 1, LEVEL_ONE), DOUBT)
    asked = commands.DemandBills(1)
    assert likely.of((0,) * 8, asked) == likely.of((9,) * 8, asked) > 0


def test_where_no_dice_may_be_handled_a_share_is_of_claims_and_doubts() -> None:
    game = Game({"rerolls": 0}, 2, game="german_liar_dice")
    game.deal_if_due()
    game.do(commands.ClaimHand(1, "pair", (9, 14, 13, 12)))
    hand = (9, 9, 10, 11, 12)
    weighing = weigh(Sight(game.state, 2, {2: hand}), LEVEL_ONE)
    share = weighing.share(commands.Challenge(2))
    found = Thoughts(game.state, 2, 2, LEVEL_ONE).share(hand, commands.Challenge(2))
    assert found == DeedShare(share.weight, share.total, share.thought)


def test_dice_that_nobody_sees_come_out_need_not_be_told_apart_by_their_rolls() -> None:
    faces = rules_of("individual_hand", {}).tokens.faces
    every = combinations_with_replacement(range(faces.first, faces.first + faces.count), 3)
    apart = together = CupBelief(0, {}, {tuple([(0, face) for face in hand]): sum(hand) << 30 for hand in every})

    def likes_high(_hand: tuple[Face, ...], kept: DiceAfter) -> int:
        return (1 + sum(kept.inside)) << 20

    for roll in (1, 2, 3):
        handled = Handled(events.Arranged(1, 1, (), (), 1, 0, roll, None), (), (), ())
        apart = belief_after_handling(apart, handled, likes_high, faces)
        together = not_told_apart(belief_after_handling(together, handled, likes_high, faces), roll)
    assert len(together.chances) < len(apart.chances)
    assert together.hands().keys() == apart.hands().keys()
    for hand, chance in apart.hands().items():
        assert abs(together.hands()[hand] - chance) < 1 << 16, "but for what is rounded, of 2^48"
