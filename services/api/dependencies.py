"""Dependencies of the HTTP interface: all it needs from the rest of the program.

The ports belong here, to the one who needs them; `services/program/app.py` wires them by hand.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn, Protocol
from uuid import UUID

from litestar.types import ControllerRouterHandler
from prometheus_client import CollectorRegistry

from domain import commands, events
from domain.analysis.hints import Hint
from domain.fairness.deal import Policy
from domain.ids import Seat, Version
from domain.statistics.uniformity import Statistics
from infra.store import TOP, Card, ProjectionRow, RowPlace, Unavailable
from projections.commentary.comments import CommentView
from projections.glass import Eyes
from projections.lobby import State
from projections.view import View
from services.analysis.desk import Failed, Job, Underway
from services.api.kin import Kin
from services.api.tournament_port import (
    CommentPort,
    NoTournaments,
    PlayerPort,
    SeasonPort,
    SeatsAtTables,
    TournamentPort,
    TournamentStreamPort,
    WebhookPort,
)
from services.audit.verdict import Evidence
from services.engines.level_names import Level
from services.http.bounds import Bounds
from services.http.front.drain import Drain
from services.http.game_cards import GameCard
from services.http.problems import HttpProblem
from services.live.hint_desk import Frames
from services.matches.looks import Looks
from services.matches.reads.cards import PLAIN
from services.matches.reads.queries import Viewer
from services.matches.requests import AS_BEFORE, NO_MARK, Answer, CommandMetadata, SeatMark, SitsAgain, TakesKey
from services.matches.secrets.tokens import Bearer, Holder
from services.matches.tables.bulk import BulkAnswer, BulkTable
from services.matches.tables.rematches import NextTable
from services.matches.watching.bot_turns import ToldTurn
from services.matches.watching.casting import LateFrames
from services.matches.watching.crowds import Crowds
from services.matches.watching.telling import ToldSource


class Reading(Protocol):
    """The matches of the house, as one viewer may see them."""

    async def holding(self, match_id: UUID, viewer: Viewer) -> Viewer:
        """Return who looks; None, a spectator, for whoever has left the seat."""

    async def view(self, match_id: UUID, viewer: Viewer) -> View:
        """Return the match as this viewer sees it now.

        Whoever has left the seat sees what spectators do, here and below.
        """

    async def frames(self, match_id: UUID, viewer: Viewer, after: int, limit: int) -> list[bytes]:
        """Return at most `limit` encoded frames of this viewer with versions above `after`, ascending."""

    async def opened(self, match_id: UUID, viewer: Holder) -> bytes:
        """Return the openings of the hidden dice this viewer may know now, and the choices that led to them, as JSON.

        How long it is tells nothing of the dice.
        """

    async def folded(self, match_id: UUID, viewer: Holder) -> list[events.Revealed]:
        """Return the openings of this viewer's dice that deals now over have kept secret."""


class Acting(Reading, Protocol):
    """The matches of the house, as whoever shows a token may change them."""

    async def seat_bots(self, match_id: UUID, count: int, ask: CommandMetadata, level: Level) -> Answer:
        """Seat house bots."""

    async def start(self, match_id: UUID, ask: CommandMetadata) -> Answer:
        """Close the lobby and begin the first deal."""

    async def submit(self, match_id: UUID, command: commands.MatchCommand, ask: CommandMetadata) -> Answer:
        """Decide a command and store what it leads to."""

    async def rematch(self, match_id: UUID, ask: CommandMetadata, again: SitsAgain = AS_BEFORE) -> Answer:
        """Sit down at the next table of a match that is over, or have it opened."""

    async def take_key(self, match_id: UUID, asked: TakesKey, ask: CommandMetadata) -> Answer:
        """Have whoever holds a seat without a key take it again with one."""

    async def erase_name(self, match_id: UUID, holder: Holder) -> bool:
        """Erase what the holder of a seat is called, and report whether there was a name."""


class MatchPort(Reading, LateFrames, ToldSource, Protocol):
    """The matches of the house, for everybody, and the way to what a token opens."""

    async def open(
        self, rules: dict[str, Any], ask: CommandMetadata, policy: Policy = "all", card: Card = PLAIN
    ) -> Answer:
        """Open a match under these rules, with deals that publish this; the answer holds its host's token."""

    async def open_all(self, tables: Sequence[BulkTable], ask: CommandMetadata) -> BulkAnswer:
        """Open all of these tables, or none; the answer holds the tokens of their hosts and of who sits there."""

    async def opened_all(self, ask: CommandMetadata) -> BulkAnswer | None:
        """Return what a request for many tables has led to before; None if it has not."""

    async def join(
        self,
        match_id: UUID,
        name: str,
        custody: Literal["client", "server"],
        ask: CommandMetadata,
        invite: str | None = None,
        mark: SeatMark = NO_MARK,
    ) -> Answer:
        """Seat a person, with the invitation to a private table; the answer holds the seat and its token."""

    async def hand_in(self, match_id: UUID, command: commands.MatchCommand, ask: CommandMetadata) -> Answer:
        """Decide a command by its signature alone, whoever brings it."""

    async def next_table(self, match_id: UUID) -> NextTable:
        """Return whether there is a next table of this match, and who of its people sits there."""

    async def bearer(self, token: str) -> Bearer | None:
        """Return who this token speaks for, if anybody."""

    def for_token(self, token: str) -> Acting:
        """Return the matches as they are for whoever shows this token, of which `bearer` has said whose it is."""

    async def version_now(self, match_id: UUID) -> tuple[Version, bool]:
        """Return at which version the match is, which seats alone know at once, and whether it is over."""

    async def card(self, match_id: UUID) -> Card:
        """Return what is known of a table beside the log."""

    async def bot_turns(self, match_id: UUID) -> list[ToldTurn]:
        """Return how bots have taken their turns, in deals that are over."""

    async def frames_through(self, match_id: UUID, eyes: Eyes, after: int, limit: int) -> list[bytes]:
        """Return frames as `frames` does, with every die that is published by now for these eyes."""

    async def record(self, match_id: UUID) -> bytes:
        """Return the record file of CUP/1 section 4.10."""

    async def lines(self, match_id: UUID, after: int, viewer: Holder | None) -> list[bytes]:
        """Return lines of the record behind a version, as many as are told at once."""

    async def beginning(self, match_id: UUID) -> bytes:
        """Return the record up to its first checkpoint; all of it where it has none."""

    async def names_told(self, match_id: UUID) -> bytes:
        """Return what those are called who took a seat, with the salts of what lines commit to, one a line."""

    async def access(self, match_id: UUID) -> bytes:
        """Return the access record: who was served which hidden dice, from which version on, and no value."""

    async def evidence(self, match_id: UUID) -> tuple[bytes, Evidence]:
        """Return all that an audit reads: the record, and the access record, which very old matches have not."""

    async def lobby(
        self, state: State | None, limit: int, before: RowPlace = TOP, game: str | None = None
    ) -> list[dict[str, Any]]:
        """Return at most `limit` rows of the lobby in each state before this place, those that moved last first.

        With a `game` they are of that game alone.
        """

    async def statistics(self) -> Statistics:
        """Return what all dice of the house came to."""

    async def sheets(self, limit: int, before: RowPlace = TOP) -> list[ProjectionRow]:
        """Return the sheets of at most `limit` matches that stand before this place, those that moved last first."""


class StreamedItem(Protocol):
    """One thing a stream says.

    `kind` is `snapshot`, `frame`, `phrase`, `ended`, `bye` or `beat`; `version` is None for a phrase and a beat; `body`
    is one JSON document on one line, empty for a beat.
    """

    @property
    def kind(self) -> str:
        """What the item is."""

    @property
    def version(self) -> int | None:
        """The version of the match that the item shows."""

    @property
    def body(self) -> bytes:
        """The item as JSON."""


async def first_of(items: AsyncGenerator[StreamedItem, None], seen: int | None) -> StreamedItem:
    """Return what a stream begins with, unless the reader has seen what is still to come.

    Raises:
        HttpProblem: `version_in_the_future`.
    """
    first = await anext(items)
    if seen is not None and first.version is not None and seen > first.version:
        await items.aclose()
        raise HttpProblem("version_in_the_future", version=first.version)
    return first


class StreamPort(Protocol):
    """The frames of live matches, as they come."""

    def stream(
        self,
        match_id: UUID,
        viewer: Holder | None,
        after: int | None,
        source: Reading,
        over: asyncio.Future[None],
        beat_s: float,
        phrases: bool = False,  # noqa: FBT001, FBT002 - one of a list
    ) -> AsyncGenerator[StreamedItem, None]:
        """Yield a snapshot, then what follows version `after` (None: what follows the snapshot), then how it ended.

        For whoever leaves the seat it ends with that, with `bye`. What was not heard as it came is read from `source`,
        which may see what this viewer may. A silence has a `beat` every so many seconds, and once it is `over` for the
        reader, the stream says `bye`. Who wants `phrases` is told what seats say as well.
        """

    async def say(self, match_id: UUID, body: bytes) -> None:
        """Tell all who read a match what a seat says.

        Raises:
            Unavailable: The bus is away, and nobody is told.
        """


class TransparencyLog(Protocol):
    """What the house publishes so that others can check it (CUP/1 section 4.9)."""

    async def checkpoint(self) -> bytes | None:
        """Return the latest published checkpoint, None while there is none."""

    async def tile(self, path: str) -> bytes | None:
        """Return the tile or bundle of entries at this path, None if none is there."""

    async def policy(self) -> bytes:
        """Return the policy text that names the key of the log."""

    async def policy_for(self, record: bytes) -> str:
        """Return the policy that was in force when this record of the house was logged; its beginning will do."""


class AnalysisPort(Protocol):
    """Where analyses are made and kept."""

    async def ask(self, job: Job, network: str) -> bytes | Failed | Underway:
        """Return an analysis, or why there is none, or how far it is.

        Raises:
            DeskFull: As many wait as may.
            AskedTooMuch: So many wait for this network already.
        """

    async def look(self, name: str) -> bytes | Failed | Underway | None:
        """Return what is known of an analysis; None if nobody has asked for it, or it was thrown away."""


class NoAnalyses:
    """A process that makes none."""

    async def ask(self, job: Job, network: str) -> NoReturn:
        """Make none."""
        raise Unavailable(f"no analyses are made here: neither {job.name} for {network}, nor any other")

    async def look(self, name: str) -> NoReturn:
        """Know of none."""
        raise Unavailable(f"no analyses are made here: neither {name}, nor any other")


class HintPort(Protocol):
    """Where hints are worked out."""

    async def ask(self, match_id: UUID, seat: Seat, frames: Frames) -> Hint | None:
        """Return the hint for a seat now, made of its frames; None where it has nothing to decide.

        Raises:
            AskedTwice: The seat waits for one already.
            HintsBusy: As many wait as may.
            PlayedTooLong: The match has more lines than a hint is made of.
        """


class NoHints:
    """A process that gives none."""

    async def ask(self, match_id: UUID, seat: Seat, frames: Frames) -> NoReturn:
        """Give none."""
        raise Unavailable(f"no hints are given here: none for seat {seat} of {match_id} by {frames}")


class PagePort(Protocol):
    """Makes a match one page."""

    async def edition(self) -> str:
        """Return what tells pages of this release from those of another."""

    async def page(self, record: bytes, analysis: bytes, comments: Sequence[CommentView], language: str) -> bytes:
        """Return the page of a record, its analysis and what people say of it, in a language.

        Raises:
            CannotAnalyse: It would be too large, or takes too long.
            Unavailable: The process that does it has ended.
        """


class NoPages:
    """A process that makes none."""

    async def edition(self) -> str:
        """Return what there is of nothing."""
        return "none"

    async def page(self, record: bytes, analysis: bytes, comments: Sequence[CommentView], language: str) -> NoReturn:
        """Make none."""
        raise Unavailable(f"no pages are made here: {len(record)}, {len(analysis)}, {len(comments)}, {language}")


Check = Callable[[], Awaitable[str | None]]
"""A check of readiness: None, or why not, in a few words without secrets."""


@dataclass(frozen=True, slots=True)
class Dependencies:
    """Everything the interface is made of.

    Attributes:
        report: Audits a record with what lies beside it.
        games: The cards of the games, as `services.http.game_cards.cards` makes them.
        checks: Checks of readiness by name.
        notices: What is worth a word beside readiness, and keeps nobody from sending requests, by name.
        handlers: Handlers of others that live in the same application, such as the pages.
        hosts: The names the house is known by besides those of its machine; None if by any.
        doors: Whether the program still takes requests.
        looks: Who looks at what.
        crowds: How many watch what.
        registry: Where the meters are.
        kin: The processes that answer at the same address; None where this is the only one.
        tournaments: The tournaments of the house.
        tournament_streams: Their lines, as they come.
        seats: The seats at their tables.
        webhooks: Who is told of them.
        seasons: The seasons of the house.
        players: The players of the house.
        comments: What people say about matches.
        analyses: What was played, judged.
        hints: What might be played, at practice tables.
        pages: Makes a match one page.
    """

    matches: MatchPort
    streams: StreamPort
    log: TransparencyLog
    report: Callable[[bytes, Evidence], Awaitable[Mapping[str, Any]]]
    games: Sequence[GameCard]
    checks: Mapping[str, Check] = field(default_factory=dict)
    notices: Mapping[str, Check] = field(default_factory=dict)
    handlers: Sequence[ControllerRouterHandler] = ()
    hosts: frozenset[str] | None = None
    bounds: Bounds = field(default_factory=Bounds)
    doors: Drain = field(default_factory=Drain)
    looks: Looks = field(default_factory=Looks)
    crowds: Crowds = field(default_factory=Crowds)
    registry: CollectorRegistry = field(default_factory=CollectorRegistry)
    kin: Kin | None = None
    tournaments: TournamentPort = field(default_factory=NoTournaments)
    tournament_streams: TournamentStreamPort = field(default_factory=NoTournaments)
    seats: SeatsAtTables = field(default_factory=NoTournaments)
    webhooks: WebhookPort = field(default_factory=NoTournaments)
    seasons: SeasonPort = field(default_factory=NoTournaments)
    players: PlayerPort = field(default_factory=NoTournaments)
    comments: CommentPort = field(default_factory=NoTournaments)
    analyses: AnalysisPort = field(default_factory=NoAnalyses)
    hints: HintPort = field(default_factory=NoHints)
    pages: PagePort = field(default_factory=NoPages)
