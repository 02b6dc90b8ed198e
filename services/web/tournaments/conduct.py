"""The console of a host and of arbiters: what is due and why, who is waited for, and what can be done about it now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, get_args

from litestar import Response, get
from litestar.params import FromPath
from msgspec import Struct

from domain.ids import Seat
from domain.tournaments.events import Reason
from domain.tournaments.formats.table import format_of, keeps_pairs_apart
from domain.tournaments.rules import has_clocks
from domain.tournaments.tournament import HeardAppeal, PairedTable, Place, Tournament
from projections.tournaments.cards import Disputable, disputable
from projections.tournaments.entrants import EntrantRow, entrant_rows
from projections.tournaments.overview import TournamentView, tournament_view
from projections.tournaments.people import name_of
from projections.tournaments.rounds import RoundView, match_at, round_view
from services.http.injected import Injected
from services.web.invitations import AnyRequest, Reach, address_for_others
from services.web.sites import Json
from services.web.tournaments.acts import ACTS
from services.web.tournaments.entry import PUBLIC
from services.web.tournaments.folder import Folder
from services.web.tournaments.rounds import RoundAsked, StageAsked, paired_rounds, round_asked, seats_of
from services.web.tournaments.sites import ShownTournament, TournamentSite, names_of, shown_at
from services.web.tournaments.wording import due_text
from services.web.writing.renderer import PageRenderer
from services.words.people import person_text

BEFORE: Final = ("announced", "entry", "check_in", "drawing")
"""The phases in which the checklist is looked at."""
LOOKED_AT: Final = 48
"""Tables whose matches are looked at for who has not come yet: more are not on a screen."""
ROUNDS_SHOWN: Final = 12
"""Rounds that the console leads to, the last ones; waves of an arena would be hundreds."""
Awaited = Mapping[int, tuple[int, ...]]
"""The seats that have not come yet, by table."""


class Checked(Struct, frozen=True):
    """A point of the checklist: whether it is as it should be, and the facts of its sentence."""

    key: str
    good: bool
    facts: Mapping[str, object] = {}


@get("/t/{tournament:str}/host", opt=PUBLIC)
async def console(
    request: AnyRequest,
    tournament: FromPath[str],
    events: Injected[TournamentSite],
    paper: Injected[PageRenderer],
    folder: Injected[Folder],
    reach: Injected[Reach],
    stage: StageAsked = None,
    number: RoundAsked = None,
) -> Response[str]:
    """Return the console: it says what all may see, and what it asks for takes the token that its script keeps."""
    shown = await shown_at(events, tournament)
    place = _place(shown.tournament, stage, number)
    awaited = {} if place is None else await _awaited(events, shown.tournament, place)
    address = address_for_others(request, f"/t/{shown.tournament.id}", reach)

    def make() -> Json:
        view = None if place is None else round_view(shown.tournament, shown.names, *place)
        return {**_console(shown), **_round(shown, view, awaited), "address": address}

    of = (place, tuple(awaited.items()), address)
    return await folder.page(request, paper, "tournament_host.html", shown, of, make)


def _place(tournament: Tournament, stage: int | None, number: int | None) -> Place | None:
    """Return the round that is asked for, or the one that has been open longest, or else the last."""
    played = tournament.stage
    if stage is None and number is None and played is not None and played.open_rounds:
        return played.number, played.open_rounds[0].number
    return round_asked(tournament, stage, number)


async def _awaited(events: TournamentSite, tournament: Tournament, place: Place) -> Awaited:
    """Return who has not said yet to be there, of the tables of a round whose matches are open. Cost: a query each."""
    stage, number = place
    tables = tournament.stages[stage - 1].rounds[number].tables.values()
    playing = [table for table in tables if table.started and not table.is_over][:LOOKED_AT]
    waiting = {match_at(tournament, stage, number, table): table.number for table in playing}
    found = await events.awaited(list(waiting))
    return {waiting[match]: tuple(seats) for match, seats in found.items() if seats}


def _console(shown: ShownTournament) -> Json:
    tournament = shown.tournament
    view = tournament_view(tournament, shown.names, shown.title)
    entrants = entrant_rows(tournament, shown.names)
    return {
        "view": view,
        "due": due_text(view.due),
        "steps": list(_steps(tournament, view)),
        "act_of": {act.key: act for act in ACTS},
        "reasons": get_args(Reason),
        "checks": list(_checks(tournament, view)) if view.phase in BEFORE else [],
        "entrants": entrants,
        "waiting": [row for row in entrants if row.status == "waits"],
        "missing_people": _missing_people(tournament, entrants),
        "named_of": names_of(shown),
        "penalties": sorted(tournament.penalties.items()),
        "keeps_apart": keeps_pairs_apart(tournament),
        "apart": sorted(tournament.forbidden.items()),
        "appeals": list(_appeals(tournament)),
        "fixed": () if tournament.stage is None else tournament.stage.fixed_next,
        "freed": _freed(tournament),
        "by_hand": view.phase == "running" and format_of(tournament.stage_rules).by_hand != "never",
    }


def _steps(tournament: Tournament, view: TournamentView) -> Iterator[tuple[str, bool]]:
    """Yield what brings the tournament on from where it stands, or holds it up; the first is the one that is due."""
    held = None if tournament.stage is None else tournament.stage.played
    is_open = held is not None and held.is_paired and held.closed_at is None
    waits = view.phase == "running" and not view.paused and view.due.why in {"host", "pair"}
    offers = {
        "open_entry": view.phase == "announced",
        "open_check_in": view.phase == "entry",
        "proceed": view.phase == "check_in" or waits,
        "resume": view.paused,
        "close_entry": view.phase == "entry" and not tournament.entry_closed,
        "extend": is_open and held is not None and held.started_at is not None and view.phase == "running",
        "unpair": is_open and held is not None and not any(table.is_over for table in held.tables.values()),
        "pause": view.phase == "running" and not view.paused,
        "finish": view.phase == "finished" and not view.outdated and not view.appeals_open,
        "cancel": view.phase in {*BEFORE, "running"},
    }
    due = {"open_entry", "open_check_in", "proceed", "resume"}
    yield from ((key, key in due) for key, offered in offers.items() if offered)


def _checks(tournament: Tournament, view: TournamentView) -> Iterator[Checked]:
    """Yield what a host wants to have seen to before the first round."""
    counts, entry = view.counts, tournament.rules.entry
    yield Checked("open", view.phase != "announced")
    facts = {"entered": counts.entered, "min": entry.min, "max": entry.max}
    yield Checked("enough", counts.entered - counts.waiting >= entry.min, facts)
    if entry.approve or counts.waiting:
        yield Checked("approved", counts.waiting == 0, {"waiting": counts.waiting})
    yield Checked("arbiter", len(tournament.officials) > 1, {"officials": len(tournament.officials)})
    if view.phase in {"check_in", "drawing"}:
        yield Checked("here", counts.here == counts.entered, {"here": counts.here, "entered": counts.entered})
    yield Checked("lots", counts.drawing > 0, {"drawing": counts.drawing})


def _appeals(tournament: Tournament) -> Iterator[tuple[int, HeardAppeal, Disputable | None]]:
    """Yield the appeals that wait for a decision, with what they are against, where that still counts."""
    for number, appeal in sorted(tournament.appeals.items()):
        if appeal.outcome is None:
            lines = disputable(tournament, appeal.number)
            yield number, appeal, next((each for each in lines if each.line == appeal.line), None)


def _missing_people(tournament: Tournament, entrants: Sequence[EntrantRow]) -> list[EntrantRow]:
    """Return who has not said to be there while everybody is asked."""
    return [row for row in entrants if row.status == "entered"] if tournament.phase == "check_in" else []


def _freed(tournament: Tournament) -> tuple[tuple[int, ...], ...]:
    """Return who sat at tables that were taken back, and is to be seated anew."""
    held = None if tournament.stage is None else tournament.stage.played
    return () if held is None else tuple(held.freed.values())


def _round(shown: ShownTournament, view: RoundView | None, awaited: Awaited) -> Json:
    """Return the round that is shown: tables without a result first, those waited for longest first."""
    tournament, rounds = shown.tournament, paired_rounds(shown.tournament)
    told: Json = {"round": view, "place": None, "rounds": rounds[-ROUNDS_SHOWN:], "is_last": False, "again": False}
    if view is None:
        return told
    held = tournament.stages[view.stage - 1].rounds[view.round].tables
    opened = {number: table.opened_at for number, table in held.items()}
    told |= {"place": (view.stage, view.round), "is_last": rounds[-1] == (view.stage, view.round), "seats_of": seats_of}
    told["clocks"] = has_clocks(tournament.rules, view.stage)
    told["again"] = told["is_last"] and view.stage == len(tournament.stages) and _plays_again(tournament)
    told["tables"] = sorted(view.tables, key=lambda table: (table.state == "over", opened[table.table] or 0))
    told["awaited"] = {table: _named(shown, held[table], seats) for table, seats in awaited.items()}
    # Whoever is waited for sits at a table whose match is open.
    told["absent_at"] = {table: tournament.no_show_at(opened[table] or 0) for table in awaited}
    return told


def _plays_again(tournament: Tournament) -> bool:
    """Report whether a table can play again of the round that was paired last."""
    return tournament.phase in {"running", "finished"} and not format_of(tournament.stage_rules).played_once


def _named(shown: ShownTournament, table: PairedTable, seats: Sequence[Seat]) -> list[str]:
    """Return who sits on these seats of a table."""
    numbers = [table.seats[seat - 1] for seat in seats]
    entrants = shown.tournament.entrants
    return [person_text(name_of(shown.names, number), bot=entrants[number].bot) for number in numbers]
