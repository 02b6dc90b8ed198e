"""Tables: a host who opens one, those who sit down and watch, and what the host does while they play."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, Final, Literal
from uuid import UUID

from domain import commands
from domain.games import rules_of
from domain.rules.rules import SharedCup
from services.matches.requests import Answer, CommandMetadata
from services.program.app import HouseProgram
from tests.simulation.comments import Commentator
from tests.simulation.keyed import Keyed, KeyedPlayer, Thief
from tests.simulation.people import STOPS, Crowd, Does, GaveUp, Player, Reader

POWERS: Final = {"hold_ms": 2_000, "away_ms": 1_000, "changes": 4}
"""What a host may do at some tables: hold them up for so long that everybody still waits for the end."""
ACTS_MAX: Final = 4
"""How often a host with powers uses them."""
BETWEEN_S: Final = (0.02, 0.3)
CLOSES_MAX: Final = 50
"""How often a host tries to be there between two rounds, before it asks for an end behind the round."""
CLOSES_S: Final = (0.2, 1.0)
"""For how long a game is played that only its host ends."""
SIGNS: Final = 0.75
"""How likely somebody signs who draws the seeds of a seat."""
_SIZES: Final[dict[str, dict[str, Any]]] = {"common_hand": {"dice_per_player": 1}, "finska": {"stake": 1}}
"""Options with which a game takes less long than it does as a rule."""


def short(game: str) -> dict[str, Any]:
    """Return the rules of a table of two at which a game is soon over."""
    rules = {"game": game, "options": _SIZES.get(game, {}), "seats": 2, "host": None, "asides": None}
    return {**rules, "pause_ms": 200 if is_open_ended(rules) else 0}


def is_open_ended(rules: dict[str, Any]) -> bool:
    """Report whether only the host ends a game."""
    return rules_of(rules["game"], rules["options"]).match.open_ended


def has_passed_cup(rules: dict[str, Any]) -> bool:
    """Report whether one cup is passed on in a game, so that its first player opens each round."""
    return isinstance(rules_of(rules["game"], rules["options"]).tokens, SharedCup)


class Host:
    """Whoever opened a match, who holds it up, locks it, hands seats to bots, and ends what nobody else can."""

    def __init__(self, crowd: Crowd, match_id: UUID, token: str, rules: dict[str, Any], reader: Reader) -> None:
        self._crowd = crowd
        self._match = match_id
        self._token = token
        self._rules = rules
        self._reader = reader
        self._stood_in = False

    async def run(self) -> None:
        """Do so until the match is over."""
        with suppress(GaveUp):
            if self._rules.get("host") == POWERS:
                await self._use_powers()
            # Whoever stops is given up for, and that ends a game; but not for whoever has a bot in the seat by now.
            if is_open_ended(self._rules) and (self._stood_in or self._rules.get("idle") is None):
                await asyncio.sleep(self._crowd.chance.uniform(*CLOSES_S))
                for _ in range(CLOSES_MAX):
                    if self._reader.ended or await self._asks(commands.CloseSession()):
                        return
                    self._crowd.check_time()
                    await asyncio.sleep(self._crowd.chance.uniform(*BETWEEN_S))
                await self._asks(commands.EndMatch())

    async def _use_powers(self) -> None:
        for _ in range(self._crowd.chance.randrange(ACTS_MAX + 1)):
            await asyncio.sleep(self._crowd.chance.uniform(*BETWEEN_S))
            power = self._any_power()
            taken = await self._asks(power)
            self._stood_in |= taken and isinstance(power, commands.StandInFor)

    def _any_power(self) -> commands.MatchCommand:
        seat = self._crowd.chance.randint(1, self._rules["seats"])
        powers: tuple[commands.MatchCommand, ...] = (
            commands.PauseTable("other"),
            commands.ResumeTable(),
            commands.LockTable(),
            commands.UnlockTable(),
            # Where no bots play, a stand-in is waited for like anybody who stops: for longer than all of this takes.
            commands.StandInFor(seat) if self._crowd.has_bots else commands.PauseTable("other"),
            commands.GiveSeatBack(seat),
            commands.GiveTime(seat, 1_000, "other"),
            commands.Kick(seat, "other"),
        )
        return self._crowd.chance.choices(powers, weights=(4, 4, 1, 1, 2, 1, 1, 1))[0]

    async def _asks(self, command: commands.MatchCommand) -> bool:
        async def does(program: HouseProgram, ask: CommandMetadata) -> Answer:
            return await program.matches().for_token(self._token).submit(self._match, command, ask)

        return await self._crowd.command(type(command).__name__, self._token, does) is not None


class Table:
    """One table, from the host's first request to the end of the match.

    Attributes:
        rules: Its rules, but for those of the house.
        match_id: The match, once it is open.
        readers: Those who follow it.
        talks: Whether its host comments on it.
        commentator: The host as whoever does, once it is open.
        with_keys: How many of its players draw their own seeds, most of them with a key to sign with.
        keyed: What those have.
    """

    def __init__(self, crowd: Crowd, number: int, rules: dict[str, Any], *, bots: int) -> None:
        self.rules = rules
        self._crowd = crowd
        self._number = number
        self._bots = bots
        self.match_id: UUID | None = None
        self.readers: list[Reader] = []
        self.talks = False
        self.commentator: Commentator | None = None
        self.with_keys = 0
        self.keyed: list[Keyed] = []

    async def run(self) -> None:
        """Open, sit down, and play to the end."""
        with suppress(GaveUp):
            await self._run()

    async def _run(self) -> None:
        opened = await self._crowd.command("open", None, self._open)
        assert opened is not None
        assert opened.token is not None
        self.match_id = UUID(opened.match)
        watching = [Reader(self._crowd, self.match_id, None, None) for _ in range(self._crowd.chance.choice((1, 2)))]
        async with asyncio.TaskGroup() as group:
            self.readers += watching
            if self.talks:
                self.commentator = Commentator(self._crowd, self.match_id, opened.token)
                group.create_task(self.commentator.run())
            for reader in watching:
                group.create_task(reader.run())
            for name in range(self.rules["seats"] - self._bots):
                sit_down = self._sit_with_key if name < self.with_keys else self._sit_down
                await sit_down(group, f"Player {self._number} {name}")
            if self._bots:
                last = f"/{self._bots - 1}"
                await self._crowd.command("seat_bots", opened.token, self._seat_bots(opened.token), None, last)
            await self._crowd.command("start", opened.token, self._start(opened.token))
            group.create_task(Host(self._crowd, self.match_id, opened.token, self.rules, watching[0]).run())

    async def _sit_down(self, group: asyncio.TaskGroup, name: str) -> None:
        custody: Literal["server"] = "server"

        async def does(program: HouseProgram, ask: CommandMetadata) -> Answer:
            assert self.match_id is not None
            return await program.matches().join(self.match_id, name, custody, ask)

        seated = await self._crowd.command("join", None, does)
        if seated is not None:
            assert seated.token is not None
            assert seated.seat is not None
            assert self.match_id is not None
            stops = seated.seat == 1 and (self.rules.get("idle") == STOPS or "clock" in self.rules)
            acts = self._crowd.chance.randrange(1 if "clock" in self.rules else 2) if stops else None
            player = Player(self._crowd, self.match_id, seated.token, seated.seat, acts)
            self.readers.append(player.reader)
            group.create_task(player.reader.run())
            group.create_task(player.run())

    async def _sit_with_key(self, group: asyncio.TaskGroup, name: str) -> None:
        assert self.match_id is not None
        keyed = Keyed(self._crowd, self.match_id, signs=self._crowd.chance.random() < SIGNS)
        seated = await keyed.join(name)
        if seated is None:
            return
        assert seated.token is not None
        self.keyed.append(keyed)
        player = KeyedPlayer(self._crowd, self.match_id, seated.token, keyed)
        self.readers.append(player.reader)
        group.create_task(player.reader.run())
        group.create_task(player.run())
        if keyed.signs:
            thief = Thief(self._crowd, self.match_id, seated.token, keyed, player.reader)
            group.create_task(thief.run())

    async def _open(self, program: HouseProgram, ask: CommandMetadata) -> Answer:
        return await program.matches().open(dict(self.rules), ask)

    def _seat_bots(self, token: str) -> Does:
        async def does(program: HouseProgram, ask: CommandMetadata) -> Answer:
            assert self.match_id is not None
            return await program.matches().for_token(token).seat_bots(self.match_id, self._bots, ask, "L1")

        return does

    def _start(self, token: str) -> Does:
        async def does(program: HouseProgram, ask: CommandMetadata) -> Answer:
            assert self.match_id is not None
            return await program.matches().for_token(token).start(self.match_id, ask)

        return does
