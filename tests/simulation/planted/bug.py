"""A planted bug: what it is called, what it puts in whose place, where that shows, and what is said of it then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final
from unittest.mock import patch

from msgspec import Struct

from tests.simulation.faults import Profile
from tests.simulation.schedule import Schedule, Shape

HARD: Final = Profile("hard", storm_s=12.0, refused=0.1, lied=0.1, late=0.1, hung_up=0.2, killed=0.2)
"""Lies enough that what rests on them shows soon."""
TORN: Final = Profile("torn", storm_s=20.0, late=0.2, refused=0.1, hung_up=0.3)
"""Refuses, and does it all the same, for as long as anybody plays."""
CLOSED: Final = Profile("closed", storm_s=15.0, refused=0.1)
"""Refuses a call in ten for as long as anybody plays."""
AWAY: Final = Profile("away", storm_s=8.0, killed=0.6)
"""Kills for as long as somebody is waited for."""
FALLEN: Final = Profile("fallen", storm_s=20.0, killed=2.0, late=0.3)
"""Kills so often that some die as they begin, and refuses what is done all the same."""
LEAPT: Final = Profile("leapt", leaps=4.0, killed=3.0)
"""Sets clocks by an hour, and kills whoever has written by them."""
STEPPED: Final = Profile("stepped", storm_s=10.0, leaps=1.0)
"""Sets clocks while somebody is waited for, and lets everybody live."""
FORGETS: Final = Profile("forgets", storm_s=12.0, wiped=1.0, refused=0.05)
"""A bus that forgets, again and again."""
SLOW: Final = Profile("slow", storm_s=15.0, slow=0.2)
"""A store that takes seconds over a call in five."""
SILENT: Final = Profile("silent", storm_s=10.0, silent=0.9)
"""Witnesses that hardly ever answer."""
ALONE: Final = Shape(layout=("api,relay,dealer,bots",), holds=False)
"""One node that does everything."""
TWO: Final = Shape(layout=("api,relay,dealer,bots", "api,relay,dealer,bots"), holds=False)
"""Two nodes that both do everything."""
Replaced = tuple[Any, str, Any]


class Planted(Struct, frozen=True):
    """A bug.

    Attributes:
        name: What it is called.
        caught: What is said of it, at least in part, by the check that it is there for.
        profile: The faults under which it shows.
        replaced: What it puts in whose place.
        shape: What houses and tables it shows at.
    """

    name: str
    caught: str
    profile: Profile
    replaced: tuple[Replaced, ...]
    shape: Shape = Shape()

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Let the bug be there."""
        with ExitStack() as stack:
            for owner, name, other in self.replaced:
                stack.enter_context(patch.object(owner, name, other, create=True))
            yield

    def schedule(self, seed: int) -> Schedule:
        """Return a schedule that it may show in."""
        return Schedule(seed, self.profile, self.shape)

    def seed_found(self, bound: int) -> int | None:
        """Return the first of so many seeds at which it is said of it what is meant; None where it is at none."""
        with self.in_place():
            runs = ((seed, self.schedule(seed).run().violations) for seed in range(bound))
            return next((seed for seed, said in runs if any(self.caught in one for one in said)), None)
