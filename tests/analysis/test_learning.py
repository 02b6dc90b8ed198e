"""Doubts that are learnt, beside what the dealer knows of the dice: only what has come to light counts."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

import pytest

from domain import commands, events
from domain.ids import Seat
from domain.strategy.level_one.thinking import weigh
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.reading.doubts import Trust, doubt_of, trust_after, trust_at_first
from domain.strategy.reading.learning import Learning, ShownDice
from domain.strategy.weighing import Share
from domain.table.decide import decide, next_deal
from domain.table.evolve import evolve
from domain.table.moves import moves
from domain.table.places import handful
from domain.table.state import State
from tests.analysis.positions import counting_rules, opened, shown
from tests.analysis.sights import sight_of, word_of
from tests.domain.seeded import Game

GAMES: Final[dict[str, tuple[str, dict[str, Any], int]]] = {
    "counts": ("common_hand", {"dice_per_player": 2, "pass_once": True, "spot_on": True}, 3),
    "counts, pushed": ("common_hand", {"dice_per_player": 3, "push": True}, 2),
    "stud liars": ("stud_liars", {}, 2),
    "hands of one's own": ("individual_hand", {"rerolls": 2, "wins_needed": 9}, 3),
    "a passed cup, looked at": ("finska", {}, 2),
    "a passed cup, blind": ("mexican", {}, 2),
    "serials, of which some are never shown": ("liars_poker", {}, 2),
}
NEVER_LEARNT: Final = {"serials, of which some are never shown"}
WILD_PLAY: Final = LEVEL_ONE.with_power(2)
Address = tuple[int, int, int]


class Told:
    """What whoever deals can tell of a round: each seat's shares, and the dice it went by."""

    def __init__(self) -> None:
        self.shares: dict[Seat, list[Share]] = {}
        self.gone_by: dict[Seat, set[Address]] = {}
        self.shown: set[Address] = set()

    def learnt(self, seat: Seat, trust: Trust) -> Trust:
        return trust_after(trust, self.shares[seat], LEVEL_ONE) if self.gone_by[seat] <= self.shown else trust


class Followed:
    """A game that is played on by wild play, and what is learnt of it beside what is told."""

    def __init__(self, name: str) -> None:
        game, options, seats = GAMES[name]
        self.game = Game(options, seats, name, game=game)
        self.learning, self.told = Learning(LEVEL_ONE), Told()
        self.trust: dict[Seat, Trust] = dict.fromkeys(self.game.state.seats, trust_at_first(LEVEL_ONE))
        self.rounds = 0

    def step(self, number: int) -> None:
        state = self.game.state
        seat = min(moves(state), key=lambda seat: (seat != state.turn, seat), default=None)
        weighing = None if seat is None else weigh(sight_of(state, seat, self.game.dealer), WILD_PLAY)
        if seat is None or weighing is None or not weighing.options:
            self.take(state, next_deal(state))
            return
        command = weighing.draw(word_of(self.game.dealer.seed, number)).command
        self.tell(state, seat, command)
        self.take(state, command)

    def tell(self, state: State, seat: Seat, command: commands.Play) -> None:
        share = weigh(sight_of(state, seat, self.game.dealer), LEVEL_ONE).share(command)
        self.told.shares.setdefault(seat, []).append(share)
        known = [place for place in state.places.values() if seat in place.knowers and place.inside]
        dice = {(place.cup, *at) for place in known for at in handful(place, self.game.dealer).inside}
        self.told.gone_by.setdefault(seat, set()).update(dice)

    def take(self, state: State, command: Any) -> None:
        for event in decide(state, command, self.game.dealer):
            self.learning = self.learning.after(state, event)
            state = evolve(state, event)
            if isinstance(event, events.Revealed):
                self.told.shown.update([(event.cup, event.roll, slot) for slot, _ in event.values])
            if isinstance(event, events.RoundClosed):
                self.trust |= {seat: self.told.learnt(seat, self.trust[seat]) for seat in self.told.shares}
                self.told, self.rounds = Told(), self.rounds + 1
        self.game.state = state


@pytest.mark.parametrize("name", list(GAMES))
def test_a_seat_is_learnt_of_by_the_dice_that_all_have_seen(name: str) -> None:
    followed = Followed(name)
    for number in range(60):
        if followed.game.state.phase == "finished":
            break
        followed.step(number)
    assert followed.rounds
    assert (name in NEVER_LEARNT) == (not followed.learning.trust)
    for seat, trust in followed.trust.items():
        assert followed.learning.trust.get(seat, trust_at_first(LEVEL_ONE)) == trust
        assert followed.learning.doubt(seat) == doubt_of(trust, LEVEL_ONE)


def played_out(happened: Sequence[events.BaseEvent]) -> Learning:
    """Return what is learnt of a round of two seats with a die each, seat 2 out of time before its last act."""
    rules = counting_rules(CASE, 1)
    state, learning = opened(rules, {1: 1, 2: 1}, (1, 2)), Learning(LEVEL_ONE)
    for event in happened:
        learning = learning.after(state, event)
        if isinstance(event, events.Bid | events.Challenged):
            state = evolve(state, event)
    return learning


CASE: Final = {
    "faces": [1, 2, 3], "order": "quantity_first", "rank": "natural", "wild": None, "natural": False, "aces": "as_ones"
}  # fmt: skip


def test_what_the_table_does_for_a_seat_out_of_time_is_not_held_against_it() -> None:
    faces = counting_rules(CASE, 1).tokens.faces
    bid, doubt, closed = events.Bid(1, 1, 2), events.Challenged(2), events.RoundClosed(1, ())
    one, other = shown(1, [2], faces), shown(2, [2], faces)
    assert sorted(played_out([bid, events.TimedOut(2), doubt, one, other, closed]).trust) == [1]
    assert sorted(played_out([bid, doubt, one, other, closed]).trust) == [1, 2]
    assert sorted(played_out([bid, doubt, other, closed]).trust) == [2]


def test_what_was_shown_seals_nothing() -> None:
    with pytest.raises(AssertionError):
        ShownDice().seal_of(events.Choice(0, (), (), ()), 1, 5)


def test_where_nothing_is_thought_of_every_lawful_move_is_alike() -> None:
    assert Share(0, 0, 0, 3, Fraction(1, 16)).likelihood(Fraction(1, 4)) == Fraction(1, 3)
