"""Pauses and other acts that cost nothing: since when a table is held up, and what is counted against a bound.

The law of the file: all pauses of a match and all time that its host gives come out of one account, `hold_ms` of the
rules, so that every table ends without anybody's good will; all that could be asked for without an end comes out of
others, `changes` and `asides`, so that every record does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from domain import events
from domain.events import Reason
from domain.ids import Seat, UnixMs
from domain.match.settings import Settings
from domain.table.interlude import InterludeEvent
from domain.table.state import State

HOST: Final = 0
"""Stands for the host, whoever that is, among those who write lines; seats count from 1."""
_ASKED: Final = frozenset({events.HandedOver, events.Locked, events.Unlocked, events.StoodIn})


class Pause(Struct, frozen=True):
    """A pause, and why there is one.

    Attributes:
        since: When it began, in Unix milliseconds.
        until: When the table goes on by itself.
    """

    since: UnixMs
    until: UnixMs
    reason: Reason


def next_round_at(pause: Pause, resumes_at: UnixMs | None, settings: Settings, at: UnixMs) -> UnixMs | None:
    """Return when the table may deal the next round as a pause ends, given when it might have without the pause.

    People get what was left of the time to look at the dice; of a round that ended in the pause all of it, where
    `moves` of the powers is `since`, and else as much more as the pause had lasted before.
    """
    if resumes_at is None:
        return None
    ended_at = resumes_at - settings.pause_ms
    since = settings.host is not None and settings.host.moves == "since"
    return resumes_at + at - (max(pause.since, ended_at) if since else pause.since)


def is_change(event: events.Event) -> bool:
    """Report whether something that was asked for counts as a change of the table.

    Getting one's seat back is none: whoever has lent it has it back at any time.
    """
    return type(event) in _ASKED and not (isinstance(event, events.StoodIn) and event.why == "idle")


def asides_after(asides: Mapping[Seat, int], event: events.Event, state: State | None) -> Mapping[Seat, int]:
    """Return how many lines beside the game each seat, and `HOST`, has written, given how many before an event.

    Those are lines that change nothing of the game and can be written again and again: a seat takes another key, or
    looks once more at dice that it has looked at; a host names a key, or holds the table up, if for no time at all.
    """
    who = _writer_aside(event, state)
    return asides if who is None else {**asides, who: asides.get(who, 0) + 1}


def _writer_aside(event: events.Event, state: State | None) -> Seat | None:
    if isinstance(event, events.SeatKeyed):
        return event.seat if event.by == "seat" else HOST
    if isinstance(event, events.Paused):
        return HOST
    if state is None or not isinstance(event, InterludeEvent) or not event.lets_know:
        return None
    seat: Seat = event.seat  # type: ignore[attr-defined]  # whoever comes to know dice
    place = state.place_of(seat)
    return seat if place is not None and seat in place.knowers else None
