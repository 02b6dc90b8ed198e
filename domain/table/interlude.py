"""Interludes: the places where a game asks them, and what their commands and events have in common.

An interlude is one file of `domain.table.interludes`. Its commands say by themselves when they are refused, what they
offer and what they lead to; its events say what they change. The rest of the table knows none of them by name: it asks
all interludes of the rules, in their order, at the places below. An interlude that has nothing to say there leaves the
place as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, cast

from domain import commands, events
from domain.ids import Quantity, Seat
from domain.rules import rules
from domain.table.dealer import Dealer
from domain.table.offers import Move
from domain.table.phases import Phase
from domain.table.state import State


class InterludeEvent(events.AnyInterludeEvent, frozen=True):
    """Something that happens in one interlude only.

    Attributes:
        of_table: Whether the table makes it happen when it is due.
        lets_know: Whether a seat comes to know hidden dice by it.
    """

    of_table: ClassVar[bool] = False
    lets_know: ClassVar[bool] = False

    def change(self, state: State) -> State:
        """Return the game after it; an event that only tells something changes nothing."""
        return state

    def command(self) -> commands.Play | None:
        """Return what a seat asked for to make it happen; None for what follows of itself, and what the table does."""
        return None


class InterludeCommand(commands.AnyInterludeCommand, frozen=True):
    """Something that can be asked for in one interlude only.

    Attributes:
        of_table: Whether the table asks for it, and no seat.
        even_out: Whether a seat may ask for it that is out already.
        words: What people type who ask for it.
    """

    of_table: ClassVar[bool] = False
    even_out: ClassVar[bool] = False
    words: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def refusal(cls, state: State, seat: Seat) -> str | None:
        """Return the code with which this seat is refused it now, in a game that has the interlude; None if it is not.

        That the game goes on and the seat is there has been seen to before.
        """
        raise NotImplementedError

    @classmethod
    def move(cls, state: State, seat: Seat) -> Move:
        """Return what a seat is offered that is not refused it; nobody is offered what the table asks for."""
        raise NotImplementedError

    def happenings(self, state: State, dealer: Dealer) -> Iterator[events.TableEvent]:
        """Yield what it leads to, once it is not refused.

        Raises:
            Refused: The dice say no.
        """
        raise NotImplementedError


class Interlude(rules.InterludeRules, frozen=True):
    """Something that fits no axis, with the places where the game asks it.

    Attributes:
        command_types: What can be asked for in it, in the order in which it is offered.
        event_types: What happens in it.
        phases: The phases it has of its own.
        judged: Those of them that come after the verdict of a round.
        deciding: Those in which one seat decides something, whoever else leaves.
    """

    command_types: ClassVar[tuple[type[InterludeCommand], ...]] = ()
    event_types: ClassVar[tuple[type[InterludeEvent], ...]] = ()
    phases: ClassVar[tuple[Phase, ...]] = ()
    judged: ClassVar[tuple[Phase, ...]] = ()
    deciding: ClassVar[tuple[Phase, ...]] = ()

    def note(self, state: State, event: events.RoundEvent) -> State:
        """Return the game with what this interlude remembers of something that happened to it."""
        return state

    # The deal.

    def deal_refusal(self, state: State) -> str | None:
        """Return the code with which an ordinary deal is refused between two rounds, if it is."""
        return None

    def deal_command(self, state: State) -> commands.AnyInterludeCommand | None:
        """Return what the table has to do before, or instead of, an ordinary deal; None if it may deal."""
        return None

    def after_deal(self, state: State, dealer: Dealer) -> Iterator[events.TableEvent]:
        """Yield what follows as soon as the dice of a round lie."""
        return iter(())

    def is_unseen(self, state: State, seat: Seat) -> bool:
        """Report whether a seat does not know yet what is rolled for it now."""
        return False

    # A turn.

    def bid_refusal(self, state: State, seat: Seat) -> str | None:
        """Return the code with which any bid of this seat is refused now, if it is."""
        return None

    def check_bid(self, state: State, bid: commands.Bid, dealer: Dealer) -> None:
        """Look at the dice of a bid before anybody looks at the bid itself.

        Raises:
            Refused: They say no.
        """

    def instead_of_bid(self, state: State, bid: commands.Bid, dealer: Dealer) -> Iterator[events.TableEvent] | None:
        """Return what follows in place of a bid that is high enough; None if the bid stands."""
        return None

    def is_throwing_openly(self, state: State) -> bool:
        """Report whether the seat in turn throws for all to see, as it likes, and is bound by nothing."""
        return False

    def after_throw(self, state: State, seat: Seat, dealer: Dealer) -> Iterator[events.TableEvent] | None:
        """Return what follows a throw of this seat; None if the game goes on as it does."""
        return None

    def timeout_command(self, state: State, seat: Seat) -> commands.Play | None:
        """Return what the table does in a phase of this interlude for a seat out of time."""
        return None

    def timeout_before_claim(self, state: State, seat: Seat, dealer: Dealer) -> commands.Play | None:
        """Return what the table has to do before it may claim for a seat out of time."""
        return None

    # The verdict.

    def spared(self, state: State, out: tuple[Seat, ...]) -> Seat | None:
        """Return the seat, of those a verdict throws out, that may still save itself."""
        return None

    def sparing(self, seat: Seat) -> events.TableEvent:
        """Return the event that asks the spared seat."""
        raise NotImplementedError

    def after_verdict(self, state: State, dealer: Dealer) -> Iterator[events.TableEvent]:
        """Yield what moves on after a verdict that was counted out, before the stakes of the next round are set."""
        return iter(())

    def stake_factor(self, state: State) -> Quantity:
        """Return how many times the basic stake the next round is played for, as the game stands after the verdict."""
        return 1


def interludes_of(state: State) -> tuple[Interlude, ...]:
    """Return the interludes of a game, in the order of its rules."""
    # The rules know of them only what a deal and an audit have to; what they name there is always one of these.
    return cast("tuple[Interlude, ...]", state.rules.interludes)


def is_throwing_openly(state: State) -> bool:
    """Report whether the seat in turn throws for all to see."""
    return bool(state.rules.interludes) and any(each.is_throwing_openly(state) for each in interludes_of(state))


def deal_command(state: State) -> commands.AnyInterludeCommand | None:
    """Return what the table has to do before, or instead of, an ordinary deal; None if it may deal."""
    return next((found for each in interludes_of(state) if (found := each.deal_command(state)) is not None), None)
