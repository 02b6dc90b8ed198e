"""Planted leaks: hidden dice told in ways that people make by accident, each of which the pairs have to find by name.

All of them tell one number that follows from the dice under the cups. They may be put in place together: each shows
where no other does.
"""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from fnmatch import fnmatchcase
from typing import Any, Final
from unittest.mock import patch
from weakref import WeakKeyDictionary

import structlog
from msgspec import Struct
from msgspec.structs import replace
from prometheus_client import Counter

from domain.errors import CODES, Refused
from domain.fairness.openings import DealSecrets
from domain.match.evolve import Match
from domain.table.places import handful
from infra.feed import nats
from infra.measures.lines import LinesEachSecond
from infra.measures.slow import SlowCommands
from infra.measures.tracing import span
from services.api.seasons import league
from services.api.tournaments import following, officiating
from services.http.front.upgrades import Messages
from services.matches.handler import CommandHandler
from services.matches.reads import queries
from services.relay import publisher
from services.relay.publisher import Publisher
from services.web.tournaments import folder
from services.webhooks import teller
from tests.noninterference.house import ObservedHouse
from tests.noninterference.pairs import Difference, Kind

log = structlog.get_logger(__name__)
_seats_told = Publisher._tell_seats  # noqa: SLF001 - a leak is planted where it would be


class Hidden:
    """What lies under the cups, as a number: of the newest frame that was made.

    Attributes:
        number: The number.
    """

    number = 0


def number_of(match: Match, keeper: DealSecrets | None) -> int:
    """Return a number that hangs on every hidden die."""
    deal, table = match.ceremony, match.table
    if keeper is None or deal is None or deal.mix is None or table is None:
        return 0
    dealer = keeper.open_deal(deal.mix)
    faces, places = table.rules.tokens.faces.count, sorted(table.places.items())
    dice = [dealer.value(cup, *at, faces) for cup, place in places for at in handful(place, dealer).inside]
    return zlib.crc32(repr(dice).encode()) % 251


class Planted(Struct, frozen=True):
    """A leak.

    Attributes:
        name: What it is called.
        observer: Who is told.
        what: By what; a pattern of its name.
        replaced: What it puts in whose place.
        kind: In which matches it shows.
        spectators: Whether it shows only where there is a node for spectators.
    """

    name: str
    observer: str
    what: str
    replaced: tuple[tuple[Any, str, Any], ...]
    kind: Kind = "match"
    spectators: bool = False


@contextmanager
def in_place(leaks: tuple[Planted, ...]) -> Iterator[None]:
    """Let these leaks be there, and the number that they tell."""
    with ExitStack() as stack:
        stack.enter_context(patch.object(Publisher, "_tell_seats", _counting(_seats_told)))
        for leak in leaks:
            for owner, name, other in leak.replaced:
                made = other(getattr(owner, name))
                stack.enter_context(patch.object(owner, name, made))
        yield


def _counting(tell: Any) -> Any:
    async def told(relay: Any, step: Any, private: Any, names: Any, *, more: bool) -> None:
        Hidden.number = number_of(step[0].match, await private.keeper(step[0].match))
        await tell(relay, step, private, names, more=more)

    return told


def _before(does: Callable[[], Any]) -> Callable[[Any], Any]:
    """Do something first."""

    def made(real: Any) -> Any:
        async def done(*given: Any, **named: Any) -> Any:
            waits = does()
            if waits is not None:
                await waits
            return await real(*given, **named)

        return done

    return made


def _log_line() -> None:
    log.info("frame.made", hand=Hidden.number)


def _detail() -> None:
    log.debug("frame.made", hand=Hidden.number)


def _slower(real: Any) -> Any:
    """Time a part of a command longer, by the dice."""

    def end(lines: Any, watch: Any, *given: Any) -> None:
        watch.steps.append(("decide", 0.0, Hidden.number / 1_000))
        real(lines, watch, *given)

    return end


def _more_often(real: Any) -> Any:
    """Write a line of the same length more, or none."""

    def take(lines: Any, *given: Any, **named: Any) -> Any:
        return None if Hidden.number % 3 == 0 else real(lines, *given, **named)

    return take


def _span() -> None:
    with span("relay.frame", hand=Hidden.number):
        pass


async def _one_await_more() -> None:
    for _ in range(Hidden.number % 7):
        await asyncio.sleep(0)


async def _a_pause() -> None:
    await asyncio.sleep(Hidden.number / 1e5)


VIEW: Final = re.compile("/api/v1/matches/[^/]+")
"""Where that header is, and at no other answer that tells something."""


def _header(real: Any) -> Any:
    def planted(house: ObservedHouse, app: Any) -> Any:
        inner = real(house, app)

        async def leaky(scope: Any, receive: Any, send: Any) -> None:
            async def sending(message: Any) -> None:
                if message["type"] == "http.response.start" and VIEW.fullmatch(scope["path"]):
                    told = (b"x-hand", b"%03d" % Hidden.number)
                    message = {**message, "headers": [*message["headers"], told]}
                await send(message)

            await inner(scope, receive, sending)

        return leaky

    return planted


_HANDS: Final = WeakKeyDictionary[ObservedHouse, Counter]()


def _label(real: Any) -> Any:
    async def begin(house: ObservedHouse) -> None:
        await real(house)
        _HANDS[house] = Counter("truecup_hands", "Hands.", ["hand"], registry=house.registry)

    return begin


def _counted(real: Any) -> Any:
    async def take(house: ObservedHouse, *given: Any, **named: Any) -> Any:
        _HANDS[house].labels(Hidden.number).inc()
        return await real(house, *given, **named)

    return take


def _in_another_order(tell: Any) -> Any:
    """Tell seats in an order that hangs on the dice."""

    async def told(relay: Any, step: Any, private: Any, names: Any, *, more: bool) -> None:
        kept: list[tuple[Any, ...]] = []
        feed = relay._feed  # noqa: SLF001 - as above
        send = feed.tell

        async def keep(*message: Any) -> None:
            kept.append(message)

        with patch.object(feed, "tell", keep):
            await tell(relay, step, private, names, more=more)
        for message in reversed(kept) if Hidden.number % 2 else kept:
            await send(*message)

    return told


def _longer(real: Any) -> Any:
    def encode(*given: Any) -> bytes:
        return bytes(real(*given)) + b" " * Hidden.number

    return encode


def _another_code(real: Any) -> Any:
    async def submit(*given: Any, **named: Any) -> Any:
        try:
            return await real(*given, **named)
        except Refused as refused:
            raise Refused([*CODES][Hidden.number % len(CODES)]) from refused

    return submit


def _another_subject(real: Any) -> Any:
    def message_of(shard: int, frame: Any) -> Any:
        subject, body, headers = real(shard, frame)
        return f"{subject}.{Hidden.number}", body, headers

    return message_of


def _looked_up(real: Any) -> Any:
    async def submit(handler: Any, *given: Any, **named: Any) -> Any:
        for _ in range(Hidden.number % 3):
            await handler._store.positions()  # noqa: SLF001 - as above
        return await real(handler, *given, **named)

    return submit


def _other_tag(real: Any) -> Any:
    def etag(version: int, nameless: int = 0) -> str:
        return str(real(version, nameless + Hidden.number))

    return etag


def _padded(real: Any) -> Any:
    def json_of(found: Any, *given: Any, **named: Any) -> Any:
        answer = real(found, *given, **named)
        answer.content += b" " * (Hidden.number % 5)
        return answer

    return json_of


def _remarked(real: Any) -> Any:
    def write(*given: Any) -> Any:
        page = real(*given)
        return replace(page, text=f"{page.text}<!-- {Hidden.number} -->")

    return write


def _sent_apart(real: Any) -> Any:
    """Write each message by itself, or with others of its pass."""

    def send(messages: Any, message: bytes) -> None:
        real(messages, message)
        if Hidden.number % 2:
            messages._flush()  # noqa: SLF001 - as above

    return send


def _with_a_header(real: Any) -> Any:
    def post_of(*given: Any) -> Any:
        post = real(*given)
        return replace(post, headers={**post.headers, "x-hand": f"{Hidden.number:03}"})

    return post_of


LEAKS: Final = (
    Planted("a header with a number of the hand", "outsider", "view: headers", ((ObservedHouse, "planted", _header),)),
    Planted("a line of the log", "operator", "log", ((Publisher, "_make_frame", _before(_log_line)),)),
    Planted("a line at debug level", "operator", "details", ((Publisher, "_make_frame", _before(_detail)),)),
    Planted("a part of a slow command", "operator", "slow commands", ((SlowCommands, "end", _slower),)),
    Planted("how many lines there are", "passer-by", "lines", ((LinesEachSecond, "take", _more_often),)),
    Planted(
        "a label of a meter",
        "operator",
        "/metrics: body",
        ((ObservedHouse, "begin", _label), (ObservedHouse, "ask", _counted)),
    ),
    Planted("an attribute of a span", "operator", "spans", ((Publisher, "_make_frame", _before(_span)),)),
    Planted("a question to the store", "operator", "calls", ((CommandHandler, "submit", _looked_up),)),
    Planted("the order of frames", "bus", "bus", ((Publisher, "_tell_seats", _in_another_order),)),
    Planted("a subject of the bus", "bus", "bus", ((nats, "message_of", _another_subject),)),
    Planted("the length of a frame", "passer-by", "lengths", ((publisher, "encode_frame", _longer),)),
    Planted("the code of a refusal", "SEAT", "commands *: body", ((CommandHandler, "submit", _another_code),)),
    Planted("an await more", "clock", "passes", ((CommandHandler, "submit", _before(_one_await_more)),)),
    Planted("a pause", "clock", "time", ((CommandHandler, "submit", _before(_a_pause)),)),
    Planted("how long openings are", "SEAT", "openings: body", ((queries, "encode_openings", _longer),), "keyed"),
    Planted("which messages leave together", "outsider", "stream", ((Messages, "send", _sent_apart),), "socket"),
    Planted("a header of a webhook", "hooked", "posts", ((teller, "post_of", _with_a_header),), "event"),
    Planted(
        "the entity tag of a round", "outsider", "outsider /api*: headers", ((following, "etag", _other_tag),), "event"
    ),
    Planted(
        "the entity tag of a card", "entrant", "entrant /api*: headers", ((following, "etag", _other_tag),), "event"
    ),
    Planted(
        "how long a list for officials is",
        "director",
        "director *: body",
        ((officiating, "json_of", _padded),),
        "event",
    ),
    Planted(
        "the entity tag of a season",
        "outsider",
        "outsider /api/v1/seasons/*: headers",
        ((league, "etag", _other_tag),),
        "event",
    ),
    Planted("openings at an event", "SEAT", "openings: body", ((queries, "encode_openings", _longer),), "event"),
    Planted("a remark on a page", "outsider", "outsider /t/*: body", ((folder, "_write", _remarked),), "event"),
)
"""Each with where it shows; a `SEAT` is whichever asked for what is refused."""


def finds(leak: Planted, differences: list[Difference]) -> bool:
    """Report whether one of these differences is where a leak shows."""
    return any(
        fnmatchcase(each.what, leak.what)
        and (each.observer == leak.observer or (leak.observer == "SEAT" and each.observer.isdigit()))
        for each in differences
    )
