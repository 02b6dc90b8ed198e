"""`truecup policy cup`: how often to lift a blind cup of two seats, exactly."""

from __future__ import annotations

from typing import Final, Literal

from domain.rules.rules import Rungs
from domain.statistics.odds import THROWS, Throw, decimal
from domain.strategy.duels.tablebase import tablebase_of
from services.cli.exits import FINE
from services.cli.screen import say, say_json
from services.client.house import CannotDo

CUPS: Final[dict[str, Throw]] = {
    "mia": Throw(Rungs("mexican"), 2),
    "mexican": THROWS["mexican"],
    "mexican_impose": THROWS["mexican_impose"],
    "doubles_high": THROWS["two_dice_doubles_high"],
    "numeric": THROWS["two_dice_numeric"],
}
"""Cups by what their claims rank by; throws that do something else instead count for nothing here."""
PLACES: Final = 4


def cup(
    ladder: Literal["mia", "mexican", "mexican_impose", "doubles_high", "numeric"] = "mexican",
    /,
    *,
    after: str | None = None,
    json: bool = False,
) -> int:
    """Say what a blind cup is worth, and how often to lift it.

    Args:
        ladder: What claims rank by.
        after: The claim that stands, such as `5-1`; without it nothing was claimed yet.
        json: Print one JSON document.
    """
    throw = CUPS[ladder]
    names = ["-".join(map(str, hand.faces)) for hand in throw.ladder.hands]
    if after is not None and after not in names[:-1]:
        raise CannotDo(f"a claim that may be beaten is one of {', '.join(names[:-1])}")
    standing = None if after is None else names.index(after)
    found = tablebase_of(throw).facing(standing)
    doubts = dict(zip(names[0 if standing is None else standing + 1 :], found.doubts, strict=True))
    if json:
        lifted = {name: str(doubt) for name, doubt in doubts.items()}
        say_json({"ladder": ladder, "after": after, "value": str(found.value), "challenge": lifted})
        return FINE
    say(f"who throws has {found.value}, +1 won and -1 lost; whoever is told a claim lifts the cup as often as this:")
    for name, doubt in doubts.items():
        say(f"{name}  {decimal(doubt, PLACES)}  {doubt}")
    return FINE
