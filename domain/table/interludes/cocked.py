"""Cocked dice: they may come to lie so, and a seat has to look before its second claim. Source: bar Liars.

A roll has a slot more for each die, which tells whether it lies cocked. A seat that calls first with a cocked die is
stopped; one that calls once more has lost the hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from msgspec.structs import replace

from domain import commands, events
from domain.errors import Refused
from domain.ids import Face, Modulus, Quantity, Seat
from domain.table.dealer import Dealer
from domain.table.dice import roll_of_cup
from domain.table.interlude import Interlude, InterludeCommand, InterludeEvent
from domain.table.judging import hand_forfeit_events
from domain.table.offers import LookMove, Move, ShowCockedMove
from domain.table.phases import CLAIMING, RESPONDING
from domain.table.places import Place
from domain.table.state import RoundMemory, State

THROWS_MAX = 16
"""How often a seat may throw cocked dice in a row."""


class Lookers(RoundMemory, frozen=True):
    """The seats that have looked at their dice in this round."""

    seats: tuple[Seat, ...]


class Looked(InterludeEvent, frozen=True, tag="game.looked"):
    """A seat looked at its dice."""

    lets_know: ClassVar[bool] = True

    seat: Seat

    def change(self, state: State) -> State:
        """Return the game with the seat knowing its dice."""
        # Until now not even the owner was among the knowers: "look shows him his dice" (bar Liars).
        looking = replace(state.places[self.seat], knowers=(self.seat,))
        state = replace(state, places={**state.places, self.seat: looking})
        before = lookers(state)
        return state if self.seat in before else state.remember(Lookers((*before, self.seat)))

    def command(self) -> Look:
        """Return what the seat asked for."""
        return Look(self.seat)


class CockedCalled(InterludeEvent, frozen=True, tag="game.cocked_called"):
    """A seat called once more with a die lying cocked: the call does not stand, and the hand is lost."""

    seat: Seat
    quantity: Quantity
    face: Face

    def command(self) -> commands.Bid:
        """Return what the seat asked for."""
        return commands.Bid(self.seat, self.quantity, self.face)


class CockedShown(InterludeEvent, frozen=True, tag="game.cocked_shown"):
    """A seat showed cocked dice and throws all of them anew."""

    seat: Seat

    def change(self, state: State) -> State:
        """Return the game with the place clear: the dice that follow are laid afresh, for their owner to know."""
        return replace(state, places={**state.places, self.seat: Place(self.seat, state.rules.tokens.dice)})

    def command(self) -> ShowCocked:
        """Return what the seat asked for."""
        return ShowCocked(self.seat)


class Look(InterludeCommand, frozen=True, tag="look"):
    """Look at one's own dice."""

    words: ClassVar[tuple[str, ...]] = ("look", "check", "check dice", "ansehen", "mirar")

    seat: Seat

    @classmethod
    def refusal(cls, state: State, seat: Seat) -> str | None:
        """Return `wrong_phase` unless dice lie in the cups."""
        return None if state.phase in {CLAIMING, RESPONDING} else "wrong_phase"

    @classmethod
    def move(cls, state: State, seat: Seat) -> Move:
        """Return the offer to look."""
        return LookMove()

    def happenings(self, state: State, dealer: Dealer) -> Iterator[events.TableEvent]:
        """Yield the look."""
        yield Looked(self.seat)


class ShowCocked(InterludeCommand, frozen=True, tag="show_cocked"):
    """Show one's cocked dice and throw all of them anew."""

    words: ClassVar[tuple[str, ...]] = ("cocked", "show cocked", "cocked dice", "schief", "montado")

    seat: Seat

    @classmethod
    def refusal(cls, state: State, seat: Seat) -> str | None:
        """Return `wrong_phase` unless dice lie in the cups, `must_check_dice` to a seat that has not looked."""
        # A seat that has not looked cannot know whether dice lie cocked, and being let do this, or not, would tell it.
        return Look.refusal(state, seat) or (None if seat in lookers(state) else "must_check_dice")

    @classmethod
    def move(cls, state: State, seat: Seat) -> Move:
        """Return the offer to show them."""
        return ShowCockedMove()

    def happenings(self, state: State, dealer: Dealer) -> Iterator[events.TableEvent]:
        """Yield the dice being shown and thrown anew.

        Raises:
            Refused: `not_allowed`, where none lies cocked.
        """
        if not is_cocked(state, self.seat, dealer):
            raise Refused("not_allowed", why="no die lies cocked")
        yield CockedShown(self.seat)
        yield from _opening(state, self.seat, dealer)
        yield roll_of_cup(state, dealer, self.seat)


class Cocked(Interlude, frozen=True, tag=True):
    """One die in `one_in` comes to lie cocked, and a seat has to look before its second claim."""

    one_in: int

    unseen: ClassVar[str] = "dice may lie cocked unseen"
    rolls: ClassVar[int] = THROWS_MAX
    command_types: ClassVar[tuple[type[InterludeCommand], ...]] = (Look, ShowCocked)
    event_types: ClassVar[tuple[type[InterludeEvent], ...]] = (Looked, CockedCalled, CockedShown)

    def moduli_beside(self, dice: int) -> tuple[Modulus, ...]:
        """Return a modulus for each die, whose value is 0 where the die lies cocked."""
        return (self.one_in,) * dice

    def is_unseen(self, state: State, seat: Seat) -> bool:
        """Report whether a seat has not looked yet."""
        return seat not in lookers(state)

    def bid_refusal(self, state: State, seat: Seat) -> str | None:
        """Return `must_check_dice` to a seat that claims once more without having looked."""
        return "must_check_dice" if seat in state.round.callers and seat not in lookers(state) else None

    def check_bid(self, state: State, bid: commands.Bid, dealer: Dealer) -> None:
        """Refuse a first claim over dice that are known to lie cocked.

        Raises:
            Refused: `cocked_dice`.
        """
        # "Having looked with cocked dice he cannot make his first call"; who has not looked may call blind once.
        if bid.seat not in state.round.callers and _is_known_cocked(state, bid.seat, dealer):
            raise Refused("cocked_dice")

    def instead_of_bid(self, state: State, bid: commands.Bid, dealer: Dealer) -> Iterator[events.TableEvent] | None:
        """Return the loss of the hand where a further claim is made over cocked dice."""
        # "A second call with cocked dice forfeits the hand"; a first one has been refused before it comes to this.
        return _cocked_call(state, bid, dealer) if _is_known_cocked(state, bid.seat, dealer) else None

    def timeout_before_claim(self, state: State, seat: Seat, dealer: Dealer) -> ShowCocked | None:
        """Return that cocked dice are shown which the seat has looked at."""
        return ShowCocked(seat) if _is_known_cocked(state, seat, dealer) else None


def lookers(state: State) -> tuple[Seat, ...]:
    """Return the seats that have looked at their dice in this round, in that order."""
    memory = state.remembered(Lookers)
    return () if memory is None else memory.seats


def cocked_odds(state: State) -> Modulus:
    """Return one in how many dice lies cocked; 0 where dice always lie flat."""
    cocked = state.interlude(Cocked)
    return 0 if cocked is None else cocked.one_in


def cocked_positions(state: State, place: Place, dealer: Dealer) -> tuple[int, ...]:
    """Return which dice of a place lie cocked, by position; a roll has a slot more for each die to tell."""
    odds = cocked_odds(state)
    return tuple(
        position
        # "One throw per hand, no re-rolls": the dice that were laid are the dice that lie there.
        for position, (roll, slot) in enumerate(place.laid if odds else ())
        if dealer.value(place.cup, roll, place.size + slot, odds) == 0
    )


def is_cocked(state: State, seat: Seat, dealer: Dealer) -> bool:
    """Report whether some of a seat's dice lie cocked."""
    return bool(cocked_positions(state, state.places[seat], dealer))


def _is_known_cocked(state: State, seat: Seat, dealer: Dealer) -> bool:
    return seat in lookers(state) and is_cocked(state, seat, dealer)


def _cocked_call(state: State, bid: commands.Bid, dealer: Dealer) -> Iterator[events.TableEvent]:
    yield CockedCalled(bid.seat, bid.quantity, bid.face)
    yield from _opening(state, bid.seat, dealer)
    yield from hand_forfeit_events(state, bid.seat)


def _opening(state: State, seat: Seat, dealer: Dealer) -> Iterator[events.TableEvent]:
    """Yield the opening of a seat's dice with what tells that some lie cocked."""
    place, faces = state.places[seat], state.rules.tokens.faces.count
    # The slots that tell of cocked dice are opened with the dice: an audit has to see that one did lie so, and which.
    slots = tuple(range(2 * place.size))
    m = (*((faces,) * place.size), *((cocked_odds(state),) * place.size))
    for roll in sorted({roll for roll, _ in place.laid}):
        yield dealer.open(seat, roll, slots, m)
