"""Lines of a tournament: everything that happens in it, as it stands in the log.

One struct a type, as for matches (`domain.events`); what has to do with lots is CUP/1 and has the types that it has
there. `by` is an official's id, an entrant's id, or `rule` where the law itself acts. `note` is the hash of a text that
can be erased, or null. Members that say where are `stage`, from 1, `round`, from 1, and `table`, from 1 at the top.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import msgspec

from domain import events
from domain.events.base import BaseEvent
from domain.ids import Milliseconds, UnixMs, Version

RULE = "rule"
"""Who acts where the law itself does."""
Role = Literal["host", "arbiter"]
Reason = Literal[
    "late", "absent", "conduct", "collusion", "illegal_help", "technical", "house_fault", "wrong_result", "agreement",
    "rules", "request", "other",
]  # fmt: skip
"""Why an official does something; `other` takes a note."""
Ranking = tuple[tuple[int, ...], ...]
"""Numbers of entrants, best first; who shares a place stands together."""


class TournamentCreated(BaseEvent, frozen=True, tag="tournament.created"):
    """A tournament was announced under rules frozen from here on."""

    tournament: str
    rules: dict[str, Any]
    policy: Literal["all"]


class OfficialAppointed(BaseEvent, frozen=True, tag="official.appointed"):
    """Somebody has powers from now on, known here only by an opaque id."""

    official: str
    role: Role
    by: str


class OfficialDismissed(BaseEvent, frozen=True, tag="official.dismissed"):
    """Somebody has no powers any more."""

    official: str
    by: str


class EntryOpened(BaseEvent, frozen=True, tag="entry.opened"):
    """Whoever meets the conditions may enter."""

    by: str


class EntryClosed(BaseEvent, frozen=True, tag="entry.closed"):
    """Nobody enters any more, but for latecomers where the rules have them."""

    by: str


class PlayerRegistered(BaseEvent, frozen=True, tag="player.registered"):
    """An entrant has a number, which nobody else will ever have.

    `rating` is (mu, sigma) in millionths; `seed` is what a host says where seeds are set by hand.
    """

    number: int
    player: str
    club: str | None
    bot: bool
    rating: tuple[int, int] | None
    seed: int | None
    by: str


class PlayerApproved(BaseEvent, frozen=True, tag="player.approved"):
    """An official has let an entrant in."""

    number: int
    by: str
    reason: Reason
    note: str | None


class PlayerTurnedAway(BaseEvent, frozen=True, tag="player.turned_away"):
    """An official has not let an entrant in."""

    number: int
    by: str
    reason: Reason
    note: str | None


class CheckInOpened(BaseEvent, frozen=True, tag="check_in.opened"):
    """Entrants say that they are there, until then."""

    until: UnixMs
    by: str


class PlayerCheckedIn(BaseEvent, frozen=True, tag="player.checked_in"):
    """An entrant is there; `draws` if he gives a seed to the lots."""

    number: int
    draws: bool
    by: str


class PlayerWithdrawn(BaseEvent, frozen=True, tag="player.withdrawn"):
    """An entrant plays no more, from this round on."""

    number: int
    stage: int
    round: int
    by: str
    reason: Reason
    note: str | None


class PlayerReturned(BaseEvent, frozen=True, tag="player.returned"):
    """An entrant plays again, from this round on."""

    number: int
    stage: int
    round: int
    by: str
    reason: Reason
    note: str | None


class ByeRequested(BaseEvent, frozen=True, tag="bye.requested"):
    """An entrant is left out of a round, at the own wish: for half a first place, or for nothing."""

    number: int
    stage: int
    round: int
    kind: Literal["half", "zero"]
    by: str


class ByeDropped(BaseEvent, frozen=True, tag="bye.dropped"):
    """An entrant plays that round after all."""

    number: int
    stage: int
    round: int
    by: str


class StageOpened(BaseEvent, frozen=True, tag="stage.opened"):
    """A stage begins, with these seeds in order; `roll` is the roll whose lots it was drawn by."""

    stage: int
    rounds: int | None
    seeds: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...] | None
    roll: int | None
    by: str


class TablesPaired(BaseEvent, frozen=True, tag="tables.paired"):
    """Who sits where, by which law, worked out from the lines up to `upto`, of which `head` is the hash of the last.

    `tables` are (table, numbers in seat order).
    """

    stage: int
    group: int | None
    round: int
    law: str
    upto: int
    head: str
    roll: int | None
    byes: tuple[int, ...]
    tables: tuple[tuple[int, tuple[int, ...]], ...]
    certificate: dict[str, Any] | None
    by: str


class TablesUnpaired(BaseEvent, frozen=True, tag="tables.unpaired"):
    """An official has taken tables back; null is all of the round."""

    stage: int
    round: int
    tables: tuple[int, ...] | None
    by: str
    reason: Reason
    note: str | None


class RoundStarted(BaseEvent, frozen=True, tag="round.started"):
    """The matches of these tables are open; who is not there is waited for from `at` on."""

    stage: int
    round: int
    tables: tuple[int, ...]
    at: UnixMs


class TableNoShow(BaseEvent, frozen=True, tag="table.no_show"):
    """These did not come."""

    stage: int
    round: int
    table: int
    numbers: tuple[int, ...]


class ResultRecorded(BaseEvent, frozen=True, tag="result.recorded"):
    """What became of a table: `match` at `version` with `head`, all null where nothing was played."""

    stage: int
    round: int
    table: int
    attempt: int
    match: str | None
    version: Version | None
    head: str | None
    how: Literal["played", "time", "walkover", "nobody"]
    ranking: Ranking
    absent: tuple[int, ...]
    units: tuple[tuple[int, int], ...]


class ResultRuled(BaseEvent, frozen=True, tag="result.ruled"):
    """An official has said what a table counts as; the last such line counts."""

    stage: int
    round: int
    table: int
    ranking: Ranking
    absent: tuple[int, ...]
    points: tuple[tuple[int, str], ...] | None
    by: str
    reason: Reason
    note: str | None


class TableReplayed(BaseEvent, frozen=True, tag="table.replayed"):
    """A table plays again; `attempt` is the new one, and only the last counts."""

    stage: int
    round: int
    table: int
    attempt: int
    by: str
    reason: Reason
    note: str | None


class TournamentRoundClosed(BaseEvent, frozen=True, tag="round.closed"):
    """All tables have a result; `standings` is the hash of the standings after it."""

    stage: int
    round: int
    standings: str


class StageClosed(BaseEvent, frozen=True, tag="stage.closed"):
    """A stage is over; `advanced` are the seeds of the next, in order."""

    stage: int
    standings: str
    ranking: Ranking
    advanced: tuple[int, ...]


class PenaltyImposed(BaseEvent, frozen=True, tag="penalty.imposed"):
    """An official has punished an entrant; points are a fraction that is taken away."""

    number: int
    kind: Literal["warning", "points", "table_loss", "disqualified"]
    points: str | None
    stage: int | None
    round: int | None
    table: int | None
    by: str
    reason: Reason
    note: str | None


class PenaltyLifted(BaseEvent, frozen=True, tag="penalty.lifted"):
    """A penalty counts no more; `line` is the place of it in the stream."""

    line: int
    by: str
    reason: Reason
    note: str | None


class PairForbidden(BaseEvent, frozen=True, tag="pair.forbidden"):
    """These two do not sit at one table."""

    numbers: tuple[int, int]
    by: str
    reason: Reason
    note: str | None


class PairAllowed(BaseEvent, frozen=True, tag="pair.allowed"):
    """They may again; `line` is the place of what had forbidden it."""

    line: int
    by: str


class TablesFixed(BaseEvent, frozen=True, tag="tables.fixed"):
    """An official has said who sits together in a round that is not paired yet."""

    stage: int
    round: int
    tables: tuple[tuple[int, ...], ...]
    by: str
    reason: Reason
    note: str | None


class TournamentTimeGiven(BaseEvent, frozen=True, tag="time.given"):
    """An entrant gets time back in the match of a table."""

    stage: int
    round: int
    table: int
    number: int
    ms: Milliseconds
    by: str
    reason: Reason
    note: str | None


class RoundExtended(BaseEvent, frozen=True, tag="round.extended"):
    """A round lasts until then."""

    stage: int
    round: int
    until: UnixMs
    by: str
    reason: Reason
    note: str | None


class TournamentPaused(BaseEvent, frozen=True, tag="tournament.paused"):
    """Nothing is paired or started, and nobody is waited for; matches that run go on."""

    by: str
    reason: Reason
    note: str | None


class TournamentResumed(BaseEvent, frozen=True, tag="tournament.resumed"):
    """It goes on."""

    by: str


class AppealFiled(BaseEvent, frozen=True, tag="appeal.filed"):
    """An entrant disputes a line."""

    appeal: int
    number: int
    line: int
    note: str | None


class AppealDecided(BaseEvent, frozen=True, tag="appeal.decided"):
    """What became of an appeal; `lines` are the places of what was done about it."""

    appeal: int
    outcome: Literal["upheld", "denied", "withdrawn"]
    lines: tuple[int, ...]
    by: str
    note: str | None


class TournamentFinished(BaseEvent, frozen=True, tag="tournament.finished"):
    """All stages are over; `paid` are (number, exact share, whole units)."""

    ranking: Ranking
    standings: str
    paid: tuple[tuple[int, str, int], ...]


class TournamentCancelled(BaseEvent, frozen=True, tag="tournament.cancelled"):
    """It does not take place, or not to its end."""

    by: str
    reason: Reason
    note: str | None


class TournamentClosed(BaseEvent, frozen=True, tag="tournament.closed"):
    """Nothing follows."""


EntryEvent = (
    EntryOpened
    | EntryClosed
    | PlayerRegistered
    | PlayerApproved
    | PlayerTurnedAway
    | CheckInOpened
    | PlayerCheckedIn
    | PlayerWithdrawn
    | PlayerReturned
    | ByeRequested
    | ByeDropped
)
"""Who takes part."""
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
RulingEvent = PenaltyImposed | PenaltyLifted | PairForbidden | PairAllowed | AppealFiled | AppealDecided
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
TournamentEvent = FrameEvent | EntryEvent | RoundEvent | RulingEvent | LotEvent
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
