"""Overview of a tournament: its row in the list, and the view for everybody with clocks, counts and what is due."""

from __future__ import annotations

from typing import Any, Final, Literal

from msgspec import Struct

from domain.games import GAMES
from domain.ids import UnixMs, Version
from domain.tournaments.events import Role
from domain.tournaments.rules import format_name, object_of
from domain.tournaments.tournament import HeldRound, Phase, PlayedStage, Tournament
from projections.tournaments.dues import DueView, due_view, open_appeals
from projections.tournaments.entrants import PrizeView, prize_of
from projections.tournaments.people import NamedEntrant, Names, called, status_of
from projections.tournaments.rounds import RoundState, state_of_round
from projections.tournaments.rulings.acts import AppealView, appeal_log

TournamentState = Literal["open", "live", "ended"]
STATES_OF: Final[dict[Phase, TournamentState]] = {
    "announced": "open",
    "entry": "open",
    "check_in": "open",
    "drawing": "live",
    "running": "live",
    "finished": "ended",
    "cancelled": "ended",
    "closed": "ended",
}
"""Under which heading of the list a phase stands."""


class StageView(Struct, frozen=True):
    """A stage, begun or to come.

    Attributes:
        format: What is played, as the rules have it.
        planned: How many rounds it has, where that is known.
        round: The last round that is paired, 0 before the first.
        closed_rounds: How many rounds are closed.
        entrants: How many began it; null before.
        advance: How many go on, null in the last.
        advanced: Who went on, in the order of their seeds, once it is over.
    """

    stage: int
    format: str
    state: Literal["to_come", "open", "closed"]
    planned: int | None
    round: int
    closed_rounds: int
    entrants: int | None
    advance: int | None
    advanced: tuple[int, ...]


class CurrentRound(Struct, frozen=True):
    """The round that is played, or was last.

    Attributes:
        tables: How many there are, and `over`, how many have a result.
        started_at: When its matches were open, in Unix milliseconds, and `until`, when it ends for all, if it does.
    """

    stage: int
    round: int
    state: RoundState
    tables: int
    over: int
    started_at: UnixMs | None
    until: UnixMs | None


class EntrantCounts(Struct, frozen=True):
    """How many entrants there are.

    Attributes:
        entered: Who takes part or waits to be let in, and has not left.
        waiting: Who waits to be let in.
        here: Who checked in, and has not left.
        drawing: Who of them gives a seed to the lots.
        bots: How many of those who take part are bots.
        left: Who withdrew, was not admitted or disqualified.
        places_left: How many may still enter.
    """

    entered: int
    waiting: int
    here: int
    drawing: int
    bots: int
    left: int
    places_left: int


class LotsView(Struct, frozen=True):
    """How lots come about.

    Attributes:
        state: How far the deal of lots has come; null before it.
        drawers: How many give seeds, the house among them, and `own`, how many draw their own.
        barred: How many withheld one.
        rolled: How many rolls of the deal are used up.
    """

    state: str | None
    drawers: int
    own: int
    barred: int
    rolled: int


class PrizeOfEntrant(Struct, frozen=True):
    """Who wins what."""

    who: NamedEntrant
    prize: PrizeView


class TournamentView(Struct, frozen=True):
    """A tournament as everybody sees it.

    Attributes:
        version: How many lines it shows.
        at: The time of the last of them, in Unix milliseconds.
        title: What its host calls it; null where nobody said.
        head: The hash of the last line; null for whoever does not know it.
        rules: The rules object.
        officials: Who has which powers, by opaque id.
        entry_closed: Whether nobody enters any more but latecomers.
        check_in_until: Until when people check in, in Unix milliseconds.
        due: What happens next, or what is waited for.
        ranking: The places in the end, best first; who shares one stands together.
        outdated: Whether something was ruled since they were said.
        appeals_open: How many appeals wait for a decision.
        appeals: Every appeal by number, and what became of it.
    """

    tournament: str
    version: Version
    at: UnixMs
    title: str | None
    head: str | None
    game: str
    rules: dict[str, Any]
    phase: Phase
    paused: bool
    entry_closed: bool
    check_in_until: UnixMs | None
    officials: dict[str, Role]
    counts: EntrantCounts
    lots: LotsView
    stages: tuple[StageView, ...]
    round: CurrentRound | None
    due: DueView
    ranking: tuple[tuple[NamedEntrant, ...], ...]
    outdated: bool
    prizes: tuple[PrizeOfEntrant, ...]
    appeals_open: int
    appeals: tuple[AppealView, ...] = ()


class TournamentRow(Struct, frozen=True):
    """A tournament in the list.

    Attributes:
        title: What its host calls it; null where nobody said.
        formats: What is played in its stages, as the rules have it.
        entrants: How many take part or wait to be let in.
        max: How many may enter.
        stage: The stage that is played or was last, 0 before the first, and its `round` with how many are `planned`.
        due: What happens next, or what is waited for.
    """

    tournament: str
    version: Version
    at: UnixMs
    title: str | None
    game: str
    state: TournamentState
    phase: Phase
    formats: tuple[str, ...]
    entrants: int
    max: int
    stage: int
    round: int
    planned: int | None
    due: DueView


def tournament_view(tournament: Tournament, names: Names, title: str | None, head: str | None = None) -> TournamentView:
    """Return a tournament as everybody sees it.

    Args:
        tournament: How it stands.
        names: What people call entrants.
        title: What its host calls it.
        head: The hash of its last line, which is not in the fold.
    """
    paid = ((number, prize_of(tournament, number)) for number, _, _ in tournament.paid)
    return TournamentView(
        tournament=str(tournament.id),
        version=tournament.version,
        at=tournament.at,
        title=title,
        head=head,
        game=game_of(tournament),
        rules=object_of(tournament.rules),
        phase=tournament.phase,
        paused=tournament.paused,
        entry_closed=tournament.entry_closed,
        check_in_until=tournament.check_in_until,
        officials=tournament.officials,
        counts=entrant_counts(tournament),
        lots=_lots(tournament),
        stages=tuple(_stage_view(tournament, number) for number in range(1, len(tournament.rules.stages) + 1)),
        round=_current(tournament),
        due=due_view(tournament),
        ranking=tuple(tuple(called(tournament, names, number) for number in level) for level in tournament.ranking),
        outdated=tournament.outdated,
        prizes=tuple(
            PrizeOfEntrant(called(tournament, names, number), prize) for number, prize in paid if prize is not None
        ),
        appeals_open=open_appeals(tournament),
        appeals=appeal_log(tournament),
    )


def tournament_row(tournament: Tournament, title: str | None) -> TournamentRow:
    """Return a tournament for the list."""
    stage = tournament.stage
    return TournamentRow(
        tournament=str(tournament.id),
        version=tournament.version,
        at=tournament.at,
        title=title,
        game=game_of(tournament),
        state=STATES_OF[tournament.phase],
        phase=tournament.phase,
        formats=tuple(format_name(each) for each in tournament.rules.stages),
        entrants=entrant_counts(tournament).entered,
        max=tournament.rules.entry.max,
        stage=0 if stage is None else stage.number,
        round=0 if stage is None else _last_paired(stage),
        planned=None if stage is None else stage.rounds_planned,
        due=due_view(tournament),
    )


def game_of(tournament: Tournament) -> str:
    """Return the title of the game that is played."""
    return GAMES[tournament.rules.match["game"]].title


def entrant_counts(tournament: Tournament) -> EntrantCounts:
    """Return how many entrants there are."""
    statuses = [(each, status_of(each)) for each in tournament.entrants.values()]
    there = [(each, status) for each, status in statuses if status in {"waits", "entered", "here"}]
    return EntrantCounts(
        entered=len(there),
        waiting=sum(status == "waits" for _, status in there),
        here=sum(status == "here" for _, status in there),
        drawing=sum(status == "here" and each.draws for each, status in there),
        bots=sum(each.bot for each, _ in there),
        left=len(statuses) - len(there),
        places_left=max(0, tournament.rules.entry.max - len(there)),
    )


# ---- parts -----------------------------------------------------------------------------------------


def _lots(tournament: Tournament) -> LotsView:
    return LotsView(
        state=None if tournament.ceremony is None else tournament.ceremony.stage,
        drawers=len(tournament.drawers),
        own=sum(not who.custody for who in tournament.drawers.values()),
        barred=len(tournament.barred),
        rolled=tournament.rolled,
    )


def _stage_view(tournament: Tournament, number: int) -> StageView:
    rules = tournament.rules.stages[number - 1]
    begun = number <= len(tournament.stages)
    stage = tournament.stages[number - 1] if begun else PlayedStage(number, rules.rounds, ())
    return StageView(
        stage=number,
        format=format_name(rules),
        state="to_come" if not begun else "open" if stage.closed is None else "closed",
        planned=stage.rounds_planned,
        round=_last_paired(stage),
        closed_rounds=sum(held.closed_at is not None for held in stage.rounds.values()),
        entrants=len(stage.seeds) if begun else None,
        advance=rules.advance,
        advanced=stage.advanced,
    )


def last_paired(tournament: Tournament) -> tuple[int, HeldRound] | None:
    """Return the stage and the round that was paired last; None before the first."""
    for stage in reversed(tournament.stages):
        for _, held in sorted(stage.rounds.items(), reverse=True):
            if held.is_paired:
                return stage.number, held
    return None


def _last_paired(stage: PlayedStage) -> int:
    return max((number for number, held in stage.rounds.items() if held.is_paired), default=0)


def _current(tournament: Tournament) -> CurrentRound | None:
    found = last_paired(tournament)
    if found is None:
        return None
    stage, held = found
    return CurrentRound(
        stage=stage,
        round=held.number,
        state=state_of_round(held),
        tables=len(held.tables),
        over=len(held.tables) - len(held.missing),
        started_at=held.started_at,
        until=held.until,
    )
