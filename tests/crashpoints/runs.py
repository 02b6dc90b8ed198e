"""Stories told through as many lives as it takes: each life but the last is killed at a point, and the next goes on."""

from __future__ import annotations

import gc
import os
import select
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from time import monotonic
from typing import Final

import msgspec
from msgspec import Struct

from tests.crashpoints.life import Broken, Chapter, Killed, Line, Passed, live, look_at_rows
from tests.crashpoints.story import Story
from tests.crashpoints.tracer import Point, Target

LIVES: Final = 8
"""How many lives of a story are killed before one may come to its end."""
TARGETS: Final = (3, 12)
"""Among how many points a life ends at the first: one that begins a story, and those that go on and come by less."""
RARER: Final = 2
"""By which power a point is drawn the more seldom the more lives were killed at it."""
LIFE_S: Final = 120.0
"""Far above what a life takes: who takes longer stands still."""
READ_BYTES: Final = 65_536


class House(Struct):
    """What outlives whoever is killed.

    Attributes:
        database_url: The database, in which many stories may have been told.
        nats_url: The bus.
        known: The streams of those stories.
    """

    database_url: str
    nats_url: str
    known: frozenset[str] = frozenset()


class Outcome(Struct):
    """What came of a story.

    Attributes:
        kills: Where its lives were killed.
        broken: What does not hold.
        acknowledged: How many commands people were told are stored.
        passed: What the life that came to the end has come by.
        streams: What the story has left.
    """

    seed: int
    kills: list[Point]
    broken: list[str]
    acknowledged: int = 0
    passed: Counter[Point] = msgspec.field(default_factory=Counter)
    streams: frozenset[str] = frozenset()


def tell_story(house: House, seed: int, name: str, targets: Iterator[Target]) -> Outcome:
    """Tell a story through lives that end at these targets, and one that comes to its end."""
    story, outcome = Story(name), Outcome(seed, [], [])
    for target in (*targets, None):
        chapter = Chapter(house.database_url, house.nats_url, seed, target, house.known)
        for line in _lines_of(partial(live, chapter, story)):
            _take(line, story, outcome)
        if outcome.broken or outcome.passed:
            break
    if not (outcome.broken or outcome.passed):
        outcome.broken.append("the last life has ended before its story")
    outcome.acknowledged = len(story.told)
    house.known |= outcome.streams
    return outcome


def _take(line: Line, story: Story, outcome: Outcome) -> None:
    """Take up what a life has told."""
    match line:
        case Killed(point):
            outcome.kills.append(point)
        case Broken(what):
            outcome.broken.append(what)
        case Passed(points, streams):
            outcome.passed, outcome.streams = Counter(dict(points)), frozenset(streams)
        case _:
            story.add(line)


def _lines_of(work: Callable[[int], None]) -> Iterator[Line]:
    """Yield what a process tells, until it has ended, however it does; it is given where to."""
    told, pipe = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(told)
            work(pipe)
        finally:
            os._exit(1)
    os.close(pipe)
    try:
        yield from _read(told)
    finally:
        os.close(told)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def faults_at_end(house: House) -> list[str]:
    """Return what of a house is not what its log makes, once all its stories are told."""
    chapter = Chapter(house.database_url, house.nats_url, 0, None, house.known)
    found = list(_lines_of(partial(look_at_rows, chapter)))
    broken = [line.what for line in found if isinstance(line, Broken)]
    return broken if found else ["nobody has come to look at the rows"]


def _read(told: int) -> Iterator[Line]:
    rest, until = b"", monotonic() + LIFE_S
    while select.select([told], [], [], max(0.0, until - monotonic()))[0]:
        data = os.read(told, READ_BYTES)
        if not data:
            return
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            yield msgspec.json.decode(line, type=Line)
    yield Broken("it stands still")


class Places:
    """What is known of the points of a house, and which of them are next.

    Attributes:
        whole: Those that lives have come by which were killed nowhere, in stories of which none was.
        passed: How often any life that came to its end has come by each.
        killed: How often one was killed there.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self.whole: set[Point] = set()
        self.passed: Counter[Point] = Counter()
        self.killed: Counter[Point] = Counter()

    @property
    def left(self) -> list[Point]:
        """Those at which nobody was killed yet, of those that a story without a kill comes by."""
        return sorted(point for point in self.whole if not self.killed[point])

    def targets(self, seed: int, near: str = "", *, aims: bool = False) -> Iterator[Target]:
        """Yield where lives are to end: at the first of some points, those at which few were killed before the others.

        One alone would seldom be met: a life that goes on does not come by every point. Only places with `near` in
        their names are drawn; whoever `aims` draws none but the fewest for every other life.
        """
        chance, points = Random(f"{seed} targets"), sorted(point for point in self.passed if near in point.place)
        fewest = min(self.killed[point] for point in points)
        least = [point for point in points if self.killed[point] == fewest]
        # Every life comes by the points of its start, so that they would be met before all others.
        weights = [(1 + self.killed[point] - fewest) ** -RARER for point in points]
        for life in range(LIVES):
            few, many = TARGETS
            if aims and life % 2 == 0:
                drawn = chance.choices(least, k=few)
            else:
                drawn = [chance.choice(least), *chance.choices(points, weights, k=many if life else few)]
            # Early more often than late: a life that goes on comes by less than one that begins.
            yield {point: 1 + int(self.passed[point] * chance.random() ** 2) for point in drawn}

    def add(self, outcome: Outcome) -> None:
        """Count what came of a story."""
        self.killed.update(outcome.kills)
        if not outcome.kills:
            self.whole |= outcome.passed.keys()
        for point, often in outcome.passed.items():
            self.passed[point] = max(self.passed[point], often)


def spare_the_collector() -> None:
    """Let what is imported be shared with every life."""
    gc.collect()
    gc.freeze()
