"""The application: every route of the interface over one set of parts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from litestar import Litestar, Router
from litestar.datastructures import State
from litestar.di import Provide
from litestar.types import ControllerRouterHandler

from services.api import meters, requests
from services.api.analysing import analyses, hints, levels, policies
from services.api.boards import drawing
from services.api.commentary import comments, writers
from services.api.dear import Dear
from services.api.dependencies import Dependencies
from services.api.lists import bulk
from services.api.reference.asyncapi import asyncapi
from services.api.reference.openapi import CONFIG, document
from services.api.refusals import HANDLERS
from services.api.routes import (
    commands,
    health,
    match,
    matches,
    odds,
    publishing,
    rematch,
    seats,
    socket,
    statistics,
    streaming,
)
from services.api.routes.looking import Looking
from services.api.seasons import league, players
from services.api.tournaments import (
    announcing,
    askers,
    asking,
    entering,
    following,
    hooking,
    listing,
    officiating,
    previewing,
    screened,
)
from services.api.tournaments import streaming as tournament_streaming
from services.api.tournaments.files import bundling, filing
from services.http.bodies import BODY_MAX
from services.http.codings.compression import Compression
from services.http.documents import Documents
from services.http.front.rates import Rates
from services.http.layers.finishing import Finishing
from services.http.layers.hosts import KnownHosts
from services.http.layers.layered import Layer, layered, note_status
from services.http.layers.security_headers import SameSite, add_security_headers
from services.policies.shelf import Shelf

PREFIX: Final = "/api/v1"


def create_app(parts: Dependencies) -> Litestar:
    """Return the application that serves these parts."""
    return _make_application(parts, [_with_version(), *publishing.TILES, document, asyncapi, *parts.handlers])


def create_health_app(parts: Dependencies) -> Litestar:
    """Return an application that says how the process is, and serves nobody: for a process that does other work."""
    return _make_application(parts, [])


def _make_application(parts: Dependencies, handlers: Sequence[ControllerRouterHandler]) -> Litestar:
    rates, lines = Rates(parts.doors.turned_away), meters.RequestLines()
    spoken = meters.SocketMeter(parts, lines)
    return Litestar(
        route_handlers=[health.live, health.ready, health.metrics, *handlers],
        dependencies=_dependencies(parts, rates, spoken),
        exception_handlers=HANDLERS,
        middleware=[layered(_layers(parts, lines))],
        before_send=[note_status, add_security_headers],
        openapi_config=CONFIG,
        request_max_body_size=BODY_MAX,
        state=State({"parts": parts, "rates": rates}),
        logging_config=None,
    )


def _layers(parts: Dependencies, lines: meters.RequestLines) -> list[Layer]:
    """Return what stands before the handlers, the outermost first."""
    return [
        meters.Meter(parts, lines),
        Finishing(parts.doors),
        KnownHosts(parts.hosts),
        Looking(parts.looks),
        SameSite(),
        Dear(parts.bounds, parts.doors.turned_away),
        Compression(),
    ]


def _with_version() -> Router:
    handlers = [
        *(matches.methods, matches.list_games, matches.open_match, matches.list_matches, bulk.open_matches),
        *(seats.join, seats.name_key, seats.take_key, seats.leave, seats.erase_name, seats.start, seats.say),
        *(rematch.methods, rematch.ask_for_rematch, rematch.see_rematch),
        *(commands.play, odds.questions, odds.odds, levels.methods, seats.seat_bots, levels.bot_turns),
        *(analyses.analysis_of_match, analyses.moments_of_match, analyses.page_of_match),
        *(analyses.analyse_record, analyses.analysis_by_name),
        *(policies.list_policies, policies.policy_file, levels.show_ladder),
        *(match.view, match.replay, match.choices_of, match.openings, match.folded),
        *(match.record, match.lines, match.names_of, match.policy, match.access, match.audit),
        *(streaming.stream, streaming.cast_match, streaming.count_watching),
        socket.socket,
        *(publishing.checkpoint, publishing.policy),
        *(statistics.statistics, statistics.sheets, hints.hint),
        *(announcing.methods, announcing.announce, announcing.list_tournaments, announcing.view_tournament),
        *(entering.methods, entering.enter, entering.list_entrants, entering.enter_bots),
        *(listing.enter_list, entering.appoint, entering.dismiss, asking.ask_of_tournament),
        *(tournament_streaming.stream_tournament, tournament_streaming.stream_own_card),
        *(
            following.view_round,
            following.view_table,
            following.view_standings,
            following.view_bracket,
            following.view_luck,
        ),
        *(following.export_tournament, following.lines_of_tournament, bundling.bundle_tournament),
        *(filing.why_this_table, filing.certificate_of_round, filing.pairings_file, filing.results_file),
        *(filing.event_trf, filing.calendar, entering.view_entrant),
        *(following.notes_of_tournament, officiating.erase_note, following.own_card, asking.sit_at_own_table),
        *(hooking.methods, hooking.make_webhook, hooking.list_webhooks, hooking.drop_webhook, hooking.try_webhook),
        *(previewing.preview_round, officiating.troubles_of_tournament, screened.list_cases, screened.view_case),
        *(drawing.record_of_board, drawing.own_draw, drawing.give_seed_to_board),
        *(league.begin_season, league.view_season, league.close_season, league.export_season),
        *(comments.methods, comments.list_comments, comments.say_comment, comments.methods_of_one),
        *(comments.replace_comment, comments.withdraw_comment, comments.export_comments),
        *(writers.methods, writers.view_writers, writers.let_write),
        *(players.make_player, players.view_player, players.renew_player_token, players.erase_player),
    ]
    return Router(PREFIX, route_handlers=handlers)


def _dependencies(parts: Dependencies, rates: Rates, spoken: meters.SocketMeter) -> dict[str, Provide]:
    documents, shelf = Documents(), Shelf()
    auditing, odds = asyncio.Semaphore(parts.bounds.audits_at_once), asyncio.Semaphore()
    return {
        "parts": Provide(lambda: parts, sync_to_thread=False),
        "rates": Provide(lambda: rates, sync_to_thread=False),
        "spoken": Provide(lambda: spoken, sync_to_thread=False),
        "documents": Provide(lambda: documents, sync_to_thread=False),
        "shelf": Provide(lambda: shelf, sync_to_thread=False),
        "auditing": Provide(lambda: auditing, sync_to_thread=False),
        "reckoning": Provide(lambda: odds, sync_to_thread=False),
        "newcomer": Provide(requests.newcomer),
        "asker": Provide(requests.asker),
        "viewer": Provide(requests.viewer),
        "tournament_asker": Provide(askers.tournament_asker),
        "appointing_asker": Provide(askers.appointing_asker),
        "list_asker": Provide(askers.list_asker),
        "tournament_viewer": Provide(askers.tournament_viewer),
    }
