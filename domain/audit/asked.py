"""Commands behind the lines of a tournament: what was asked, told from the first line that it left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from domain import commands as of_deals
from domain import events as of_lots
from domain.events.base import BaseEvent
from domain.match.ceremony import Ceremony
from domain.tournaments import commands, events
from domain.tournaments.events import RULE
from domain.tournaments.tournament import Tournament


def step_of_lots(tournament: Tournament, event: events.TournamentEvent) -> commands.OfLots | None:
    """Return what led to a line of a deal that waits for a beacon: the log had something too late, or it has spoken.

    A deal that is sealed is thrown away by the end of all as well, which whoever asks has to look for before.
    """
    if isinstance(event, of_lots.DealVoided) and event.reason == "late":
        return late_for_beacon(tournament.ceremony, event)
    if isinstance(event, of_lots.DealReady) and event.beacon is not None:
        return of_deals.HearBeacon(event.deal, event.beacon.round, event.beacon.signature)
    return None


def late_for_beacon(ceremony: Ceremony | None, event: of_lots.DealVoided) -> of_deals.FixDeal | of_deals.LogDeal | None:
    """Return what the log had too late for a beacon: the seeds, or before them the seal; None if neither can be."""
    if ceremony is None or ceremony.beacon is None:
        return None
    if ceremony.stage == "sealed":
        return of_deals.LogDeal(event.deal, 0, (), "")
    return of_deals.FixDeal(event.deal, 0, (), "") if ceremony.stage == "logged" else None


def _appeal(tournament: Tournament, event: events.AppealFiled) -> commands.Appeal:
    by = _player(tournament, event.number)
    return commands.Appeal(by=by, number=event.number, line=event.line, note=event.note)


def _player(tournament: Tournament, number: int) -> str:
    entrant = tournament.entrants.get(number)
    return RULE if entrant is None else entrant.player


def _challenge(tournament: Tournament, event: events.ChallengeMade) -> commands.ChallengeAbove:
    return commands.ChallengeAbove(_player(tournament, event.number), event.number, event.against)


def _answer(tournament: Tournament, event: events.ChallengeAnswered) -> commands.AnswerChallenge:
    found = None if tournament.stage is None else tournament.stage.challenges.get(event.challenge)
    by = RULE if found is None else _player(tournament, found.against)
    return commands.AnswerChallenge(by, event.challenge, event.accepted)


def penalty_behind(event: events.PenaltyImposed) -> commands.Penalise:
    """Return what led to a penalty."""
    return commands.Penalise(
        by=event.by, number=event.number, kind=event.kind, points=event.points, table=event.table,
        reason=event.reason, note=event.note,
    )  # fmt: skip


def result_behind(event: events.ResultRecorded) -> commands.Record:
    """Return what led to a result."""
    return commands.Record(
        by=RULE, table=event.table, attempt=event.attempt, match=event.match, version=event.version, head=event.head,
        how=event.how, ranking=event.ranking, absent=event.absent, units=event.units, round=event.round,
    )  # fmt: skip


def _key_word(event: events.PlayerKeyed) -> commands.TakeKey | commands.NameEntrantKey:
    if event.signed is None:
        return commands.NameEntrantKey(event.by, event.number, event.key)
    return commands.TakeKey(event.by, event.number, event.key, event.signed)


def _same(kind: type[commands.TournamentCommand], *, but: tuple[str, ...] = ()) -> Callable[[Any], Any]:
    """Return what makes a command of the members that it shares with its event."""
    names = [name for name in kind.__struct_fields__ if name not in but]
    return lambda event: kind(**{name: getattr(event, name) for name in names})


COMMANDS: Final[dict[type[BaseEvent], Callable[[Any], commands.AnyCommand]]] = {
    events.OfficialAppointed: _same(commands.Appoint),
    events.OfficialDismissed: _same(commands.Dismiss),
    events.EntryOpened: _same(commands.OpenEntry),
    events.EntryClosed: _same(commands.CloseEntry),
    events.PlayerRegistered: _same(commands.Register),
    events.PlayerApproved: _same(commands.Approve),
    events.PlayerSeeded: _same(commands.Seed),
    events.PlayerTurnedAway: _same(commands.TurnAway),
    events.CheckInOpened: _same(commands.OpenCheckIn),
    events.PlayerCheckedIn: _same(commands.CheckIn),
    events.PlayerWithdrawn: _same(commands.Withdraw),
    events.PlayerReturned: _same(commands.Return),
    events.ByeRequested: _same(commands.RequestBye),
    events.ByeDropped: _same(commands.DropBye),
    events.PlayerWaits: lambda event: commands.WaitForTable(RULE, event.number),
    events.PlayerPauses: lambda event: commands.TakeBreak(RULE, event.number),
    events.PlayerKeyed: _key_word,
    events.TablesFixed: _same(commands.FixTables),
    events.TablesUnpaired: _same(commands.Unpair),
    events.RoundStarted: lambda _event: commands.StartRound(RULE),
    events.ResultRecorded: result_behind,
    events.ResultRuled: _same(commands.Rule),
    events.TableReplayed: _same(commands.Replay),
    events.PenaltyImposed: penalty_behind,
    events.PenaltyLifted: _same(commands.Lift),
    events.PairForbidden: _same(commands.Forbid),
    events.PairAllowed: _same(commands.Allow),
    events.CaseOpened: _same(commands.OpenCase),
    events.RoundExtended: _same(commands.Extend),
    events.TournamentTimeGiven: _same(commands.GiveTableTime),
    events.TournamentPaused: _same(commands.PauseTournament),
    events.TournamentResumed: _same(commands.Resume),
    events.TournamentCancelled: _same(commands.Cancel),
    events.AppealDecided: _same(commands.DecideAppeal),
    of_lots.SeedCommitted: lambda event: of_deals.CommitSeed(event.seat, event.deal, event.commit),
    of_lots.SeedOpened: lambda event: of_deals.OpenSeed(event.seat, event.deal, event.seed),
    of_lots.DealLogged: lambda event: of_deals.LogDeal(event.deal, event.index, event.path, event.checkpoint),
    of_lots.DealFixed: lambda event: of_deals.FixDeal(event.deal, event.index, event.path, event.checkpoint),
}
"""The command behind a line that begins what a command led to; every other line is the director's."""

OF_ENTRANTS: Final[dict[type[BaseEvent], Callable[[Tournament, Any], commands.AnyCommand]]] = {
    events.AppealFiled: _appeal,
    events.ChallengeMade: _challenge,
    events.ChallengeAnswered: _answer,
}
"""The command behind a line that says which entrant asked, and not by which id."""
