"""Addresses of others that are told of tournaments: they refuse, are slow, and take what they say they have not.

What was posted is on its way: the death of whoever has sent it takes nothing back. An address takes it or not, and its
answer comes or not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import Context
from typing import Final, Literal
from unittest.mock import patch

from msgspec import Struct

from infra.abroad.pinned import ANSWER_S, Unreached
from services.program import app
from tests.simulation.link import Weather
from tests.simulation.loop import OWNER
from tests.simulation.world import Life

Mood = Literal["lost", "refuses", "redirects", "denies", "silent", "slow", "gone"]
"""How a post fares that meets a fault: it comes nowhere; it is refused, or sent elsewhere; it is taken, and refused all
the same; it is taken, and no answer comes; it is taken after some seconds, be it later than anybody waits; its address
is no more."""
MOODS: Final[Mapping[Mood, float]] = {
    "lost": 3, "refuses": 5, "redirects": 1, "denies": 4, "silent": 3, "slow": 3, "gone": 0.3,
}  # fmt: skip
TAKES: Final = ("denies", "silent", "slow")
TAKEN: Final = 204
STATUSES: Final[Mapping[Mood, int]] = {"refuses": 500, "redirects": 302, "denies": 503, "slow": TAKEN, "gone": 410}
"""What is answered in a mood that answers."""
DEAF_S: Final = 30.0
"""For how long addresses are so: longer than storms last, for whoever has not taken something is left alone for five
seconds."""
SLOW_S: Final = (0.5, 14.0)


class Post(Struct, frozen=True):
    """What was posted to an address.

    Attributes:
        sent_s: When, by the clock of the world.
    """

    sent_s: float
    body: bytes
    headers: dict[str, str]

    @property
    def name(self) -> str:
        """The id of the message."""
        return self.headers["webhook-id"]

    @property
    def line(self) -> int:
        """The place of the line that it tells of."""
        return int(self.name.rpartition(".")[2])


class Ear:
    """One address.

    Attributes:
        sent: What was posted there, in the order in which it was sent.
        taken: The places of lines that it has been told of, whatever it has said.
        is_gone: Whether it has said that it is no more.
    """

    def __init__(self, number: int) -> None:
        self.name = f"ear-{number}"
        self.url = f"https://{self.name}.club.org/told"
        self.sent: list[Post] = []
        self.taken: set[int] = set()
        self.is_gone = False


class Ears:
    """All addresses, and the way to them."""

    def __init__(self, weather: Weather) -> None:
        self._weather = weather
        self.each: dict[str, Ear] = {}

    def ear(self) -> Ear:
        """Return an address that nobody has told anything yet."""
        made = Ear(len(self.each))
        self.each[made.url] = made
        return made

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Let programs that begin now have no way to others but to these."""
        with patch.object(app, "PinnedPoster", lambda **_how: EarPoster(self, OWNER.get())):
            yield

    async def post(self, life: Life, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """Have this brought, and return what is answered.

        Raises:
            Unreached: Nothing good is answered, whether it was taken or not.
        """
        weather, loop, nowhere = self._weather, self._weather.world.loop, Context()
        if weather.world.over:
            raise asyncio.CancelledError
        ear, mood, post = self.each[url], self._mood(), Post(loop.time(), body, dict(headers))
        weather.world.tell(f"{life.node} posts {post.line} to {ear.name}")
        ear.sent.append(post)
        answer: asyncio.Future[int | None] = loop.create_future()
        after_s = weather.near_s() + (weather.world.chance.uniform(*SLOW_S) if mood == "slow" else 0.0)
        loop.call_later(after_s, self._arrive, life, ear, post, mood, answer, context=nowhere)
        loop.call_later(ANSWER_S, _answer, answer, None, context=nowhere)
        status = await answer
        if status == TAKEN:
            return status
        why = "no_answer" if status is None else "redirected" if status == STATUSES["redirects"] else "refused"
        raise Unreached(why, status)

    def _mood(self) -> Mood | None:
        world = self._weather.world
        if world.loop.time() > DEAF_S or not world.fault("deaf", self._weather.profile.deaf):
            return None
        (mood,) = world.chance.choices(list(MOODS), list(MOODS.values()))
        return mood

    def _arrive(self, life: Life, ear: Ear, post: Post, mood: Mood | None, answer: asyncio.Future[int | None]) -> None:
        """Take it or not; of a node that was killed meanwhile it may have been on its way, or not."""
        weather = self._weather
        if mood == "lost" or (not life.alive and weather.world.chance.random() < 0.5):
            weather.world.loop.call_later(weather.near_s(), _answer, answer, None, context=Context())
            return
        if mood is None or mood in TAKES:
            ear.taken.add(post.line)
        ear.is_gone = ear.is_gone or mood == "gone"
        status = TAKEN if mood is None else STATUSES.get(mood)
        weather.world.tell(f"{ear.name} hears {post.line} and answers {status}")
        if status is not None:
            weather.world.loop.call_later(weather.near_s(), _answer, answer, status, context=Context())


class EarPoster:
    """The way of one life of a node to them."""

    anywhere = False

    def __init__(self, ears: Ears, life: object) -> None:
        self._ears = ears
        self._life = life

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """Post once, and return the status of whoever has taken it."""
        assert isinstance(self._life, Life), "a node has begun it"
        return await self._ears.post(self._life, url, body, headers)

    async def close(self) -> None:
        """Say no goodbye: lives end by being killed."""


def _answer(answer: asyncio.Future[int | None], status: int | None) -> None:
    if not answer.done():
        answer.set_result(status)
