"""Messages on the bus, each held against the document that describes it."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema_rs
import msgspec
import nats
from nats.aio.msg import Msg

from domain.match.record import fold
from infra.bus import INBOX
from infra.feed import Placed
from infra.handoff.nats import NatsHandoff
from infra.store.memory import MemoryStore
from projections.frames import encode_frame, frame_of
from projections.tournaments.cards import card_of
from projections.tournaments.exports.card_frames import CardFrame
from services.api.reference.asyncapi import describe_socket
from services.api.reference.channels import BUS
from services.tournaments.frames import tournament_frame
from tests.director.house import EventHouse
from tests.relay.conftest import Bus
from tests.relay.playing import Played, until

DOCUMENT: dict[str, Any] = json.loads(json.dumps(describe_socket()))
DRAFT_7 = "http://json-schema.org/draft-07/schema#"


def channel_of(message: Msg) -> str:
    """Return the name of the channel of a message; frames of matches and of tournaments differ by their source."""
    subject = message.subject
    if subject.startswith("truecup.frames."):
        assert message.headers is not None
        return "tournamentFrames" if message.headers["ce-source"].startswith("/tournaments/") else "frames"
    (found,) = [
        name
        for name in BUS
        if re.fullmatch(re.sub(r"\\{\w+\\}", "[^.]+", re.escape(DOCUMENT["channels"][name]["address"])), subject)
    ]
    return found


def faults_of(schema: object, told: object) -> list[str]:
    whole = {"$schema": DRAFT_7, "allOf": [schema], "components": DOCUMENT["components"]}
    return [str(fault) for fault in jsonschema_rs.iter_errors(whole, told)]


def check_described(message: Msg) -> None:
    said = DOCUMENT["components"]["messages"][channel_of(message)]
    body = message.data.decode()
    payload = json.loads(body) if said["contentType"] == "application/json" else body
    assert faults_of(said["payload"], payload) == []
    headers = {name: text for name, text in (message.headers or {}).items() if not name.startswith("Nats-")}
    assert ("headers" in said) == bool(headers)
    assert faults_of(said.get("headers", {}), headers) == []


OF_TOURNAMENT = tournament_frame({"seq": 6, "at": 5, "type": "tournament.resumed", "data": {"by": "o1"}})


async def card_of_ana() -> CardFrame:
    event = EventHouse(MemoryStore())
    await event.announce()
    await event.enter("Ana")
    card = card_of(await event.tournament(), {1: "Ana"}, 1)
    return CardFrame(card.version, card)


async def answered(question: bytes) -> bytes:
    return question


async def test_whatever_is_said_on_the_bus_is_as_the_document_says(bus: Bus) -> None:
    match = Played(MemoryStore(), 1)
    await match.seat("Ada", "Ben")
    await match.deal()
    heard: list[Msg] = []
    listener = await nats.connect(bus.url)

    async def take(message: Msg) -> None:  # but for what NATS itself answers to whoever publishes
        if not message.subject.startswith(f"{INBOX}."):
            heard.append(message)

    await listener.subscribe("truecup.>", cb=take)
    await listener.flush()
    feed = await bus.feed()
    lines = await match.store.read(match.stream)
    for number, one in enumerate(fold(lines), 1):
        for_all, for_seat = (
            encode_frame(frame_of(*one, seat, match.keepers.get(0) if seat else None, match.names, more=True))
            for seat in (None, 1)
        )
        await feed.publish(match.shard, [Placed(number, str(match.id), number, for_all)])
        await feed.tell(str(match.id), 1, number, for_seat)
    await feed.publish(match.shard, [Placed(len(lines) + 1, str(match.id), 7, OF_TOURNAMENT, "tournaments")])
    card = await card_of_ana()
    await feed.tell(card.card.tournament, 1, card.version, msgspec.json.encode(card), "entrant")
    await feed.say(str(match.id), b'{"phrase":"nice","seat":1}')
    await feed.poke(match.shard, 1)
    await feed.look(str(match.id))
    await feed.attend([])
    await feed.attend([(str(match.id), 1), (str(match.id), 2)])
    answering = await NatsHandoff(feed.client).take(answered)
    await until(lambda: len(heard) >= 2 * len(lines) + 8)
    await answering.stop()
    await listener.close()

    for message in heard:
        check_described(message)
    assert {channel_of(message) for message in heard} == set(BUS) - {"handoff", "handoffToOne"}
