"""Absence: who keeps a table waiting, for how long, and what is known of it.

The law of the file: whatever people a match waits for have a time, and it stands in the rules
(`domain.match.settings.Idle`). A turn has a deadline that acting within the turn does not move; seeds have an account
that every deal draws on. What the table did for a seat stands in the log (`game.absent`), and so does the seat's
return. Matches without the rule, which is all that are older than it, have no `Absence`, and nothing here is asked of
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from domain import events
from domain.ids import Milliseconds, Seat, UnixMs
from domain.match.ceremony import CEREMONY_MS, Ceremony
from domain.match.settings import Idle
from domain.seats import Player
from domain.table.checks import seat_of
from domain.table.interlude import InterludeEvent

SEED_FREE_MS: Final = 2_000
"""What each commitment and each opening is granted: for slow lines, and for tabs that are hidden and wake seldom."""
ANEW_MAX: Final = 2
"""How often a turn begins anew: once for whoever stands in, once for the player who is back. A seat that goes on asking
for both keeps nobody waiting any longer."""
ACTS: Final[frozenset[type[events.BaseEvent]]] = frozenset(
    {
        events.Accepted,
        events.Arranged,
        events.Bid,
        events.BillsDemanded,
        events.HandClaimed,
        events.Caught,
        events.Challenged,
        events.CountAsked,
        events.Declared,
        events.FirstChosen,
        events.Passed,
        events.SpotOnCalled,
    }
)
"""What a seat does. A roll of the passed cup names no seat, and whoever rolls has to claim."""


class Absence(Struct, frozen=True):
    """What a match knows of those who keep it waiting.

    Attributes:
        turns: In how many of its turns one after the other the table had to act for each seat marked absent.
        called: The seats whose turn it has been since the match began.
        acted: The seats that have acted themselves since then.
        turn: Whose turn it is.
        turn_since: When that turn began, in Unix milliseconds.
        counted: Whether the table has acted in this turn already.
        anew: How often this turn has begun anew, for a stand-in or after one.
        seeds_ms: What each seat has used of its time for seeds, in milliseconds.
        paused_at: When the pause began that there is, in Unix milliseconds.
        attended_at: When a person last acted, came or went, in Unix milliseconds.
        came_at: When somebody last came or went, in Unix milliseconds; else when the match was opened.
    """

    turns: dict[Seat, int] = {}
    called: tuple[Seat, ...] = ()
    acted: tuple[Seat, ...] = ()
    turn: Seat | None = None
    turn_since: int = 0
    counted: bool = False
    anew: int = 0
    seeds_ms: dict[Seat, int] = {}
    paused_at: UnixMs | None = None
    attended_at: UnixMs = 0
    came_at: UnixMs = 0

    def is_away(self, seat: Seat) -> bool:
        """Report whether a seat leaves others waiting: it is marked absent, or was called on and has never acted."""
        return seat in self.turns or (seat in self.called and seat not in self.acted)

    def turns_now(self, seat: Seat) -> int:
        """Return in how many turns one after the other the table acts for a seat, if it acts now."""
        # The table may act several times in one turn, which is one turn missed.
        return self.turns.get(seat, 0) + (not self.counted)

    def turn_due_at(self, idle: Idle) -> int | None:
        """Return when the table acts for the seat in turn, in Unix milliseconds; None while it is nobody's turn."""
        return None if self.turn is None else self.turn_since + idle.turn_ms

    def seed_due_at(self, idle: Idle, seat: Seat, since: int) -> int:
        """Return until when a seat may fix its seed in a deal begun at `since`, in Unix milliseconds."""
        left = max(0, idle.seeds_ms - self.seeds_ms.get(seat, 0))
        # An account of any size gives nobody more than the protocol names (CUP/1 section 6).
        return since + min(CEREMONY_MS, SEED_FREE_MS + left)

    def has_spent(self, idle: Idle, seat: Seat) -> bool:
        """Report whether a seat has used up its time for seeds."""
        return self.seeds_ms.get(seat, 0) > idle.seeds_ms


def evolve(
    absence: Absence,
    event: events.Event,
    at: UnixMs,
    turn: Seat | None,
    ceremony: Ceremony | None,
    seated: Mapping[Seat, Player],
) -> Absence:
    """Return what is known after an event.

    Args:
        absence: What was known before.
        event: What has happened.
        at: When, in Unix milliseconds.
        turn: Whose turn it is after the event.
        ceremony: The deal as it stood before the event.
        seated: Who holds a seat.
    """
    absence = _CHANGES.get(type(event), _on_any)(absence, event, at, ceremony, seated)
    # A seat may be in turn before and after a round's end or a ceremony, in which it could not act: its time begins
    # anew there.
    if turn == absence.turn and type(event) not in _TURNS_ANEW:
        return absence
    called = absence.called if turn is None or turn in absence.called else (*absence.called, turn)
    return replace(absence, called=called, turn=turn, turn_since=at, counted=False, anew=0)


def _on_attended(absence: Absence, _event: events.Event, at: UnixMs, *_: object) -> Absence:
    return replace(absence, attended_at=at)


def _on_came(absence: Absence, _event: events.Event, at: UnixMs, *_: object) -> Absence:
    return replace(absence, attended_at=at, came_at=at)


def _on_seed(
    absence: Absence,
    event: events.SeedCommitted | events.SeedOpened,
    at: UnixMs,
    ceremony: Ceremony | None,
    _seated: Mapping[Seat, Player],
) -> Absence:
    return absence if ceremony is None else _charge(absence, event.seat, at - ceremony.since)


def _on_absent(absence: Absence, event: events.Absent, *_: object) -> Absence:
    return replace(absence, turns={**absence.turns, event.seat: event.turns}, counted=True)


def _on_returned(
    absence: Absence, event: events.Returned, at: UnixMs, _ceremony: Ceremony | None, seated: Mapping[Seat, Player]
) -> Absence:
    left = {seat: turns for seat, turns in absence.turns.items() if seat != event.seat}
    return _on_act(replace(absence, turns=left), event.seat, at, seated)


def _on_paused(absence: Absence, _event: events.Paused, at: UnixMs, *_: object) -> Absence:
    return replace(absence, paused_at=at, attended_at=at)


def _on_resumed(absence: Absence, event: events.Resumed, at: UnixMs, *_: object) -> Absence:
    # A turn that began in the pause has lost only what has passed of the pause since.
    held = 0 if absence.paused_at is None else at - max(absence.turn_since, absence.paused_at)
    attended_at = at if event.why == "host" else absence.attended_at
    return replace(absence, turn_since=absence.turn_since + held, paused_at=None, attended_at=attended_at)


def _on_stood_in(absence: Absence, event: events.StoodIn, at: UnixMs, *_: object) -> Absence:
    attended_at = absence.attended_at if event.why == "idle" else at
    return replace(_begun_anew(absence, event.seat, at), attended_at=attended_at)


def _on_taken_back(absence: Absence, event: events.TakenBack, at: UnixMs, *_: object) -> Absence:
    acted = absence.acted if event.seat in absence.acted else (*absence.acted, event.seat)
    return replace(_begun_anew(absence, event.seat, at), acted=acted, attended_at=at)


def _begun_anew(absence: Absence, seat: Seat, at: UnixMs) -> Absence:
    """Return what is known of a seat that somebody else plays from now on: nothing, and its turn may begin anew."""
    left = {other: turns for other, turns in absence.turns.items() if other != seat}
    if seat != absence.turn or absence.anew >= ANEW_MAX:
        return replace(absence, turns=left)
    return replace(absence, turns=left, turn_since=at, counted=False, anew=absence.anew + 1)


def _on_any(
    absence: Absence, event: events.Event, at: UnixMs, _ceremony: Ceremony | None, seated: Mapping[Seat, Player]
) -> Absence:
    seat = _seat_that_acts(event)
    # What the table plays for a marked seat reads like an act of its own: only `game.returned` tells them apart.
    return absence if seat is None or seat in absence.turns else _on_act(absence, seat, at, seated)


_CHANGES: Final[dict[type[events.BaseEvent], Callable[..., Absence]]] = {
    events.SeatJoined: _on_came,
    events.SeatLeft: _on_came,
    events.Started: _on_attended,
    events.Continued: _on_attended,
    events.SeatReady: _on_attended,
    **dict.fromkeys((events.HandedOver, events.Kicked, events.Locked, events.TimeGiven, events.Unlocked), _on_attended),
    events.Paused: _on_paused,
    events.Resumed: _on_resumed,
    events.StoodIn: _on_stood_in,
    events.TakenBack: _on_taken_back,
    events.SeedCommitted: _on_seed,
    events.SeedOpened: _on_seed,
    events.Absent: _on_absent,
    events.Returned: _on_returned,
}
_TURNS_ANEW: Final[frozenset[type[events.BaseEvent]]] = frozenset({events.RoundClosed, events.DealReady})


def _seat_that_acts(event: events.Event) -> Seat | None:
    """Return who did this, where a seat did it; None for what the table did, and what followed of itself."""
    if type(event) in ACTS:
        seat: Seat = event.seat  # type: ignore[union-attr]  # each of them has one
        return seat
    command = event.command() if isinstance(event, InterludeEvent) else None
    return None if command is None else seat_of(command)


def _charge(absence: Absence, seat: Seat, took_ms: Milliseconds) -> Absence:
    """Charge a seat for its seed; no seed takes longer than a ceremony gives it, unless nobody was there to draw it."""
    over = min(took_ms, CEREMONY_MS) - SEED_FREE_MS
    if over <= 0:
        return absence
    return replace(absence, seeds_ms={**absence.seeds_ms, seat: absence.seeds_ms.get(seat, 0) + over})


def _on_act(absence: Absence, seat: Seat, at: UnixMs, seated: Mapping[Seat, Player]) -> Absence:
    acted = absence.acted if seat in absence.acted else (*absence.acted, seat)
    # A table at which only bots play may be ended for want of people, so what a bot does is no attendance.
    attended_at = absence.attended_at if seated[seat].is_house else at
    return replace(absence, acted=acted, attended_at=attended_at)
