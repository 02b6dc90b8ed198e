"""Sizes of suites: a sample in the line that people wait for, the whole of each with `pytest --long`.

`--long` loads the hypothesis profile of that name, which is what everything here asks; tests/README.md lists who does.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

import hypothesis

LINE, LONG = "line", "long"
"""The profiles: of the README's line, and of `--long`."""
T = TypeVar("T")


def is_long() -> bool:
    """Report whether this run was asked for everything."""
    return hypothesis.settings.get_current_profile_name() == LONG


def cases(line: int, whole: int) -> int:
    """Return how many cases a random suite tries: so many in the line, and so many in all with `--long`."""
    return whole if is_long() else line


def spread(found: Iterable[T], each: int, kind: Callable[[Any], Hashable] = lambda _: None) -> list[T]:
    """Return everything with `--long`; in the line so many of each kind, as far apart as they can be.

    Args:
        found: What there is, in an order that is the same in every run.
        each: How many of a kind the line tries, the first of its kind always among them.
        kind: Says which kind something is of; without it all are of one.
    """
    every = list(found)
    if is_long():
        return every
    places: dict[Hashable, list[int]] = {}
    for place, one in enumerate(every):
        places.setdefault(kind(one), []).append(place)
    return [every[place] for place in sorted(place for of_kind in places.values() for place in _apart(of_kind, each))]


def _apart(places: list[int], count: int) -> list[int]:
    """Return so many of these, evenly spread from the first on, or all where there are no more."""
    return [places[at * len(places) // count] for at in range(count)] if count < len(places) else places
