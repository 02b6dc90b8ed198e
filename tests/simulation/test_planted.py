"""Bugs planted in a house: the simulation finds each of them, by the check that is there for it, within a few seeds."""

from __future__ import annotations

import pytest

from tests.simulation.planted import BUGS
from tests.simulation.planted.bug import Planted
from tests.sizes import spread

SEEDS = 40
"""Within how many seeds each is found."""
TRIED = spread(BUGS, 6)
"""Bugs that are planted: some of them in the line."""


@pytest.mark.parametrize("bug", TRIED, ids=lambda bug: bug.name)
def test_a_planted_bug_is_found(bug: Planted) -> None:
    assert bug.seed_found(SEEDS) is not None


def test_without_bugs_the_same_schedules_find_nothing() -> None:
    found = {bug.name: bug.schedule(seed).run().violations for seed, bug in enumerate(TRIED)}
    assert {name: said for name, said in found.items() if said} == {}


def test_every_bug_has_a_name_and_a_check_of_its_own() -> None:
    assert len({bug.name for bug in BUGS}) == len(BUGS) >= 40
    assert [bug.name for bug in BUGS if not bug.caught] == []
