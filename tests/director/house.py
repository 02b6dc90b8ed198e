"""A house that holds tournaments, over one store: its handlers, with a memory of their own as often as a test asks."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from functools import partial
from itertools import count
from typing import Any, Final
from uuid import UUID

from domain.log.receipts import sign_receipt
from domain.tournaments import commands
from domain.tournaments.presets import preset
from domain.tournaments.tournament import Tournament
from infra.abroad.pinned import PinnedPoster
from infra.feed.memory import MemoryFeed
from infra.keys import Ed25519Signer
from infra.sealing import Sealing
from infra.store import EventStore
from services.bots.player import Bots
from services.commentary.handler import CommentHandler
from services.commentary.writers import WriterLookup
from services.dealer.director import Director
from services.dealer.notary import Notary
from services.dealer.scheduler import MatchScheduler
from services.dealer.season_steps import SeasonSteps
from services.dealer.steps import TournamentSteps
from services.matches.handler import CommandHandler
from services.matches.heart import Heart
from services.matches.requests import CommandMetadata
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from services.matches.watching.presence import Presence
from services.seasons.handler import SeasonHandler
from services.seasons.players import PlayerRegister
from services.tournaments.handler import TournamentHandler
from services.tournaments.requests import TournamentAnswer
from services.tournaments.streams import TournamentStreams
from services.webhooks.hooks import Hooks
from services.work.failures import Stuck

ORIGIN: Final = "events.example/log"
SIGNER: Final = Ed25519Signer(bytes(32))
QUICK: Final = {"check_in_ms": 0, "between_ms": 0, "claims_ms": 0}
"""Times of a tournament that waits for nobody."""
DICE: Final = {"game": "common_hand", "options": {"dice_per_player": 1}, "pause_ms": 0}
"""Rules of matches that are over soon."""


class Nap:
    """Wakes its sleeper soon."""

    async def wait(self, timeout_s: float) -> None:
        await asyncio.sleep(min(timeout_s, 0.001))


class Unmissed(Heart):
    """The heart of a house in which somebody has always been there."""

    def uncounted_ms(self, since: int) -> int:  # noqa: ARG002 - all of it counts
        return 0


class EventHouse:
    """Handlers over a store.

    Attributes:
        tournaments: A handler of tournaments.
        matches: A handler of matches.
        id: The tournament that was announced last.
        host: The id of its host.
        handles: What handles commands of its matches.
        hearts: The hearts of what plays.
    """

    handles: type[CommandHandler] = CommandHandler

    def __init__(self, store: EventStore) -> None:
        self.store = store
        self._numbers = count()
        self.hearts: list[Heart] = []
        self.forget()

    def forget(self) -> None:
        """Begin anew, with no memory but the store, as after a crash."""
        vault, tokens = Vault(self.store, Sealing(bytes(32))), TokenIssuer(bytes(32))
        signs = partial(sign_receipt, ORIGIN, signers=(SIGNER,))
        self.tournaments = TournamentHandler(self.store, vault, tokens, signs)
        self.matches = self.handles(self.store, vault, tokens, signs)
        self.seasons, self.players = SeasonHandler(self.store, tokens, signs), PlayerRegister(self.store, tokens)
        lookup = WriterLookup(self.store, self.matches, self.players, self.tournaments)
        self.comments = CommentHandler(self.store, self.matches, lookup, signs)

    def notary(self) -> Notary:
        return Notary(self.store, ORIGIN, (SIGNER,))

    def works(self) -> list[Coroutine[Any, Any, None]]:
        """Return what plays: the scheduler with its notary, and the bots of the house; each knows only the log."""
        dealing, playing = EventHouse(self.store), EventHouse(self.store)
        self.hearts.append(Heart(self.store))
        scheduler = MatchScheduler(self.store, self.hearts[-1], dealing.matches, self.notary(), Nap())
        return [scheduler.run(), Bots(self.store, playing.matches, Nap(), 0).run()]

    def director(
        self, store: EventStore | None = None, stuck: Stuck | None = None, presence: Presence | None = None
    ) -> Director:
        """Return a director that knows nothing but the log, and who is there."""
        own = EventHouse(store or self.store)
        heart = Unmissed(own.store)
        steps = TournamentSteps(own.tournaments, own.matches, own.notary(), heart, presence=presence)
        return Director(own.store, own.tournaments, steps, Nap(), SeasonSteps(own.seasons, own.tournaments), stuck)

    def parts(self) -> dict[str, Any]:
        """Return what the interface needs of tournaments."""
        streams = TournamentStreams(self.tournaments, MemoryFeed(), quiet_s=0.01)
        hooks = Hooks(self.store, TokenIssuer(bytes(32)), PinnedPoster())
        told: dict[str, Any] = {
            "tournament_streams": streams,
            "webhooks": hooks,
            "seasons": self.seasons,
            "players": self.players,
        }
        told["comments"] = self.comments
        return {"tournaments": self.tournaments, "seats": self.matches, **told}

    def ask(self, **members: Any) -> CommandMetadata:
        return CommandMetadata("test", f"ask-{next(self._numbers)}", b"", **members)

    async def announce(self, name: str = "pods", **members: Any) -> TournamentAnswer:
        """Announce a tournament under the rules of a preset, of which members may be others, by the season's host."""
        rules = preset(name, **{"match": DICE, "time": QUICK, **members})
        season = None if rules.get("season") is None else UUID(rules["season"])
        answer = await self.tournaments.create(rules, self.ask(), season=season)
        assert answer.by is not None
        self.id, self.host = UUID(answer.tournament), answer.by
        return answer

    async def do(self, command: commands.AnyCommand) -> TournamentAnswer:
        return await self.tournaments.submit(self.id, command, self.ask())

    async def tournament(self) -> Tournament:
        return (await self.tournaments.load(self.id)).tournament

    async def enter(self, *names: str) -> list[TournamentAnswer]:
        """Open entry, and let these people in."""
        await self.do(commands.OpenEntry(by=self.host))
        return [await self.tournaments.register(self.id, None, name, self.ask()) for name in names]

    async def enter_bots(self, entrants: int) -> None:
        """Open entry, and let so many bots of the house in."""
        await self.do(commands.OpenEntry(by=self.host))
        for number in range(entrants):
            await self.tournaments.register_bot(self.id, self.host, "steady", f"Bot {number}", self.ask())

    async def check_in(self, draws: int = 0) -> None:
        """Let everybody be there; the first so many draw lots."""
        await self.do(commands.OpenCheckIn(by=self.host))
        for number in (await self.tournament()).entrants:
            await self.do(commands.CheckIn(by=self.host, number=number, draws=number <= draws))
