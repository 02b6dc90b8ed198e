"""The blind cup: values, and mixtures by what they guarantee against the best claims there are."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from typing import Any

from msgspec.structs import replace

from domain.rules.rules import Rungs
from domain.statistics.odds import Throw
from domain.strategy.duels.tablebase import Facing, Tablebase, tablebase_of

THROWS = {
    "mia: 3-1 and 3-2 are scores": Throw(Rungs("mexican"), 2),
    "mexican": Throw(Rungs("mexican", specials=("social", "reverse")), 2),
    "mexican, impose": Throw(Rungs("mexican", specials=("social", "reverse", "impose")), 2),
    "doubles high": Throw(Rungs("doubles_high"), 2),
    "numeric": Throw(Rungs("digits"), 2),
}


@cache
def table_of(ladder: str) -> Tablebase:
    return tablebase_of(THROWS[ladder])


def check(_table: dict[str, Any], case: dict[str, Any]) -> None:
    throw = THROWS[case["ladder"]]
    names = [hand.faces for hand in throw.ladder.hands]
    standing = None if case["standing"] is None else names.index(tuple(case["standing"]))
    answer = table_of(case["ladder"]).facing(standing)
    assert answer.value == Fraction(case["value"])
    above = names[0 if standing is None else standing + 1 :]
    assert guaranteed(case["ladder"], answer, len(names) - len(above)) == answer.value
    if case["challenge"] is not None:
        said = {f"{high}-{low}": Fraction(share) for (high, low), share in zip(above, answer.doubts, strict=True)}
        assert said.keys() == case["challenge"].keys()
        theirs = replace(answer, doubts=tuple(Fraction(case["challenge"][name]) for name in said))
        assert guaranteed(case["ladder"], theirs, len(names) - len(above)) == answer.value


def guaranteed(ladder: str, answer: Facing, lowest: int) -> Fraction:
    """Return what a roller has who knows the mixture, throw by throw, over the best of all claims from this rung on."""
    throw, table = THROWS[ladder], table_of(ladder)
    top = throw.ladder.top
    whole = Fraction(0)
    for values in combinations_with_replacement(range(throw.faces.count), throw.dice):
        rung = throw.ladder.measure(values)
        worths = [
            doubt * (1 if rung >= claim else -1) - ((1 - doubt) * table.facing(claim).value if claim < top else 0)
            for claim, doubt in enumerate(answer.doubts, lowest)
        ]
        whole += max(worths) * (1 if values[0] == values[1] else 2)
    return whole / 36
