"""Five aces: they end the deal at once, and the other seat may throw on to match them. Source: the German game.

The screen is up during a chase: all dice lie open, and what is thrown is thrown for all to see.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import ClassVar, Final

from msgspec.structs import replace

from domain import events
from domain.ids import Seat
from domain.table.checks import rolls_left
from domain.table.dealer import Dealer
from domain.table.evolve import evolve
from domain.table.interlude import Interlude, InterludeCommand, InterludeEvent
from domain.table.judging import new_verdict, opening_events, values_of, verdict_events
from domain.table.offers import Move, StopMove
from domain.table.phases import CLAIMING, Phase
from domain.table.places import place_when_all_is_seen
from domain.table.state import State, next_seat

CHASE: Final[Phase] = "chase"


class ChaseBegun(InterludeEvent, frozen=True, tag="game.chase_begun"):
    """A seat has five aces; the other one may throw on."""

    seat: Seat

    def change(self, state: State) -> State:
        """Return the game with the other seat throwing."""
        # Whoever has just thrown is bound to claim, but a chase ends without a claim, and what was thrown counts on:
        # only the "remaining throws" are left (the German game).
        turn, free = next_seat(state, self.seat), replace(state.round, bound=False)
        places = {cup: place_when_all_is_seen(place) for cup, place in state.places.items()}
        return replace(state, phase=CHASE, turn=turn, round=free, places=places)


class ChaseStopped(InterludeEvent, frozen=True, tag="game.chase_stopped"):
    """A seat gave the chase up."""

    seat: Seat

    def command(self) -> Stop:
        """Return what the seat asked for."""
        return Stop(self.seat)


class Stop(InterludeCommand, frozen=True, tag="stop"):
    """Give up chasing five aces."""

    words: ClassVar[tuple[str, ...]] = ("stop", "enough", "aufhoren", "basta")

    seat: Seat

    @classmethod
    def refusal(cls, state: State, seat: Seat) -> str | None:
        """Return `wrong_phase` outside a chase, `not_your_turn` to the seat that has the aces."""
        if state.phase != CHASE:
            return "wrong_phase"
        return None if state.turn == seat else "not_your_turn"

    @classmethod
    def move(cls, state: State, seat: Seat) -> Move:
        """Return the offer to stop."""
        return StopMove()

    def happenings(self, state: State, dealer: Dealer) -> Iterator[events.TableEvent]:
        """Yield the end of the chase, which the other seat has won."""
        yield ChaseStopped(self.seat)
        yield from _chase_end(state, _other_seat(state, self.seat))


class Chase(Interlude, frozen=True, tag=True):
    """Five of the top face end the deal at once; the other seat may throw on to match them."""

    unseen: ClassVar[str] = "all dice are looked at for five aces"
    command_types: ClassVar[tuple[type[InterludeCommand], ...]] = (Stop,)
    phases: ClassVar[tuple[Phase, ...]] = (CHASE,)
    event_types: ClassVar[tuple[type[InterludeEvent], ...]] = (ChaseBegun, ChaseStopped)

    def after_deal(self, state: State, dealer: Dealer) -> Iterator[events.TableEvent]:
        """Yield what follows when five aces lie there as soon as the dice are dealt."""
        if state.phase != CLAIMING:
            return
        holders = [seat for seat in state.remaining if _has_five_aces(state, seat, dealer)]
        # "Both at the deal: void", with nothing to chase.
        if len(holders) > 1:
            state = yield from _show_all(state, dealer)
            yield from _chase_end(state, None)
        elif holders:
            yield from _chase(state, holders[0], dealer)

    def is_throwing_openly(self, state: State) -> bool:
        """Report whether a chase is on."""
        return state.phase == CHASE

    def after_throw(self, state: State, seat: Seat, dealer: Dealer) -> Iterator[events.TableEvent] | None:
        """Return what follows a throw: the end of a chase, or the beginning of one."""
        # In a chase the seat with the aces has them in the open: what is asked of a throw is whether it matches them.
        if state.phase == CHASE:
            return _chase_throw(state, seat, dealer)
        return _chase(state, seat, dealer) if _has_five_aces(state, seat, dealer) else None

    def timeout_command(self, state: State, seat: Seat) -> Stop | None:
        """Return that the chase is given up."""
        return Stop(seat) if state.phase == CHASE else None


def _has_five_aces(state: State, seat: Seat, dealer: Dealer) -> bool:
    place = state.place_of(seat)
    return place is not None and state.ladder.measure(values_of(place, state, dealer)) == state.ladder.top


def _show_all(state: State, dealer: Dealer) -> Generator[events.TableEvent, None, State]:
    for place in state.places.values():
        for shown in opening_events(place, state, dealer):
            state = evolve(state, shown)
            yield shown
    return state


def _chase(state: State, holder: Seat, dealer: Dealer) -> Iterator[events.TableEvent]:
    """Yield the screen going up and the chase, which is over at once where no throw is left."""
    state = yield from _show_all(state, dealer)
    begun = ChaseBegun(holder)
    yield begun
    state = evolve(state, begun)
    assert state.turn is not None
    # "With no throws left, the five aces win": otherwise the game would wait for a seat that can only stop.
    if not rolls_left(state, state.turn):
        yield from _chase_end(state, holder)


def _chase_throw(state: State, chaser: Seat, dealer: Dealer) -> Iterator[events.TableEvent]:
    if _has_five_aces(state, chaser, dealer):
        # Aces on both sides are a "success: deal void, replayed with the same caller".
        yield from _chase_end(state, None)
    elif not rolls_left(state, chaser):
        yield from _chase_end(state, _other_seat(state, chaser))


def _chase_end(state: State, holder: Seat | None) -> Iterator[events.TableEvent]:
    """Yield what follows when a chase is over: the holder wins, or nobody where both have five aces."""
    others = tuple(seat for seat in state.remaining if seat != holder)
    won = () if holder is None else (holder,)
    yield from verdict_events(
        state, replace(new_verdict("five_aces", holder, None), winners=won, losers=others if won else ())
    )


def _other_seat(state: State, seat: Seat) -> Seat:
    return next(other for other in state.remaining if other != seat)
