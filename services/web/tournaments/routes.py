"""Routes of the pages of tournaments."""

from __future__ import annotations

from litestar.types import ControllerRouterHandler

from services.web.tournaments.announcing import announcement
from services.web.tournaments.conduct import console
from services.web.tournaments.entry import event, event_code, own_card_page
from services.web.tournaments.hall.papers import cards_to_print, certificate, slips_to_print
from services.web.tournaments.hall.tables import live_tables
from services.web.tournaments.listing import tournaments
from services.web.tournaments.places import bracket, entrant, luck, standings, standings_file
from services.web.tournaments.rounds import pairings, reason
from services.web.tournaments.walls import lists_to_print, screen


def pages_of_events() -> list[ControllerRouterHandler]:
    """Return the handlers of pages."""
    return [
        tournaments,
        announcement,
        event,
        own_card_page,
        console,
        screen,
        lists_to_print,
        cards_to_print,
        slips_to_print,
        certificate,
        live_tables,
        pairings,
        reason,
        standings,
        luck,
        entrant,
        bracket,
    ]


def codes_of_events() -> list[ControllerRouterHandler]:
    """Return the handlers of what is no page, and answers with problem documents."""
    return [event_code, standings_file]
