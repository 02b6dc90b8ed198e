"""Tournaments over a node that decides nothing: it is answered as a dealer answers, and can ask for no more."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest

from domain import commands as of_lots
from domain.commands import Chance
from domain.errors import Refused
from domain.tournaments import commands
from domain.tournaments.events import RULE
from infra.handoff.memory import MemoryHandoff
from infra.store import Card, Unavailable
from infra.store.memory import MemoryStore
from services.dealer.handoff import event_messages, messages
from services.dealer.handoff.desk import FOREIGN, UNLAWFUL
from services.dealer.handoff.remote import Dealers
from services.dealer.handoff.remote_tournaments import RemoteTournaments
from services.matches.requests import ANONYMOUS, CommandMetadata, KeyUsed, scope_of
from services.matches.tables.event_tables import SitsAtTable
from services.tournaments.requests import Beside, TournamentAnswer, UnknownTournament
from services.tournaments.ways.lists import EntryRow
from tests.bots.test_player import working
from tests.director.house import DICE, QUICK, EventHouse
from tests.director.test_kept_seats import KEEPS, register_keys
from tests.director.test_tables import PAIRS, TIME, Evening
from tests.handoff.remote_house import desk_of

RULES: dict[str, Any] = {"match": DICE, "time": QUICK, "entry": {"bots": "labelled"}, "stages": [{"format": "swiss"}]}


@dataclass
class Nodes:
    """A dealer, a node that is none, and a tournament that the node has announced."""

    dealer: EventHouse
    remote: RemoteTournaments
    dealers: Dealers
    id: UUID
    host: TournamentAnswer

    async def asking(self, who: TournamentAnswer, key: str) -> CommandMetadata:
        """Return the identity of a request, whose token was looked at."""
        assert await self.remote.bearer(str(who.token)) is not None
        return CommandMetadata(scope_of(str(who.token)), key, b"f" * 32)

    async def submit(
        self, who: TournamentAnswer, command: commands.AnyCommand, key: str, beside: Beside | None = None
    ) -> TournamentAnswer:
        return await self.remote.submit(self.id, command, await self.asking(who, key), beside or Beside())

    async def enter(self, name: str) -> TournamentAnswer:
        return await self.remote.register(self.id, None, name, CommandMetadata(ANONYMOUS, name, b"f" * 32))


@pytest.fixture
async def nodes() -> Nodes:
    dealer, handoff = EventHouse(MemoryStore()), MemoryHandoff()
    await handoff.take(desk_of(dealer, handoff).answer)
    remote = RemoteTournaments(dealer.store, Dealers(handoff))
    host = await remote.create(RULES, CommandMetadata(ANONYMOUS, "new", b"f" * 32), Card("Club night", listed=False))
    dealer.id, dealer.host = UUID(host.tournament), str(host.by)
    return Nodes(dealer, remote, Dealers(handoff), dealer.id, host)


async def test_a_tournament_is_announced_and_entered_over_a_node_that_decides_nothing(nodes: Nodes) -> None:
    host = str(nodes.host.by)
    assert await nodes.remote.card(nodes.id) == Card("Club night", listed=False)
    assert await nodes.remote.bearer(str(nodes.host.token)) == await nodes.dealer.tournaments.bearer(
        str(nodes.host.token)
    )
    opened = await nodes.submit(nodes.host, commands.OpenEntry(by=host), "open")
    assert opened == await nodes.submit(nodes.host, commands.OpenEntry(by=host), "open"), "a repeat is answered alike"
    ana = await nodes.enter("Ana")
    assert (ana.role, ana.number) == ("entrant", 1)
    assert ana == await nodes.enter("Ana")
    bob = await nodes.remote.register(
        nodes.id, host, "Bob", await nodes.asking(nodes.host, "Bob"), "Club", "client", seed=3
    )
    assert bob.number == 2
    entrant = (await nodes.dealer.tournament()).entrants[2]
    assert (entrant.seed, entrant.club is not None) == (3, True)
    assert await nodes.dealer.tournaments.own_seeds(nodes.id) == {entrant.player}
    bot = await nodes.remote.register_bot(nodes.id, host, "steady", "Basil", await nodes.asking(nodes.host, "bot"))
    assert (bot.number, bot.token) == (3, None)
    arbiter = await nodes.remote.appoint(nodes.id, host, "arbiter", await nodes.asking(nodes.host, "arbiter"))
    assert arbiter.role == "arbiter"
    assert (await nodes.remote.load(nodes.id)).written == (await nodes.dealer.tournaments.load(nodes.id)).written
    assert len((await nodes.dealer.tournament()).entrants) == 3


async def test_what_a_dealer_refuses_is_refused_there_in_the_same_words(nodes: Nodes) -> None:
    with pytest.raises(Refused) as refused:
        await nodes.enter("Ana")
    assert refused.value.code == "wrong_phase"
    await nodes.submit(nodes.host, commands.OpenEntry(by=str(nodes.host.by)), "open")
    other = CommandMetadata(scope_of(str(nodes.host.token)), "open", b"another request")
    with pytest.raises(KeyUsed):
        await nodes.remote.submit(nodes.id, commands.OpenEntry(by=str(nodes.host.by)), other)
    with pytest.raises(UnknownTournament):
        await nodes.remote.register(uuid4(), None, "Ana", CommandMetadata(ANONYMOUS, "nowhere", b""))
    assert await nodes.remote.bearer("truecup_entrant_" + "A" * 43) is None


async def test_numbers_that_no_message_can_hold_are_no_rules(nodes: Nodes) -> None:
    rules = {**RULES, "prizes": {"unit": "chips", "amounts": [2**70]}}
    with pytest.raises(Refused) as refused:
        await nodes.remote.create(rules, CommandMetadata(ANONYMOUS, "large", b"f" * 32))
    assert (refused.value.code, refused.value.facts["option"]) == ("bad_options", "rules")


async def test_texts_are_read_there_by_whom_they_are_for(nodes: Nodes) -> None:
    host = str(nodes.host.by)
    await nodes.submit(nodes.host, commands.OpenEntry(by=host), "open")
    ana, _ = [await nodes.enter(name) for name in ("Ana", "Bob")]
    forbid = commands.Forbid(by=host, numbers=(1, 2), reason="other")
    await nodes.submit(nodes.host, forbid, "forbid", Beside(note="They are brothers.", restricted=True))
    await nodes.asking(ana, "none")
    assert await nodes.remote.notes(nodes.id) == await nodes.remote.notes(nodes.id, ana.by) == []
    (note,) = await nodes.remote.notes(nodes.id, host)
    assert note.body == "They are brothers."
    with pytest.raises(Refused, match="official"):
        await nodes.remote.erase_note(nodes.id, note.note, str(ana.by))
    assert await nodes.remote.erase_note(nodes.id, note.note, host)
    assert not await nodes.remote.erase_note(nodes.id, note.note, host)
    assert await nodes.remote.notes(nodes.id, host) == []


async def test_a_player_of_two_tournaments_shows_each_the_token_of_it(nodes: Nodes) -> None:
    player, held = "u" + "a" * 24, list[UUID]()
    for number in range(2):
        if number:
            ask = CommandMetadata(ANONYMOUS, "second", b"f" * 32)
            nodes.host = await nodes.remote.create(RULES, ask)
            nodes.id = UUID(nodes.host.tournament)
        await nodes.submit(nodes.host, commands.OpenEntry(by=str(nodes.host.by)), "open")
        ask = CommandMetadata(ANONYMOUS, f"enter {number}", b"f" * 32)
        entered = await nodes.dealer.tournaments.register(nodes.id, None, None, ask, person=player)
        assert entered.by == player
        await nodes.asking(entered, "none")
        held.append(nodes.id)
    for tournament in held:
        assert await nodes.remote.notes(tournament, player) == []
        with pytest.raises(Refused, match="official"):
            await nodes.remote.erase_note(tournament, "0" * 64, player)


async def test_lots_are_drawn_and_a_seat_is_told_over_that_node(nodes: Nodes) -> None:
    host, seed = str(nodes.host.by), bytes(range(32))
    await nodes.submit(nodes.host, commands.OpenEntry(by=host), "open")
    people = [await nodes.enter(name) for name in ("Ana", "Bob")]
    await nodes.submit(nodes.host, commands.OpenCheckIn(by=host), "there")
    for who in people:
        command = commands.CheckIn(by=str(who.by), number=who.number or 0, draws=who.number == 1)
        await nodes.submit(who, command, "here")
    await nodes.submit(nodes.host, commands.Proceed(by=host, chance=Chance(b"chosen", {1: b"by the node"})), "draw")
    drawer = next(s for s, who in (await nodes.dealer.tournament()).drawers.items() if who.player == people[0].by)
    with pytest.raises(Unavailable, match=FOREIGN):
        await nodes.submit(people[1], of_lots.CommitSeed(drawer, 0, "0" * 64), "not mine")
    with pytest.raises(Refused) as refused:
        await nodes.submit(people[0], of_lots.OpenSeed(drawer, 0, seed.hex()), "too early")
    assert refused.value.code in {"not_dealing", "wrong_phase", "seed_mismatch"}
    await nodes.submit(people[0], of_lots.CommitSeed(drawer, 0, hashlib.sha256(seed).hexdigest()), "mine")
    assert await nodes.remote.seat_at(uuid4(), 1, str(people[0].by)) is None
    with pytest.raises(Unavailable, match="shown again"):
        await nodes.remote.seat_at(uuid4(), 1, "somebody whose token was never shown")


async def test_a_seat_is_taken_over_that_node_by_whose_it_is(nodes: Nodes) -> None:
    house = nodes.dealer
    async with working(*house.works(), house.director().run()):
        await house.announce(stages=PAIRS["stages"], time=TIME)
        tokens = {answer.number: str(answer.token) for answer in await house.enter("Ana", "Bob")}
        await register_keys(house, 1)
        await house.check_in()
        evening = Evening(house)
        held = (await evening.started()).tables[1]
        match, own = (await evening.match_ids())[1], held.seats.index(1) + 1
        players = {number: each.player for number, each in (await house.tournament()).entrants.items()}
        for token in tokens.values():
            assert await nodes.remote.bearer(token) is not None
        assert await nodes.remote.seat_at(match, own, players[1]) == KEEPS
        for seat in (own, 9):
            with pytest.raises(Refused) as refused:
                await nodes.remote.seat_at(match, seat, players[2], SitsAtTable())
            assert refused.value.code == "not_yours"
        found = await nodes.remote.seat_at(match, own, players[1], SitsAtTable())
        assert found is not None
        assert found.token is not None


async def test_a_node_that_lies_asks_for_nothing_with_a_token_that_is_not_of_whom_it_names(nodes: Nodes) -> None:
    host = str(nodes.host.by)
    await nodes.submit(nodes.host, commands.OpenEntry(by=host), "open")
    ana, bob = [await nodes.enter(name) for name in ("Ana", "Bob")]
    lies: list[commands.AnyCommand] = [
        commands.OpenCheckIn(by=host),
        commands.Withdraw(by=str(bob.by), number=2, reason="request"),
        commands.Proceed(by=RULE, chance=Chance(b"", {})),
        commands.Register(by=str(ana.by), player="bot/steady/01234567", bot=True),
        commands.Appoint(by=str(ana.by), official=str(ana.by), role="host"),
        commands.Withdraw(by=str(ana.by), number=1, reason="request", note="0" * 64),
        of_lots.LogDeal(0, 0, (), "a checkpoint"),
        of_lots.OpenSeed(2, 0, "0" * 64),
    ]
    version = (await nodes.dealer.tournament()).version
    for number, lie in enumerate(lies):
        with pytest.raises(Unavailable, match=FOREIGN):
            await nodes.submit(ana, lie, f"lie {number}")
    other = await nodes.remote.create(RULES, CommandMetadata(ANONYMOUS, "another", b"f" * 32))
    question = event_messages.AskEvent(
        str(other.token), nodes.id, messages.Asked("foreign", b""), commands.CloseEntry(by=str(other.by))
    )
    with pytest.raises(Unavailable, match=FOREIGN):
        await nodes.dealers.ask(question, event_messages.EventAccepted)
    assert (await nodes.dealer.tournament()).version == version


async def test_a_node_that_lies_names_nobody_and_nothing_as_it_likes(nodes: Nodes) -> None:
    host, token = str(nodes.host.by), str(nodes.host.token)
    await nodes.submit(nodes.host, commands.OpenEntry(by=host), "open")
    await nodes.enter("Ana")
    version = (await nodes.dealer.tournament()).version
    asked = messages.Asked("lie", b"")
    lies = [
        *(event_messages.AskEntry(nodes.id, asked, name) for name in ("Bo\u202e\x07b", "Basil", "Truecup")),
        *(event_messages.AskAnnounce(asked, RULES, name) for name in ("Club\nnight", "Truecup")),
        *(event_messages.AskBotEntry(token, nodes.id, asked, manner, "Basil") for manner in ("bold", "steady/x\u202e")),
        event_messages.AskBotEntry(token, nodes.id, asked, "steady", "Ana"),
    ]
    for lie in lies:
        with pytest.raises(Unavailable, match=UNLAWFUL):
            await nodes.dealers.ask(lie, event_messages.EventAccepted)
    seats = [
        messages.AskOpen(asked, RULES["match"], "all", "Truecup"),
        messages.AskSeat(uuid4(), asked, "Bo\x07b", "server"),
    ]
    for lie_of_match in seats:
        with pytest.raises(Unavailable, match=UNLAWFUL):
            await nodes.dealers.ask(lie_of_match, messages.AcceptedReply)
    assert (await nodes.dealer.tournament()).version == version


async def test_a_list_is_taken_where_it_is_decided_and_nowhere_else(nodes: Nodes) -> None:
    ask = await nodes.asking(nodes.host, "list")
    with pytest.raises(Unavailable):
        await nodes.remote.register_all(nodes.id, str(nodes.host.by), [EntryRow("Ana")], ask)
    with pytest.raises(Unavailable):
        await nodes.remote.answered(nodes.id, ask)
