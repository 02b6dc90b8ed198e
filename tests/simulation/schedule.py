"""Schedules: a seed becomes nodes, tables, people and faults, comes to its rest, and is held against all promises."""

from __future__ import annotations

import asyncio
from collections import Counter
from random import Random
from typing import Any, Final

from msgspec import Struct

from domain.games import GAMES
from tests.simulation.checks import Checks
from tests.simulation.events import Event
from tests.simulation.faults import Profile, profile_of
from tests.simulation.hooks import plans_of
from tests.simulation.link import Weather
from tests.simulation.loop import Stalled
from tests.simulation.nodes import Node, Shared
from tests.simulation.people import CLOCK, STOPS, Crowd
from tests.simulation.storm import Storm
from tests.simulation.swarm import SWARMS, rules_of_swarm, swarm_of
from tests.simulation.tables import POWERS, Table, short
from tests.simulation.world import World

APART: Final = ("dealer", "relay", "api")
"""Nodes of which none is asked by clients and deals."""
LAYOUTS: Final = (
    ("api,relay,dealer,bots",),
    ("api,relay,dealer,bots", "api,relay,dealer,bots"),
    ("api,relay,dealer", "api"),
    ("api,dealer,bots", "api,relay"),
    APART,
)
"""What the nodes of a house do."""
SHORT: Final[dict[str, Any]] = {"pause_ms": 0, "host": None, "asides": None}
PATIENT: Final[dict[str, Any]] = {
    "game": "common_hand", "options": {"dice_per_player": 1}, "seats": 2, **SHORT, "idle": STOPS,
}  # fmt: skip
"""Rules of a table at which somebody stops."""
CLOCKED: Final[dict[str, Any]] = {
    "game": "common_hand", "options": {"dice_per_player": 1}, "seats": 2, **SHORT, "idle": None, "clock": CLOCK,
}  # fmt: skip
"""Rules of a table with clocks, at which somebody never acts."""
DESERTED: Final[dict[str, Any]] = {
    "game": "mexican", "options": {}, "seats": 2, "pause_ms": 4_000, "host": None, "asides": None,
    "idle": {"bots_ms": 1_000},
}  # fmt: skip
"""Rules of a table that bots play for ever, unless somebody ends it."""
RULES: Final[tuple[dict[str, Any], ...]] = (
    {"game": "common_hand", "options": {"dice_per_player": 1}, "seats": 2, **SHORT},
    {"game": "common_hand", "options": {"dice_per_player": 1}, "seats": 2, "pause_ms": 0},
    {"game": "common_hand", "options": {"dice_per_player": 1}, "seats": 3, **SHORT},
    {"game": "common_hand", "options": {"dice_per_player": 2}, "seats": 2, **SHORT, "deal_per": "round"},
    PATIENT,
    CLOCKED,
    DESERTED,
    {"game": "common_hand", "options": {"dice_per_player": 1}, "seats": 3, **SHORT, "host": POWERS},
    *map(short, GAMES),
)
WEIGHTS: Final = (24, 4, 8, 4, 2, 2, 2, 4, *(1 for _ in GAMES))
"""How often which of them is drawn."""
EVENTS: Final = 0.2
"""In how many houses of one node, and of two that do the same, a tournament is held."""
PLAIN: Final = 4
"""The first rules of those: of tables at which everything that is asked for can be signed before dice are seen."""
KEYED: Final = 0.1
"""At how many of such tables some players have keys."""
TALKS: Final = 0.2
"""In how many houses hosts comment on their matches."""
QUICK_MS: Final = 10
SLOW_MS: Final = 500
"""How long bots think, in milliseconds: where they would play for ever, so long that it does not come to much."""
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


class Shape(Struct, frozen=True):
    """What is not drawn, where one thing is to be looked at; None for what is.

    Attributes:
        rules: The rules of the only table, or of each.
        layout: What the nodes do.
        witnesses: How many witnesses there are.
        holds: Whether a tournament is held; where one is, nobody plays beside it.
        talks: Whether hosts comment on their matches.
        hooks: How many addresses are told of a tournament.
        keys: How many players at each table draw their own seeds, most of them with keys.
    """

    rules: tuple[dict[str, Any], ...] | None = None
    layout: tuple[str, ...] | None = None
    witnesses: int | None = None
    holds: bool | None = None
    talks: bool = False
    hooks: int | None = None
    keys: int | None = None


class Schedule:
    """One schedule, before it runs."""

    def __init__(
        self, seed: int, profile: Profile | None = None, shape: Shape | None = None, *, keeps: bool = False
    ) -> None:
        drawn, talks = Random(f"{seed} shape"), Random(f"{seed} comments").random() < TALKS
        swarm = Random(f"{seed} swarm")
        swarms = profile is None and shape is None and swarm.random() < SWARMS
        shape = shape or Shape(talks=talks)
        self.world = World(seed)
        self._keeps = keeps
        self.profile = swarm_of(swarm) if swarms else profile or profile_of(drawn)
        self.weather = Weather(self.world, self.profile)
        witnesses = drawn.choice((0, 0, 0, 2))
        self.shared = Shared(self.weather, witnesses if shape.witnesses is None else shape.witnesses)
        layout = shape.layout or drawn.choice(LAYOUTS[:2] if shape.holds else LAYOUTS)
        some = shape.rules or drawn.choices(RULES, WEIGHTS, k=drawn.choice((1, 1, 2)))
        some = [rules_of_swarm(swarm) for _ in some] if swarms else some
        some = some if "bots" in layout[0] else [RULES[0] if rules is DESERTED else rules for rules in some]
        pause_ms = SLOW_MS if DESERTED in some else QUICK_MS
        self.nodes = [Node(f"n{number}", roles, self.shared, pause_ms) for number, roles in enumerate(layout)]
        self.crowd = Crowd(self.world, self.nodes, REST_S, leaps=self.profile.leaps > 0)
        bot = "bots" in layout[0] and drawn.random() < 0.3
        self.tables = [Table(self.crowd, number, rules, bots=_bots_at(rules, bot)) for number, rules in enumerate(some)]
        keys = Random(f"{seed} keys")
        for table in self.tables:
            table.with_keys = _keys_at(table.rules, keys) if shape.keys is None else shape.keys
            table.talks = shape.talks and layout is not APART
        holds = "api,relay,dealer,bots" in layout and drawn.random() < EVENTS
        if shape.holds is not None:
            holds, self.tables = shape.holds, [] if shape.holds else self.tables
        hooks = plans_of(Random(f"{seed} hooks"), shape.hooks)
        self.events = [Event(self.crowd, drawn.choice((3, 4, 5)), self.shared.ears, hooks)] if holds else []
        self.storm = Storm(self.weather, self.nodes, self.shared)

    def run(self) -> Outcome:
        """Run it, twice the same."""
        world = self.world
        with world.in_place(), self.shared.ears.in_place():
            try:
                world.loop.run_until_complete(self._run())
            except Stalled as trouble:
                world.violate(f"it stands still: {trouble}")
            except Exception as trouble:  # noqa: BLE001 - whatever people meet that nobody told them of
                world.violate(f"somebody met {_of(trouble)!r}")
            finally:
                # Before what is left is cancelled, in whatever order it lies in memory.
                passes, ended_s = world.loop.passes, round(world.loop.time(), 3)
                self._end()
        return Outcome(
            world.seed, self.profile.name, len(self.nodes), world.trace, tuple(world.violations),
            sum(len(lines) for stream, lines in self.shared.store.streams().items() if stream.startswith("match/")),
            len(self.crowd.told), world.faults, ended_s, passes,
            world.told if self._keeps else [],
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


def _bots_at(rules: dict[str, Any], bot: bool) -> int:  # noqa: FBT001 - drawn
    """Return how many bots sit at a table; some are played by nobody else."""
    return int(rules["seats"]) if rules is DESERTED else int(bot)


def _keys_at(rules: dict[str, Any], drawn: Random) -> int:
    """Return how many of those who sit at a table draw their own seeds: some, at a tenth of the plain ones."""
    return drawn.randint(1, rules["seats"]) if rules in RULES[:PLAIN] and drawn.random() < KEYED else 0


def _of(trouble: BaseException) -> BaseException:
    """Return the first fault of a group."""
    while isinstance(trouble, BaseExceptionGroup):
        trouble = trouble.exceptions[0]
    return trouble
