"""Attacks on whoever handles commands: guessed keys, seats taken at the wrong moment, programs that lag behind."""

from __future__ import annotations

import asyncio
import hashlib
from uuid import UUID

import pytest

from domain import commands, events
from domain.errors import Refused
from domain.games import GAMES
from domain.match.ceremony import CEREMONY_MS
from domain.match.decide import decide
from domain.match.record import event_of, fold, lines_of, stream_of
from infra.entropy import draw
from infra.handoff.memory import MemoryHandoff
from infra.sealing import Sealing
from infra.store import Append, Outcome, StoredToken, Unavailable
from infra.store.memory import MemoryStore
from services.dealer.handoff.remote import Dealers, RemoteMatches
from services.matches import turns
from services.matches.handler import CommandHandler
from services.matches.naming.bots import HOUSE_BOTS
from services.matches.requests import CommandMetadata
from services.matches.secrets.tokens import Bearer, Holder, TokenIssuer
from services.matches.secrets.vault import Vault

KEY = "host-of-table-no-7"
RULES = {"game": "common_hand", "options": {}, "seats": 3, "pause_ms": 0}


def asking(key: str, scope: str = "test") -> CommandMetadata:
    return CommandMetadata(scope, key, b"")


def house(store: MemoryStore) -> CommandHandler:
    """Return a house that knows nothing but the log."""
    return CommandHandler(store, Vault(store, Sealing(bytes(32))), TokenIssuer(bytes(range(32))))


async def opened(matches: CommandHandler) -> UUID:
    return UUID((await matches.open(RULES, asking(KEY))).match)


async def holder(matches: CommandHandler, match_id: UUID) -> Holder:
    """Return who holds the first seat."""
    return Holder(1, (await matches.load_match(match_id)).match.seated[1].player)


async def logged(matches: CommandHandler, match_id: UUID) -> None:
    await matches.submit(match_id, commands.LogDeal(0, 0, (), "checkpoint"), asking("log"))


def told_by_a_hash(key: str) -> str:
    """Return what a stranger works out from a guessed key, as hex."""
    return hashlib.sha256(f"truecup command\ntest\n{key}".encode()).hexdigest()


async def test_an_idempotency_key_cannot_be_guessed_from_the_id_of_its_match():
    match_id = await opened(house(MemoryStore()))
    assert match_id.hex[:12] != told_by_a_hash(KEY)[:12]


async def test_an_idempotency_key_cannot_be_guessed_from_the_id_of_its_player():
    matches = house(MemoryStore())
    match_id = await opened(matches)
    await matches.join(match_id, "Ada", "server", asking("ada-sits-down-now"))
    player = (await matches.load_match(match_id)).match.seated[1].player
    assert player[1:9] != told_by_a_hash("ada-sits-down-now")[:8]


async def test_a_repeat_still_finds_its_match_and_its_seat():
    matches = house(store := MemoryStore())
    match_id = await opened(matches)
    one = await matches.join(match_id, "Ada", "server", asking("ada"))
    assert await opened(house(store)) == match_id
    assert await house(store).join(match_id, "Ada", "server", asking("ada")) == one


class Busy(MemoryStore):
    """A store into which somebody takes a seat just before the next append."""

    def __init__(self) -> None:
        super().__init__()
        self.first: Append | None = None

    async def append(self, append: Append) -> Outcome:
        first, self.first = self.first, None
        if first is not None:
            await super().append(first)
        return await super().append(append)


async def test_a_player_who_sits_down_while_the_host_starts_has_a_seed_drawn():
    matches = house(store := Busy())
    match_id = await opened(matches)
    for name in ("Ada", "Blaise"):
        await matches.join(match_id, name, "server", asking(name))
    before = (await matches.load_match(match_id)).written
    sits = (events.SeatJoined(3, "pc"), events.SeedCustody(3, "server"))
    lines, _ = lines_of(match_id, before.match.version, before.head, before.match.at, sits)
    store.first = Append(stream_of(match_id), before.match.version, lines, draw(32), b"", b"{}")
    await matches.start(match_id, asking("start"))
    match = (await matches.load_match(match_id)).match
    assert match.table is not None
    assert match.table.seats == (1, 2, 3)
    assert match.ceremony is not None
    assert match.ceremony.stage == "sealed"


async def test_a_program_that_lags_behind_asks_the_log_before_it_refuses():
    quick = house(store := MemoryStore())
    match_id = await opened(quick)
    for name in ("Ada", "Blaise"):
        await quick.join(match_id, name, "server", asking(name))
    await quick.start(match_id, asking("start"))
    await logged(quick, match_id)
    slow = house(store)
    table = (await slow.load_match(match_id)).match.table
    assert table is not None
    assert table.turn is not None
    first, second = table.turn, 3 - table.turn
    await quick.submit(match_id, commands.Bid(first, 1, 2), asking("first"))
    await slow.submit(match_id, commands.Bid(second, 1, 3), asking("second"))
    with pytest.raises(Refused, match="turn"):
        await slow.submit(match_id, commands.Bid(second, 1, 4), asking("third"))


async def draw_late_seeds(store: MemoryStore, matches: CommandHandler, match_id: UUID) -> None:
    """Do what a program does when a seat has given no seed in time, as if that time had passed."""
    known = await matches.load_match(match_id)
    match, at = known.match, known.match.at + CEREMONY_MS
    late = commands.Advance(commands.Chance(draw(32), {seat: draw(32) for seat in match.seated}))
    made = decide(match, late, at, known.keeper)
    lines, _ = lines_of(match_id, match.version, known.written.head, at, made.events)
    stream = stream_of(match_id)
    secrets = Vault(store, Sealing(bytes(32))).wrap(stream, made.secrets)
    await store.append(Append(stream, match.version, lines, draw(32), b"", b"{}", secrets))


async def test_a_seat_is_not_barred_for_a_seed_that_another_program_drew_for_it():
    first = house(store := MemoryStore())
    match_id = await opened(first)
    await first.join(match_id, "Ada", "server", asking("Ada"))
    await first.join(match_id, "Blaise", "client", asking("Blaise"))
    await first.start(match_id, asking("start"))
    other = house(store)
    await other.load_match(match_id)
    await draw_late_seeds(store, first, match_id)
    await logged(other, match_id)
    happened = [event_of(line)[0] for line in await store.read(stream_of(match_id))]
    assert [event.seat for event in happened if isinstance(event, events.SeedOpened)] == [1, 2]
    (*_, (written, _)) = fold(await store.read(stream_of(match_id)))
    assert written.match.ceremony is not None
    assert written.match.ceremony.stage == "ready"


async def test_of_two_who_ask_at_once_for_one_name_one_sits_whoever_serves_them():
    store = MemoryStore()
    one, other = house(store), house(store)
    match_id = await opened(one)
    await other.load_match(match_id)
    double = "\u0410\u0410"
    answers = await asyncio.gather(
        one.join(match_id, "AA", "server", asking("the first")),
        other.join(match_id, double, "server", asking("the double")),
        return_exceptions=True,
    )
    (refused,) = [answer for answer in answers if isinstance(answer, Refused)]
    assert (refused.code, refused.facts) == ("name_taken", {"seat": 1})
    assert len((await one.load_match(match_id)).match.seated) == 1


async def test_a_name_is_free_again_when_its_bearer_has_left_on_another_node():
    store = MemoryStore()
    one, other = house(store), house(store)
    match_id = await opened(one)
    first = await one.join(match_id, "Ada", "server", asking("the first"))
    again = await one.join(match_id, "Ada", "server", asking("the first"))
    assert again == first
    with pytest.raises(Refused, match="looks the same"):
        await other.join(match_id, "Ada", "server", asking("the second"))
    assert first.seat is not None
    await one.submit(match_id, commands.Leave(first.seat), asking("gets up"))
    assert (await other.join(match_id, "Ada", "server", asking("the second"))).seat


async def test_bots_keep_their_names_beside_people_who_were_called_so_before_there_was_a_law():
    matches = house(MemoryStore())
    match_id = await opened(matches)
    await matches.join(match_id, HOUSE_BOTS[0][1], "server", asking("from of old"))
    await matches.seat_bot(match_id, *HOUSE_BOTS[0], asking("a bot"))
    names = [seat.name for seat in (await matches.view(match_id, None)).seats]
    assert names == [HOUSE_BOTS[0][1]] * 2


async def test_many_who_ask_at_once_wait_for_each_other_and_nobody_sits_twice():
    matches = house(store := MemoryStore())
    match_id = await opened(matches)
    joins = (matches.join(match_id, f"Ada {n}", "server", asking(f"join-{n}")) for n in range(12))
    answers = await asyncio.gather(*joins, return_exceptions=True)
    assert sorted(one.seat for one in answers if not isinstance(one, BaseException) and one.seat) == [1, 2, 3]
    assert all(isinstance(one, Refused) for one in answers if isinstance(one, BaseException))
    assert len(await store.read(stream_of(match_id))) == 7


class Counting(MemoryStore):
    """A store that counts how often it is asked for a token."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    async def token(self, digest: bytes) -> StoredToken | None:
        self.asked += 1
        return await super().token(digest)


async def test_a_guessed_token_is_told_from_a_token_without_asking_the_store():
    matches = house(store := Counting())
    match_id = await opened(matches)
    token = (await matches.join(match_id, "Ada", "server", asking("ada"))).token
    assert token is not None
    assert await matches.bearer("truecup_seat_" + "A" * 43) is None
    assert await matches.bearer(token[:20] + ("B" if token[20] == "A" else "A") + token[21:]) is None
    assert store.asked == 0
    assert await matches.bearer(token) == Bearer(match_id, "seat", await holder(matches, match_id))


async def test_two_programs_with_one_key_know_each_others_tokens():
    one = house(store := MemoryStore())
    match_id = await opened(one)
    answer = await one.join(match_id, "Ada", "server", asking("ada"))
    assert answer.token is not None
    assert await house(store).bearer(answer.token) == Bearer(match_id, "seat", await holder(one, match_id))


async def test_a_key_used_again_at_another_table_renames_nobody_at_the_first():
    matches = house(MemoryStore())
    first = await opened(matches)
    second = UUID((await matches.open(RULES, asking("another-table"))).match)
    await matches.join(first, "Ada", "server", asking("a-key-used-twice"))
    await matches.join(second, "Mallory", "server", asking("a-key-used-twice"))
    assert [seat.name for seat in (await matches.view(first, None)).seats] == ["Ada"]


async def test_a_node_without_a_dealer_to_ask_serves_no_seat_and_no_half_of_one():
    matches = house(store := MemoryStore())
    match_id = await opened(matches)
    token = (await matches.join(match_id, "Ada", "server", asking("ada"))).token
    assert token is not None
    node = RemoteMatches(store, Dealers(MemoryHandoff()))
    with pytest.raises(Unavailable):
        await node.bearer(token)
    bearer = await matches.bearer(token)
    assert bearer is not None
    with pytest.raises(Unavailable):
        await node.for_token(token).view(match_id, bearer.holder)
    assert (await node.view(match_id, None)).viewer is None


async def test_a_lobby_that_nobody_starts_is_not_read_again_after_a_restart():
    matches = house(store := MemoryStore())
    waiting, begun = await opened(matches), UUID((await matches.open(RULES, asking("another-table"))).match)
    for name in ("Ada", "Blaise"):
        await matches.join(begun, name, "server", asking(name))
    await matches.start(begun, asking("start"))
    assert await store.streams_live() == [stream_of(begun)]
    assert (await matches.view(waiting, None)).phase == "lobby"


@pytest.mark.parametrize("game", GAMES)
async def test_a_table_full_of_house_bots_has_no_two_of_one_name(game: str):
    matches = house(MemoryStore())
    match_id = UUID((await matches.open({"game": game, "options": {}}, asking(KEY))).match)
    free = (await matches.load_match(match_id)).match.settings.seats
    await matches.seat_bots(match_id, free, asking("bots"))
    names = [seat.name for seat in (await matches.view(match_id, None)).seats]
    assert len(set(names)) == len(names) == free


async def test_a_command_waits_no_longer_than_those_before_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "TURN_S", 0.05)
    mine, other = UUID(int=1), UUID(int=2)
    waiting = turns.Turns()
    async with waiting.of(mine):
        with pytest.raises(Unavailable):
            async with waiting.of(mine):
                pytest.fail("two at once")
        async with waiting.of(other):
            pass
    async with waiting.of(mine):
        pass
