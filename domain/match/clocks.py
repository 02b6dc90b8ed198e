"""A clock per seat: a bank that runs while it is the seat's turn, and an increment for each turn a seat ends itself.

Times are Unix milliseconds and come with the command. No rule of a game depends on them; the only thing a clock does is
let the table act for a seat whose time is up, in the way the rules of the match say.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from domain import events
from domain.ids import Milliseconds, Seat, UnixMs
from domain.match.settings import ClockSettings


class Clocks(Struct, frozen=True):
    """What every seat has left.

    Attributes:
        banks: Milliseconds by seat, as of when its clock last stopped.
        running: Whose clock runs, if one does.
        due_at: When that seat runs out, in Unix milliseconds.
    """

    banks: dict[Seat, int]
    running: Seat | None = None
    due_at: UnixMs | None = None


def full_clocks(clock: ClockSettings, seats: tuple[Seat, ...]) -> Clocks:
    """Return full banks for these seats."""
    return Clocks(dict.fromkeys(seats, clock.bank_ms))


def turn_clock_events(
    clock: ClockSettings, clocks: Clocks, turn: Seat | None, at: UnixMs, *, acted: bool
) -> tuple[events.ClockSet, ...]:
    """Return the clock events that follow when the turn is now `turn`'s.

    Args:
        clock: The rules of the clock.
        clocks: What everybody had before.
        turn: Whose turn it is now, None while nobody's clock should run.
        at: The time of the command.
        acted: Whether the seat whose clock was running ended its turn itself, and so earns the increment.
    """
    # A turn of several acts, a re-roll and a claim, is one turn and earns one increment.
    if turn == clocks.running:
        return ()
    banks = clocks.banks
    stopped: tuple[events.ClockSet, ...] = ()
    if clocks.running is not None and clocks.due_at is not None:
        # A command may be decided a moment after the time was up: a bank is never less than empty.
        left = max(0, clocks.due_at - at) + (clock.increment_ms if acted else 0)
        banks = {**banks, clocks.running: left}
        stopped = (events.ClockSet(clocks.running, banks[clocks.running], None),)
    started = () if turn is None else (events.ClockSet(turn, banks[turn], at + banks[turn]),)
    return (*stopped, *started)


def give_back_events(clocks: Clocks, ms: Milliseconds) -> tuple[events.ClockSet, ...]:
    """Return the event that moves the running deadline by the time the service was down."""
    if clocks.running is None or clocks.due_at is None:
        return ()
    # The bank is what the clock last stopped at; moving the deadline alone gives the time back once, and not again when
    # it stops.
    return (events.ClockSet(clocks.running, clocks.banks[clocks.running], clocks.due_at + ms),)


def give_time(clocks: Clocks, event: events.TimeGiven) -> Clocks:
    """Return the clocks after somebody was given time; whoever is in turn has it at once."""
    due_at = clocks.due_at if clocks.due_at is None or clocks.running != event.seat else clocks.due_at + event.ms
    return replace(clocks, banks={**clocks.banks, event.seat: clocks.banks[event.seat] + event.ms}, due_at=due_at)


def evolve(clocks: Clocks, event: events.ClockSet) -> Clocks:
    """Return the clocks after a clock event."""
    running = event.seat if event.due_at is not None else None
    return replace(clocks, banks={**clocks.banks, event.seat: event.bank_ms}, running=running, due_at=event.due_at)
