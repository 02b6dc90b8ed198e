"""A frame: one event and what one viewer sees after it. Clients draw frames and need no rules of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain import events
from domain.fairness.openings import DealSecrets
from domain.ids import Seat, UnixMs, Version
from domain.match.record import MatchAtHead
from projections.lengths import blanks_of
from projections.view import View, view_of

PROOFS: Final = ("com", "keys", "path")
"""What only an auditor needs of a reveal; the record and the openings have it."""


class Frame(Struct, frozen=True):
    """One event for one viewer.

    Attributes:
        version: How many events the stream has with this one; the same for every viewer.
        at: When it happened, in Unix milliseconds.
        head: The hash of its line, in hex.
        event: Its `type` and data, without the proofs of dice that are shown.
        view: What the viewer sees after it.
        more: Whether the command that led to it led to the next event, too. Then the view is one on the way: act on
            the view of the first frame without.
    """

    version: Version
    at: UnixMs
    head: str
    event: dict[str, Any]
    view: View
    more: bool


def frame_of(
    written: MatchAtHead,
    event: events.Event,
    viewer: Seat | None,
    keeper: DealSecrets | None,
    names: Mapping[str, str],
    *,
    more: bool,
) -> Frame:
    """Return the frame of an event.

    Args:
        written: The match after the event.
        event: The event.
        viewer: A seat, or None for a spectator.
        keeper: The secrets of the current deal; without them a seat sees no die that a spectator does not.
        names: What people call each player, by player id.
        more: Whether the next event was stored with it.
    """
    match, seen = written.match, view_of(written, viewer, keeper, names)
    return Frame(match.version, match.at, written.head, public_event(event), seen, more)


def encode_frame(seen: Frame) -> bytes:
    """Return a frame as JSON, the same bytes whoever made it, as long as with any other dice under the viewer's cup."""
    return msgspec.json.encode(seen) + blanks_of(seen.view)


def public_event(event: events.Event) -> dict[str, Any]:
    """Return what viewers are told of an event: its `type` and data, without the proofs of dice that are shown."""
    members: dict[str, Any] = msgspec.to_builtins(event)
    if isinstance(event, events.Revealed):
        for proof in PROOFS:
            del members[proof]
    return members
