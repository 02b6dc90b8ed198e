"""One life of a house: a process of its own that is killed where its target says, or goes on to the end of its story.

It stands on a real Postgres and a real NATS and runs what `truecup serve` runs, but for sockets of its own and
processes beside it. What happens is told through a pipe, line by line: what was written there survives SIGKILL.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final
from unittest.mock import patch

import msgspec
import structlog
from msgspec import Struct

from infra.abroad.pinned import PinnedPoster
from infra.config import Config
from infra.feed.nats import NatsFeed
from infra.handoff.nats import NatsHandoff
from infra.posting import PostReply
from infra.store.postgres import PostgresStore
from infra.store.primaries.opening import open_house
from services.matches.secrets.keys import Keys, keys_of
from services.program import app
from services.program.app import HouseProgram
from services.program.aside import AnalysesAside
from services.program.grounds import Ground
from services.program.member import Member
from services.program.roles import inbox_of, node_name, rights_of, roles_of
from services.work import worker
from tests.crashpoints.asking import Asker
from tests.crashpoints.organisers import Organisers
from tests.crashpoints.players import Players
from tests.crashpoints.promises import Promises
from tests.crashpoints.rows import faults_of_rows
from tests.crashpoints.story import Asked, Denied, Seen, Story, Told
from tests.crashpoints.tracer import Point, Target, TracedLoop, Tracer

ROOT: Final = Path(__file__).parents[2]
NOWHERE: Final = Path("nowhere")
"""Where files would be, if any were written."""
CONFIG: Final = Config(key="5e" * 32, bot_pause_ms=0, archive_after_s=0)
KEYS: Final[Keys] = keys_of(CONFIG, NOWHERE)
EVENTS: Final = 4
"""In one story of so many a tournament is held."""
POSTER: Final = PinnedPoster(anywhere=True)
"""Made once, and taken along by each life: to read the certificates of a machine takes as long as all else it does."""


class Killed(Struct, frozen=True, tag="killed"):
    """The life ends here and now."""

    point: Point


class Broken(Struct, frozen=True, tag="broken"):
    """Something does not hold that was promised."""

    what: str


class Passed(Struct, frozen=True, tag="passed"):
    """The story has come to its end, and all was looked at.

    Attributes:
        points: What this life has come by on the way.
        streams: What the story has left.
    """

    points: list[tuple[Point, int]]
    streams: list[str]


Line = Asked | Told | Denied | Seen | Killed | Broken | Passed


class Chapter(Struct, frozen=True):
    """What one life is to do.

    Attributes:
        database_url: The database of its house.
        nats_url: The bus.
        seed: What people do.
        target: Where it ends; None for the end of the story.
        known: The streams of stories before this one.
    """

    database_url: str
    nats_url: str
    seed: int
    target: Target | None
    known: frozenset[str]


class Nobody:
    """Posts to witnesses, of which this house has none."""

    async def post(self, url: str, body: bytes) -> PostReply:
        """Reach nobody."""
        raise AssertionError(f"nobody is to be asked at {url} for {len(body)} bytes")


def live(chapter: Chapter, story: Story, pipe: int) -> None:
    """Live, in a process that is there for nothing else, and end with it."""

    def tell(line: Line) -> None:
        if isinstance(line, Asked | Told | Denied | Seen) and not story.add(line):
            line = Broken(f"it was told otherwise before: {line}")
        os.write(pipe, msgspec.json.encode(line) + b"\n")

    tracer = Tracer(chapter.target, lambda point: tell(Killed(point)))

    def hear_log(_logger: object, level: str, line: structlog.typing.EventDict) -> str:
        if level in {"error", "critical"}:
            tell(Broken(f"a line of level {level}: {line['event']} {line.get('exc_info')!r}"))
        raise structlog.DropEvent

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    structlog.configure(processors=[hear_log], cache_logger_on_first_use=False)
    try:
        with (
            patch.object(worker, "ProcessPoolExecutor", _InThread),
            asyncio.Runner(loop_factory=lambda: TracedLoop(tracer)) as runner,
        ):
            runner.run(_Life(chapter, story, tell, tracer).run())
    except BaseException as trouble:  # noqa: BLE001 - whatever a house is not to meet
        tell(Broken(f"somebody met {_first(trouble)!r}"))
    os._exit(0)


def look_at_rows(chapter: Chapter, pipe: int) -> None:
    """Hold what is made of the log against the log, in a process that is there for nothing else, and end with it."""

    async def look() -> None:
        roles = roles_of(CONFIG)
        store = await open_house(chapter.database_url, "", rights_of(roles), node_name(roles))
        told: list[Line] = [Broken(what) for what in await faults_of_rows(store)]
        for line in (*told, Passed([], [])):
            os.write(pipe, msgspec.json.encode(line) + b"\n")
        os._exit(0)

    asyncio.run(look())


class _InThread(ThreadPoolExecutor):
    """A pool whose work this process does itself: processes beside a program take a second to start."""

    def __init__(self, *_given: object) -> None:
        super().__init__(1)


class _Life:
    def __init__(self, chapter: Chapter, story: Story, tell: Callable[[Line], None], tracer: Tracer) -> None:
        self._chapter = chapter
        self._story = story
        self._tell = tell
        self._tracer = tracer

    async def run(self) -> None:
        """Begin as the program does, and go on with the story."""
        roles = roles_of(CONFIG)
        store = await open_house(self._chapter.database_url, "", rights_of(roles), node_name(roles))
        feed = await NatsFeed.connect(self._chapter.nats_url, inbox=inbox_of(roles))
        ground = Ground(store, feed, NatsHandoff(feed.client), (), Nobody())
        with patch.object(app, "PinnedPoster", lambda **_: POSTER):
            program = await app.program_of(CONFIG, Member(), KEYS, ground, AnalysesAside(NOWHERE))
        works = [asyncio.ensure_future(work) for work in program.works()]
        going = asyncio.ensure_future(self._go_on(program, store))
        done, _ = await asyncio.wait([going, *works], return_when=asyncio.FIRST_COMPLETED)
        for one in done:
            one.result()
        if going not in done:
            self._tell(Broken("a work has ended"))
        os._exit(0)

    async def _go_on(self, program: HouseProgram, store: PostgresStore) -> None:
        asker = asker_of(self._chapter.seed)(program, self._chapter.seed, self._story, self._tell)
        await asker.go_on()
        self._tracer.rest()
        passed = list(self._tracer.passed.items())
        await asker.repeat()
        promises = Promises(program, store, self._story, self._chapter.known, lambda what: self._tell(Broken(what)))
        self._tell(Passed(passed, await promises.check()))


def asker_of(seed: int) -> type[Asker]:
    """Return who asks in the story of a seed: one in so many is that of a tournament."""
    return Organisers if seed % EVENTS == EVENTS - 1 else Players


def _first(trouble: BaseException) -> BaseException:
    """Return the first fault of a group."""
    while isinstance(trouble, BaseExceptionGroup):
        trouble = trouble.exceptions[0]
    return trouble
