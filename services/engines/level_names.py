"""Names of the levels and styles of the house's players, for whoever asks for one."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

Level: TypeAlias = Literal["L0", "L1", "L2", "L3", "L4", "L5"]
"""The levels there are, the lowest first."""
LEVELS: Final[tuple[Level, ...]] = ("L0", "L1", "L2", "L3", "L4", "L5")
USUAL: Final[Level] = "L2"
"""What the house plays where nobody says."""
Style: TypeAlias = Literal["cautious", "steady", "bold"]
STEADY: Final[Style] = "steady"
STYLES: Final[tuple[Style, ...]] = get_args(Style)
FIRST: Final[Level] = "L1"
"""What bots without a level are played by, and bots of a level or a style that this program does not know."""


def level_of_bot(player: str) -> str:
    """Return the level, and the style behind a point, in a bot's player id."""
    said = player.split("/")[1:2]
    level, _, style = said[0].partition(".") if said else ("", "", "")
    if level in STYLES:
        level, style = FIRST, level
    return f"{level}.{style}" if level in LEVELS and style in STYLES else f"{FIRST}.{STEADY}"


def looks_ahead(name: str) -> bool:
    """Report whether a player of this name thinks of what others will do, for up to some hundred milliseconds."""
    return name.partition(".")[0] in LEVELS[LEVELS.index("L2") :]
