"""Commands of tournaments through their handler: stored once, answered for ever, refused with nothing recorded."""

from __future__ import annotations

import asyncio
import hashlib
from uuid import UUID, uuid4

import pytest

from domain.errors import Refused
from domain.log import canonical
from domain.tournaments import commands
from domain.tournaments.record import stream_of
from infra.store import Card, NotedText, PendingAnchor, StoredToken
from infra.store.memory import MemoryStore
from services.matches.requests import KeyUsed, VersionPassed
from services.matches.secrets.tokens import digest
from services.tournaments.requests import Beside, TournamentBearer, UnknownTournament
from tests.director.house import EventHouse


async def lines_of(house: EventHouse) -> list[bytes]:
    return await house.store.read(stream_of(house.id))


async def test_a_tournament_is_announced_once_however_often_it_is_asked_for(house: EventHouse) -> None:
    ask, rules = house.ask(), {"match": {"game": "common_hand", "options": {}}, "stages": [{"format": "swiss"}]}
    card = Card("Club night", listed=False)
    first = await house.tournaments.create(rules, ask, card)
    house.forget()
    assert await house.tournaments.create(rules, ask, card) == first
    assert first.token is not None
    assert (first.version, first.role) == (2, "host")
    bearer = await house.tournaments.bearer(first.token)
    assert bearer == TournamentBearer(UUID(first.tournament), "host", str(first.by))
    assert await house.tournaments.card(UUID(first.tournament)) == card
    assert len(await house.store.read(f"tournament/{first.tournament}")) == 2
    with pytest.raises(KeyUsed):
        await house.tournaments.create(rules, ask, Card("Another"))


async def test_rules_that_say_nothing_of_people_who_stop_take_those_of_the_house(house: EventHouse) -> None:
    await house.announce()
    rules = (await house.tournament()).rules.match
    assert rules["idle"]["turns"] == 3
    assert rules["pause_ends"] == "all"
    assert "host" not in rules


@pytest.mark.parametrize("member", ["host", "start", "starts_at"])
async def test_what_hosts_of_tables_do_is_no_rule_of_a_tournament(house: EventHouse, member: str) -> None:
    value = {"host": {}, "start": "full", "starts_at": 1}[member]
    with pytest.raises(Refused) as refused:
        await house.announce(match={"game": "common_hand", "options": {}, member: value})
    assert (refused.value.code, refused.value.facts["option"]) == ("bad_options", f"match.{member}")


@pytest.mark.parametrize("unit", ["\0", "chips\n", "x\u202e"])
async def test_what_is_won_can_be_seen(house: EventHouse, unit: str) -> None:
    with pytest.raises(Refused) as refused:
        await house.announce(prizes={"unit": unit, "amounts": [1]})
    assert (refused.value.code, refused.value.facts["option"]) == ("bad_options", "prizes.unit")
    await house.announce(prizes={"unit": "old chips", "amounts": [1]})


async def test_who_enters_has_a_token_of_their_own_and_a_name_in_no_line(house: EventHouse) -> None:
    await house.announce()
    ana, bob = await house.enter("Ana", "Bob")
    assert [(one.number, one.role) for one in (ana, bob)] == [(1, "entrant"), (2, "entrant")]
    assert ana.token is not None
    assert await house.tournaments.bearer(ana.token) == TournamentBearer(house.id, "entrant", str(ana.by), 1)
    assert await house.store.token(digest(str(bob.token))) == StoredToken(stream_of(house.id), "entrant", 2, bob.by)
    assert await house.tournaments.names(await house.tournament()) == {1: "Ana", 2: "Bob"}
    assert not any(b"Ana" in line for line in await lines_of(house))
    assert await house.matches.bearer(ana.token) is None, "it is no token of a match"
    with pytest.raises(Refused, match="name"):
        await house.tournaments.register(house.id, None, "Anа", house.ask())  # noqa: RUF001 - another script


async def test_two_of_one_club_are_known_to_be_and_the_club_is_in_no_line(house: EventHouse) -> None:
    await house.announce()
    await house.do(commands.OpenEntry(by=house.host))
    for name, club in (("Ana", "Dice Club"), ("Bob", " dice club"), ("Cyd", "Cup Club")):
        await house.tournaments.register(house.id, None, name, house.ask(), club)
    clubs = [entrant.club for entrant in (await house.tournament()).entrants.values()]
    assert clubs[0] == clubs[1] != clubs[2]
    assert all(club is not None and club.startswith("c") and len(club) == 25 for club in clubs)


async def test_a_repeat_is_answered_as_it_was_and_another_body_under_its_key_is_refused(house: EventHouse) -> None:
    await house.announce()
    await house.do(commands.OpenEntry(by=house.host))
    ask = house.ask()
    first = await house.tournaments.register(house.id, None, "Ana", ask)
    await house.do(commands.CloseEntry(by=house.host))
    house.forget()
    assert await house.tournaments.register(house.id, None, "Ana", ask) == first
    assert first.receipt is not None
    with pytest.raises(KeyUsed):
        await house.tournaments.submit(
            house.id, commands.CloseEntry(by=house.host), type(ask)(ask.scope, ask.key, b"another")
        )


async def test_what_is_refused_leaves_nothing(house: EventHouse) -> None:
    await house.announce()
    before = await lines_of(house)
    for command, code in (
        (commands.OpenEntry(by="e" + "0" * 24), "not_an_official"),
        (commands.OpenCheckIn(by=house.host), "wrong_phase"),
        (commands.Register(by=house.host, player="e" + "0" * 24), "wrong_phase"),
    ):
        with pytest.raises(Refused) as refused:
            await house.do(command)
        assert refused.value.code == code
    with pytest.raises(UnknownTournament):
        await house.tournaments.submit(uuid4(), commands.OpenEntry(by=house.host), house.ask())
    assert await lines_of(house) == before


async def test_a_command_for_a_version_that_has_passed_is_refused(house: EventHouse) -> None:
    await house.announce()
    with pytest.raises(VersionPassed) as passed:
        await house.tournaments.submit(house.id, commands.OpenEntry(by=house.host), house.ask(expected=(1,)))
    assert passed.value.version == 2
    answer = await house.tournaments.submit(house.id, commands.OpenEntry(by=house.host), house.ask(expected=(1, 2)))
    assert answer.version == 3


async def test_two_programs_at_once_lose_nothing_and_double_nothing(house: EventHouse) -> None:
    await house.announce()
    await house.do(commands.OpenEntry(by=house.host))
    other = EventHouse(house.store)
    entered = await asyncio.gather(
        *(
            one.tournaments.register(house.id, None, f"Player {number}", house.ask())
            for number, one in enumerate([house, other] * 8)
        )
    )
    assert sorted(answer.number or 0 for answer in entered) == list(range(1, 17))
    assert len({answer.token for answer in entered}) == 16
    assert len((await house.tournament()).entrants) == 16


async def test_a_reason_in_words_lies_beside_the_log_and_its_hash_in_the_line(house: EventHouse) -> None:
    await house.announce()
    await house.enter("Ana", "Bob")
    command = commands.TurnAway(by=house.host, number=2, reason="other")
    ask, beside = house.ask(), Beside(note="came with another's ticket", restricted=True)
    answer = await house.tournaments.submit(house.id, command, ask, beside)
    assert await house.tournaments.submit(house.id, command, ask, beside) == answer
    (kept,) = await house.tournaments.notes(house.id, house.host)
    assert kept.note == hashlib.sha256(kept.salt + kept.body.encode()).hexdigest()
    assert (kept.body, kept.restricted) == ("came with another's ticket", True)
    line = canonical.decode((await lines_of(house))[-1])
    assert (line["type"], line["data"]["note"]) == ("player.turned_away", kept.note)
    with pytest.raises(Refused):
        await house.tournaments.submit(house.id, command, house.ask(), Beside(note="again"))
    assert len(await house.tournaments.notes(house.id, house.host)) == 1, "what is refused leaves no text"


async def test_what_is_said_has_a_bound_of_which_half_is_for_officials(house: EventHouse) -> None:
    await house.announce()
    ana, bob = await house.enter("Ana", "Bob")
    said = Beside(note="\U0001f3b2" * (2**16 - 32))

    async def leave(by: str, number: int) -> None:
        """Withdraw somebody, with words that fill a quarter of the room."""
        await house.tournaments.submit(
            house.id, commands.Withdraw(by=by, number=number, reason="other"), house.ask(), said
        )

    await leave(str(ana.by), 1)
    await house.do(commands.Return(by=house.host, number=1, reason="request"))
    await leave(str(ana.by), 1)
    with pytest.raises(Refused) as refused:
        await leave(str(bob.by), 2)
    assert (refused.value.code, refused.value.facts["max"]) == ("too_many_words", 2**19)
    await leave(house.host, 2)
    await house.do(commands.Return(by=house.host, number=2, reason="request"))
    await leave(house.host, 2)
    command, lines = commands.Return(by=house.host, number=2, reason="request"), await lines_of(house)
    with pytest.raises(Refused, match="room"):
        await house.tournaments.submit(house.id, command, house.ask(), Beside(note="!"))
    assert await lines_of(house) == lines
    first, *others = await house.tournaments.notes(house.id, house.host)
    assert len(others) == 3, "what is refused leaves no text"
    assert await house.tournaments.erase_note(house.id, first.note, house.host)
    await house.tournaments.submit(house.id, command, house.ask(), Beside(note="!"))


class SlowStore(MemoryStore):
    """Answers after others have asked as well."""

    async def answer(self, stream: str, command: bytes) -> tuple[bytes, bytes] | None:
        found = await super().answer(stream, command)
        await asyncio.sleep(0)
        return found


async def test_a_reason_that_comes_several_times_at_once_lies_there_once_and_is_erased_with_it() -> None:
    house = EventHouse(SlowStore())
    await house.announce()
    await house.enter("Ana", "Bob")
    command = commands.Penalise(by=house.host, number=2, kind="warning", reason="other")
    ask, beside, other = house.ask(), Beside(note="private words"), EventHouse(house.store)
    answers = await asyncio.gather(
        *(one.tournaments.submit(house.id, command, ask, beside) for one in [house, other] * 3)
    )
    assert all(answer == answers[0] for answer in answers)
    assert len(await house.store.notes(stream_of(house.id))) == 1
    (kept,) = await house.tournaments.notes(house.id)
    await house.tournaments.erase_note(house.id, kept.note, house.host)
    assert await house.store.notes(stream_of(house.id)) == []


async def test_a_reason_of_whoever_comes_second_is_not_kept(house: EventHouse) -> None:
    await house.announce()
    await house.enter("Ana", "Bob")
    command, other = commands.TurnAway(by=house.host, number=2, reason="other"), EventHouse(house.store)
    await other.tournaments.load(house.id)
    said = await asyncio.gather(
        house.tournaments.submit(house.id, command, house.ask(), Beside(note="first")),
        other.tournaments.submit(house.id, command, house.ask(), Beside(note="second")),
        return_exceptions=True,
    )
    assert sorted(isinstance(each, Refused) for each in said) == [False, True]
    assert len(await house.store.notes(stream_of(house.id))) == 1


async def test_a_text_that_no_line_names_is_nobodys(house: EventHouse) -> None:
    await house.announce()
    await house.store.keep_note(stream_of(house.id), NotedText("ab" * 32, b"s" * 16, "left by a crash"))
    assert await house.tournaments.notes(house.id) == await house.tournaments.notes(house.id, house.host) == []
    house.forget()
    assert await house.tournaments.notes(house.id, house.host) == []


async def test_the_secrets_of_lots_are_stored_with_the_line_that_commits_to_them(house: EventHouse) -> None:
    await house.announce()
    await house.enter("Ana", "Bob", "Cyd")
    await house.check_in()
    await house.tournaments.proceed(house.id, "rule", house.ask())
    secrets = await house.store.secrets(stream_of(house.id))
    assert set(secrets) == {"deal/0", "seed/0/1"}
    tournament = await house.tournament()
    assert tournament.sealed_seq is not None, "the house draws alone, and has sealed at once"
    sealed = PendingAnchor(
        stream_of(house.id),
        tournament.sealed_seq,
        canonical.head((await lines_of(house))[tournament.sealed_seq]),
        "sealed",
    )
    assert await house.store.log_pending(9) == [sealed]
    known = (await house.tournaments.load(house.id)).keeper
    house.forget()
    again = (await house.tournaments.load(house.id)).keeper
    assert known is not None
    assert again is not None
    assert (again.secret, again.seeds) == (known.secret, known.seeds)
