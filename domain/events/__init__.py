"""Events: everything that has happened in a match, as it stands in the log.

One struct an event type; the tag is the type in the event line, the other fields are its `data`, member by member
(CUP/1 sections 4.4 and 4.5). Byte strings are lower-case hex. No event ever holds a hidden value.

In reading order:

    base        what all events are
    course      seats, deals, the beginning and the end
    powers      what a host does
    tournament  what is said and done at a table of a tournament
    play        dice, claims, doubts, verdicts, postings
    variants    what only some games have
"""

from __future__ import annotations

from typing import Any

import msgspec

from domain.events.base import Account, AnyInterludeEvent, BaseEvent
from domain.events.course import (
    BeaconRound,
    BeaconValue,
    Continued,
    DealClosed,
    DealCommitted,
    DealFixed,
    DealLogged,
    DealReady,
    DealSealed,
    DealVoided,
    EndAsked,
    HandledDice,
    MatchCreated,
    MatchEnded,
    SeatJoined,
    SeatKeyed,
    SeatLeft,
    SeedCommitted,
    SeedCustody,
    SeedOpened,
    Started,
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
from domain.events.powers import (
    HandedOver,
    Kicked,
    Locked,
    Paused,
    Reason,
    Resumed,
    StoodIn,
    TakenBack,
    TimeGiven,
    Unlocked,
)
from domain.events.tournament import DealShared, LastRoundSet, Released, SeatReady, Stopped
from domain.events.variants import (
    BillsDemanded,
    Caught,
    CountAsked,
    Counted,
    Declared,
    DirectionTurned,
    DoubtedByAll,
    StakeSet,
)
from domain.ids import Seat

__all__ = [
    "Absent",
    "Accepted",
    "Account",
    "Address",
    "AnyInterludeEvent",
    "Arranged",
    "BaseEvent",
    "BeaconRound",
    "BeaconValue",
    "Bid",
    "BillsDemanded",
    "BoutSet",
    "Caught",
    "CeremonyEvent",
    "Challenged",
    "Choice",
    "ChoicesRevealed",
    "ClaimEvent",
    "ClockSet",
    "Continued",
    "CountAsked",
    "Counted",
    "CourseEvent",
    "DealClosed",
    "DealCommitted",
    "DealFixed",
    "DealLogged",
    "DealReady",
    "DealSealed",
    "DealShared",
    "DealVoided",
    "Declared",
    "DiceEvent",
    "DirectionTurned",
    "DoubtedByAll",
    "Eliminated",
    "EndAsked",
    "Event",
    "EventTableEvent",
    "FirstChosen",
    "FirstDrawn",
    "Forfeited",
    "HandClaimed",
    "HandedOver",
    "HandledDice",
    "Judged",
    "Kicked",
    "LastRoundSet",
    "Locked",
    "Lost",
    "MatchCreated",
    "MatchEnded",
    "Passed",
    "Paused",
    "Posted",
    "PowerEvent",
    "Reason",
    "Released",
    "Resumed",
    "Returned",
    "Revealed",
    "Rolled",
    "RoundClosed",
    "RoundEvent",
    "RoundOpened",
    "Seat",
    "SeatJoined",
    "SeatKeyed",
    "SeatLeft",
    "SeatReady",
    "SeedCommitted",
    "SeedCustody",
    "SeedOpened",
    "SessionClosed",
    "SpotOnCalled",
    "StakeSet",
    "Started",
    "StoodIn",
    "Stopped",
    "TableEvent",
    "TakenBack",
    "TimeGiven",
    "TimedOut",
    "Unlocked",
    "VerdictKind",
    "Won",
    "data_of",
    "type_of",
]

CeremonyEvent = DealClosed | DealFixed | DealLogged | DealReady | DealSealed | DealVoided | SeedCommitted | SeedOpened
"""What happens to a deal that has begun, until its secret is out."""

PowerEvent = HandedOver | Kicked | Locked | Paused | Resumed | StoodIn | TakenBack | TimeGiven | Unlocked
"""What a host does to the course of a match."""

EventTableEvent = DealShared | LastRoundSet | SeatReady | Stopped
"""What is said and done at a table of a tournament."""

CourseEvent = (
    Absent
    | ClockSet
    | Continued
    | DealCommitted
    | EndAsked
    | MatchCreated
    | MatchEnded
    | Returned
    | SeatJoined
    | SeatKeyed
    | SeatLeft
    | SeedCustody
    | Started
    | TimedOut
    | CeremonyEvent
    | EventTableEvent
    | PowerEvent
)
"""What happens around the table: seats, deals, clocks, absence, powers, the beginning and the end of the match."""

RoundEvent = (
    BoutSet
    | DirectionTurned
    | Eliminated
    | FirstChosen
    | FirstDrawn
    | Forfeited
    | Judged
    | Lost
    | Posted
    | Released
    | RoundClosed
    | RoundOpened
    | SessionClosed
    | StakeSet
    | Won
)
"""What begins and ends rounds, and what they cost."""

DiceEvent = Accepted | Arranged | ChoicesRevealed | Revealed | Rolled
"""What is done with dice."""

ClaimEvent = (
    Bid
    | BillsDemanded
    | Caught
    | Challenged
    | CountAsked
    | Counted
    | Declared
    | DoubtedByAll
    | HandClaimed
    | Passed
    | SpotOnCalled
)
"""What is said to dice."""

TableEvent = RoundEvent | DiceEvent | ClaimEvent | AnyInterludeEvent
"""What happens at the table."""

Event = CourseEvent | TableEvent
"""Whatever stands in the log of a match."""


def type_of(event: BaseEvent) -> str:
    """Return the event's type as it stands in the log, such as `game.bid`."""
    return str(type(event).__struct_config__.tag)


def data_of(event: BaseEvent) -> dict[str, Any]:
    """Return the members of the event line's `data`, as JSON values."""
    data: dict[str, Any] = msgspec.to_builtins(event)
    del data["type"]
    return data
