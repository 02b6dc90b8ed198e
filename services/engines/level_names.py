"""Names of the levels and styles of the house's players, for whoever asks for one."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

Level: TypeAlias = Literal["L0", "L1", "L2", "L3", "L4", "L5"]
"""The levels there are, the lowest first."""
LEVELS: Final[tuple[Level, ...]] = ("L0", "L1", "L2", "L3", "L4", "L5")
USUAL: Final[Level] = "L2"
"""What the house plays where nobody says."""
Style: TypeAlias = Literal["cautious", "steady", "bold"]
STEADY: Final[Style] = "steady"


def looks_ahead(name: str) -> bool:
    """Report whether a player of this name thinks of what others will do, for up to some hundred milliseconds."""
    return name.partition(".")[0] in LEVELS[LEVELS.index("L2") :]
