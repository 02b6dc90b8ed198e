"""Cases of labels: from two fractions to the first word, and to the second once the dice were seen."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from domain.analysis.odds.labels import label_after, label_of


def check(_table: dict[str, Any], case: dict[str, Any]) -> None:
    label = label_of(Fraction(case["seat"]), Fraction(case["public"]))
    after = label if case["held"] is None else label_after(label, held=case["held"])
    assert (label, after) == (case["label"], case["after"])
