"""The course of a match in an observed house: drawn once, and then the same again with other dice under the cups."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Final, Literal

from msgspec import Struct, to_builtins

from domain import commands
from domain.errors import Refused
from domain.fairness.openings import DealSecrets
from domain.games import rules_of
from domain.match.decide import decide
from domain.match.evolve import Match, is_dealing
from domain.match.record import MatchAtHead, fold
from domain.table.moves import moves
from tests.attack.watched_house import Ask, Told
from tests.domain.playing import commands_for
from tests.domain.test_refusals import attempts, plain
from tests.noninterference.dice import keeper_among
from tests.noninterference.house import ObservedHouse
from tests.noninterference.wire import SWITCHES, Wire

SHOWING: Final = (commands.Challenge, commands.SpotOn, commands.Catch, commands.AskCount, commands.DemandBills)
"""What shows dice as a rule, so that there is less left to hide."""
QUIET, LOWEST, ENDS, PROBES = 0.97, 0.6, 0.85, 0.5
"""How likely a move shows nothing, is the least there is, that a course ends before dice are shown, that a seat asks
for what is refused."""
REST_S: Final = 0.03
"""How long a house is left alone after a request, so that all who listen are told."""
TRIED: Final = 6
"""Of how many things that a seat might ask for one is asked that is refused."""
WAITS_MAX: Final = 400
"""How often a table is waited for that has something to do by itself."""
BESIDES: Final = (
    *("/api/v1/matches", "/api/v1/statistics", "/metrics", "/health/ready"),
    *(f"/api/v1/matches/{{match}}/{what}" for what in ("record", "access", "audit", "replay", "watching")),
)
"""What is asked for without a token where a course ends."""
OBSERVERS: Final = {"bus": "bus", "lines": "passer-by", "passes": "clock", "time": "clock", "posts": "hooked"}
"""Who sees what of the house itself, where it is not the operator: of the log whoever taps the line to a collector."""
LINES: Final = "application/x-ndjson"
CODINGS: Final = "gzip, br"
"""What may be done to an answer to whoever is connected to the house, so that it is shorter."""
NAMES: Final = ("Ada", "Blaise", "Carl", "Dora", "Emil", "Fay")
PHRASES: Final = ("hello", "luck", "nice", "oops")


class Act(Struct, frozen=True):
    """Something that somebody asks for: a seat, by its number, or whoever holds a token by another name.

    Attributes:
        who: That seat, or that name.
        path: Where.
        body: With which words.
        command: The command that is asked for by them; none where it is of another sort.
    """

    who: int | str
    path: str
    body: dict[str, Any]
    command: Any = None

    @classmethod
    def of(cls, command: Any) -> Act:
        """Return what asks for this command, as its seat."""
        body = to_builtins(command)
        seat = body.pop("seat")
        return cls(seat, "commands", {"type": "resign"} if body["type"] == "forfeit" else body, command)


Over = Literal["app", "http", "socket"]


class Plan(Struct):
    """What is to be played.

    Attributes:
        game: The name of the game.
        options: Its options.
        seed: What the course is drawn from.
        moves: How many moves are made at most.
        bots: How many bots of the house sit down.
        rules: What of the rules is not the game's own.
        asked: What else is asked for where the match is opened.
        event: The rules of the tournament at one of whose tables it is played; none where it is played by itself.
        season: Whether that tournament is held for a season, and its entrants are players.
        keyed: Whether some seats sign what they ask for.
        over: What readers follow by: the application itself, connections of HTTP, or WebSockets.
        acts: What was done at each moment, once it was.
    """

    game: str
    options: dict[str, Any]
    seed: str
    moves: int
    bots: int = 0
    rules: dict[str, Any] = {}
    asked: dict[str, Any] = {}
    event: dict[str, Any] = {}
    season: bool = False
    keyed: bool = False
    over: Over = "app"
    acts: list[list[Act]] = []


Moment = dict[tuple[str, str], object]
"""What each observer was told since the moment before: by who it is, and by which way."""


class Table:
    """One table of a house, played by a plan, and everything that everybody was told of it, moment by moment.

    Attributes:
        match: The id of the match.
        tokens: What each seat shows, and the host.
        prober: The seat that asks for what is not allowed; 0 if none does.
        known: The seats whose dice somebody knows who is held to know none, and is told of them elsewhere.
        moments: What was told.
        lines: How many lines the match had at each moment.
        others: How many dice were others by then than those that were dealt.
    """

    seats_min, seats_max = 2, 6

    def __init__(self, house: ObservedHouse, plan: Plan) -> None:
        self._house, self.plan = house, plan
        self._drawn = Random(plan.seed)
        low, high = rules_of(plan.game, plan.options).seats
        self.seats = self._drawn.randint(max(low, self.seats_min), max(low, min(self.seats_max, high)))
        self.people: Sequence[int] = range(1, self.seats + 1 - plan.bots)
        self.prober = self._drawn.choice(self.people) if self._drawn.random() < PROBES else 0
        self.known: tuple[int, ...] = ()
        self.match, self._number = "", 0
        self.tokens: dict[int | str, str] = {}
        self._streams: dict[tuple[str, str], Ask | Wire] = {}
        self._sockets: dict[int | str, Wire] = {}
        self._read: dict[tuple[str, str], int] = {}
        self._written: MatchAtHead | None = None
        self.moments: list[Moment] = []
        self.lines: list[int] = []
        self.others: list[int] = []

    # ---- asking ---------------------------------------------------------------------------------

    @property
    def path(self) -> str:
        """Where the match is."""
        return f"/api/v1/matches/{self.match}"

    def _key(self) -> str:
        """Return a key that no request has had."""
        self._number += 1
        return hashlib.sha256(f"{self.plan.seed} {self._number}".encode()).hexdigest()[:32]

    async def _post(self, path: str, body: Any, who: int | str = "") -> Told:
        told = await self._house.ask("POST", path, body, self.tokens.get(who), 0, **{"Idempotency-Key": self._key()})
        await asyncio.sleep(REST_S)
        return told

    async def _sit_down(self) -> None:
        rules = {"game": self.plan.game, "options": self.plan.options, "seats": self.seats, "pause_ms": 0}
        asked = {"rules": {**rules, **self.plan.rules}, **self.plan.asked}
        opened = made(await self._post("/api/v1/matches", asked))
        self.match, self.tokens["host"] = opened["match"], opened["token"]
        invited = {"invite": opened["invite"]} if opened.get("invite") else {}
        for number, name in enumerate(NAMES[: len(self.people)]):
            joined = await self._join({"name": f"{name} {self.plan.game[:3]}", **invited}, number)
            self.tokens[joined["seat"]] = joined["token"]
        if self.plan.bots:
            made(await self._post(f"{self.path}/bots", {"count": self.plan.bots, "level": "L1"}, "host"))

    async def _join(self, told: dict[str, Any], _number: int) -> dict[str, Any]:
        """Take a seat under this name, and return the answer."""
        return made(await self._post(f"{self.path}/seats", told))

    def _follow(self) -> None:
        self._open("caster", "stream", f"{self.path}/caster?after=0")
        followers: list[int | str] = ["outsider", *self.people, *(["host"] if "host" in self.tokens else [])]
        for who in followers:
            if self.plan.over == "socket":
                self._watch(who)
            else:
                form = "text/event-stream" if who in {"outsider", "host"} else LINES
                self._open(who, "stream", f"{self.path}/stream?phrases=true", form)

    def _open(self, who: int | str, what: str, path: str, form: str = LINES, shows: str = "") -> None:
        """Let somebody follow something, who shows the own token, or another."""
        token, key = self.tokens.get(shows or who), (str(who), what)
        if self.plan.over == "app":
            self._streams[key] = self._house.open("GET", path, token=token, door=self._door_of(who), Accept=form)
            return
        wire = self._streams[key] = self._connect(who)
        shown = {"Authorization": f"Bearer {token}"} if token else {}
        wire.ask("GET", path, Accept=form, **{"Accept-Encoding": CODINGS}, **shown)

    def _door_of(self, who: int | str) -> int:
        """Return where somebody asks: who has no seat at the node for spectators, if there is one."""
        return 0 if isinstance(who, int) else len(self._house.doors) - 1

    def _connect(self, who: int | str) -> Wire:
        return self._house.doors[self._door_of(who)].server.connect()

    def _watch(self, who: int | str) -> None:
        """Let somebody follow the match over a socket."""
        wire = self._streams[str(who), "stream"] = self._sockets[who] = self._connect(who)
        wire.ask("GET", "/api/v1/socket", **SWITCHES)
        shown = {"token": self.tokens[who]} if who in self.tokens else {}
        wire.say({"id": "w", "do": "watch", "match": self.match, "after": 0, "phrases": True, **shown})

    # ---- playing --------------------------------------------------------------------------------

    async def play(self) -> None:
        """Play what the plan says, or draw it where it says nothing yet."""
        draws = not self.plan.acts
        self._house.dice.changed.clear()
        await self._sit_down()
        self._house.seen()
        self._follow()
        await asyncio.sleep(REST_S)
        await self._look(await self._begin())
        for number in range(self.plan.moves):
            match = await self._settled()  # also before the end, where a bot has a move to make
            if match is None:
                break
            if not self._draw(match) if draws else number == len(self.plan.acts):
                break
            answers: dict[tuple[str, str], Told] = {}
            for act in self.plan.acts[number]:
                await self._do(act, answers)
            await self._look(answers)
        await self._look({}, is_last=True)
        await self._end()

    async def _begin(self) -> dict[tuple[str, str], Told]:
        """Let it begin, and return what is answered."""
        return {("start", "host"): await self._post(f"{self.path}/start", None, "host")}

    async def _do(self, act: Act, answers: dict[tuple[str, str], Told]) -> None:
        """Ask for something, and note what is answered; over a socket the answer comes with all else."""
        socket = self._sockets.get(act.who) if act.path == "commands" else None
        if socket is None:
            told = await self._post(self._address(act.path), act.body, act.who)
            answers[f"{act.path} {act.body}", str(act.who)] = told
            return
        about = {"match": self.match, "token": self.tokens[act.who], "key": self._key()}
        socket.say({"id": self._number, "do": "command", "command": act.body, **about})
        await asyncio.sleep(REST_S)

    def _address(self, path: str) -> str:
        """Return where something is done."""
        return f"{self.path}/{path}"

    async def _settled(self) -> Match | None:
        """Return the match once somebody may move who is no bot; None where nobody will."""
        for _ in range(WAITS_MAX):
            match = self._read_on()
            if match.ended:
                return None
            if match.table is not None and not is_dealing(match) and self._offers(match):
                return match
            await self._meanwhile(match)
            await asyncio.sleep(REST_S)
        return None

    async def _meanwhile(self, match: Match) -> None:
        """Do what a match waits for that nobody plays."""

    def _read_on(self) -> Match:
        """Return the match as the log has it by now."""
        lines = self._house.lines_of(self.match)
        known = 0 if self._written is None else self._written.match.version
        for written, _ in fold(lines[known:], self._written):
            self._written = written
        assert self._written is not None
        return self._written.match

    def _offers(self, match: Match) -> list[commands.Play]:
        assert match.table is not None
        offered = sorted(moves(match.table).items())
        return [
            one for seat, some in offered if seat in self.people for move in some for one in commands_for(seat, move)
        ]

    def _draw(self, match: Match) -> bool:
        """Draw what is done next: something that is refused or beside the game, and a move; report whether to go on."""
        assert match.table is not None
        drawn, acts = self._drawn, list[Act]()
        keeper = keeper_among(self._house.dice.keepers, match)
        if self.prober:
            tried = [*plain(self.prober), *attempts(match.table, self.prober, drawn)]
            some = drawn.sample([one for one in tried if hasattr(one, "seat")], TRIED)
            acts += [Act.of(one) for one in some if not may(match, one, keeper)][:1]
        acts += self._beside()
        possible = [one for one in self._offers(match) if may(match, one, keeper)]
        quiet = [one for one in possible if not isinstance(one, SHOWING)]
        chosen = drawn.choice(quiet if quiet and drawn.random() < QUIET else possible)
        if quiet and drawn.random() < LOWEST:
            chosen = quiet[0]
        if isinstance(chosen, SHOWING) and self._ends():
            return False
        self.plan.acts.append([*acts, Act.of(chosen)])
        return True

    def _ends(self) -> bool:
        """Report whether the course ends before dice are shown."""
        return self._drawn.random() < ENDS

    def _beside(self) -> list[Act]:
        """Draw what is done beside the game."""
        drawn, acts = self._drawn, list[Act]()
        if drawn.random() < 0.2:
            acts.append(Act(drawn.choice(self.people), "phrases", {"phrase": drawn.choice(PHRASES)}))
        if drawn.random() < 0.05:
            paused = [{"type": "pause", "reason": "break"}, {"type": "resume"}]
            acts += [Act("host", "commands", body) for body in paused]
        if drawn.random() < 0.05:
            said = {"version": 1, "text": f"well played {drawn.random()}", "lang": "en"}
            acts.append(Act(drawn.choice(self.people), "comments", said))
        return acts

    async def _end(self) -> None:
        for stream in self._streams.values():
            if isinstance(stream, Wire):
                stream.close()
            else:
                stream.task.cancel()
        await asyncio.sleep(REST_S)
        self._house.seen()

    # ---- looking --------------------------------------------------------------------------------

    async def _look(self, answers: dict[tuple[str, str], Told], *, is_last: bool = False) -> None:
        """Note what everybody has been told since the moment before, and what is asked for besides."""
        found: Moment = {}
        for (what, who), told in answers.items():
            found |= _seen_in(who, what, told)
        lengths: list[object] = [(what, told.status, len(told.body)) for (what, _), told in answers.items()]
        for way, stream in self._streams.items():
            fresh = stream.chunks[self._read.get(way, 0) :]
            self._read[way] = len(stream.chunks)
            found[way] = fresh
            lengths.append((*way, [len(chunk) for chunk in fresh]))
        for asker, what, path in self._glances(is_last=is_last):
            coding = "identity" if self.plan.over == "app" else CODINGS
            token, door = self.tokens.get(asker), self._door_of(asker)
            told = await self._house.ask("GET", path, token=token, door=door, **{"Accept-Encoding": coding})
            found |= _seen_in(str(asker), what, told)
            if asker != "operator":  # nobody passes by where numbers of the house itself are read
                lengths.append((str(asker), what, len(told.body)))
        found["passer-by", "lengths"] = tuple(lengths)
        seen = self._house.seen()
        if is_last and len(self._house.doors) > 1:
            found["node", "holds"] = self._house.held_by_spectators()
        if not self.plan.event:
            del seen["posts"]  # nobody of whom it is told hears of a match
        found |= {(OBSERVERS.get(what, "operator"), what): value for what, value in seen.items()}
        self.moments.append(found)
        self.lines.append(len(self._house.lines_of(self.match)))
        self.others.append(len(self._house.dice.changed))

    def _glances(self, *, is_last: bool) -> Iterator[tuple[int | str, str, str]]:
        """Yield what is asked for at a moment: by whom, what it is called, and where it is."""
        seat = self.people[len(self.moments) % len(self.people)]
        yield from (("outsider", "view", self.path), (seat, "view", self.path))
        for path in BESIDES if is_last else ():
            yield "operator" if path == "/metrics" else "outsider", path, path.format(match=self.match)


def made(told: Told) -> dict[str, Any]:
    assert told.status in {200, 201}, told
    made: dict[str, Any] = json.loads(told.body)
    return made


def _seen_in(who: str, what: str, told: Told) -> Moment:
    return {
        (who, f"{what}: status"): told.status,
        (who, f"{what}: headers"): told.headers,
        (who, f"{what}: body"): told.chunks,
    }


def may(match: Match, command: Any, keeper: DealSecrets | None) -> bool:
    """Report whether this would be done now."""
    try:
        decide(match, command, match.at, keeper)
    except Refused:
        return False
    return True
