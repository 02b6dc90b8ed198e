"""The page of an event: what, when, how far, the rules in words, who is in, and a code to join."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from litestar import Response, get
from litestar.params import FromPath

from domain.games import GAMES
from domain.tournaments.tournament import Tournament
from projections.tournaments.entrants import entrant_rows, may_enter
from projections.tournaments.overview import tournament_view
from services.http.injected import Injected
from services.web.invitations import AnyRequest, Reach, address_for_others, code_of
from services.web.options import rules_in_words
from services.web.sites import Json, Site
from services.web.tournaments.folder import Folder
from services.web.tournaments.sites import ShownTournament, TournamentSite, shown_at
from services.web.tournaments.wording import due_text, lots_text, rules_of_event
from services.web.writing.renderer import PageRenderer

PUBLIC: Final = {"public": True}
"""Pages of tournaments are written for whoever comes: all they say stands in the stream, or is a name."""


@get("/t/{tournament:str}", opt=PUBLIC)
async def event(
    request: AnyRequest,
    tournament: FromPath[str],
    site: Injected[Site],
    events: Injected[TournamentSite],
    paper: Injected[PageRenderer],
    folder: Injected[Folder],
    reach: Injected[Reach],
) -> Response[str]:
    """Return the page of a tournament."""
    shown = await shown_at(events, tournament)
    cards = await site.games()
    address = address_for_others(request, f"/t/{shown.tournament.id}", reach)

    def make() -> Json:
        return _entry(shown, cards, address)

    return await folder.page(request, paper, "tournament_entry.html", shown, address, make)


@get("/t/{tournament:str}/me", opt=PUBLIC)
async def own_card_page(
    request: AnyRequest,
    tournament: FromPath[str],
    events: Injected[TournamentSite],
    paper: Injected[PageRenderer],
    folder: Injected[Folder],
) -> Response[str]:
    """Return the page that shows an entrant the own card, which only its script asks for."""
    shown = await shown_at(events, tournament)
    return await folder.page(request, paper, "tournament_card.html", shown, None, partial(_card_page, shown))


@get("/t/{tournament:str}/qr.svg", opt={"dear": True}, include_in_schema=False)
async def event_code(
    request: AnyRequest, tournament: FromPath[str], events: Injected[TournamentSite], reach: Injected[Reach]
) -> Response[bytes]:
    """Return the QR code of a tournament's address.

    Raises:
        HttpProblem: `not_found`; `bad_host`, for a name that is longer than any name.
    """
    shown = await shown_at(events, tournament)
    return code_of(request, f"/t/{shown.tournament.id}", reach)


def _card_page(shown: ShownTournament) -> Json:
    view = tournament_view(shown.tournament, shown.names, shown.title)
    return {"view": view, "due": due_text(view.due), "may_enter": may_enter(shown.tournament)}


def may_join(tournament: Tournament) -> bool:
    """Report whether the page invites: somebody may enter now, or people are told of an entry that is to open."""
    is_to_open = tournament.phase == "announced" and not tournament.rules.entry.invited
    return is_to_open or may_enter(tournament)


def _entry(shown: ShownTournament, cards: Sequence[Json], address: str) -> Json:
    tournament, rules = shown.tournament, shown.tournament.rules
    view = tournament_view(tournament, shown.names, shown.title)
    game = GAMES[rules.match["game"]]
    card = next(card for card in cards if card["name"] == game.name)
    return {
        "view": view,
        "game": card,
        "address": address,
        "due": due_text(view.due),
        "rules": rules_of_event(rules),
        "at_table": rules_in_words(card, rules.match),
        "lots": lots_text(view, rules),
        "entrants": entrant_rows(tournament, shown.names),
        "joins": may_join(tournament),
        "prizes": {each.who.number: each.prize for each in view.prizes},
    }
