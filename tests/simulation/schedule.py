"""Schedules: a seed becomes nodes, tables, people and faults, comes to its rest, and is held against all promises."""

from __future__ import annotations

import asyncio
from collections import Counter
from random import Random
from typing import Any, Final

from msgspec import Struct

from tests.simulation.checks import Checks
from tests.simulation.events import Event
from tests.simulation.faults import Profile, profile_of
from tests.simulation.link import Weather
from tests.simulation.loop import Stalled
from tests.simulation.nodes import Node, Shared
from tests.simulation.people import STOPS, Crowd, Table
from tests.simulation.storm import Storm
from tests.simulation.world import World

LAYOUTS: Final = (
    ("api,relay,dealer,bots",),
    ("api,relay,dealer,bots", "api,relay,dealer,bots"),
    ("api,relay,dealer", "api"),
    ("api,dealer,bots", "api,relay"),
    ("dealer", "relay", "api"),
)
"""What the nodes of a house do."""
SHORT: Final[dict[str, Any]] = {"pause_ms": 0, "host": None, "asides": None}
PATIENT: Final[dict[str, Any]] = {
    "game": "common_hand", "options": {"dice_per_player": 1}, "seats": 2, **SHORT, "idle": STOPS,
}  # fmt: skip
"""Rules of a table at which somebody stops."""
RULES: Final[tuple[dict[str, Any], ...]] = (
    {"game": "common_hand", "options": {"dice_per_player": 1}, "seats": 2, **SHORT},
    {"game": "common_hand", "options": {"dice_per_player": 1}, "seats": 2, "pause_ms": 0},
    {"game": "common_hand", "options": {"dice_per_player": 1}, "seats": 3, **SHORT},
    {"game": "common_hand", "options": {"dice_per_player": 2}, "seats": 2, **SHORT, "deal_per": "round"},
    PATIENT,
)
EVENTS: Final = 0.15
"""In how many houses of one node, and of two that do the same, a tournament is held."""
REST_S: Final = 90.0
"""When everything is to be at rest at the latest: longer than a seat may take that nobody plays."""


class Outcome(Struct, frozen=True):
    """What came of a schedule.

    Attributes:
        trace: What two runs of it have in common.
        events: Lines of matches.
        acknowledged: Commands that people were told are stored.
        faults: Which happened how often.
        ended_s: When it was at rest.
        passes: Passes of the loop.
    """

    seed: int
    profile: str
    nodes: int
    trace: str
    violations: tuple[str, ...]
    events: int
    acknowledged: int
    faults: Counter[str]
    ended_s: float
    passes: int
    told: list[str]


class Schedule:
    """One schedule, before it runs."""

    def __init__(
        self, seed: int, profile: Profile | None = None, rules: dict[str, Any] | None = None, *, keeps: bool = False
    ) -> None:
        drawn = Random(f"{seed} shape")
        self.world = World(seed, keeps=keeps)
        self.profile = profile or profile_of(drawn)
        self.weather = Weather(self.world, self.profile)
        self.shared = Shared(self.weather, drawn.choice((0, 0, 0, 2)))
        layout = drawn.choice(LAYOUTS)
        self.nodes = [Node(f"n{number}", roles, self.shared) for number, roles in enumerate(layout)]
        self.crowd = Crowd(self.world, self.nodes, REST_S)
        some = [rules] if rules else drawn.choices(RULES, weights=(12, 2, 4, 2, 1), k=drawn.choice((1, 1, 2)))
        bot = "bots" in layout[0] and drawn.random() < 0.3
        self.tables = [Table(self.crowd, number, rules, bot=bot) for number, rules in enumerate(some)]
        holds = "api,relay,dealer,bots" in layout and drawn.random() < EVENTS
        self.events = [Event(self.crowd, drawn.choice((3, 4, 5)))] if holds else []
        self.storm = Storm(self.weather, self.nodes, self.shared)

    def run(self) -> Outcome:
        """Run it, twice the same."""
        world = self.world
        with world.in_place():
            try:
                world.loop.run_until_complete(self._run())
            except Stalled as trouble:
                world.violate(f"it stands still: {trouble}")
            except Exception as trouble:  # noqa: BLE001 - whatever people meet that nobody told them of
                world.violate(f"somebody met {_of(trouble)!r}")
            finally:
                passes = world.loop.passes
                self._end()
        return Outcome(
            world.seed, self.profile.name, len(self.nodes), world.trace, tuple(world.violations),
            sum(len(lines) for stream, lines in self.shared.store.streams().items() if stream.startswith("match/")),
            len(self.crowd.told), world.faults, round(world.loop.time(), 3), passes, world.told,
        )  # fmt: skip

    async def _run(self) -> None:
        for node in self.nodes:
            node.start()
        playing = asyncio.gather(*(table.run() for table in self.tables), *(event.run() for event in self.events))
        storming = asyncio.ensure_future(self.storm.run())
        await asyncio.gather(playing, storming)
        await Checks(self.shared, self.nodes, self.crowd, self.tables, self.events).run()

    def _end(self) -> None:
        """Cancel whatever is left, of lives long over as well, and let it go."""
        world, loop = self.world, self.world.loop
        world.over, loop.passes = True, 0
        loop.thaw()
        left = [task for task in asyncio.all_tasks(loop) if not task.done()]
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=60))
        loop.run_until_complete(loop.shutdown_asyncgens())
        self.close()

    def close(self) -> None:
        """Let go of what a schedule has that does not run any more."""
        self.shared.witnesses.close()
        self.world.loop.close()


def _of(trouble: BaseException) -> BaseException:
    """Return the first fault of a group."""
    while isinstance(trouble, BaseExceptionGroup):
        trouble = trouble.exceptions[0]
    return trouble
