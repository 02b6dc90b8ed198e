"""Evolution of a tournament: what each line changes of what is known. It holds no rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, get_args
from uuid import UUID

from msgspec.structs import replace

from domain import events as of_deals
from domain.events.base import BaseEvent
from domain.fairness.deal import Cup, context, rules_hash
from domain.ids import UnixMs
from domain.match import ceremony as ceremonies
from domain.match.ceremony import Ceremony
from domain.seats import Player
from domain.tournaments import events
from domain.tournaments.changed import entrant_changed, round_changed, stage_changed, table_changed
from domain.tournaments.changes import keys, ladders, tables
from domain.tournaments.changes.tables import outdated
from domain.tournaments.formats.table import format_of
from domain.tournaments.options import rules_at
from domain.tournaments.tournament import (
    Entrant,
    HeardAppeal,
    HeldRound,
    PairedTable,
    Penalty,
    Phase,
    PlayedStage,
    Tournament,
)


def new_tournament(event: events.TournamentCreated, at: UnixMs) -> Tournament:
    """Return the tournament that its first line describes.

    Raises:
        Refused: `bad_options`.
    """
    return Tournament(UUID(event.tournament), rules_at(event.rules, at), rules_hash(event.rules), changed_at=at, at=at)


def evolve(tournament: Tournament, event: events.TournamentEvent, at: UnixMs) -> Tournament:
    """Return the tournament after an event. Total over every event but the first; it holds no rules."""
    phase = _PHASES.get(type(event))
    after = replace(tournament, version=tournament.version + 1, at=at)
    if phase is not None:
        after = replace(after, phase=phase, changed_at=at)
    if isinstance(event, _RULINGS):
        after = replace(after, ruled={**after.ruled, after.seq: event.by})
    change = _CHANGES.get(type(event))
    return after if change is None else change(after, event, at)


_PHASES: Final[dict[type[BaseEvent], Phase]] = {
    events.EntryOpened: "entry",
    events.CheckInOpened: "check_in",
    of_deals.SeatJoined: "drawing",
    events.TournamentFinished: "finished",
    events.TournamentCancelled: "cancelled",
    events.TournamentClosed: "closed",
}
"""Which phase an event begins; `running` begins with the first stage."""


_RULINGS: Final = tuple(
    kind for kind in get_args(events.TournamentEvent) if {"by", "note"} <= set(kind.__struct_fields__)
)
"""What somebody decides about others, and so does not judge again when it is disputed."""


# ---- who is in -------------------------------------------------------------------------------------


def _on_official(tournament: Tournament, event: events.OfficialAppointed, _at: UnixMs) -> Tournament:
    return replace(tournament, officials={**tournament.officials, event.official: event.role})


def _on_dismissed(tournament: Tournament, event: events.OfficialDismissed, _at: UnixMs) -> Tournament:
    left = {who: role for who, role in tournament.officials.items() if who != event.official}
    return replace(tournament, officials=left)


def _on_entry_closed(tournament: Tournament, _event: events.EntryClosed, _at: UnixMs) -> Tournament:
    return replace(tournament, entry_closed=True)


def _on_registered(tournament: Tournament, event: events.PlayerRegistered, _at: UnixMs) -> Tournament:
    # Who comes late plays from the next pairing on; rounds before it are missed, that which is played among them.
    entrant = Entrant(
        event.number, event.player, event.club, event.bot, event.rating, event.seed,
        is_in=not tournament.rules.entry.approve, here=tournament.stage is not None, since=tournament.next_place,
    )  # fmt: skip
    after = replace(tournament, entrants={**tournament.entrants, event.number: entrant})
    return _seeded(after, event.number) if entrant.is_in else after


def _seeded(tournament: Tournament, number: int) -> Tournament:
    """Return the tournament with somebody who came late: before any round of the stage is paired, as its last seed."""
    stage = tournament.stage
    if stage is None or stage.has_paired:
        return tournament
    return stage_changed(tournament, stage.number, replace(stage, seeds=(*stage.seeds, number)))


def _on_approved(tournament: Tournament, event: events.PlayerApproved, _at: UnixMs) -> Tournament:
    since = tournament.next_place
    return _seeded(entrant_changed(tournament, event.number, is_in=True, since=since), event.number)


def _on_turned_away(tournament: Tournament, event: events.PlayerTurnedAway, _at: UnixMs) -> Tournament:
    return entrant_changed(tournament, event.number, is_in=False, turned_away=True, gone=(1, 1))


def _on_check_in(tournament: Tournament, event: events.CheckInOpened, _at: UnixMs) -> Tournament:
    return replace(tournament, check_in_until=event.until)


def _on_checked_in(tournament: Tournament, event: events.PlayerCheckedIn, _at: UnixMs) -> Tournament:
    return entrant_changed(tournament, event.number, here=True, draws=event.draws, checked=tournament.seq)


def _on_withdrawn(tournament: Tournament, event: events.PlayerWithdrawn, _at: UnixMs) -> Tournament:
    gone = (event.stage, event.round)
    # Byes that were asked for lapse with it: rounds that are missed count for nothing.
    byes = {place: kind for place, kind in tournament.entrants[event.number].byes.items() if place < gone}
    return ladders.after_leaving(entrant_changed(tournament, event.number, gone=gone, byes=byes), event.number)


def _on_seeded(tournament: Tournament, event: events.PlayerSeeded, _at: UnixMs) -> Tournament:
    return entrant_changed(tournament, event.number, seed=event.seed)


def _on_returned(tournament: Tournament, event: events.PlayerReturned, _at: UnixMs) -> Tournament:
    was = tournament.entrants[event.number]
    back = entrant_changed(tournament, event.number, gone=None, turned_away=False, absences=0)
    if tournament.stage is None or was.here:
        return back
    # Who was not there when the stage was opened comes late.
    back = entrant_changed(back, event.number, here=True, since=tournament.next_place)
    return _seeded(back, event.number) if was.is_in else back


def _on_bye(tournament: Tournament, event: events.ByeRequested, _at: UnixMs) -> Tournament:
    byes = {**tournament.entrants[event.number].byes, (event.stage, event.round): event.kind}
    return entrant_changed(tournament, event.number, byes=byes)


def _on_bye_dropped(tournament: Tournament, event: events.ByeDropped, _at: UnixMs) -> Tournament:
    byes = tournament.entrants[event.number].byes
    left = {place: kind for place, kind in byes.items() if place != (event.stage, event.round)}
    return entrant_changed(tournament, event.number, byes=left)


def _on_asked(tournament: Tournament, event: events.PlayerWaits | events.PlayerPauses, at: UnixMs) -> Tournament:
    return entrant_changed(tournament, event.number, asked=(isinstance(event, events.PlayerWaits), at))


# ---- lots ------------------------------------------------------------------------------------------


def _on_drawer(tournament: Tournament, event: of_deals.SeatJoined, _at: UnixMs) -> Tournament:
    return replace(tournament, drawers={**tournament.drawers, event.seat: Player(event.player)})


def _on_drawer_left(tournament: Tournament, event: of_deals.SeatLeft, _at: UnixMs) -> Tournament:
    left = {seat: who for seat, who in tournament.drawers.items() if seat != event.seat}
    return replace(tournament, drawers=left, barred=tournament.barred | {event.seat})


def _on_custody(tournament: Tournament, event: of_deals.SeedCustody, _at: UnixMs) -> Tournament:
    who = replace(tournament.drawers[event.seat], custody=event.by == "server")
    return replace(tournament, drawers={**tournament.drawers, event.seat: who})


def _on_deal(tournament: Tournament, event: of_deals.DealCommitted, at: UnixMs) -> Tournament:
    cups = tuple(Cup(*row) for row in event.cups)
    ctx = context(tournament.id.bytes, event.deal, tournament.rules_hash, "all", cups)
    ceremony = Ceremony(event.deal, ctx, bytes.fromhex(event.root), cups, tuple(sorted(tournament.drawers)), at)
    return replace(tournament, ceremony=ceremony, deals=tournament.deals + 1, dealt_seq=tournament.seq, rolled=0)


def _on_ceremony(tournament: Tournament, event: of_deals.CeremonyEvent, at: UnixMs) -> Tournament:
    assert tournament.ceremony is not None, "layer 2 has seen to it"
    after = replace(tournament, ceremony=ceremonies.evolve(tournament.ceremony, event, at))
    if isinstance(event, of_deals.DealSealed):
        return replace(after, sealed_seq=after.seq)
    return replace(after, opened_seq=after.seq) if isinstance(event, of_deals.SeedOpened) else after


def _on_rolled(tournament: Tournament, event: of_deals.Rolled, _at: UnixMs) -> Tournament:
    return replace(tournament, rolled=event.roll + 1)


def _on_revealed(tournament: Tournament, event: of_deals.Revealed, _at: UnixMs) -> Tournament:
    return replace(tournament, opened=bytes(value for _slot, value in event.values))


# ---- stages, rounds, tables ------------------------------------------------------------------------


def _on_stage(tournament: Tournament, event: events.StageOpened, at: UnixMs) -> Tournament:
    lots = tournament.opened if event.roll is not None else b""
    chosen = format_of(tournament.rules.stages[event.stage - 1])
    said = (event.stage, event.rounds, event.seeds, event.groups, event.roll)
    overlaps = chosen.next_step is not None
    stage = PlayedStage(*said, lots, opened_at=at, overlaps=overlaps, counting=chosen.counting)
    began = {"phase": "running", "changed_at": at} if event.stage == 1 else {}
    return replace(tournament, stages=(*tournament.stages, stage), **began)


def _on_paired(tournament: Tournament, event: events.TablesPaired, at: UnixMs) -> Tournament:
    place = (event.stage, event.round)
    before = tournament.stages[event.stage - 1].rounds.get(event.round, HeldRound(event.round))
    tables = {number: PairedTable(number, seats, before.used + 1) for number, seats in event.tables}
    if before.freed:
        # The other tables of the round stand as they are; what it cost as a whole is known no more.
        tables, byes = {**before.tables, **tables}, (*before.byes, *event.byes)
        return round_changed(tournament, place, tables=tables, byes=byes, freed={}, cost=None, bound=None)
    proved, byes = event.certificate or {}, event.byes
    if event.group is not None and before.is_paired:
        # The groups of a round stand in a line each, and what they cost is summed.
        byes, tables = (*before.byes, *byes), {**before.tables, **tables}
        had = {"cost": before.cost, "bound": before.bound}
        proved = {name: each + proved[name] for name, each in had.items() if each is not None}
    after = round_changed(
        tournament, place, law=event.law, line=tournament.seq, roll=event.roll, byes=byes, tables=tables,
        cost=proved.get("cost"), bound=proved.get("bound"), paired_at=at,
    )  # fmt: skip
    return ladders.after_pairing(after, event)


def _on_unpaired(tournament: Tournament, event: events.TablesUnpaired, _at: UnixMs) -> Tournament:
    # Their matches may be open already: tables that are paired instead have others.
    before, place = tournament.stages[event.stage - 1].rounds[event.round], (event.stage, event.round)
    used = max((table.attempt for table in before.tables.values()), default=before.used)
    if event.tables is None:
        after = round_changed(
            tournament, place,
            law="", roll=None, byes=(), tables={}, freed={}, started_at=None, until=None, used=max(used, before.used),
        )  # fmt: skip
        return ladders.after_unpairing(after, event)
    freed = before.freed | {number: before.tables[number].seats for number in event.tables}
    stay = {number: table for number, table in before.tables.items() if number not in freed}
    return round_changed(tournament, place, tables=stay, freed=freed, used=max(used, before.used))


def _on_fixed(tournament: Tournament, event: events.TablesFixed, _at: UnixMs) -> Tournament:
    return round_changed(tournament, (event.stage, event.round), fixed=event.tables)


def _on_no_show(tournament: Tournament, event: events.TableNoShow, _at: UnixMs) -> Tournament:
    for number in event.numbers:
        absences = tournament.entrants[number].absences + 1
        tournament = entrant_changed(tournament, number, absences=absences)
    return tournament


def _on_round_closed(tournament: Tournament, event: events.TournamentRoundClosed, at: UnixMs) -> Tournament:
    return round_changed(tournament, (event.stage, event.round), closed_at=at)


def _on_stage_closed(tournament: Tournament, event: events.StageClosed, at: UnixMs) -> Tournament:
    stage = replace(tournament.stages[event.stage - 1], closed=event.ranking, advanced=event.advanced, closed_at=at)
    return stage_changed(tournament, event.stage, stage)


def _on_extended(tournament: Tournament, event: events.RoundExtended, _at: UnixMs) -> Tournament:
    return round_changed(tournament, (event.stage, event.round), until=event.until)


# ---- rulings ---------------------------------------------------------------------------------------


def _on_penalty(tournament: Tournament, event: events.PenaltyImposed, _at: UnixMs) -> Tournament:
    penalty = Penalty(event.number, event.kind, event.points, event.stage, event.round, event.table)
    after = outdated(replace(tournament, penalties={**tournament.penalties, tournament.seq: penalty}))
    return entrant_changed(after, event.number, disqualified=True) if event.kind == "disqualified" else after


def _on_lifted(tournament: Tournament, event: events.PenaltyLifted, _at: UnixMs) -> Tournament:
    lifted = tournament.penalties[event.line]
    left = {line: each for line, each in tournament.penalties.items() if line != event.line}
    after = outdated(replace(tournament, penalties=left))
    if lifted.kind == "table_loss":
        after = _without_ruling(after, lifted, event.line)
    still = any(each.number == lifted.number and each.kind == "disqualified" for each in left.values())
    return entrant_changed(after, lifted.number, disqualified=still)


def _without_ruling(tournament: Tournament, lost: Penalty, line: int) -> Tournament:
    """Return the tournament without what the loss of a table, which is lifted, said in the line before its own."""
    assert lost.stage is not None
    assert lost.round is not None
    assert lost.table is not None, "that table is named"
    place = (lost.stage, lost.round)
    table = tournament.stages[lost.stage - 1].rounds[lost.round].tables.get(lost.table)
    if table is None:
        # It was to be played again, and then taken back.
        return tournament
    left = tuple(each for each in table.rulings if each[0] != line - 1)
    return table_changed(tournament, place, table.number, rulings=left)


def _on_forbidden(tournament: Tournament, event: events.PairForbidden, _at: UnixMs) -> Tournament:
    return replace(tournament, forbidden={**tournament.forbidden, tournament.seq: event.numbers})


def _on_allowed(tournament: Tournament, event: events.PairAllowed, _at: UnixMs) -> Tournament:
    left = {line: pair for line, pair in tournament.forbidden.items() if line != event.line}
    return replace(tournament, forbidden=left)


def _on_case(tournament: Tournament, event: events.CaseOpened, _at: UnixMs) -> Tournament:
    return replace(tournament, cases=tournament.cases | {event.case})


def _on_pause(
    tournament: Tournament, event: events.TournamentPaused | events.TournamentResumed, at: UnixMs
) -> Tournament:
    if isinstance(event, events.TournamentPaused):
        return replace(tournament, paused=True, paused_at=at)
    resumed = replace(tournament, paused=False, pauses=(*tournament.pauses, (tournament.paused_at, at)))
    return ladders.after_pause(resumed, at - tournament.paused_at)


def _on_appeal(tournament: Tournament, event: events.AppealFiled, _at: UnixMs) -> Tournament:
    heard = HeardAppeal(event.number, event.line, event.note)
    return replace(tournament, appeals={**tournament.appeals, event.appeal: heard})


def _on_decided(tournament: Tournament, event: events.AppealDecided, _at: UnixMs) -> Tournament:
    before = tournament.appeals[event.appeal]
    decided = replace(before, outcome=event.outcome, answer=event.note, lines=event.lines)
    return replace(tournament, appeals={**tournament.appeals, event.appeal: decided})


def _on_finished(tournament: Tournament, event: events.TournamentFinished, _at: UnixMs) -> Tournament:
    return replace(tournament, ranking=event.ranking, paid=event.paid, outdated=False)


_CHANGES: Final[dict[type[BaseEvent], Callable[[Tournament, Any, UnixMs], Tournament]]] = {
    events.OfficialAppointed: _on_official,
    events.OfficialDismissed: _on_dismissed,
    events.EntryClosed: _on_entry_closed,
    events.PlayerRegistered: _on_registered,
    events.PlayerSeeded: _on_seeded,
    events.PlayerApproved: _on_approved,
    events.PlayerTurnedAway: _on_turned_away,
    events.CheckInOpened: _on_check_in,
    events.PlayerCheckedIn: _on_checked_in,
    events.PlayerWithdrawn: _on_withdrawn,
    events.PlayerReturned: _on_returned,
    events.ByeRequested: _on_bye,
    events.ByeDropped: _on_bye_dropped,
    events.PlayerWaits: _on_asked,
    events.PlayerPauses: _on_asked,
    events.PlayerKeyed: keys.on_keyed,
    events.ChallengeMade: ladders.on_challenge,
    events.ChallengeAnswered: ladders.on_answer,
    events.ChallengeLapsed: ladders.on_lapse,
    of_deals.SeatJoined: _on_drawer,
    of_deals.SeatLeft: _on_drawer_left,
    of_deals.SeedCustody: _on_custody,
    of_deals.DealCommitted: _on_deal,
    **dict.fromkeys(get_args(of_deals.CeremonyEvent), _on_ceremony),
    of_deals.Rolled: _on_rolled,
    of_deals.Revealed: _on_revealed,
    events.StageOpened: _on_stage,
    events.TablesPaired: _on_paired,
    events.TablesUnpaired: _on_unpaired,
    events.TablesFixed: _on_fixed,
    events.RoundStarted: tables.on_started,
    events.TableNoShow: _on_no_show,
    events.ResultRecorded: tables.on_result,
    events.ResultRuled: tables.on_ruled,
    events.TableReplayed: tables.on_replayed,
    events.TournamentRoundClosed: _on_round_closed,
    events.StageClosed: _on_stage_closed,
    events.RoundExtended: _on_extended,
    events.PenaltyImposed: _on_penalty,
    events.PenaltyLifted: _on_lifted,
    events.PairForbidden: _on_forbidden,
    events.PairAllowed: _on_allowed,
    events.CaseOpened: _on_case,
    events.TournamentPaused: _on_pause,
    events.TournamentResumed: _on_pause,
    events.AppealFiled: _on_appeal,
    events.AppealDecided: _on_decided,
    events.TournamentFinished: _on_finished,
}
"""What each event changes; the others only count, or begin a phase."""
