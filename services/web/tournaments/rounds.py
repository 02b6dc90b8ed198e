"""Pages of rounds: who sits where and what came of it, who rests, and why a table is as it is."""

from __future__ import annotations

from typing import Annotated, Final

from litestar import Response, get
from litestar.params import FromPath, QueryParameter
from msgspec.structs import replace

from domain.errors import Refused
from domain.tournaments.tournament import Place, Tournament
from projections.tournaments.entrants import entrant_rows
from projections.tournaments.exports.alphabet import alphabet_key
from projections.tournaments.overview import last_paired
from projections.tournaments.pairings import PastPairing, pairing_with
from projections.tournaments.reasons import why
from projections.tournaments.rounds import TableSeat, TableView, round_view
from services.http.injected import Injected
from services.web.invitations import AnyRequest
from services.web.sites import Json
from services.web.tournaments.entry import PUBLIC
from services.web.tournaments.folder import Folder
from services.web.tournaments.sites import ShownTournament, TournamentSite, names_of, newest, shown_at, texts_of
from services.web.writing.renderer import PageRenderer
from services.words.catalogue import spoken

WHY_MAX: Final = 12
"""How many others a page says at once why they sit elsewhere: those whom it would have cost least to seat there."""
ACTS_OF_ROUND: Final = ("table.replayed", "tables.unpaired", "tables.fixed", "time.given", "round.extended")
"""What officials do to a round, besides their word on a table."""
StageAsked = Annotated[int | None, QueryParameter(name="stage", ge=1, le=4)]
RoundAsked = Annotated[int | None, QueryParameter(name="round", ge=0, le=1_000_000)]
LineAsked = Annotated[int | None, QueryParameter(ge=0, le=2**31)]
Number = Annotated[int | None, QueryParameter(ge=1, le=1_000_000)]


def paired_rounds(tournament: Tournament) -> list[Place]:
    """Return the rounds that are paired, in order: what pages lead to."""
    return [
        (stage.number, number)
        for stage in tournament.stages
        for number, held in sorted(stage.rounds.items())
        if held.is_paired
    ]


def round_asked(tournament: Tournament, stage: int | None, number: int | None) -> Place | None:
    """Return the round that is asked for, or the last that is paired; None where there is none.

    Raises:
        Refused: `not_paired`: another round is asked for.
    """
    if stage is None and number is None:
        found = last_paired(tournament)
        return None if found is None else (found[0], found[1].number)
    chosen = len(tournament.stages) if stage is None else stage
    there = [place for place in paired_rounds(tournament) if place[0] == chosen and number in {None, place[1]}]
    if not there:
        raise Refused("not_paired", stage=chosen, round=number)
    return there[-1]


@get("/t/{tournament:str}/pairings", opt=PUBLIC)
async def pairings(
    request: AnyRequest,
    tournament: FromPath[str],
    events: Injected[TournamentSite],
    paper: Injected[PageRenderer],
    folder: Injected[Folder],
    stage: StageAsked = None,
    number: RoundAsked = None,
    before: LineAsked = None,
) -> Response[str]:
    """Return who sits where in a round, with what came of it, and what officials did, the newest or `before` a line."""
    shown = await shown_at(events, tournament)
    place = round_asked(shown.tournament, stage, number)
    texts = await texts_of(events, shown, (act.note for act in shown.acts if act.place == place))

    def make() -> Json:
        return {**_pairings(shown, place, before), "texts": texts}

    of = (place, before, frozenset(texts.items()))
    return await folder.page(request, paper, "tournament_pairings.html", shown, of, make)


def _pairings(shown: ShownTournament, place: Place | None, before: int | None) -> Json:
    tournament = shown.tournament
    view = None if place is None else round_view(tournament, shown.names, *place)
    found = {"view": view, "place": place, "rounds": paired_rounds(tournament), "seats_of": seats_of}
    # A ruling is told at its table.
    acts = [act for act in shown.acts if act.place == place and act.kind in ACTS_OF_ROUND]
    told, older = newest((act.line for act in acts), before)
    shown_acts = [act for act in acts if act.line in told]
    return {**found, "names": names_of(shown), "acts": shown_acts, "older": older}


def seats_of(table: TableView) -> tuple[TableSeat, ...]:
    """Return who sits at a table: in seat order, and once it is over by place, with the absent last."""
    return tuple(sorted(table.seats, key=lambda seat: (seat.place is None, seat.place or 0, seat.seat)))


@get("/t/{tournament:str}/why", opt={**PUBLIC, "dear": True})
async def reason(
    request: AnyRequest,
    tournament: FromPath[str],
    events: Injected[TournamentSite],
    paper: Injected[PageRenderer],
    folder: Injected[Folder],
    stage: StageAsked = None,
    round_number: Annotated[int | None, QueryParameter(name="round", ge=1, le=1_000_000)] = None,
    number: Number = None,
    other: Annotated[int | None, QueryParameter(name="with", ge=1, le=1_000_000)] = None,
) -> Response[str]:
    """Return why somebody sits at a table, and what it would have cost to seat them with another."""
    shown = await shown_at(events, tournament)
    place = round_asked(shown.tournament, stage, round_number)
    if number is not None and number not in shown.tournament.entrants:
        raise Refused("unknown_number", number=number)
    past = {} if number is None or place is None else await events.pairings(shown.tournament.id)

    def make() -> Json:
        return _why(shown, place, past.get(place, ()) if place else (), number, None if other == number else other)

    return await folder.page(request, paper, "tournament_why.html", shown, (place, number, other), make)


def _why(
    shown: ShownTournament, place: Place | None, past: tuple[PastPairing, ...], number: int | None, other: int | None
) -> Json:
    found = None
    if number is not None and past:
        found = why(pairing_with(past, number), shown.names, number, other)
        if other is None:
            found = replace(found, others=tuple(each for each in found.others if each.how != "together"))
    return {
        "view": found,
        "place": place,
        "number": number,
        "other": other,
        "rounds": paired_rounds(shown.tournament),
        "entrants": sorted(
            entrant_rows(shown.tournament, shown.names), key=lambda one: (alphabet_key(one.name, spoken()), one.number)
        ),
        "names": names_of(shown),
        "others_max": WHY_MAX,
    }
