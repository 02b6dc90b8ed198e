"""Level 2 beside every hand of the others enumerated in fractions, by nothing but the weighing of level 1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod
from typing import Any

import pytest
from msgspec.structs import replace

from domain import commands, events
from domain.games import rules_of
from domain.ids import Seat
from domain.rules.claims import holds, lowest_claims
from domain.rules.orders import Count
from domain.rules.rules import Doubt, Faces, Handling, OwnCups, Rules
from domain.strategy.chance import Words
from domain.strategy.hands import Hand, all_hands
from domain.strategy.level_one import thinking as level_one
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.level_two.outlook import DOUBT, HANDS_MAX, outlook_of
from domain.strategy.level_two.thinking import weigh
from domain.strategy.reading.asking import asked
from domain.strategy.reading.beliefs import prior_of
from domain.strategy.reading.reader import Beliefs
from domain.strategy.sight import Sight
from domain.strategy.weighing import Weighing
from domain.table.evolve import evolve
from domain.table.state import State, next_seat
from tests.analysis.positions import event_of, hidden_place, opened

PPM = 10**6
SMALL = Faces(1, 3)
Believed = Mapping[Seat, Mapping[Hand, Fraction]]


def words() -> Words:
    return Words(b"a turn")


def rules_with(faces: Faces, dice: int, doubt: Doubt, **claims: Any) -> Rules:
    rules = rules_of("common_hand", {})
    return replace(rules, tokens=OwnCups(dice, faces), claims=replace(rules.claims, **claims), doubt=doubt)


class Enumerated:
    """What is believed and what it is worth, in fractions, over every hand of every seat."""

    def __init__(self, state: State, actions: Sequence[tuple[Seat, Any]]) -> None:
        self.state, self.faces = state, state.rules.tokens.faces
        self.believed: dict[Seat, dict[Hand, Fraction]] = {}
        for seat, place in state.places.items():
            hands = all_hands(len(place.inside), self.faces)
            self.believed[seat] = {
                hand: Fraction(ways, self.faces.count**hands.dice)
                for hand, ways in zip(hands.hands, hands.ways, strict=True)
            }
        for seat, move in actions:
            event = event_of(seat, move)
            self._read(seat, event)
            self.state = evolve(self.state, event)

    def _read(self, seat: Seat, event: events.TableEvent) -> None:
        command = asked(event)
        assert command is not None
        likely = {
            hand: chance * self.weighing(self.state, seat, hand).likelihood(command, DOUBT)
            for hand, chance in self.believed[seat].items()
        }
        total = sum(likely[hand] for hand in sorted(likely))
        self.believed[seat] = {hand: chance / total for hand, chance in likely.items()}

    def weighing(self, state: State, seat: Seat, hand: Hand) -> Weighing:
        return level_one.weigh(Sight(replace(state, turn=seat), seat, {seat: hand}), LEVEL_ONE)

    def doubt(self, state: State, seat: Seat, hand: Hand) -> Fraction:
        weighing = self.weighing(state, seat, hand)
        return Fraction(weighing.share(commands.Challenge(seat)).weight, weighing.total)

    def deals(self, but: Seat) -> Iterator[tuple[dict[Seat, Hand], Fraction]]:
        others = [seat for seat in self.believed if seat != but]
        for hands in product(*[self.believed[seat].items() for seat in others]):
            chance = prod([chance for _, chance in hands], start=Fraction(1))
            yield dict(zip(others, [hand for hand, _ in hands], strict=True)), chance

    def after(self, seat: Seat, bid: Count) -> State:
        return evolve(self.state, events.Bid(seat, bid.quantity, bid.face))


def survived(found: Enumerated, seat: Seat, own: Hand, bid: Count) -> Fraction:
    """Return the worth of a bid that the next seat may doubt, deal by deal."""
    after, ahead, seats = found.after(seat, bid), next_seat(found.state, seat), len(found.state.remaining)
    doubts = cache(lambda hand: found.doubt(after, ahead, hand))
    worth = Fraction(0)
    for hands, chance in found.deals(seat):
        doubt = doubts(hands[ahead])
        true = holds(after.auction, bid, [face for hand in (own, *hands.values()) for face in hand])
        worth += chance * (doubt * true + (1 - doubt) * Fraction(seats - 1, seats))
    return worth


def truth(found: Enumerated, state: State, claim: Count, seat: Seat, own: Hand) -> Fraction:
    return sum(
        (
            chance
            for hands, chance in found.deals(seat)
            if holds(state.auction, claim, [face for hand in (own, *hands.values()) for face in hand])
        ),
        Fraction(0),
    )


def read(state: State, actions: Sequence[tuple[Seat, Any]]) -> tuple[State, Beliefs]:
    """Return the game after these actions, and what level 2 believes then."""
    faces = state.rules.tokens.faces
    known = {cup: prior_of(all_hands(len(place.inside), faces)) for cup, place in state.places.items()}
    beliefs = Beliefs(LEVEL_ONE, dict.fromkeys(state.seats, DOUBT), known)
    for who, move in actions:
        event = event_of(who, move)
        beliefs, state = beliefs.after(state, event), evolve(state, event)
    return state, beliefs


def thinking(state: State, actions: Sequence[tuple[Seat, Any]], seat: Seat, own: Hand) -> tuple[Weighing, Enumerated]:
    """Return what level 2 makes of it, and all hands enumerated."""
    now, beliefs = read(state, actions)
    return weigh(outlook_of(Sight(now, seat, {seat: own}), beliefs, words())), Enumerated(state, actions)


def bid_of(command: commands.Play) -> Count:
    assert isinstance(command, commands.Bid)
    return Count(command.quantity, command.face)


def near(one: Fraction, other: Fraction) -> bool:
    return abs(one - other) * PPM <= 1


ONES_KILLED = [(1, [1, 1])]


@pytest.mark.parametrize(
    ("claims", "actions"),
    [
        ({"wild": "unless_opened", "natural": True, "aces": "as_ones"}, []),
        ({"wild": "unless_opened", "natural": True, "aces": "as_ones"}, [(1, [1, 2])]),
        ({"wild": "unless_opened", "natural": True, "aces": "as_ones"}, ONES_KILLED),
        ({"wild": "always", "aces": "half_double"}, [(1, [2, 2])]),
        ({"wild": "never", "aces": "as_ones", "order": "no_decrease"}, [(1, [2, 2])]),
    ],
)
def test_a_bid_is_worth_the_turn_it_survives(claims: dict[str, Any], actions: list[Any]) -> None:
    state = opened(rules_with(SMALL, 2, Doubt(), **claims), {1: 2, 2: 1, 3: 2}, (1, 2, 3))
    seat = 1 if not actions else 2
    own = (1, 3) if seat == 1 else (2,)
    weighing, found = thinking(state, actions, seat, own)
    for option in weighing.options:
        if isinstance(option.command, commands.Bid):
            bid = bid_of(option.command)
            assert near(option.worth, survived(found, seat, own, bid)), option
        else:
            standing = found.state.round.standing
            assert isinstance(standing, Count)
            assert near(option.worth, 1 - truth(found, found.state, standing, seat, own))
    best = max(option.worth for option in weighing.options)
    assert [option.weight for option in weighing.options] == [
        int(option.worth >= best - Fraction(1, 64)) for option in weighing.options
    ]


def test_where_all_have_to_doubt_worths_are_stakes() -> None:
    rules = rules_with(SMALL, 1, Doubt(who="all"), wild="never", aces="as_ones")
    state = opened(rules, {1: 1, 2: 1, 3: 1, 4: 1}, (1, 2, 3, 4))
    actions = [(1, [2, 2]), (2, "challenge")]
    weighing, found = thinking(state, actions, 3, (3,))
    by_command = {option.command: option.worth for option in weighing.options}
    false = 1 - truth(found, found.state, Count(2, 2), 3, (3,))
    behind = sum(chance * found.doubt(found.state, 4, hand) for hand, chance in found.believed[4].items())
    assert near(by_command.pop(commands.Challenge(3)), behind * (2 * false - 1))
    for command, worth in by_command.items():
        bid = bid_of(command)
        after = found.after(3, bid)
        mean = prod(
            sum(chance * found.doubt(after, seat, hand) for hand, chance in found.believed[seat].items())
            for seat in (1, 2, 4)
        )
        assert near(worth, mean * (2 * truth(found, after, bid, 3, (3,)) - 1) * 3)


def test_a_claimant_all_others_doubt_has_it_counted_for_what_they_pay() -> None:
    rules = rules_with(SMALL, 1, Doubt(who="all", rebid=True), wild="never", aces="as_ones")
    state = opened(rules, {1: 1, 2: 1, 3: 1}, (1, 2, 3))
    actions = [(1, [2, 2]), (2, "challenge"), (3, "challenge")]
    now, beliefs = read(state, actions)
    called, found = evolve(now, events.DoubtedByAll(1)), Enumerated(state, actions)
    weighing = weigh(outlook_of(Sight(called, 1, {1: (2,)}), beliefs, words()))
    worth = next(option.worth for option in weighing.options if option.command == commands.AskCount(1))
    assert near(worth, (2 * truth(found, found.state, Count(2, 2), 1, (2,)) - 1) * 2)


def test_other_moves_are_worth_what_level_one_thinks() -> None:
    rules = rules_with(SMALL, 2, Doubt(spot_on=True, pass_once=True), wild="never", aces="as_ones")
    state = opened(rules, {1: 2, 2: 2}, (1, 2))
    weighing, found = thinking(state, [(1, [2, 2])], 2, (2, 3))
    plain = {
        option.command: option.worth
        for option in level_one.weigh(Sight(found.state, 2, {2: (2, 3)}), LEVEL_ONE).options
    }
    same = {option.command for option in weighing.options if option.worth == plain[option.command]}
    assert {commands.SpotOn(2), commands.Pass(2)} <= same
    passed = evolve(found.state, events.Passed(2))
    doubting = weigh(outlook_of(Sight(passed, 1, {1: (1, 1)}), read(state, [(1, [2, 2])])[1], words()))
    worth = next(option.worth for option in doubting.options if option.command == commands.Challenge(1))
    assert worth == 1 - Fraction(2, 3)


def test_of_more_hands_than_are_gone_through_some_are_drawn() -> None:
    state = opened(rules_of("common_hand", {}), {1: 5, 2: 5, 3: 5}, (1, 2, 3))
    now, beliefs = read(state, [(1, [3, 4])])
    exact, given = (1, 4, 4, 5, 6), words()
    weighing = weigh(outlook_of(Sight(now, 2, {2: exact}), beliefs, given))
    beside = words()
    for _ in range(HANDS_MAX):
        beside.word()
    assert given.word() == beside.word()
    again = weigh(outlook_of(Sight(now, 2, {2: exact}), beliefs, words()))
    assert again == weighing


def test_who_has_not_looked_doubts_without_dice() -> None:
    rules = rules_with(SMALL, 2, Doubt(), wild="never", aces="as_ones")
    state = opened(rules, {1: 2, 2: 2}, (1, 2))
    blind = replace(state, places={**state.places, 2: replace(state.places[2], knowers=())})
    now, beliefs = read(blind, [])
    weighing = weigh(outlook_of(Sight(now, 1, {1: (2, 2)}), beliefs, words()))
    found = Enumerated(state, [])
    for option in weighing.options:
        bid = bid_of(option.command)
        after = found.after(1, bid)
        answers = level_one.weigh(Sight(replace(after, places=blind.places), 2), LEVEL_ONE)
        doubt = Fraction(answers.share(commands.Challenge(2)).weight, answers.total)
        true = truth(found, after, bid, 1, (2, 2))
        assert near(option.worth, doubt * true + (1 - doubt) * Fraction(1, 2)), option


def arranged(found: Enumerated, seat: Seat, own: Hand, command: commands.Arrange, some: list[Count]) -> Fraction:
    """Return the best bid after a handling, the mean over all throws of the dice rolled, throw by throw."""
    place, faces = found.state.places[seat], found.faces
    shown = [*[die.value or 0 for die in place.outside], *[own[at] - faces.first for at in command.outside]]
    kept = [face for at, face in enumerate(own) if at not in (*command.outside, *command.roll_inside)]
    rolled = len(command.roll_inside)
    after = copy(found)
    lain = hidden_place(seat, place.size, len(kept) + rolled, shown)
    after.state = replace(found.state, places={**found.state.places, seat: lain})
    worths = []
    for throw in product(range(faces.first, faces.first + faces.count), repeat=rolled):
        hand = (*kept, *throw, *[value + faces.first for value in shown])
        worths.append(max(survived(after, seat, hand, bid) for bid in some))
    return sum(worths, Fraction(0)) / len(worths)


@pytest.mark.parametrize("law", ["push", "show_one"])
@pytest.mark.parametrize("actions", [[], [(1, [1, 2])]])
def test_handling_is_worth_the_best_bid_after_it(law: str, actions: list[Any]) -> None:
    show = law == "show_one"
    rules = rules_with(SMALL, 3, Doubt(), wild="always", natural=True, aces="no")
    handling = Handling(law=law, limit=1, opener="anything", binds=not show, show_to_claim=show)
    state = opened(replace(rules, handling=handling), {1: 3, 2: 2}, (1, 2))
    seat, own = (1, (1, 2, 2)) if not actions else (2, (1, 3))
    weighing, found = thinking(state, actions, seat, own)
    bids = legal_bids(found.state)
    made = [option for option in weighing.options if isinstance(option.command, commands.Arrange)]
    assert made
    for option in made:
        assert isinstance(option.command, commands.Arrange)
        assert near(option.worth, arranged(found, seat, own, option.command, bids)), option


def legal_bids(state: State) -> list[Count]:
    """Return the three lowest legal quantities of each face."""
    standing = state.round.standing
    assert standing is None or isinstance(standing, Count)
    lowest = lowest_claims(state.auction, standing)
    some = [Count(bid.quantity + more, bid.face) for bid in lowest for more in range(3)]
    return [bid for bid in some if bid.quantity <= state.auction.tokens]
