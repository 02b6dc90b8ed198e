"""A dealer answers for tokens alone: what a node that lies could ask for, and what faults it could cause."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import msgspec
import pytest
from structlog.testing import capture_logs

from domain import commands
from domain.errors import Refused
from infra.handoff.memory import MemoryHandoff
from infra.measures.slow import SlowCommands
from infra.sealing import Sealing
from infra.store import Unavailable
from infra.store.memory import MemoryStore
from projections.view import View
from services.dealer.handoff import messages
from services.dealer.handoff.desk import FOREIGN
from services.dealer.handoff.remote import Dealers, RemoteMatches
from services.matches.attendance import BotBounds
from services.matches.handler import CommandHandler
from services.matches.reads.queries import UnknownMatch, Viewer
from services.matches.requests import ANONYMOUS, CommandMetadata, KeyUsed, VersionPassed, scope_of
from services.matches.secrets.tokens import Bearer, Holder, TokenIssuer
from services.matches.secrets.vault import Vault
from services.program.seasons import beyond
from services.tournaments.handler import TournamentHandler
from services.work.failures import Unreadable
from tests.attack.test_access import Forgetful
from tests.relay.poison import poison

LEAST = BotBounds().network
RULES = {"game": "common_hand", "options": {}, "seats": 3, "pause_ms": 0}


def asking(key: str, expected: tuple[int, ...] | None = None) -> CommandMetadata:
    return CommandMetadata(ANONYMOUS, key, b"f" * 32, expected)


class Frail(CommandHandler):
    """Matches with a fault in their views."""

    async def view(self, match_id: UUID, viewer: Viewer) -> View:
        raise ZeroDivisionError(f"{match_id} {viewer}")


class House:
    """A dealer, and a node that is none, over one store."""

    def __init__(self, kind: type[CommandHandler] = CommandHandler, store: MemoryStore | None = None) -> None:
        self.store = store or MemoryStore()
        vault, tokens = Vault(self.store, Sealing(bytes(32))), TokenIssuer(bytes(32))
        self.matches = kind(self.store, vault, tokens)
        self.handoff = MemoryHandoff()
        tournaments = TournamentHandler(self.store, vault, tokens)
        dealing = beyond(self.store, tokens, None, self.matches, tournaments, SlowCommands(0))
        self.desk = dealing.desk(self.handoff, self.matches, tournaments)
        self.dealers = Dealers(self.handoff)
        self.remote = RemoteMatches(self.store, self.dealers)

    async def open_up(self) -> House:
        await self.handoff.take(self.desk.answer)
        return self

    async def table(self, key: str = "open") -> tuple[UUID, str, list[str]]:
        """Open a match, seat two and deal, all over the node that is no dealer; return the tokens."""
        opened = await self.remote.open(RULES, asking(key))
        match_id, host = UUID(opened.match), str(opened.token)
        joined = [await self.remote.join(match_id, name, "server", asking(f"{key} {name}")) for name in ("Ada", "Bob")]
        await self.remote.for_token(host).start(match_id, asking(f"{key} start"))
        await self.matches.submit(match_id, commands.LogDeal(0, 0, (), "a checkpoint"), asking(f"{key} log"))
        return match_id, host, [str(each.token) for each in joined]

    async def holder(self, token: str) -> Holder:
        bearer = await self.remote.bearer(token)
        assert bearer is not None
        assert bearer.holder is not None
        return bearer.holder

    async def turn(self, match_id: UUID) -> int:
        table = (await self.matches.load_match(match_id)).match.table
        assert table is not None
        assert table.turn is not None
        return table.turn


@pytest.fixture
async def house() -> House:
    return await House().open_up()


# ---- what is right ------------------------------------------------------------------------------


async def test_a_match_is_played_over_a_node_that_knows_no_dice(house: House) -> None:
    match_id, host, seats = await house.table()
    assert await house.remote.bearer(host) == Bearer(match_id, "host")
    assert [await house.remote.bearer(token) for token in seats] == [await house.matches.bearer(one) for one in seats]
    turn = await house.turn(match_id)
    for token in seats:
        mine, seat = house.remote.for_token(token), await house.holder(token)
        assert msgspec.json.encode(await mine.view(match_id, seat)) == msgspec.json.encode(
            await house.matches.view(match_id, seat)
        )
        assert await mine.frames(match_id, seat, 0, 256) == await house.matches.frames(match_id, seat, 0, 256)
        assert await mine.opened(match_id, seat) == await house.matches.opened(match_id, seat)
        assert await mine.folded(match_id, seat) == await house.matches.folded(match_id, seat)
    bid = commands.Bid(turn, 1, 2)
    answer = await house.remote.for_token(seats[turn - 1]).submit(match_id, bid, asking("bid"))
    assert answer.version == (await house.matches.load_match(match_id)).match.version


async def test_a_seat_is_shown_its_own_dice_and_no_others(house: House) -> None:
    match_id, _, seats = await house.table()
    for token in seats:
        mine, holder = house.remote.for_token(token), await house.holder(token)
        frames = [msgspec.json.decode(frame)["view"] for frame in await mine.frames(match_id, holder, 0, 256)]
        views = [msgspec.to_builtins(await mine.view(match_id, holder)), *frames]
        for view in views:
            known = {each["seat"] for each in view["seats"] for die in each["dice"] if die["face"] is not None}
            assert known <= {holder.seat}
        assert views[0]["viewer"] == holder.seat
        assert await mine.folded(match_id, holder) == []


async def test_a_repeat_at_another_node_is_answered_the_same(house: House) -> None:
    match_id, host, seats = await house.table()
    turn = await house.turn(match_id)
    token = seats[turn - 1]
    bid = commands.Bid(turn, 1, 2)
    first = await house.remote.for_token(token).submit(match_id, bid, asking("bid"))
    there = CommandMetadata(scope_of(token), "bid", b"f" * 32, holder=await house.holder(token))
    assert await house.matches.submit(match_id, bid, there) == first
    assert await house.remote.for_token(token).submit(match_id, bid, asking("bid")) == first
    again = await house.remote.join(match_id, "Ada", "server", asking("open Ada"))
    assert again.token == seats[0]
    assert (await house.matches.open(RULES, asking("open"))).token == host


async def test_what_a_rule_says_no_with_is_said_the_same(house: House) -> None:
    match_id, _, seats = await house.table()
    turn = await house.turn(match_id)
    mine = house.remote.for_token(seats[turn - 1])
    for command, ask, trouble in (
        (commands.Challenge(turn), asking("early"), Refused),
        (commands.Bid(turn, 1, 2), asking("late", expected=(1,)), VersionPassed),
    ):
        with pytest.raises(trouble) as there:
            await mine.submit(match_id, command, ask)
        with pytest.raises(trouble) as here:
            await house.matches.submit(match_id, command, ask)
        assert (str(there.value), vars(there.value)) == (str(here.value), vars(here.value))
    with pytest.raises(KeyUsed):
        await house.remote.join(match_id, "Bob", "server", CommandMetadata(ANONYMOUS, "open Ada", b"another"))
    with pytest.raises(UnknownMatch):
        await house.remote.join(UUID(int=1), "Bob", "server", asking("nowhere"))


async def test_dice_stay_with_the_dealer_while_it_cannot_be_put_on_record() -> None:
    store = Forgetful()
    match_id, _, seats = await (await House(store=store).open_up()).table()
    store.broken = True
    fresh = await House(store=store).open_up()
    mine, one = fresh.remote.for_token(seats[0]), await fresh.holder(seats[0])
    for read in (mine.view(match_id, one), mine.frames(match_id, one, 0, 256), mine.opened(match_id, one)):
        with pytest.raises(Unavailable):
            await read


async def test_a_match_that_is_older_than_access_streams_is_given_its_own_by_the_dealer() -> None:
    store = Forgetful()
    house = await House(store=store).open_up()
    match_id, _, _ = await house.table()
    store.forgets = False
    fresh = await House(store=store).open_up()
    assert await fresh.remote.access(match_id) == await house.matches.access(match_id)
    with pytest.raises(UnknownMatch):
        await fresh.remote.access(UUID(int=1))


# ---- what a node that lies could try ------------------------------------------------------------


async def forged(house: House, question: messages.Question) -> Any:
    """Return what a dealer says to a node that was taken over."""
    return messages.decode_reply(await house.handoff.ask(messages.encode(question)))


async def test_a_token_earns_nothing_of_another_seat_or_another_match(house: House) -> None:
    match_id, host, seats = await house.table()
    _, other_host, others = await house.table("another")
    turn = await house.turn(match_id)
    before = len(await house.store.read(f"match/{match_id}"))
    asked, bid = messages.Asked("forged", b""), commands.Bid(turn, 1, 2)
    tries: list[messages.Question] = [
        messages.AskCommand(seats[2 - turn], match_id, asked, bid),
        messages.AskCommand(host, match_id, asked, bid),
        messages.AskCommand(others[0], match_id, asked, bid),
        messages.AskCommand(other_host, match_id, asked, commands.CloseSession()),
        messages.AskBots(other_host, match_id, asked, 1),
        *(kind(token, match_id) for kind in READS for token in (host, others[0], other_host)),
        messages.AskFrames(others[0], match_id, 0, 100),
        messages.AskFrames(host, match_id, 0, 100),
    ]
    for question in tries:
        assert await forged(house, question) == messages.NotNow(FOREIGN), question
    for question in (
        messages.AskCommand(seats[0], match_id, asked, commands.CloseSession()),
        messages.AskBots(seats[0], match_id, asked, 1),
    ):
        assert await forged(house, question) == messages.NotAllowed("not_the_host", {}), question
    assert len(await house.store.read(f"match/{match_id}")) == before
    assert (await house.holder(others[0])).seat == 1


READS = (messages.AskView, messages.AskOpenings, messages.AskFolded)


async def test_what_the_table_does_by_itself_no_node_can_ask_for(house: House) -> None:
    match_id, host, seats = await house.table()
    before = len(await house.store.read(f"match/{match_id}"))
    for command in (
        commands.Advance(commands.Chance(bytes(32), {1: bytes(32), 2: bytes(32)})),
        commands.GiveBack(3_600_000),
        commands.LogDeal(0, 0, (), "checkpoint"),
        commands.Join("bot/steady/1", "server"),
        commands.CloseUnattended(),
    ):
        for token in (host, *seats):
            question = messages.AskCommand(token, match_id, messages.Asked("forged", b""), command)
            assert await forged(house, question) == messages.NotNow(FOREIGN)
    assert len(await house.store.read(f"match/{match_id}")) == before


async def test_a_node_draws_no_chance_for_a_deal(house: House) -> None:
    opened = await house.remote.open(RULES, asking("open"))
    match_id, host = UUID(opened.match), str(opened.token)
    for name in ("Ada", "Bob"):
        await house.remote.join(match_id, name, "server", asking(name))
    chosen = commands.Chance(b"\7" * 32, {1: b"\7" * 32, 2: b"\7" * 32})
    question = messages.AskCommand(host, match_id, messages.Asked("start", b""), commands.Start(chosen))
    assert isinstance(await forged(house, question), messages.AcceptedReply)
    keeper = (await house.matches.load_match(match_id)).keeper
    assert keeper is not None
    assert keeper.secret != chosen.secret
    assert set(keeper.seeds.values()).isdisjoint(chosen.seeds.values())


async def test_tables_of_bots_are_counted_wherever_they_are_started(house: House) -> None:
    """A node that does not say where a request comes from shares the bounds of one address with all others like it."""
    started = []
    for number, network in enumerate(("192.0.2.7", None)):
        for again in range(LEAST + 1):
            opened = await house.remote.open(RULES, asking(f"open {number} {again}"))
            match_id, mine = UUID(opened.match), house.remote.for_token(str(opened.token))
            await mine.seat_bots(match_id, 2, asking("bots"))
            ask = msgspec.structs.replace(asking("start"), network=network)
            try:
                await mine.start(match_id, ask)
                started.append(network)
            except Refused:
                assert again == LEAST
    assert started == ["192.0.2.7"] * LEAST + [None] * LEAST


async def test_a_node_cannot_take_the_keys_under_which_the_table_acts(house: House) -> None:
    """The croupier's commands are stored under keys that can be guessed, in a scope that no question names."""
    match_id, host, _ = await house.table()
    version = (await house.matches.load_match(match_id)).match.version
    key = f"advance-{match_id}-{version}"
    question = messages.AskCommand(host, match_id, messages.Asked(key, b""), commands.CloseSession())
    await forged(house, question)
    stored = await house.store.answer(f"match/{match_id}", CommandMetadata("table", key, b"").command)
    assert stored is None


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\xc1",
        b"{}",
        msgspec.msgpack.encode({"type": "secrets"}),
        msgspec.msgpack.encode({"type": "view", "token": "truecup_seat_short", "match": str(UUID(int=1))}),
        msgspec.msgpack.encode({"type": "bearer", "token": "truecup_host_" + "\n" * 43}),
        msgspec.msgpack.encode({"type": "bearer", "token": "truecup_seat_" + "A" * 43, "seat": 3}),
        msgspec.msgpack.encode({"type": "pulse"})[:-1],
        b"\x91" * 5_000 + b"\xc0",
        b"\x82\xa4type\xa4view\xa5token" + b"\x91" * 50_000 + b"\xc0",
        b"\x81\xa4type\xa2\xff\xfe",
        b"\x82\xa4type\xa4view\xa5token\xa2\xff\xfe",
    ],
)
async def test_a_question_that_no_node_of_ours_asks_is_not_understood(house: House, raw: bytes) -> None:
    said = messages.decode_reply(await house.handoff.ask(raw))
    assert isinstance(said, messages.NotNow)
    assert "does not understand" in said.why


async def test_a_token_that_nobody_was_given_speaks_for_nobody(house: House) -> None:
    match_id, _, _ = await house.table()
    guess = "truecup_seat_" + "A" * 43
    assert await house.remote.bearer(guess) is None
    with pytest.raises(Unavailable):
        await house.remote.for_token(guess).view(match_id, Holder(1, "p1"))


async def test_whoever_left_a_seat_is_shown_nothing_of_whoever_has_it_now(house: House) -> None:
    opened = await house.remote.open(RULES, asking("open"))
    match_id, host = UUID(opened.match), str(opened.token)
    left = str((await house.remote.join(match_id, "Ada", "server", asking("ada"))).token)
    was = await house.holder(left)
    await house.remote.for_token(left).submit(match_id, commands.Leave(1), asking("leave"))
    now = str((await house.remote.join(match_id, "Eve", "server", asking("eve"))).token)
    await house.remote.join(match_id, "Bob", "server", asking("bob"))
    await house.remote.for_token(host).start(match_id, asking("start"))
    await house.matches.submit(match_id, commands.LogDeal(0, 0, (), "a checkpoint"), asking("log"))
    assert (await house.holder(now)).seat == was.seat == 1
    mine = house.remote.for_token(left)
    assert await mine.holding(match_id, was) is None
    assert (await mine.view(match_id, was)).viewer is None
    assert await mine.frames(match_id, was, 0, 256) == await house.remote.frames(match_id, None, 0, 256)
    assert await mine.opened(match_id, was) == b"[]"
    assert await mine.folded(match_id, was) == []
    with pytest.raises(Refused, match="no seat"):
        await mine.submit(match_id, commands.Bid(1, 1, 2), asking("for the other one"))


# ---- faults -------------------------------------------------------------------------------------


async def test_a_fault_in_one_question_is_kept_from_all_others() -> None:
    house = await House(Frail).open_up()
    match_id, _, seats = await house.table()
    with capture_logs() as told, pytest.raises(messages.BrokenThere):
        await house.remote.for_token(seats[0]).view(match_id, await house.holder(seats[0]))
    (line,) = [line for line in told if line["event"] == "handoff.broken"]
    assert line["question"] == "AskView"
    assert seats[0] not in str({name: value for name, value in line.items() if name != "exc_info"})
    assert await house.dealers.trouble() is None


async def test_a_match_that_the_dealer_cannot_read_is_called_so_and_no_other(house: House) -> None:
    match_id, _, seats = await house.table()
    other, _, others = await house.table("another")
    mine, holder = house.remote.for_token(seats[0]), await house.holder(seats[0])
    await poison(house.store, f"match/{match_id}")
    for read in (mine.view(match_id, holder), mine.frames(match_id, holder, 0, 256), mine.opened(match_id, holder)):
        with pytest.raises(Unreadable):
            await read
    with pytest.raises(Unreadable):
        await mine.submit(match_id, commands.Forfeit(1), asking("resign"))
    theirs = house.remote.for_token(others[0])
    assert (await theirs.view(other, await house.holder(others[0]))).viewer == 1


async def test_rules_that_no_interface_lets_through_are_a_fault_and_no_end(house: House) -> None:
    for rules in ({}, {"game": 7, "options": {}}, {"game": "common_hand", "options": {}, "seats": "all"}):
        question = messages.AskOpen(messages.Asked("forged", b""), rules, "all")
        assert isinstance(await forged(house, question), messages.Broken | messages.NotAllowed)
    assert await house.dealers.trouble() is None


async def test_an_answer_of_another_version_is_not_taken_for_one() -> None:
    house = House()

    async def later(_question: bytes) -> bytes:
        return msgspec.msgpack.encode({"type": "perhaps"})

    await house.handoff.take(later)
    with pytest.raises(Unavailable, match="another version"):
        await house.dealers.trouble()


async def test_an_answer_to_another_question_is_not_taken_for_one() -> None:
    house = House()

    async def off(_question: bytes) -> bytes:
        return messages.encode(messages.SpeaksFor(None))

    await house.handoff.take(off)
    with pytest.raises(Unavailable, match="another question"):
        await house.dealers.trouble()


async def test_without_a_dealer_nothing_is_decided_and_it_is_said() -> None:
    house = House()
    with pytest.raises(Unavailable, match="no dealer answers"):
        await house.remote.open(RULES, asking("open"))
    with pytest.raises(Unavailable, match="no dealer answers"):
        await house.dealers.trouble()
