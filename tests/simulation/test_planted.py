"""Bugs planted in a house: the simulation finds each of them, by its name, within a few seeds."""

from __future__ import annotations

import pytest

from tests.simulation.planted import BUGS, Planted
from tests.simulation.schedule import Schedule

SEEDS = 60
"""Within how many seeds each is found."""


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_planted_bug_is_found(bug: Planted) -> None:
    with bug.in_place():
        assert any(Schedule(seed, bug.profile, bug.rules).run().violations for seed in range(SEEDS))


def test_without_bugs_the_same_seeds_find_nothing() -> None:
    found = [Schedule(seed, bug.profile, bug.rules).run() for seed, bug in enumerate(BUGS)]
    assert [one.violations for one in found if one.violations] == []
