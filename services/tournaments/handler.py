"""The command handler of tournaments: what people ask for, as commands, and what only this program knows of them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from uuid import UUID

import msgspec
from msgspec.structs import replace

from domain.errors import Refused
from domain.match.record import GENESIS
from domain.match.settings import HOUSE_RULES
from domain.tournaments import commands, events
from domain.tournaments.boards.decide import OfDrawer
from domain.tournaments.boards.rules import OF_HOSTS
from domain.tournaments.deciding.decide import decide
from domain.tournaments.evolve import new_tournament
from domain.tournaments.options import rules_from
from domain.tournaments.record import TournamentAtHead, lines_of, stream_of
from domain.tournaments.rules import object_of
from infra.clock import now_ms
from infra.measures.slow import SlowCommands
from infra.store import Card, Conflict, EventStore
from services.audit.beacons import BeaconSource
from services.audit.dutch import lacks_package
from services.matches import optimistic
from services.matches.chance import NO_CHANCE, beacon_setting
from services.matches.reads.cards import PLAIN
from services.matches.requests import CommandMetadata, KeyUsed, Signs
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from services.seasons.reads import SeasonQueries
from services.tournaments.cached import CachedTournament
from services.tournaments.deciding import Asked, TournamentDecisions
from services.tournaments.requests import NOTHING, Beside, BoardAnswer, TournamentAnswer, UnknownBoard, named
from services.tournaments.seasons import check_season
from services.tournaments.tables import boards_ever
from services.tournaments.ways.lists import Custody, EntryList, EntryRow, row_name
from services.work.failures import Stuck
from services.work.worker import Worker


class TournamentHandler(TournamentDecisions):
    """Every tournament of the house, and the commands that change it."""

    def __init__(
        self,
        store: EventStore,
        vault: Vault,
        tokens: TokenIssuer,
        signs: Signs | None = None,
        beacon: BeaconSource | None = None,
        stuck: Stuck | None = None,
        worker: Worker | None = None,
        slow: SlowCommands | None = None,
    ) -> None:
        """Handle commands against this store, with the secrets of this vault.

        Without `signs` there are no receipts; lots may wait for `beacon`; `stuck` is told what cannot be read; large
        fields are paired by `worker`; how long commands take is told to `slow`.
        """
        super().__init__(store, vault, tokens, signs, stuck, worker, slow)
        self._beacon = beacon
        self._seasons = SeasonQueries(store)

    async def create(
        self, rules: dict[str, Any], ask: CommandMetadata, card: Card = PLAIN, season: UUID | None = None
    ) -> TournamentAnswer:
        """Announce a tournament under these rules, and return its host's token.

        Its id follows from the request, so that a repeat finds the same one. Matches that say nothing of people who
        stop take the rules of the house. A crash before the append leaves the card of no tournament.

        Args:
            rules: The rules object.
            ask: The request.
            card: What it is called, and whether it is listed.
            season: The season whose host asks, if that is so: for others nobody may hold a tournament.

        Raises:
            Refused: `bad_options`, naming the first option that is wrong.
        """
        created = self._created(await optimistic.id_of(self._store, self._tokens, ask, stream_of), rules)
        tournament_id = UUID(created.tournament)
        if await self._store.answer(stream_of(tournament_id), ask.command) is None:
            await check_season(self._seasons, created.rules, season)
        stream, at = stream_of(tournament_id), now_ms()
        if card != PLAIN and await self._store.keep_card(stream, card) != card:
            raise KeyUsed
        host = self._official_of(tournament_id, ask)
        before = new_tournament(created, at)
        made = decide(before, commands.Appoint(by=host, official=host, role="host"), at, GENESIS, None)
        happened = (created, *made.events)
        lines, head = lines_of(tournament_id, 0, GENESIS, at, happened)
        answer = self._answer(tournament_id, len(lines), head, made)
        append = self._append_of(0, lines, happened, ask, answer, made, NOTHING)
        outcome = await optimistic.append(self._store, append, TournamentAnswer)
        if isinstance(outcome, Conflict):
            raise KeyUsed
        if isinstance(outcome, TournamentAnswer):
            return await self._with_token(outcome, ask)
        self._keep(CachedTournament(TournamentAtHead(made.tournament, head), {}))
        return await self._with_token(answer, ask)

    def _created(self, tournament_id: UUID, rules: dict[str, Any]) -> events.TournamentCreated:
        given = dict(rules)
        if isinstance(given.get("match"), dict):
            usual = {name: value for name, value in HOUSE_RULES.items() if name not in OF_HOSTS}
            given["match"] = {**usual, **given["match"]}
            if given["match"]["asides"] is None:
                raise Refused(
                    "bad_options", option="match.asides", why="what may be written without an end has a bound"
                )
            for name in OF_HOSTS:
                if given["match"].get(name) is not None:
                    why = "at a table of a tournament its officials do what hosts do"
                    raise Refused("bad_options", option=f"match.{name}", why=why)
        lots = given.get("lots")
        if isinstance(lots, dict) and isinstance(lots.get("beacon"), str):
            setting = beacon_setting(self._beacon, lots["beacon"])
            given["lots"] = {**lots, "beacon": msgspec.to_builtins(setting)}
        read = rules_from(given)
        if read.prizes is not None and not read.prizes.unit.isprintable():
            raise Refused("bad_options", option="prizes.unit", why="this has nothing in it that cannot be seen")
        if lacks_package(read):
            why = "this house has no package that pairs so: truecup[dutch]"
            raise Refused("bad_options", option="stages.0.format", why=why)
        return events.TournamentCreated(str(tournament_id), object_of(read), "all")

    def _official_of(self, tournament_id: UUID, ask: CommandMetadata) -> str:
        return "o" + self._tokens.name(ask.command, tournament_id).hex()[:24]

    async def appoint(self, tournament_id: UUID, by: str, role: events.Role, ask: CommandMetadata) -> TournamentAnswer:
        """Give somebody powers, and return the token they are had with."""
        command = commands.Appoint(by=by, official=self._official_of(tournament_id, ask), role=role)
        return await self.submit(tournament_id, command, ask)

    async def register(
        self,
        tournament_id: UUID,
        by: str | None,
        name: str | None,
        ask: CommandMetadata,
        club: str | None = None,
        custody: Custody = "server",
        person: str | None = None,
        seed: int | None = None,
    ) -> TournamentAnswer:
        """Enter somebody under this name, as `by` asks or of themselves, and return the entrant's token.

        With the `custody` of the client, the entrant's program draws the seeds of the seats at its tables. A player
        (`person`) goes in by the own id, at the rating of the season, and is called by the name that is kept already. A
        `seed` is the place among the seeds, which a host sets by hand.
        """
        stream = stream_of(tournament_id)
        player = person or "e" + self._tokens.name(ask.command, tournament_id).hex()[:24]
        club_id = None if club is None else self._club_of(tournament_id, club)
        rating = await self._rating_of(tournament_id, player)
        command = commands.Register(by=by or player, player=player, club=club_id, rating=rating, seed=seed)
        beside = named(player, name, kept=person is not None)
        if custody == "client" or person is not None:
            await self.check(tournament_id, command, ask, beside)
        # A crash behind this leaves rows of nobody, and so does whoever is a moment quicker and takes the place.
        if custody == "client":
            await self._store.keep_own_seeds(stream, player)
        # A list that was erased is not brought back by whoever has entered already, and asks again.
        if person is not None and not await self._has_entered(tournament_id, person):
            await self._store.keep_entry(person, stream)
        return await self.submit(tournament_id, command, ask, beside)

    async def _has_entered(self, tournament_id: UUID, player: str) -> bool:
        entrants = (await self.load(tournament_id)).tournament.entrants.values()
        return any(each.player == player for each in entrants)

    async def _rating_of(self, tournament_id: UUID, player: str) -> tuple[int, int] | None:
        """Return how strong somebody is in the season that a tournament is held for, if there is one."""
        season = (await self._cached_or_loaded(tournament_id)).tournament.rules.season
        return await self._seasons.rating(season, player)

    async def register_all(
        self, tournament_id: UUID, by: str, rows: Sequence[EntryRow], ask: CommandMetadata
    ) -> TournamentAnswer:
        """Enter everybody of a list, as a host asks, or nobody; the answer holds a token for each, in their order."""
        players = ["e" + self._tokens.name(row_name(ask, at), tournament_id).hex()[:24] for at in range(len(rows))]
        clubs = [None if row.club is None else self._club_of(tournament_id, row.club) for row in rows]
        asked = (
            commands.Register(by=by, player=player, club=club, seed=row.seed)
            for player, club, row in zip(players, clubs, rows, strict=True)
        )
        called = tuple(row.name for row in rows)
        beside = Beside(people=tuple(zip(players, called, strict=True)), called=called)
        entered = EntryList(tuple(asked))
        own = [player for player, row in zip(players, rows, strict=True) if row.custody == "client"]
        if own:
            await self.check(tournament_id, entered, ask, beside)
        for player in own:
            # A crash behind this leaves rows of nobody, and so does whoever is a moment quicker.
            await self._store.keep_own_seeds(stream_of(tournament_id), player)
        return await self.submit(tournament_id, entered, ask, beside)

    async def register_bot(
        self, tournament_id: UUID, by: str, manner: str, name: str, ask: CommandMetadata
    ) -> TournamentAnswer:
        """Enter a bot of the house that plays so, a style or `<level>.<style>`, openly marked as one in its id."""
        player = f"bot/{manner}/{self._tokens.name(ask.command, tournament_id).hex()[:8]}"
        command = commands.Register(by=by, player=player, bot=True, rating=await self._rating_of(tournament_id, player))
        answer = await self.submit(tournament_id, command, ask, Beside(people=((player, name),)))
        return replace(answer, role=None, token=None)

    def _club_of(self, tournament_id: UUID, club: str) -> str:
        about = hashlib.sha256(b"truecup club\n" + club.strip().casefold().encode()).digest()
        return "c" + self._tokens.name(about, tournament_id).hex()[:24]

    async def submit(
        self, tournament_id: UUID, command: Asked, ask: CommandMetadata, beside: Beside = NOTHING
    ) -> TournamentAnswer:
        """Decide a command and store what it leads to; of cases and boards only the house knows how they stand.

        Raises:
            Refused: `unknown_case`, to officials alone; `wrong_phase`, where the dice of a board are not published yet;
                or as a law says.
        """
        if isinstance(command, commands.OpenCase):
            await self._check_case(tournament_id, command)
        if isinstance(command, commands.Finish):
            await self._check_boards(tournament_id)
        return await super().submit(tournament_id, command, ask, beside)

    async def _check_case(self, tournament_id: UUID, command: commands.OpenCase) -> None:
        # Whoever is no official is refused as such, whatever the name: else it would tell which cases there are.
        officials = (await self.load(tournament_id, 0)).tournament.officials
        found = await self.screening(tournament_id, command.by) if command.by in officials else None
        if command.by in officials and (found is None or found.case(command.case) is None):
            raise Refused("unknown_case")

    async def give_seed(self, board_id: UUID, command: OfDrawer, ask: CommandMetadata) -> BoardAnswer:
        """Take what somebody who draws for a board gives to its deal."""
        return await self.boards.give(board_id, command, ask)

    async def _check_boards(self, tournament_id: UUID) -> None:
        # What is closed is looked at by nobody: a board that is not would keep its dice for ever.
        tournament = (await self.load(tournament_id, 0)).tournament
        for each in boards_ever(tournament):
            with suppress(UnknownBoard):
                if not (await self.boards.load(each)).board.ended:
                    raise Refused("wrong_phase", phase=tournament.phase, why="a board is not closed yet")

    async def proceed(self, tournament_id: UUID, by: str, ask: CommandMetadata) -> TournamentAnswer:
        """Do what is due."""
        return await self.submit(tournament_id, commands.Proceed(by=by, chance=NO_CHANCE), ask)

    async def erase_note(self, tournament_id: UUID, note: str, by: str) -> bool:
        """Erase a text that a line names by this hash, with its salt, and report whether there was one.

        The line stays, and every proof of it: a hash of 16 bytes that nobody knows any more says nothing of the text.

        Raises:
            Refused: `not_an_official`; `own_ruling`: it is what an open appeal says against a ruling of who asks, and
                there are other officials.
        """
        cached = await self.load(tournament_id)
        tournament = cached.tournament
        if by not in tournament.officials:
            raise Refused("not_an_official")
        for appeal in tournament.appeals.values():
            against_own = appeal.note == note and appeal.outcome is None and tournament.ruled.get(appeal.line) == by
            if against_own and len(tournament.officials) > 1:
                raise Refused("own_ruling", line=appeal.line)
        return note in cached.notes and await self._store.erase_note(stream_of(tournament_id), note)
