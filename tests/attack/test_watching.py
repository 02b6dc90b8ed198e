"""Watching: nothing that is shown to whoever holds no seat hangs on a die that nobody has shown.

Two houses that know all secrets have the same match, and in one of them every die that lies hidden is another. Whatever
they answer without a token is the same in both: bytes, chunks, order, lengths and headers. That goes for every address
that the house answers at, for streams as they are told while the match goes on, live and one round late, in each form
they have, and for what is said at the table meanwhile. For a seat it goes as well, where those dice are others that it
may not know.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any, Final, cast

import pytest

from domain.games import GAMES
from infra.store import Card, Choices
from services.matches.reads.frame_buffer import StreamItem
from services.web.assets import Assets
from tests.attack.watched_house import Ask, Leak, Told, WatchedHouse
from tests.domain.swapped_dice import OtherDealer, Watched
from tests.domain.test_secrecy import PLAYED, compared
from tests.door.test_gate import templates
from tests.relay.playing import until
from tests.sizes import cases, is_long, spread

GAMES_TRIED = spread(list(GAMES), 2)
MOMENTS = cases(1, 4)
DELAYS_MS = spread([0, 5], 1)
"""How late spectators are; commands come ten milliseconds after each other, so that the last one waits."""
SSE, NDJSON = {"Accept": "text/event-stream"}, {"Accept": "application/x-ndjson"}
SOCKET: Final = {"Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": f"{'A' * 22}=="}

# ---- what is asked ------------------------------------------------------------------------------

OF_MATCHES: Final[dict[str, tuple[str, ...]]] = {
    "/": ("/", "/?game={game}"),
    "/api/v1/matches": ("/api/v1/matches", "/api/v1/matches?state=live", "/api/v1/matches?game={game}"),
    "/api/v1/matches/{match_id:uuid}": ("/api/v1/matches/{match}",),
    "/api/v1/matches/{match_id:uuid}/access": ("/api/v1/matches/{match}/access",),
    "/api/v1/matches/{match_id:uuid}/audit": ("/api/v1/matches/{match}/audit",),
    "/api/v1/matches/{match_id:uuid}/caster": ("/api/v1/matches/{match}/caster",),
    "/api/v1/matches/{match_id:uuid}/bots": ("/api/v1/matches/{match}/bots",),
    "/api/v1/matches/{match_id:uuid}/choices": ("/api/v1/matches/{match}/choices",),
    "/api/v1/matches/{match_id:uuid}/comments": ("/api/v1/matches/{match}/comments",),
    "/api/v1/matches/{match_id:uuid}/comments/export": ("/api/v1/matches/{match}/comments/export",),
    "/api/v1/matches/{match_id:uuid}/comments/writers": ("/api/v1/matches/{match}/comments/writers",),
    "/api/v1/matches/{match_id:uuid}/hint": ("/api/v1/matches/{match}/hint",),
    "/api/v1/matches/{match_id:uuid}/lines": (
        "/api/v1/matches/{match}/lines",
        "/api/v1/matches/{match}/lines?after={after}",
    ),
    "/api/v1/matches/{match_id:uuid}/names": ("/api/v1/matches/{match}/names",),
    "/api/v1/matches/{match_id:uuid}/openings": ("/api/v1/matches/{match}/openings",),
    "/api/v1/matches/{match_id:uuid}/openings/folded": ("/api/v1/matches/{match}/openings/folded",),
    "/api/v1/matches/{match_id:uuid}/policy": ("/api/v1/matches/{match}/policy",),
    "/api/v1/matches/{match_id:uuid}/record": ("/api/v1/matches/{match}/record",),
    "/api/v1/matches/{match_id:uuid}/rematch": ("/api/v1/matches/{match}/rematch",),
    "/api/v1/matches/{match_id:uuid}/replay": (
        *("/api/v1/matches/{match}/replay", "/api/v1/matches/{match}/replay?version={version}"),
        *(f"/api/v1/matches/{{match}}/replay?eyes={eyes}" for eyes in ("all", "spectator", 1, 2, 99)),
        "/api/v1/matches/{match}/replay?version={version}&eyes=all",
        "/api/v1/matches/{match}/replay?version={after}&eyes=all",
    ),
    "/api/v1/matches/{match_id:uuid}/stream": (
        "/api/v1/matches/{match}/stream",
        "/api/v1/matches/{match}/stream?after={after}",
    ),
    "/api/v1/matches/{match_id:uuid}/analysis": (
        "/api/v1/matches/{match}/analysis",
        "/api/v1/matches/{match}/analysis?samples=64",
    ),
    "/api/v1/matches/{match_id:uuid}/analysis/moments": ("/api/v1/matches/{match}/analysis/moments?spoilers=yes",),
    "/api/v1/matches/{match_id:uuid}/analysis/page": ("/api/v1/matches/{match}/analysis/page?lang=de",),
    "/api/v1/matches/{match_id:uuid}/watching": ("/api/v1/matches/{match}/watching",),
    "/api/v1/odds/{question:str}": (),
    "/api/v1/socket": ("/api/v1/socket",),
    "/api/v1/statistics": ("/api/v1/statistics",),
    "/api/v1/statistics/matches": ("/api/v1/statistics/matches",),
    "/embed/matches/{match:str}": ("/embed/matches/{match}", "/embed/matches/{match}?eyes=1"),
    "/health/ready": ("/health/ready",),
    "/m/{match:str}": ("/m/{match}",),
    "/m/{match:str}/audit": ("/m/{match}/audit",),
    "/m/{match:str}/qr.svg": ("/m/{match}/qr.svg",),
    "/m/{match:str}/replay": ("/m/{match}/replay",),
    "/m/{match:str}/rules": ("/m/{match}/rules",),
    "/matches/{match:str}/card.png": ("/matches/{match}/card.png", "/matches/{match}/card.png?version={after}"),
    "/matches/{match:str}/card.svg": (
        *("/matches/{match}/card.svg", "/matches/{match}/card.svg?version={before}"),
        "/matches/{match}/card.svg?version={after}",
    ),
    "/metrics": ("/metrics",),
    "/overlay/matches/{match:str}": (
        *("/overlay/matches/{match}", "/overlay/matches/{match}?feed=caster"),
        "/overlay/matches/{match}?theme=felt",
    ),
    "/statistics": ("/statistics",),
    "/tables/{which:str}": ("/tables/live", "/tables/open?game={game}"),
    "/tv": ("/tv",),
}
"""What is asked at each address that may say something of a match.

Streams are read as they come besides, the socket is talked over, and odds are asked of what is shown.
"""

OF_EVENTS: Final = (
    *(
        "",
        "/pairings",
        "/why",
        "/standings",
        "/luck",
        "/bracket",
        "/me",
        "/host",
        "/screen",
        "/print",
        "/entrants",
        "/qr.svg",
    ),
    *("/tables", "/print/tables", "/print/slips", "/standings.csv"),
)
"""Pages of tournaments say what the lines of a tournament say, in which there are no dice; this house holds none."""
TOURNAMENT: Final = "/api/v1/tournaments/{tournament_id:uuid}"
OF_TOURNAMENTS: Final = (
    *(
        "bracket",
        "bundle",
        "calendar.ics",
        "cases",
        "certificate",
        "entrants",
        "event.trf",
        "export",
        "lines",
        "luck",
        "me",
        "me/stream",
    ),
    *("notes", "pairings.csv", "results.csv", "standings", "stream", "troubles", "webhooks", "why"),
)
"""What is read of a tournament, whose stream has no hidden dice: of matches it knows what is on their records."""
OF_NONE: Final[dict[str, tuple[str, ...]]] = {
    **{path: (path,) for path in ("/api/v1/games", "/api/v1/log/checkpoint", "/api/v1/log/policy", "/api/v1/odds")},
    "/api/v1/analyses/{name:str}": ("/api/v1/analyses/none",),
    "/api/v1/ladder": ("/api/v1/ladder",),
    "/api/v1/policies": ("/api/v1/policies",),
    "/api/v1/policies/{digest:str}": ("/api/v1/policies/none",),
    **{path: (path,) for path in ("/asyncapi.json", "/audit", "/docs", "/docs/first-bot", "/health/live", "/learn")},
    **{path: (path,) for path in ("/embed", "/embed/matches", "/m", "/matches", "/overlay", "/overlay/matches")},
    **{path: (path,) for path in ("/openapi", "/openapi.json", "/openapi/openapi.json", "/log/checkpoint")},
    **{path: (path,) for path in ("/problems", "/rules", "/tables", "/t", "/tournaments", "/manifest.webmanifest")},
    "/tournaments/new": ("/tournaments/new",),
    "/t/{tournament:str}/entrants/{number:str}/{rest:path}": ("/t/{match}/entrants/1/more",),
    "/t/{tournament:str}/{rest:path}": ("/t/{match}/more",),
    **{path: (path,) for path in ("/seasons", "/players")},
    "/seasons/{season:str}": ("/seasons/{match}",),
    "/seasons/new": ("/seasons/new",),
    "/players/new": ("/players/new",),
    "/seasons/{season:str}/{rest:path}": ("/seasons/{match}/more",),
    "/players/{player:str}": ("/players/u000000000000000000000000",),
    "/players/{player:str}/{rest:path}": ("/players/u0/more",),
    "/tournaments/{rest:path}": ("/tournaments/more",),
    **{f"/t/{{tournament:str}}{path}": (f"/t/{{match}}{path}",) for path in OF_EVENTS},
    "/t/{tournament:str}/entrants/{number:str}": ("/t/{match}/entrants/1",),
    "/t/{tournament:str}/entrants/{number:str}/certificate": ("/t/{match}/entrants/1/certificate",),
    "/api/v1/tournaments": ("/api/v1/tournaments", "/api/v1/tournaments?state=live"),
    **{f"/api/v1/boards/{{board_id:uuid}}/{what}": (f"/api/v1/boards/{{match}}/{what}",) for what in ("record", "me")},
    "/api/v1/seasons/{season_id:uuid}": ("/api/v1/seasons/{match}",),
    "/api/v1/seasons/{season_id:uuid}/export": ("/api/v1/seasons/{match}/export",),
    "/api/v1/players/{player:str}": ("/api/v1/players/u000000000000000000000000",),
    "/api/v1/tournaments/{tournament_id:uuid}": ("/api/v1/tournaments/{match}",),
    **{f"{TOURNAMENT}/{what}": (f"/api/v1/tournaments/{{match}}/{what}",) for what in OF_TOURNAMENTS},
    f"{TOURNAMENT}/cases/{{case:str}}": ("/api/v1/tournaments/{match}/cases/none",),
    f"{TOURNAMENT}/entrants/{{number:int}}": ("/api/v1/tournaments/{match}/entrants/1",),
    f"{TOURNAMENT}/rounds/{{stage:int}}/{{round:int}}": ("/api/v1/tournaments/{match}/rounds/1/1",),
    f"{TOURNAMENT}/rounds/{{stage:int}}/{{round:int}}/tables/{{table:int}}": (
        "/api/v1/tournaments/{match}/rounds/1/1/tables/1",
    ),
    "/embed/matches/{match:str}/{rest:path}": ("/embed/matches/{match}/more",),
    "/embed/{rest:path}": ("/embed/more",),
    "/log/tile/{path:path}": ("/log/tile/0/000.p/1", "/log/tile/entries/000"),
    "/m/{match:str}/{rest:path}": ("/m/{match}/more",),
    "/matches/{match:str}": ("/matches/{match}",),
    "/matches/{match:str}/{rest:path}": ("/matches/{match}/more",),
    "/openapi/{path:str}": ("/openapi/none",),
    "/overlay/matches/{match:str}/{rest:path}": ("/overlay/matches/{match}/more",),
    "/overlay/{rest:path}": ("/overlay/more",),
    "/problems/{code:str}": ("/problems/not_found",),
    "/problems/{code:str}/{rest:path}": ("/problems/not_found/more",),
    "/rules/{game:str}": ("/rules/{game}",),
    "/rules/{game:str}/{rest:path}": ("/rules/{game}/more",),
    "/static/{digest:str}/{name:path}": (f"/static/{Assets().digest}/cup.svg",),
    "/tables/{which:str}/{rest:path}": ("/tables/live/more",),
    "/{rest:path}": ("/nothing",),
}
"""What is asked, with `--long`, where nothing is said of any match: documents, pages of the rules, and what is nowhere.

The log of heads is among them: its entries are hashes of lines, which are the same here. What it says while dice are
shared with other tables, where lines are kept back, is asked in `test_embargo`.
"""

APART: Final[dict[str, str]] = {}
"""Addresses that the law leaves out, each with the reason: there are none, and whoever adds one says why."""

CLOCKED: Final = {"/metrics": (b"_seconds", b"_created")}
"""Where a clock stands in an answer, with what is in those lines; of headers there are none in which one does."""

OF_SEATS: Final = (
    *("/api/v1/matches/{match}", "/api/v1/matches/{match}/replay?version={version}"),
    *(f"/api/v1/matches/{{match}}/replay?eyes={eyes}" for eyes in ("all", "{seat}")),
    *(f"/api/v1/matches/{{match}}/{what}" for what in ("openings", "openings/folded", "choices", "rematch", "lines")),
)
"""What a seat asks with its token."""


def test_every_address_that_is_read_is_asked_or_named_with_its_reason() -> None:
    played, *_ = next(compared(GAMES_TRIED[0], 0))
    assert sorted([*OF_MATCHES, *OF_NONE, *APART]) == sorted(templates(WatchedHouse(played).app))
    named = dict.fromkeys(("match", "game", "version", "after", "before"), 1)
    asked = [address for kind in (OF_MATCHES, OF_NONE) for path in kind.values() for address in path]
    assert [address for address in asked if "{" in address.format(**named)] == []


# ---- what is told -------------------------------------------------------------------------------


class Streams:
    """All that follows a match: streams in each form they have, and a socket."""

    def __init__(self, house: WatchedHouse, seen: int) -> None:
        path, after = f"/api/v1/matches/{house.match}", max(0, seen - 3)
        self._house = house
        self._behind = {"taken up": after, "events": seen, "lines": seen}
        self.asks: dict[str, Ask] = {"taken up": house.ask(f"{path}/stream", {**SSE, "Last-Event-ID": str(after)})}
        for name, form in (("events", SSE), ("lines", NDJSON)):
            agent = {**form, "User-Agent": name}
            self.asks[name] = house.ask(f"{path}/stream?phrases=true", agent)
            self.asks[f"{name} from the first"] = house.ask(f"{path}/stream?after=0&phrases=false&glance=true", agent)
            self.asks[f"cast {name}"] = house.ask(f"{path}/caster?after=0", agent)
        self.socket = house.ask("/api/v1/socket", {**SOCKET, "Connection": "Upgrade"})

    async def begin(self) -> None:
        """Wait until each has said what it begins with."""
        await self.socket.task
        watch = {"do": "watch", "id": 1, "match": self._house.match, "after": 0, "phrases": True}
        self.socket.talk.receive(json.dumps(watch).encode())
        await until(lambda: all(ask.chunks for ask in self.asks.values()) and self.socket.says(b'"snapshot":'))
        path = f"/api/v1/matches/{self._house.match}/caster?channels=odds,reads,late&words=de&after=0"
        # By now the others are counted, in an order that hangs on nothing that this one takes.
        told = self.asks["told"] = self._house.ask(path, SSE)
        await until(lambda: bool(told.chunks))

    async def come_to(self, version: int, released: int) -> None:
        """Wait until each has come as far as it may: behind its snapshot there is a frame for each version."""
        ends = [(ask, released if name.startswith("cast") else version, name) for name, ask in self.asks.items()]
        await until(lambda: all(len(ask.chunks) > end - self._behind.get(name, 0) for ask, end, name in ends))
        await until(lambda: sum(b'"frame":' in said for said in self.socket.said) >= version)

    async def hear(self) -> None:
        """Wait until those have heard what is said who want to."""
        listening = [self.socket, *(self.asks[name] for name in ("taken up", "events", "lines"))]
        await until(lambda: all(ask.says(b'"phrase":') for ask in listening))

    async def end(self) -> dict[str, object]:
        """Let all of them end with the house, and return what each was told."""
        self._house.parts.doors.close()
        await until(lambda: self.socket.says(b'"bye":') or self.socket.says(b'"ended":'))
        return {**{name: await ask.answered() for name, ask in self.asks.items()}, "socket": self.socket.said}


async def shown(house: WatchedHouse) -> dict[str, object]:
    """Return all that is told without a token, by what was asked, while the match goes on and afterwards."""
    await house.begin()
    before, _ = await house.come_so_far()
    streams = Streams(house, before)
    await streams.begin()
    await house.go_on()
    version, released = await house.come_so_far()
    await streams.come_to(version, released)
    told: dict[str, object] = {"said": await house.say(1)}
    if version == house.version and not house.ended:
        await streams.hear()
    named = {"match": house.match, "game": house.game, "version": version, "after": version + 1, "before": before}
    kinds = (OF_MATCHES, OF_NONE) if is_long() else (OF_MATCHES,)
    for asked in [each for kind in kinds for path in kind.values() for each in path]:
        told |= await answers(house, asked, named)
    told |= await answers(house, odds_of(await house.view()), {})
    return told | await streams.end()


async def shown_to(house: WatchedHouse, seat: int) -> dict[str, object]:
    """Return all that a seat is told now, by what was asked; what it knew once and knows no more is left out."""
    await house.begin()
    await house.go_on()
    named, token = {"match": house.match, "version": house.version, "seat": seat}, house.bearer(seat)
    streams = [house.ask(f"/api/v1/matches/{house.match}/stream?phrases=true", form | token) for form in (SSE, NDJSON)]
    await until(lambda: all(stream.chunks for stream in streams))
    told: dict[str, object] = {"said": await house.say(seat)}
    if not house.ended:
        await until(lambda: all(stream.says(b'"phrase":') for stream in streams))
    for asked in OF_SEATS:
        told |= await answers(house, asked, named, token)
    view = await house.view(token)
    told |= await answers(house, odds_of(view), {}, token)
    if view["turn"] != seat:
        refused = await house.post("commands", token, b'{"type":"bid","quantity":1,"face":2}')
        assert refused.status == 409
        told["refused"] = refused
    house.parts.doors.close()
    return told | {f"stream {number}": await stream.answered() for number, stream in enumerate(streams)}


async def answers(
    house: WatchedHouse, asked: str, named: dict[str, Any], token: dict[str, str] | None = None
) -> dict[str, Told]:
    """Return what is answered there, to whoever has it already as well, and how a stream would begin."""
    address, headers = asked.format(**named), token or {}
    if "/stream" in asked or "/caster" in asked:
        return {asked: await house.told(address, headers, method="HEAD")}
    first = await house.told(address, headers)
    told = {asked: first.without(CLOCKED.get(asked, ()))}
    etag = first.header(b"etag")
    if etag is not None:
        told[f"{asked} again"] = await house.told(address, {"If-None-Match": etag.decode(), **headers})
    return told


def odds_of(view: dict[str, Any]) -> str:
    """Return what a page of a match asks of odds, given what it is shown: the claim that stands, or any."""
    dice = [die["face"] for seat in view["seats"] for die in seat["dice"]]
    standing, seen = view["standing"] or {}, [face for face in dice if face is not None]
    claim = {"quantity": standing.get("quantity") or 1, "face": standing.get("face") or 2}
    asked = {**claim, "seen": ",".join(map(str, seen)), "unseen": len(dice) - len(seen), "wild": "true"}
    return f"/api/v1/odds/bid_holds?{'&'.join(f'{name}={value}' for name, value in asked.items())}"


def differences(one: Mapping[str, object], other: Mapping[str, object]) -> set[str]:
    """Return what was told in two worlds that was not the same."""
    assert list(one) == list(other)
    return {what for what, told in one.items() if told != other[what]}


# ---- the law ------------------------------------------------------------------------------------


def worlds(game: str, seat: int | None = None) -> Iterator[tuple[Watched, Watched]]:
    """Yield a match and the same one with other dice where this viewer may not know them, and somebody does."""
    for played, moment, _ in compared(game, len(PLAYED[game]) - 1):
        now = played.again(moment, lambda real: real)
        other = played.again(moment, partial(OtherDealer, mask=now.mask(seat)))
        if any(now.received(each) != other.received(each) for each in now.table.seats):
            yield now, other


@pytest.mark.parametrize("delay_ms", DELAYS_MS)
@pytest.mark.parametrize("game", GAMES_TRIED)
async def test_nothing_that_spectators_are_shown_hangs_on_a_die_that_nobody_has_shown(game: str, delay_ms: int) -> None:
    card, tried = Card(choices=Choices(delay_ms, hints=True, live_reads=True)), 0
    for now, other in islice(worlds(game), MOMENTS):
        one, two = [await shown(WatchedHouse(played, card=card)) for played in (now, other)]
        assert differences(one, two) == set()
        tried += 1
    assert tried, "whoever knows the dice is shown that they are others"


@pytest.mark.parametrize("seat", spread([1, 2], 1))
@pytest.mark.parametrize("game", spread(GAMES_TRIED, 1))
async def test_nothing_that_a_seat_is_shown_hangs_on_a_die_that_it_may_not_know(game: str, seat: int) -> None:
    tried = 0
    for now, other in islice(worlds(game, seat), MOMENTS):
        one, two = [await shown_to(WatchedHouse(played), seat) for played in (now, other)]
        assert differences(one, two) == set()
        tried += 1
    assert tried, "somebody else is shown that they are others"


class Leaky(Leak):
    """Tells hidden dice in how long an answer may be kept, and in what the events of a stream are called."""

    def header(self, path: str, name: bytes, value: bytes) -> bytes:
        told = path.endswith("/watching") and name == b"cache-control"
        return b"max-age=%d" % self.hidden[0] if told else value

    async def stream(self, match: Any, viewer: Any, after: Any, *more: Any) -> AsyncGenerator[Any, None]:
        async for item in super().stream(match, viewer, after, *more):
            told = item.kind == "frame" and after == 0 and more[-1] is False
            yield StreamItem(cast(Any, f"frame{self.hidden[0]}"), item.version, item.body) if told else item


async def test_a_leak_is_found_in_a_header_and_in_the_events_of_a_stream() -> None:
    now, other = next(worlds(GAMES_TRIED[0]))
    one, two = [await shown(WatchedHouse(played, Leaky)) for played in (now, other)]
    assert differences(one, two) == {"/api/v1/matches/{match}/watching", "events from the first"}
