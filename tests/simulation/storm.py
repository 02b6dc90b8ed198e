"""Storms: nodes that are killed, cut off and told another time, and a bus that forgets, until it is over."""

from __future__ import annotations

import asyncio
from typing import Final

from tests.simulation.link import Weather
from tests.simulation.nodes import Node, Shared

LOOK_S: Final = 0.05
DOWN_S: Final = (0.05, 3.0)
"""For how long a node is down: some come back within the time in which nobody misses a dealer, some do not."""
PARTED_S: Final = (0.1, 3.0)
LEAPS_MS: Final = (-3_600_000, -10_000, -1_500, 900, 7_000, 3_600_000)


class Storm:
    """The faults that happen to nodes and not to messages."""

    def __init__(self, weather: Weather, nodes: list[Node], shared: Shared) -> None:
        self._weather = weather
        self._nodes = nodes
        self._shared = shared

    async def run(self) -> None:
        """Rage until the storm is over; then every node is up, and its clock right."""
        world, profile = self._weather.world, self._weather.profile
        while world.loop.time() < profile.storm_s:
            await asyncio.sleep(LOOK_S)
            for node in self._nodes:
                await self._befall(node)
            if world.fault("wiped", profile.wiped * LOOK_S):
                world.tell("the bus forgets")
                self._shared.feed.wipe()
        for node in self._nodes:
            self._set(node, 0)

    async def _befall(self, node: Node) -> None:
        world, profile = self._weather.world, self._weather.profile
        if node.life is not None and world.fault("killed", profile.killed * LOOK_S):
            node.kill()
            world.loop.call_later(world.chance.uniform(*DOWN_S), node.start)
        if world.fault("parted", profile.parted * LOOK_S):
            way = world.chance.choice(("bus", "store"))
            self._weather.part(node.name, "bus" if way == "bus" else "store", world.chance.uniform(*PARTED_S))
        if world.fault("leaps", profile.leaps * LOOK_S):
            self._set(node, world.chance.choice(LEAPS_MS))
            world.tell(f"the clock of {node.name} is set by {node.clock.set_ms}")

    def _set(self, node: Node, ms: int) -> None:
        """Set the clock of a node, be it dead or alive."""
        with self._weather.world.setting(node.clock.house() if node.life is None else node.life.clock):
            node.clock.set_ms = ms
