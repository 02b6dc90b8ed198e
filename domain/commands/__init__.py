"""Commands: everything that can be asked of a match.

A command is an imperative. Who asks (a seat, the host, the table) is part of it; time, chance and secrets come with it,
so that deciding is a pure function. `services` builds commands from requests, `domain.match.decide` decides them.

In reading order:

    base        what all commands are
    play        what is asked for in play, by a seat or by the table
    around      seats, the deal, pauses, the end
    powers      what a host asks for
    tournament  what is asked for at a table of a tournament
"""

from __future__ import annotations

from domain.commands.around import (
    Advance,
    Chance,
    CloseUnattended,
    CommitSeed,
    Continue,
    EndMatch,
    FixDeal,
    GiveBack,
    HearBeacon,
    Join,
    Leave,
    LogDeal,
    NameKey,
    OpenSeed,
    Rekey,
    StandIn,
    StandUp,
    Start,
    TakeBack,
)
from domain.commands.base import AnyInterludeCommand, Command, Hash, Positions, Whole
from domain.commands.play import (
    Accept,
    Arrange,
    AskCount,
    Bid,
    Catch,
    Challenge,
    ChooseFirst,
    ClaimHand,
    CloseSession,
    CoreCommand,
    DealRound,
    Declare,
    DemandBills,
    Forfeit,
    Pass,
    Play,
    Roll,
    Special,
    SpotOn,
    TableCommand,
)
from domain.commands.powers import (
    GiveSeatBack,
    GiveTime,
    HandOver,
    HostCommand,
    Kick,
    LockTable,
    PauseTable,
    PowerCommand,
    ResumeTable,
    StandInFor,
    UnlockTable,
)
from domain.commands.tournament import (
    DirectorCommand,
    EventCommand,
    LastRound,
    LeaveOut,
    ReleaseRound,
    SayReady,
    ShareDeal,
    StopMatch,
)

__all__ = [
    "Accept",
    "Advance",
    "AnyInterludeCommand",
    "AroundCommand",
    "Arrange",
    "AskCount",
    "Bid",
    "Catch",
    "Challenge",
    "Chance",
    "ChooseFirst",
    "ClaimHand",
    "CloseSession",
    "CloseUnattended",
    "Command",
    "CommitSeed",
    "Continue",
    "CoreCommand",
    "DealRound",
    "Declare",
    "DemandBills",
    "DirectorCommand",
    "EndMatch",
    "EventCommand",
    "FixDeal",
    "Forfeit",
    "GiveBack",
    "GiveSeatBack",
    "GiveTime",
    "HandOver",
    "Hash",
    "HearBeacon",
    "HostCommand",
    "Join",
    "Kick",
    "LastRound",
    "Leave",
    "LeaveOut",
    "LockTable",
    "LogDeal",
    "MatchCommand",
    "NameKey",
    "OpenSeed",
    "Pass",
    "PauseTable",
    "Play",
    "Positions",
    "PowerCommand",
    "Rekey",
    "ReleaseRound",
    "ResumeTable",
    "Roll",
    "SayReady",
    "ShareDeal",
    "Special",
    "SpotOn",
    "StandIn",
    "StandInFor",
    "StandUp",
    "Start",
    "StopMatch",
    "TableCommand",
    "TakeBack",
    "UnlockTable",
    "Whole",
]

AroundCommand = (
    Join
    | Leave
    | StandUp
    | Rekey
    | NameKey
    | Start
    | CommitSeed
    | LogDeal
    | OpenSeed
    | FixDeal
    | HearBeacon
    | Advance
    | GiveBack
    | EndMatch
    | CloseUnattended
    | StandIn
    | TakeBack
    | Continue
    | EventCommand
    | PowerCommand
)
"""What is asked of the match around the table."""

MatchCommand = AroundCommand | Play | Forfeit | CloseSession
"""What `domain.match.decide` decides."""
