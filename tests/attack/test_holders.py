"""Attacks with the token of a seat that was given up, when somebody else has taken its number: it speaks for nobody."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from uuid import UUID

import httpx
import msgspec
import pytest

from domain import commands
from domain.audit.replay import replay
from domain.errors import Refused
from domain.fairness.records import RecordLine
from domain.log import canonical
from domain.match.record import stream_of
from infra.feed.memory import MemoryFeed
from infra.sealing import Sealing
from infra.store import Append, Outcome
from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from services.matches.handler import CommandHandler
from services.matches.reads.frame_buffer import FrameBuffer, StreamItem, WaitPolicy
from services.matches.reads.queries import Viewer
from services.matches.reads.streams import StreamHub
from services.matches.requests import CommandMetadata
from services.matches.secrets.tokens import Holder, TokenIssuer
from services.matches.secrets.vault import Vault
from tests.api.conftest import Table, served
from tests.socket.speaking import speaking

RULES = {"game": "common_hand", "options": {}, "seats": 3, "pause_ms": 0}
COMMIT = {"type": "commit_seed", "deal": 0, "commit": "0" * 64}
OPEN = {"type": "open_seed", "deal": 0, "seed": "0" * 64}
COMMANDS = (
    *({"type": "bid", "quantity": 1, "face": 2}, {"type": "challenge"}, {"type": "say", "text": "1x2"}),
    *({"type": "resign"}, COMMIT, OPEN),
)


def house(store: MemoryStore) -> CommandHandler:
    return CommandHandler(store, Vault(store, Sealing(bytes(32))), TokenIssuer(bytes(range(32))))


def asking(key: str, holder: Holder | None = None) -> CommandMetadata:
    return CommandMetadata("test", key, b"", holder=holder)


async def opened(matches: CommandHandler) -> UUID:
    return UUID((await matches.open(RULES, asking("open"))).match)


async def joined(matches: CommandHandler, match_id: UUID, name: str) -> Holder:
    """Take a seat and return what its token speaks for."""
    token = (await matches.join(match_id, name, "server", asking(f"join-{name}"))).token
    assert token is not None
    bearer = await matches.bearer(token)
    assert bearer is not None
    assert bearer.holder is not None
    return bearer.holder


async def left(matches: CommandHandler, match_id: UUID, holder: Holder) -> None:
    await matches.submit(match_id, commands.Leave(holder.seat), asking(f"leave-{holder.player}", holder))


async def kicked(matches: CommandHandler, match_id: UUID, holder: Holder) -> None:
    await matches.submit(match_id, commands.Kick(holder.seat, "conduct"), asking(f"kick-{holder.player}"))


GivesUp = Callable[[CommandHandler, UUID, Holder], Awaitable[None]]
GIVEN_UP = pytest.mark.parametrize("given_up", [left, kicked])


async def begun(matches: CommandHandler, match_id: UUID) -> None:
    """Start, and take the first deal past the log."""
    await matches.start(match_id, asking("start"))
    await matches.submit(match_id, commands.LogDeal(0, 0, (), "checkpoint"), asking("log"))


class Replaced:
    """A match in play over HTTP: Ada took the first seat and left it, and Eve took it; Bob sits beside her."""

    def __init__(self, table: Table, matches: CommandHandler) -> None:
        self.table = table
        self.ada = table.join("Ada")
        assert table.client.delete(f"{table.path}/seats/me", headers=self.ada).status_code == 200
        self.eve, self.bob = table.join("Eve"), table.join("Bob")
        table.start()
        asyncio.run(matches.submit(UUID(table.id), commands.LogDeal(0, 0, (), "checkpoint"), asking("log")))

    def get(self, rest: str, who: dict[str, str]) -> httpx.Response:
        return self.table.client.get(self.table.path + rest, headers=who)


@pytest.fixture(scope="module")
def replaced() -> Iterator[Replaced]:
    matches = house(MemoryStore())
    with served(Bounds(), matches) as service:
        yield Replaced(Table(service), matches)


def test_the_number_of_a_seat_that_was_given_up_is_taken_again(replaced: Replaced) -> None:
    seats = replaced.get("", replaced.eve).json()["seats"]
    assert [(seat["seat"], seat["name"]) for seat in seats] == [(1, "Eve"), (2, "Bob")]


@pytest.mark.parametrize("rest", ["", "/replay", "/replay?version=9"])
def test_who_has_left_sees_what_spectators_see(replaced: Replaced, rest: str) -> None:
    seen = replaced.get(rest, replaced.ada)
    assert (seen.status_code, seen.text) == (200, replaced.get(rest, {}).text)
    assert seen.text != replaced.get(rest, replaced.eve).text


def test_who_holds_the_seat_sees_its_dice(replaced: Replaced) -> None:
    faces = [die["face"] for die in replaced.get("", replaced.eve).json()["seats"][0]["dice"]]
    assert len(faces) == 5
    assert None not in faces
    assert len(replaced.get("/openings", replaced.eve).json()) == 1


@pytest.mark.parametrize("rest", ["/openings", "/openings/folded"])
def test_who_has_left_is_given_no_proofs(replaced: Replaced, rest: str) -> None:
    assert replaced.get(rest, replaced.ada).json() == []


def test_the_state_of_the_seat_is_not_told_by_conditional_reads(replaced: Replaced) -> None:
    conditional = {"If-None-Match": replaced.get("", {}).headers["ETag"]}
    answers = [replaced.get("", who | conditional) for who in (replaced.ada, {})]
    assert [answer.status_code for answer in answers] == [304, 304]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command["type"])
def test_who_has_left_asks_for_nothing(replaced: Replaced, command: dict[str, object]) -> None:
    before = replaced.get("", {}).json()["version"]
    refused = replaced.table.play(replaced.ada, command)
    assert refused.json()["code"] == "unknown_player"
    assert replaced.get("", {}).json()["version"] == before


def test_a_socket_that_knows_the_token_from_before_asks_for_nothing() -> None:
    """A socket remembers whose a token is; the seat is looked at each time."""
    matches = house(MemoryStore())
    with served(Bounds(), matches) as service, speaking(service) as speaker:
        table = Table(service)
        ada = table.join("Ada")
        assert speaker.play(table, ada, {"type": "challenge"})["code"] == "wrong_phase"
        assert table.client.delete(f"{table.path}/seats/me", headers=ada).status_code == 200
        table.join("Eve")
        table.join("Bob")
        table.start()
        asyncio.run(matches.submit(UUID(table.id), commands.LogDeal(0, 0, (), "checkpoint"), asking("log")))
        before = table.client.get(table.path).json()["version"]
        assert [speaker.play(table, ada, one)["code"] for one in COMMANDS] == ["unknown_player"] * len(COMMANDS)
        assert table.client.get(table.path).json()["version"] == before


def test_who_has_left_cannot_get_another_up(replaced: Replaced) -> None:
    refused = replaced.table.client.delete(f"{replaced.table.path}/seats/me", headers=replaced.ada)
    assert refused.json()["code"] == "unknown_player"


def test_a_repeat_of_what_was_asked_before_gets_the_answer_of_then(replaced: Replaced) -> None:
    """The answer, and the token in it, are those of the player who earned them: they speak for nobody any more."""
    client, key = replaced.table.client, {"Idempotency-Key": "the-same-key-again"}
    opened = client.post("/api/v1/matches", json={"rules": RULES}).json()
    path = f"/api/v1/matches/{opened['match']}"
    first = client.post(f"{path}/seats", json={"name": "Ada"}, headers=key)
    ada = {"Authorization": f"Bearer {first.json()['token']}"}
    assert client.delete(f"{path}/seats/me", headers=ada).status_code == 200
    assert client.post(f"{path}/seats", json={"name": "Eve"}).json()["seat"] == 1
    again = client.post(f"{path}/seats", json={"name": "Ada"}, headers=key)
    assert again.json() == first.json()
    assert client.delete(f"{path}/seats/me", headers=ada).json()["code"] == "unknown_player"


class Swapping(MemoryStore):
    """A store in which, right before the next append, the first seat is given up and taken by somebody else."""

    def __init__(self) -> None:
        super().__init__()
        self.others: CommandHandler | None = None
        self.first: Holder | None = None

    async def append(self, append: Append) -> Outcome:
        others, self.others = self.others, None
        if others is not None and self.first is not None:
            match_id = UUID(append.stream.removeprefix("match/"))
            await left(others, match_id, self.first)
            await joined(others, match_id, "Eve")
        return await super().append(append)


async def test_a_seat_that_changes_hands_between_a_command_and_its_append_is_not_spoken_for() -> None:
    store = Swapping()
    match_id = await opened(matches := house(store))
    ada = await joined(matches, match_id, "Ada")
    store.others, store.first = house(store), ada
    with pytest.raises(Refused, match="no seat"):
        await matches.submit(match_id, commands.Leave(1), asking("leave-late", ada))
    match = (await matches.load_match(match_id)).match
    assert match.seated.keys() == {1}
    assert match.seated[1].player != ada.player


async def test_a_program_that_lags_behind_lets_nobody_speak_for_who_came_later() -> None:
    quick = house(store := MemoryStore())
    match_id = await opened(quick)
    ada = await joined(quick, match_id, "Ada")
    await joined(quick, match_id, "Bob")
    slow = house(store)
    await slow.load_match(match_id)
    await left(quick, match_id, ada)
    await joined(quick, match_id, "Eve")
    await begun(quick, match_id)
    with pytest.raises(Refused, match="no seat"):
        await slow.submit(match_id, commands.Forfeit(1), asking("resign", ada))
    assert (await slow.view(match_id, ada)).viewer is None
    assert await slow.frames(match_id, ada, 0, 999) == await slow.frames(match_id, None, 0, 999)


async def test_a_table_where_hundreds_came_and_went_is_played_like_any_other() -> None:
    matches = house(store := MemoryStore())
    match_id = await opened(matches)
    gone = []
    for number in range(300):
        gone.append(await joined(matches, match_id, f"guest-{number}"))
        await left(matches, match_id, gone[-1])
    seats = [await joined(matches, match_id, name) for name in ("Ada", "Bob")]
    assert [holder.seat for holder in (*gone, *seats)] == [*(1 for _ in gone), 1, 2]
    await begun(matches, match_id)
    for number, holder in enumerate(gone):
        with pytest.raises(Refused, match="no seat"):
            await matches.submit(match_id, commands.Forfeit(1), asking(f"late-{number}", holder))
    assert {(await matches.view(match_id, holder)).viewer for holder in gone} == {None}
    assert [(await matches.view(match_id, holder)).viewer for holder in seats] == [1, 2]
    turn = (await matches.view(match_id, None)).turn
    for holder in seats:
        bid = commands.Bid(holder.seat, 1, 2)
        if holder.seat == turn:
            await matches.submit(match_id, bid, asking("bid", holder))
    await matches.submit(match_id, commands.Forfeit(2), asking("resign", seats[1]))
    documents = [canonical.decode(line) for line in await store.read(stream_of(match_id))]
    assert documents[-1]["type"] == "match.ended"
    lines = [RecordLine(n, one["type"], one["data"], one["at"]) for n, one in enumerate(documents, start=1)]
    assert replay(lines).line is None


QUICK = WaitPolicy(quiet_s=0.05, away_s=0.05, late_s=0.01)
NEVER = WaitPolicy(quiet_s=3_600, away_s=3_600, late_s=3_600)


async def followed(streams: StreamHub, match_id: UUID, holder: Holder | None, told: list[StreamItem]) -> None:
    """Read a stream to its end."""
    async for item in streams.stream(match_id, holder, None):
        assert isinstance(item, StreamItem)
        told += [item]


async def told_one(told: list[StreamItem]) -> None:
    async with asyncio.timeout(60):
        while not told:
            await asyncio.sleep(0.001)


@GIVEN_UP
async def test_an_open_stream_ends_where_its_holder_leaves_or_is_kicked(given_up: GivesUp) -> None:
    matches = house(MemoryStore())
    match_id = await opened(matches)
    ada = await joined(matches, match_id, "Ada")
    told: list[StreamItem] = []
    reading = asyncio.create_task(followed(StreamHub(matches, MemoryFeed(), QUICK), match_id, ada, told))
    await told_one(told)
    await given_up(matches, match_id, ada)
    gone = (await matches.load_match(match_id)).match.version
    for name in ("Eve", "Bob"):
        await joined(matches, match_id, name)
    await begun(matches, match_id)
    await asyncio.wait_for(reading, 60)
    assert (told[0].kind, told[-1].kind, told[-1].version) == ("snapshot", "bye", gone)
    assert b'"face":' not in b"".join(item.body for item in told)


@GIVEN_UP
async def test_what_a_seat_is_told_later_never_reaches_who_had_it_before(given_up: GivesUp) -> None:
    matches, feed = house(MemoryStore()), MemoryFeed()
    match_id = await opened(matches)
    ada = await joined(matches, match_id, "Ada")
    tapes = [FrameBuffer(match_id, ada, matches, feed, patience) for patience in (QUICK, NEVER)]
    for tape in tapes:
        await tape.open()
    before = tapes[1].version
    await given_up(matches, match_id, ada)
    gone = (await matches.load_match(match_id)).match.version
    while tapes[0].left is None:
        await tapes[0].wait()
    eve = await joined(matches, match_id, "Eve")
    await joined(matches, match_id, "Bob")
    await begun(matches, match_id)
    frames = await matches.frames(match_id, eve, gone, 999)
    assert b'"face":' in frames[-1]
    for version, body in enumerate(frames, start=gone + 1):
        await feed.tell(str(match_id), eve.seat, version, body)
    assert [tape.version for tape in tapes] == [gone, before]
    for tape in tapes:
        await tape.close()


async def test_a_stream_opened_by_who_has_left_is_a_spectators() -> None:
    matches = house(MemoryStore())
    streams = StreamHub(matches, MemoryFeed(), NEVER)
    match_id = await opened(matches)
    ada = await joined(matches, match_id, "Ada")
    await left(matches, match_id, ada)
    for name in ("Eve", "Bob"):
        await joined(matches, match_id, name)
    await begun(matches, match_id)
    stream, spectators = (streams.stream(match_id, viewer, None) for viewer in (ada, None))
    assert await anext(stream) == await anext(spectators)
    assert streams.buffers == 1
    await stream.aclose()
    await spectators.aclose()


class Losing(CommandHandler):
    """Matches in which a holder leaves between two looks: right after it was asked who holds the seat."""

    async def holding(self, match_id: UUID, viewer: Viewer) -> Viewer:
        found = await super().holding(match_id, viewer)
        if isinstance(found, Holder):
            await left(self, match_id, found)
            await joined(self, match_id, "Eve")
        return found


async def test_who_leaves_while_a_stream_opens_gets_one_look_at_what_spectators_see_and_a_bye() -> None:
    store = MemoryStore()
    matches = Losing(store, Vault(store, Sealing(bytes(32))), TokenIssuer(bytes(range(32))))
    match_id = await opened(matches)
    ada = await joined(matches, match_id, "Ada")
    told: list[StreamItem] = []
    await asyncio.wait_for(followed(StreamHub(matches, MemoryFeed(), NEVER), match_id, ada, told), 60)
    assert [item.kind for item in told] == ["snapshot", "bye"]
    assert msgspec.json.decode(told[0].body)["snapshot"]["viewer"] is None
