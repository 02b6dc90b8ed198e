"""The ladders that cases name, and faces as cases write them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from domain.rules.rules import Rungs
from domain.statistics.odds import THROWS, Throw

LADDERS: Final[dict[str, Throw]] = {
    **{name: THROWS[name] for name in ("hoyle", "hoyle_ace_high", "finska", "german", "stanford", "kinds")},
    **{name: THROWS[name] for name in ("kinds_wild", "mexican", "mexican_impose")},
    "digits3": THROWS["six_six_six"],
    "pairs": THROWS["two_dice_doubles_high"],
    "pairs_numeric": Throw(Rungs("digits"), 2),
}
PICTURES: Final = {"J": 11, "Q": 12, "K": 13, "A": 14}


def faces_of_case(written: Iterable[str | int]) -> tuple[int, ...]:
    """Return the faces of dice that a case writes as pips or as those of poker."""
    return tuple([PICTURES.get(str(face)) or int(face) for face in written])
