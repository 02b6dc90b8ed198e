"""Host powers as events, each with its reason: one of a few words, since what people write stays outside of the log.

Who the host is stands in the record; which token has the powers is the service's to know (CUP/1 section 4.19).
"""

from __future__ import annotations

from typing import Literal

from domain.events.base import BaseEvent
from domain.ids import Seat, UnixMs

Reason = Literal["away", "asked", "conduct", "trouble", "break", "other"]
"""Why a host does something: somebody is away, has asked for it, or does not behave; something does not work; people
want a break; or none of these."""


class Kicked(BaseEvent, frozen=True, tag="game.kicked"):
    """The host takes a seat out: at once in the lobby, else as soon as no dice are coming about."""

    seat: Seat
    reason: Reason


class Paused(BaseEvent, frozen=True, tag="game.paused"):
    """The host pauses the table: no clock runs and nothing is dealt, until Unix milliseconds `until` at most."""

    reason: Reason
    until: UnixMs


class Resumed(BaseEvent, frozen=True, tag="game.resumed"):
    """The table goes on: `host` if the host lets it, `limit` if the rules let the pause last no longer."""

    why: Literal["host", "limit"]
