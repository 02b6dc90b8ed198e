"""Runners for the vectors about odds, one a kind, by the kind's name."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from domain.statistics import odds

Vector = dict[str, Any]
FUNCTIONS = {"at_least": odds.chance_of_at_least, "exactly": odds.chance_of_exactly}


def run_odds(vector: Vector) -> None:
    found = [FUNCTIONS[one["fn"]](one["n"], one["q"], Fraction(one["p"])) for one in vector["actions"]]
    assert fractions(vector) == found


def run_expected_quantity(vector: Vector) -> None:
    found = [odds.expected_quantity(one["n"], Fraction(one["p"])) for one in vector["actions"]]
    assert vector["expect"]["values"] == found


def run_raise_threshold(vector: Vector) -> None:
    assert fractions(vector) == [odds.raise_threshold(one["n"]) for one in vector["actions"]]


def run_patterns(vector: Vector) -> None:
    assert fractions(vector) == [odds.pattern_chance(tuple(one["pattern"])) for one in vector["actions"]]


def run_pattern_of(vector: Vector) -> None:
    assert vector["expect"]["patterns"] == [list(odds.pattern_of(one["serial"])) for one in vector["actions"]]


def run_greatest_frequency(vector: Vector) -> None:
    assert fractions(vector) == [odds.greatest_frequency(one["k"]) for one in vector["actions"]]


def fractions(vector: Vector) -> list[Fraction]:
    return [Fraction(value) for value in vector["expect"]["values"]]


KINDS: dict[str, Callable[[Vector], None]] = {
    "odds": run_odds,
    "expected_quantity": run_expected_quantity,
    "raise_threshold": run_raise_threshold,
    "patterns": run_patterns,
    "pattern_of": run_pattern_of,
    "greatest_frequency": run_greatest_frequency,
}
