"""The sample that the line takes of a suite: every kind of it, and the same in every run."""

from __future__ import annotations

from collections.abc import Iterator

import hypothesis
import pytest

from tests.sizes import LINE, LONG, cases, is_long, spread


@pytest.fixture
def profile() -> Iterator[None]:
    """Leave the run's own profile as it was."""
    before = hypothesis.settings.get_current_profile_name()
    yield
    hypothesis.settings.load_profile(before)


@pytest.mark.usefixtures("profile")
def test_the_line_tries_a_sample_and_long_tries_all() -> None:
    hypothesis.settings.load_profile(LINE)
    assert (is_long(), cases(10, 1_000), spread(range(9), 3)) == (False, 10, [0, 3, 6])
    hypothesis.settings.load_profile(LONG)
    assert (is_long(), cases(10, 1_000), spread(range(9), 3)) == (True, 1_000, list(range(9)))


@pytest.mark.usefixtures("profile")
def test_a_sample_has_some_of_every_kind_however_rare() -> None:
    hypothesis.settings.load_profile(LINE)
    found = ["a1", "a2", "a3", "a4", "b1", "a5", "c1", "c2"]
    assert spread(found, 2, lambda one: one[0]) == ["a1", "a3", "b1", "c1", "c2"]


def test_profiles_are_sized_and_no_test_is_given_a_deadline() -> None:
    line, whole = (hypothesis.settings.get_profile(name) for name in (LINE, LONG))
    assert line.max_examples < whole.max_examples
    assert (line.deadline, whole.deadline) == (None, None)
