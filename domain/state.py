"""The state of a game: what everybody may know, and how events change it.

The law of the file: `evolve` only remembers. It holds no rules, looks at no hidden dice, and is total over the events
of the table; those of the ceremony and the lobby leave the state as it is.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from domain import events, places
from domain.claims import Auction
from domain.orders import Count
from domain.places import Place
from domain.rules import Rules

Seat = int
Phase = Literal["between_rounds", "claiming", "responding", "finished"]
TABLE_CUP = 0


class State(Struct, frozen=True):
    """A game between two commands.

    Attributes:
        seats: Everybody who began, in seat order.
        round: The number of the current or last round, from 1; 0 before the first.
        turn: Who acts; None while the table does.
        places: The dice of each seat in this round.
        opening: The first claim of the round.
        passer: Whose pass waits to be believed.
        passed: Who has passed this round.
        pushed: Whether the seat in turn has pushed and has to claim.
        flags: What holds in this round, such as `palifico`.
        balances: By unit, what each account has or owes: the fold of all postings.
        fallen: Seats that have been down to one die.
        out: Seats out of the match, in the order they went.
        rolls: How often each cup was rolled in the current deal.
    """

    rules: Rules
    seats: tuple[Seat, ...]
    balances: dict[str, dict[int | str, int]]
    phase: Phase = "between_rounds"
    round: int = 0
    turn: Seat | None = None
    places: dict[Seat, Place] = {}
    standing: Count | None = None
    opening: Count | None = None
    claimant: Seat | None = None
    passer: Seat | None = None
    passed: tuple[Seat, ...] = ()
    pushed: bool = False
    flags: tuple[str, ...] = ()
    fallen: tuple[Seat, ...] = ()
    last: events.Judged | None = None
    next_starter: Seat | None = None
    out: tuple[Seat, ...] = ()
    winner: Seat | None = None
    rolls: dict[int, int] = {}

    @property
    def remaining(self) -> tuple[Seat, ...]:
        """The seats still in, in seat order."""
        return tuple(seat for seat in self.seats if seat not in self.out)

    def balance(self, unit: str, account: int | str) -> int:
        """Return what an account has of a unit."""
        return self.balances.get(unit, {}).get(account, 0)

    @property
    def dice_in_play(self) -> int:
        """The dice of this round."""
        return sum(len(place.dice) for place in self.places.values())

    @property
    def auction(self) -> Auction:
        """The bidding of this round."""
        tokens = self.rules.tokens
        return Auction(self.rules.claims, self.dice_in_play, tokens.faces, self.opening, "palifico" in self.flags)


def after(state: State, seat: Seat) -> Seat:
    """Return the next seat clockwise that is still in."""
    order = state.seats[state.seats.index(seat) + 1 :] + state.seats[: state.seats.index(seat) + 1]
    return next(other for other in order if other not in state.out)


def opening(rules: Rules, seats: tuple[Seat, ...], starter: Seat | None = None) -> State:
    """Return a game before its first round; without a starter the table cup will draw one."""
    return State(rules, seats, {"die": dict.fromkeys(seats, rules.tokens.dice)}, next_starter=starter)


def evolve(state: State, event: events.Event) -> State:  # noqa: C901, PLR0912 - one case an event
    """Return the state after an event."""
    match event:
        case events.DealReady():
            # Addresses count within a deal: what lies on the table from the one before says nothing of this one.
            return replace(state, rolls={}, places={})
        case events.FirstDrawn():
            return replace(state, next_starter=event.seat)
        case events.RoundOpened():
            return _opened(state, event)
        case events.Rolled():
            return _rolled(state, event)
        case events.Revealed() if event.cup in state.places:
            place = places.shown_after(state.places[event.cup], event)
            return replace(state, places={**state.places, event.cup: place})
        case events.Bid():
            return _bid(state, event)
        case events.Passed():
            return replace(state, passer=event.seat, passed=(*state.passed, event.seat), turn=after(state, event.seat))
        case events.Arranged():
            return replace(state, pushed=True)
        case events.Judged():
            return replace(state, last=event, phase="between_rounds", turn=None)
        case events.Posted():
            return _posted(state, event)
        case events.Eliminated():
            return replace(state, out=(*state.out, event.seat))
        case events.RoundClosed():
            return replace(state, next_starter=event.next_starter, flags=event.flags, passer=None)
        case events.Won():
            return replace(state, phase="finished", winner=event.seat, next_starter=None, turn=None)
        case events.SessionClosed():
            return replace(state, phase="finished", next_starter=None)
        case _:
            return state


def _opened(state: State, event: events.RoundOpened) -> State:
    return replace(
        state,
        phase="claiming",
        round=event.round,
        turn=event.starter,
        places={seat: Place(seat) for seat in state.remaining},
        standing=None,
        opening=None,
        claimant=None,
        passer=None,
        passed=(),
        pushed=False,
        next_starter=None,
    )


def _rolled(state: State, event: events.Rolled) -> State:
    rolls = {**state.rolls, event.cup: event.roll + 1}
    if event.cup not in state.places:
        return replace(state, rolls=rolls)
    place = places.rolled_after(state.places[event.cup], event)
    return replace(state, rolls=rolls, places={**state.places, event.cup: place})


def _bid(state: State, event: events.Bid) -> State:
    claim = Count(event.quantity, event.face)
    return replace(
        state,
        phase="responding",
        standing=claim,
        opening=state.opening or claim,
        claimant=event.seat,
        turn=after(state, event.seat),
        passer=None,
        pushed=False,
    )


def _posted(state: State, event: events.Posted) -> State:
    unit = dict(state.balances.get(event.unit, {}))
    unit[event.src] = unit.get(event.src, 0) - event.amount
    unit[event.dst] = unit.get(event.dst, 0) + event.amount
    fallen = state.fallen
    if event.unit == "die" and unit[event.src] == 1 and event.src not in fallen and isinstance(event.src, int):
        fallen = (*fallen, event.src)
    return replace(state, balances={**state.balances, event.unit: unit}, fallen=fallen)
