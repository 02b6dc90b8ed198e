"""Swarms: some of all faults at once, each as often as it happens to be, over rules that are put together at random.

What all faults together hide, some of them show, and whoever draws which leaves out none by habit: A. Groce, C. Zhang,
E. Eide, Y. Chen and J. Regehr, Swarm Testing, ISSTA 2012.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final

from msgspec.structs import asdict

from domain.games import GAMES
from tests.simulation.faults import Profile
from tests.simulation.people import CLOCK, STOPS
from tests.simulation.tables import POWERS, is_open_ended, short

SWARMS: Final = 0.5
"""How many schedules are swarms."""
MOST: Final = Profile(
    "swarm", slow=0.02, refused=0.1, lied=0.1, late=0.1, cut=0.3, dropped=0.2, doubled=0.2, held=0.2, wiped=1.0,
    parted=0.8, killed=1.5, leaps=2.0, hung_up=0.3, silent=0.5, deaf=0.5,
)  # fmt: skip
"""How likely each fault is at most; most are far less so."""
STORM_S: Final = (1.0, 15.0)
EACH: Final = 0.4
"""How likely a fault is there at all."""
PAUSES_MS: Final = (0, 0, 0, 200, 1_000, 4_000)
OF_A_SESSION_MS: Final = (200, 1_000)
"""Pauses behind rounds; where the host has to come between two of them, there is one."""
INCREMENTS_MS: Final = (0, 500)


def swarm_of(drawn: Random) -> Profile:
    """Return some of the faults."""
    likely = {
        name: most * drawn.random() ** 2 for name, most in asdict(MOST).items() if name not in {"name", "storm_s"}
    }
    return Profile(
        "swarm", drawn.uniform(*STORM_S), **{name: it for name, it in likely.items() if drawn.random() < EACH}
    )


def rules_of_swarm(drawn: Random) -> dict[str, Any]:
    """Return rules of any game, with a host who has powers or none, and somebody for whom a time goes by or nobody."""
    rules = short(drawn.choice(["common_hand"] * len(GAMES) + list(GAMES)))
    if rules["game"] == "common_hand":
        rules["seats"] = drawn.choice((2, 2, 3))
        rules["deal_per"] = drawn.choice(("match", "match", "round"))
    rules["pause_ms"] = drawn.choice(OF_A_SESSION_MS if is_open_ended(rules) else PAUSES_MS)
    rules["host"] = drawn.choice((POWERS, POWERS, None))
    times: tuple[dict[str, Any], ...] = (
        {"idle": STOPS},
        {"idle": None, "clock": {**CLOCK, "increment_ms": drawn.choice(INCREMENTS_MS)}},
        {},
    )
    return {**rules, **drawn.choice(times)}
