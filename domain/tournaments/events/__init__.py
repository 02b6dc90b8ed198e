"""Lines of a tournament: everything that happens in it, as it stands in the log.

One struct a type, as for matches (`domain.events`); what has to do with lots is CUP/1 and has the types that it has
there. `by` is an official's id, an entrant's id, or `rule` where the law itself acts. `note` is the hash of a text that
can be erased, or null. Members that say where are `stage`, from 1, `round`, from 1, and `table`, from 1 at the top.

In reading order:

    words      who acts, why, who has which place
    frame      the tournament as a whole
    entry      who takes part
    ladders    who challenges whom on a ladder
    rounds     stages, rounds, tables
    rulings    what officials decide
"""

from __future__ import annotations

from typing import Any, get_args

import msgspec

from domain import events
from domain.tournaments.events.entry import (
    ByeDropped,
    ByeRequested,
    CheckInOpened,
    EntryClosed,
    EntryOpened,
    PlayerApproved,
    PlayerCheckedIn,
    PlayerKeyed,
    PlayerPauses,
    PlayerRegistered,
    PlayerReturned,
    PlayerSeeded,
    PlayerTurnedAway,
    PlayerWaits,
    PlayerWithdrawn,
)
from domain.tournaments.events.frame import (
    OfficialAppointed,
    OfficialDismissed,
    TournamentCancelled,
    TournamentClosed,
    TournamentCreated,
    TournamentFinished,
    TournamentPaused,
    TournamentResumed,
)
from domain.tournaments.events.ladders import ChallengeAnswered, ChallengeLapsed, ChallengeMade
from domain.tournaments.events.rounds import (
    ResultRecorded,
    ResultRuled,
    RoundExtended,
    RoundStarted,
    StageClosed,
    StageOpened,
    TableNoShow,
    TableReplayed,
    TablesFixed,
    TablesPaired,
    TablesUnpaired,
    TournamentRoundClosed,
    TournamentTimeGiven,
)
from domain.tournaments.events.rulings import (
    AppealDecided,
    AppealFiled,
    CaseOpened,
    PairAllowed,
    PairForbidden,
    PenaltyImposed,
    PenaltyLifted,
)
from domain.tournaments.events.words import RULE, Ranking, Reason, Role

__all__ = [
    "RULE",
    "AppealDecided",
    "AppealFiled",
    "ByeDropped",
    "ByeRequested",
    "CaseOpened",
    "ChallengeAnswered",
    "ChallengeLapsed",
    "ChallengeMade",
    "CheckInOpened",
    "EntryClosed",
    "EntryEvent",
    "EntryOpened",
    "FrameEvent",
    "LadderEvent",
    "LotEvent",
    "OfficialAppointed",
    "OfficialDismissed",
    "PairAllowed",
    "PairForbidden",
    "PenaltyImposed",
    "PenaltyLifted",
    "PlayerApproved",
    "PlayerCheckedIn",
    "PlayerKeyed",
    "PlayerPauses",
    "PlayerRegistered",
    "PlayerReturned",
    "PlayerSeeded",
    "PlayerTurnedAway",
    "PlayerWaits",
    "PlayerWithdrawn",
    "Ranking",
    "Reason",
    "ResultRecorded",
    "ResultRuled",
    "Role",
    "RoundEvent",
    "RoundExtended",
    "RoundStarted",
    "RulingEvent",
    "StageClosed",
    "StageOpened",
    "TableNoShow",
    "TableReplayed",
    "TablesFixed",
    "TablesPaired",
    "TablesUnpaired",
    "TournamentCancelled",
    "TournamentClosed",
    "TournamentCreated",
    "TournamentEvent",
    "TournamentFinished",
    "TournamentPaused",
    "TournamentResumed",
    "TournamentRoundClosed",
    "TournamentTimeGiven",
    "event_of",
]

EntryEvent = (
    EntryOpened
    | EntryClosed
    | PlayerRegistered
    | PlayerApproved
    | PlayerSeeded
    | PlayerTurnedAway
    | CheckInOpened
    | PlayerCheckedIn
    | PlayerWithdrawn
    | PlayerReturned
    | ByeRequested
    | ByeDropped
    | PlayerWaits
    | PlayerPauses
    | PlayerKeyed
)
"""Who takes part."""
LadderEvent = ChallengeMade | ChallengeAnswered | ChallengeLapsed
"""What happens on a ladder before two sit down."""
RoundEvent = (
    StageOpened
    | TablesPaired
    | TablesUnpaired
    | TablesFixed
    | RoundStarted
    | TableNoShow
    | ResultRecorded
    | ResultRuled
    | TableReplayed
    | TournamentRoundClosed
    | StageClosed
    | RoundExtended
    | TournamentTimeGiven
)
"""What happens in stages, rounds and at tables."""
RulingEvent = PenaltyImposed | PenaltyLifted | PairForbidden | PairAllowed | CaseOpened | AppealFiled | AppealDecided
"""What officials decide about entrants, and what entrants say to it."""
FrameEvent = (
    TournamentCreated
    | OfficialAppointed
    | OfficialDismissed
    | TournamentPaused
    | TournamentResumed
    | TournamentFinished
    | TournamentCancelled
    | TournamentClosed
)
"""What happens to the tournament as a whole."""
LotEvent = (
    events.SeatJoined
    | events.SeatLeft
    | events.SeedCustody
    | events.DealCommitted
    | events.CeremonyEvent
    | events.Rolled
    | events.Revealed
)
"""How lots come about (CUP/1)."""
TournamentEvent = FrameEvent | EntryEvent | LadderEvent | RoundEvent | RulingEvent | LotEvent
"""Whatever stands in the log of a tournament."""

_KINDS = {str(kind.__struct_config__.tag): kind for kind in get_args(TournamentEvent)}


def event_of(kind: str, data: dict[str, Any]) -> TournamentEvent:
    """Return the event that a line says.

    Raises:
        ValueError: There is no such type, or it has other members.
    """
    if kind not in _KINDS:
        raise ValueError(f"there is no event of the type {kind}")
    found: TournamentEvent = msgspec.convert({**data, "type": kind}, _KINDS[kind])
    return found
