"""Cases of `match_tables.json`: what stacks and wins are worth between two rounds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from domain.strategy.tables import EVEN, RoundModel, first_to_win, last_in


def check(table: dict[str, Any], case: dict[str, Any]) -> None:
    expected = tuple(Fraction(each) for each in case["expect"])
    if case["table"] == "race":
        found = first_to_win(tuple(case["need"]), Fraction(case["opener_wins"]), case["opens"], case["next_start"])
    else:
        found = last_in(tuple(case["left"]), model_of(case["rho"], table), case.get("opens", 0))
    assert found == expected


def model_of(rho: Any, table: dict[str, Any]) -> RoundModel:
    if rho == "even":
        return EVEN
    if "weighted" in rho:
        rows = table["shipped"] if rho["weighted"] == "shipped" else rho["weighted"]
        return RoundModel(tuple((int(seats), tuple(row)) for seats, row in sorted(rows.items())))
    values = []
    for key, value in rho["solved"].items():
        own, others = map(int, key.split(","))
        values.append(((own, others), Fraction(value)))
    return RoundModel(values=tuple(values))
