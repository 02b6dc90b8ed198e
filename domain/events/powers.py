"""Host powers as events, each with its reason: one of a few words, since what people write stays outside of the log.

Who the host is stands in the record; which token has the powers is the service's to know (CUP/1 section 4.19).
"""

from __future__ import annotations

from typing import Literal

from domain.events.base import BaseEvent
from domain.ids import Milliseconds, Seat, UnixMs

Reason = Literal["away", "asked", "conduct", "trouble", "break", "other"]
"""Why a host does something: somebody is away, has asked for it, or does not behave; something does not work; people
want a break; or none of these."""


class Kicked(BaseEvent, frozen=True, tag="game.kicked"):
    """The host takes a seat out: at once in the lobby, else as soon as no dice are coming about."""

    seat: Seat
    reason: Reason


class Paused(BaseEvent, frozen=True, tag="game.paused"):
    """The host pauses the table: no clock runs and nothing is dealt.

    Attributes:
        until: When it goes on at the latest, in Unix milliseconds.
    """

    reason: Reason
    until: UnixMs


class Resumed(BaseEvent, frozen=True, tag="game.resumed"):
    """The table goes on.

    Attributes:
        why: `host` if the host lets it, `limit` if the rules let the pause last no longer.
    """

    why: Literal["host", "limit"]


class StoodIn(BaseEvent, frozen=True, tag="game.stood_in"):
    """A house bot plays this seat for its player from now on, who sees its dice and may take it back at any time.

    Attributes:
        why: `host` if the host asked for it, `seat` if the player did, or `idle` if the table did by its rules.
    """

    seat: Seat
    why: Literal["host", "seat", "idle"]


class TakenBack(BaseEvent, frozen=True, tag="game.taken_back"):
    """The player has the seat again.

    Attributes:
        why: `seat` if the one who has it asked for it, `host` if the host did.
    """

    seat: Seat
    why: Literal["seat", "host"]


class TimeGiven(BaseEvent, frozen=True, tag="game.time_given"):
    """The host gives a seat time.

    Attributes:
        ms: How many milliseconds it has more in its bank, and until its time is over where its clock runs.
    """

    seat: Seat
    ms: Milliseconds
    reason: Reason


class HandedOver(BaseEvent, frozen=True, tag="game.handed_over"):
    """Another is the host from now on: whoever has this seat, in place of who opened the match or had them last."""

    to: Seat


class Locked(BaseEvent, frozen=True, tag="game.locked"):
    """Nobody sits down any more but bots of the house, which only the host asks for."""


class Unlocked(BaseEvent, frozen=True, tag="game.unlocked"):
    """Whoever comes may sit down again."""
