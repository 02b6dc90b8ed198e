"""Attacks on comments: bodies that are too large, officials of elsewhere, rounds nobody is to hear of, and crashes.

Whatever is killed, a comment that is asked for again under its key is said once, and words that nobody may read any
more are gone.
"""

from __future__ import annotations

from itertools import count
from typing import Any, Final
from uuid import UUID

import pytest

from domain.commentary.record import stream_of_commentary
from domain.errors import Refused
from domain.tournaments import commands
from infra.store import Append, Outcome
from infra.store.comments import SaidWords
from infra.store.memory import MemoryStore
from projections.view import View
from services.commentary.handler import CommentHandler
from services.commentary.requests import CommentAnswer, CommentWriter, SaidComment
from services.commentary.writers import WriterLookup
from services.matches.requests import CommandMetadata, scope_of
from tests.attack.test_embargo import SPOKEN, Kept, spoken
from tests.commentary.commented import Here, Table, commented, refused
from tests.director.house import EventHouse

NUMBERS = count()
SAID: Final = SaidComment(1, "well bid", "en")


class Killed(Exception):  # noqa: N818 - named for what happened
    """The program is gone."""


class Mortal(MemoryStore):
    """A store whose program is killed before or after its next so-manieth step."""

    def __init__(self) -> None:
        super().__init__()
        self.steps_left: int | None = None

    def _step(self) -> None:
        if self.steps_left is not None:
            self.steps_left -= 1
            if self.steps_left < 0:
                self.steps_left = None
                raise Killed

    async def append(self, append: Append) -> Outcome:
        self._step()
        outcome = await super().append(append)
        self._step()
        return outcome

    async def keep_words(self, stream: str, words: SaidWords) -> None:
        self._step()
        await super().keep_words(stream, words)
        self._step()

    async def erase_words(self, stream: str, words: str) -> bool:
        self._step()
        return await super().erase_words(stream, words)


class Story:
    """A match and its host, over a store that dies."""

    def __init__(self) -> None:
        self.house = EventHouse(Mortal())

    async def open(self) -> None:
        opened = await self.house.matches.open({"game": "common_hand", "options": {}}, self.house.ask())
        assert opened.token is not None
        self.match, self.token = UUID(opened.match), opened.token

    @property
    def store(self) -> Mortal:
        assert isinstance(self.house.store, Mortal)
        return self.house.store

    async def until_it_lives(self, ask: CommandMetadata, what: Any) -> tuple[CommentAnswer, int]:
        """Return what a command is answered, killed a step later each time, and how often it was."""
        for steps in range(20):
            self.store.steps_left = steps
            try:
                answer = await what(self.house.comments, ask)
            except Killed:
                self.house.forget()
                continue
            self.store.steps_left = None
            return answer, steps
        raise AssertionError("it never lives")

    def ask(self, key: str) -> CommandMetadata:
        return CommandMetadata(scope_of(self.token), key, key.encode())

    async def texts(self) -> list[str | None]:
        return [each.text for each in await self.house.comments.comments(self.match)]


async def test_whatever_is_killed_a_comment_is_said_replaced_and_withdrawn_once() -> None:
    story = Story()
    await story.open()
    match, token = story.match, story.token
    said, deaths = await story.until_it_lives(story.ask("say"), lambda of, ask: of.make(match, token, SAID, ask))
    assert deaths > 3
    assert await story.texts() == ["well bid"]
    comment, stream = UUID(said.comment), stream_of_commentary(match)
    await story.until_it_lives(story.ask("replace"), lambda of, ask: of.replace(match, token, comment, "mended", ask))
    assert await story.texts() == ["mended"]
    first = (await story.house.comments.load(match)).commentary.comments[said.comment].before  # type: ignore[union-attr]
    assert await story.store.words(stream, first) == {}
    await story.until_it_lives(story.ask("gone"), lambda of, ask: of.withdraw(match, token, comment, "other", ask))
    assert await story.texts() == [None]
    written = await story.house.comments.load(match)
    assert written is not None
    (known,) = written.commentary.comments.values()
    assert await story.store.words(stream, [known.text, *known.before]) == {}
    assert len(await story.store.read(stream)) == 4


async def test_two_who_say_the_first_thing_at_once_are_both_heard() -> None:
    story = Story()
    await story.open()
    other = EventHouse(story.store)
    for house in (story.house, other, story.house):
        await house.comments.make(story.match, story.token, SAID, story.ask(f"say-{next(NUMBERS)}"))
    assert await story.texts() == ["well bid"] * 3


# ---- over HTTP --------------------------------------------------------------------------------------


def test_ten_megabytes_are_refused_before_they_are_read() -> None:
    with commented(Here) as front:
        table = Table(front)
        for method, path in (("POST", ""), ("PATCH", f"/{UUID(int=7)}"), ("PUT", "/writers")):
            answer = front.ask(method, f"{table.path}/comments{path}", {"text": "x" * 10_000_000}, table.host)
            refused(answer, 413, "too_large")
        assert table.read() == []
        assert len(table.say(table.host, "🎲" * 1_000).json()["comment"]) == 36


# ---- rounds that nobody is to hear of ---------------------------------------------------------------


class Hosting(WriterLookup):
    """Whoever asks is an official: only what they are told is looked at."""

    async def of(self, view: View, token: str) -> CommentWriter:
        assert view.version
        return CommentWriter(token, writes=True, hosts=True)


async def test_of_a_round_with_dice_of_other_tables_nothing_can_be_said_nor_found_out() -> None:
    told = []
    for bids in SPOKEN:
        kept = Kept(spoken(bids))
        await kept.tell()
        lookup: Any = Hosting.__new__(Hosting)
        comments = CommentHandler(kept.store, kept.matches, lookup)
        shown = (await kept.matches.view(kept.match, None)).version
        newest, _ = await kept.matches.version_now(kept.match)
        assert shown < newest
        facts = []
        for version in (shown + 1, newest, newest + 7):
            ask = CommandMetadata("official", f"say-{next(NUMBERS)}", b"")
            with pytest.raises(Refused) as refusal:
                await comments.make(kept.match, "o1", SaidComment(version, "look", "en"), ask)
            facts.append((refusal.value.code, refusal.value.facts))
        assert {(code, tuple(facts.items())) for code, facts in facts} == {
            ("ahead_of_match", (("field", "version"), ("version", shown)))
        }
        ask = CommandMetadata("official", f"say-{next(NUMBERS)}", b"")
        await comments.make(kept.match, "o1", SaidComment(await kept.matches.released(kept.match), "before", "en"), ask)
        told.append([each.text for each in await comments.comments(kept.match)])
    assert told == [["before"], ["before"]]


# ---- officials --------------------------------------------------------------------------------------


async def test_at_a_table_of_a_tournament_its_officials_are_the_hosts_and_nobody_else() -> None:
    house = EventHouse(MemoryStore())
    announced = await house.announce()
    arbiter = await house.tournaments.appoint(house.id, house.host, "arbiter", house.ask())
    first, entrant = house.id, (await house.enter("Ada"))[0].token
    elsewhere = (await house.announce()).token
    place = {"tournament": str(first), "stage": 1, "round": 1, "table": 1, "attempt": 1}
    opened = await house.matches.open({"game": "common_hand", "options": {}, "event": place, "host": None}, house.ask())
    match = UUID(opened.match)

    async def who(token: str | None) -> CommentWriter | None:
        assert token is not None
        return await house.comments.writer_of(match, token)

    for official in (announced, arbiter):
        assert await who(official.token) == CommentWriter(str(official.by), writes=True, hosts=True)
    for token in (entrant, elsewhere, opened.token):
        found = await who(token)
        assert found is not None
        assert (found.writes, found.hosts) == (False, False)
    assert await who("truecup_host_" + "A" * 43) is None
    house.id = first
    await house.do(commands.Dismiss(by=str(announced.by), official=str(arbiter.by)))
    found = await who(arbiter.token)
    assert found == CommentWriter()
