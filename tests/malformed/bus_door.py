"""Messages on the bus: questions to dealers, and all that nodes tell each other, broken, bent, giant, of nobody.

Whoever is in one's way there has a login of the house (`.docs/roles.md`): a node that was taken over, or one of another
version. Each question that says where its answer goes is answered, and no work of the house ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any, Final

import msgspec

from infra.handoff import QUESTION_BYTES_MAX
from services.dealer.handoff import messages
from services.dealer.handoff.event_messages import NoTournament
from services.dealer.handoff.season_messages import NoSeason
from tests.malformed.bytes import changed
from tests.malformed.house import House
from tests.malformed.people import People
from tests.malformed.plain_bus import INBOX, PlainBus
from tests.malformed.sampling import sample
from tests.malformed.socket_door import bent
from tests.malformed.tally import Tally

QUESTIONS: Final = msgspec.inspect.type_info(messages.AnyQuestion)
NOWHERE: Final = (b"", b"", b"truecup.handoff", b"truecup.inbox", b"_INBOX.x.y", b"truecup.dealers", b"truecup.inbox.>")
"""Where answers are wanted that nobody may want there; one is no subject to be published to."""
REFUSALS: Final = (
    *(messages.NotAllowed, messages.PassedReply, messages.KeyTaken, messages.NoMatch, NoTournament),
    *(NoSeason, messages.NotReadable, messages.NotNow),
)
HEADERS: Final = (
    *(b"", b"", b"", b"NATS/1.0\r\n\r\n", b"NATS/1.0\r\ntraceparent: 00-zz-zz-zz\r\n\r\n", b"NATS/1.0 503\r\n\r\n"),
    *(b"NATS/1.0\r\nTruecup-Part: 9/1\r\n\r\n", b"NATS/1.0\r\n:\xff\r\n\r\n", b"NATS/1.0\r\nx\r\n", b"\x00\xff"),
    *(b"NATS/1.0\r\nce-id: -1\r\n\r\n", b"NATS/1.0\r\nce-id: " + b"9" * 30 + b"\r\n\r\n"),
)
DEEP: Final = (b"\x91" * 60_000, b"\x81\xa1a" * 20_000, b"[" * 60_000, b"\xdd\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff")


class BusDoor:
    """The bus, as a login of the house reaches it."""

    name = "bus"
    at_once = 25

    def __init__(self, house: House, people: People, tally: Tally) -> None:
        self._house, self._people, self._tally = house, people, tally

    async def begin(self) -> None:
        """Come to the bus."""
        assert self._house.bus is not None
        self._bus: PlainBus = self._house.bus

    async def send(self, numbers: range) -> int:
        """Send these side by side; all is taken when this returns."""
        done = sum(await asyncio.gather(*(self._send(number) for number in numbers)))
        await self._bus.flush()
        return done

    async def _send(self, number: int) -> bool:
        drawn = Random(f"bus {number}")
        if drawn.random() < 0.35:
            subject = drawn.choice(GOSSIP)(drawn, self._people)
            self._bus.publish(subject, self._gossip(drawn), drawn.choice(NOWHERE), drawn.choice(HEADERS))
            self._tally.said["told"] += 1
            return False
        question, is_heard = self._question(drawn), drawn.random() < 0.9
        if not is_heard:
            self._bus.publish(b"truecup.handoff", question, drawn.choice(NOWHERE), drawn.choice(HEADERS))
            self._tally.said["unheard"] += 1
            return True
        answer = await self._bus.ask(b"truecup.handoff", question, number, drawn.choice(HEADERS))
        return self._judge(number, question, answer)

    def _judge(self, number: int, question: bytes, answer: bytes | None) -> bool:
        """Hold an answer against what a dealer may say."""
        try:
            assert answer is not None, "no answer"
            said = messages.decode_reply(answer)
            assert not isinstance(said, messages.Broken), "the dealer is at fault"
        except (AssertionError, msgspec.MsgspecError) as fault:
            self._tally.find(f"bus {number} {question[:400]!r}: {fault!r}: {answer!r}")
            return True
        self._tally.said[type(said).__name__] += 1
        return not isinstance(said, REFUSALS)

    # ---- what is sent -----------------------------------------------------------------------------

    def _question(self, drawn: Random) -> bytes:
        """Return bytes that are almost a question, or one that almost is right."""
        right = sample(drawn, QUESTIONS, self._known(drawn))
        way = drawn.random()
        if way < 0.4:
            return packed(bent(drawn, right))
        if way < 0.75:
            return changed(drawn, packed(right))
        if way < 0.85:
            return drawn.choice((*DEEP, b"", msgspec.json.encode(right), drawn.randbytes(QUESTION_BYTES_MAX + 1)))
        return packed(right)

    def _known(self, drawn: Random) -> dict[str, Callable[[Random], Any]]:
        place = drawn.choice(self._people.places)
        tokens = (*place.tokens, *place.elsewhere)
        ids = {"match": place.match, "tournament": place.parts["tournament_id"], "season": place.parts["season_id"]}
        known: dict[str, Callable[[Random], Any]] = {name: partial(_always, text) for name, text in ids.items()}
        known["token"] = partial(_one_of, tokens)
        known["key"] = lambda drawn: f"a-key-of-the-bus-{drawn.getrandbits(40):x}"
        return known

    def _gossip(self, drawn: Random) -> bytes:
        """Return almost what nodes tell each other."""
        place = drawn.choice(self._people.places)
        right = (b"17", b"0123456789abcdef 0", f"{place.match}/1".encode(), drawn.randbytes(40), b'{"version":3}', b"")
        data = drawn.choice(right)
        return data if drawn.random() < 0.2 else changed(drawn, data)


def _always(text: str, _: Random) -> str:
    return text


def _one_of(texts: tuple[str, ...], drawn: Random) -> str:
    return drawn.choice(texts)


def packed(document: Any) -> bytes:
    """Return this as a message; what is too large for one stands in it as a text."""
    try:
        return msgspec.msgpack.encode(document)
    except OverflowError:
        return msgspec.json.encode(document)


def _subject(form: str, drawn: Random, people: People) -> bytes:
    last = drawn.choice((people.places[1].match, "x", "0", "-1", "99", "9" * 30, "house", "\u00e4"))
    return form.format(last, drawn.choice(("0", "1", "63", "64", "x", "9" * 30))).encode()


GOSSIP: Final[tuple[Callable[[Random, People], bytes], ...]] = tuple(
    partial(_subject, form)
    for form in (
        *(
            "truecup.dealers",
            "truecup.committed.{1}",
            "truecup.committed.{0}",
            "truecup.looked.{0}",
            "truecup.listening",
        ),
        *("truecup.said.{0}", "truecup.frames.{1}.{0}", "truecup.seat.{0}.{1}", "truecup.entrant.{0}.{1}"),
        *(INBOX.decode() + ".{0}", "truecup.handoff.{0}"),
    )
)
