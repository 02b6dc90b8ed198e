"""What has happened in a match, as it stands in the log.

One struct an event type; the tag is the type in the event line, the other fields are its `data`, member by member
(CUP/1 sections 4.4 and 4.5). Byte strings are lower-case hex. No event ever holds a hidden value.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from domain.events.base import Account, Event
from domain.events.course import (
    BeaconRound,
    BeaconValue,
    DealClosed,
    DealCommitted,
    DealFixed,
    DealLogged,
    DealReady,
    DealSealed,
    DealVoided,
    EndAsked,
    MatchCreated,
    MatchEnded,
    SeatJoined,
    SeatLeft,
    SeedCommitted,
    SeedCustody,
    SeedOpened,
    Started,
)
from domain.events.interludes import (
    BillsDemanded,
    BoughtBack,
    BuyingOpened,
    Caught,
    ChaseBegun,
    ChaseStopped,
    CockedCalled,
    CockedShown,
    CountAsked,
    Counted,
    Declared,
    DirectionTurned,
    DoubtedByAll,
    DroppedOut,
    Looked,
    SlipAdvanced,
    SlipsDealt,
    StakeSet,
)
from domain.events.play import (
    Absent,
    Accepted,
    Address,
    Arranged,
    Bid,
    BoutSet,
    Challenged,
    Choice,
    ChoicesRevealed,
    ClockSet,
    Eliminated,
    FirstChosen,
    FirstDrawn,
    Forfeited,
    HandClaimed,
    Judged,
    Lost,
    Passed,
    Posted,
    Returned,
    Revealed,
    Rolled,
    RoundClosed,
    RoundOpened,
    SessionClosed,
    SpotOnCalled,
    TimedOut,
    VerdictKind,
    Won,
)
from domain.ids import Seat

__all__ = [
    "TYPES",
    "Absent",
    "Accepted",
    "Account",
    "Address",
    "Arranged",
    "BeaconRound",
    "BeaconValue",
    "Bid",
    "BillsDemanded",
    "BoughtBack",
    "BoutSet",
    "BuyingOpened",
    "Caught",
    "Challenged",
    "ChaseBegun",
    "ChaseStopped",
    "Choice",
    "ChoicesRevealed",
    "ClockSet",
    "CockedCalled",
    "CockedShown",
    "CountAsked",
    "Counted",
    "DealClosed",
    "DealCommitted",
    "DealFixed",
    "DealLogged",
    "DealReady",
    "DealSealed",
    "DealVoided",
    "Declared",
    "DirectionTurned",
    "DoubtedByAll",
    "DroppedOut",
    "Eliminated",
    "EndAsked",
    "Event",
    "FirstChosen",
    "FirstDrawn",
    "Forfeited",
    "HandClaimed",
    "Judged",
    "Looked",
    "Lost",
    "MatchCreated",
    "MatchEnded",
    "Passed",
    "Posted",
    "Returned",
    "Revealed",
    "Rolled",
    "RoundClosed",
    "RoundOpened",
    "Seat",
    "SeatJoined",
    "SeatLeft",
    "SeedCommitted",
    "SeedCustody",
    "SeedOpened",
    "SessionClosed",
    "SlipAdvanced",
    "SlipsDealt",
    "SpotOnCalled",
    "StakeSet",
    "Started",
    "TimedOut",
    "VerdictKind",
    "Won",
    "data_of",
    "decode",
    "type_of",
]

TYPES: Final[dict[str, type[Event]]] = {str(kind.__struct_config__.tag): kind for kind in Event.__subclasses__()}
"""Every event type of this package by its name in the log."""


def type_of(event: Event) -> str:
    """Return the event's type as it stands in the log, such as `game.bid`."""
    return str(type(event).__struct_config__.tag)


def data_of(event: Event) -> dict[str, Any]:
    """Return the members of the event line's `data`, as JSON values."""
    data: dict[str, Any] = msgspec.to_builtins(event)
    del data["type"]
    return data


def decode(kind: str, data: dict[str, Any]) -> Event:
    """Return the event of this type with these members.

    Raises:
        msgspec.ValidationError: The members are not exactly those of the type, or not of their types.
        KeyError: No event of this package has this type.
    """
    return msgspec.convert({"type": kind, **data}, TYPES[kind])
