"""The tests that are traced: those that count branches, and no others."""

from __future__ import annotations

import sys
from pathlib import Path, PurePath

import pytest

from tests.counted import AGAIN, WALK_NONE, counts_branches

TESTS = Path(__file__).parent


def test_what_counts_no_branches_is_not_traced(request: pytest.FixtureRequest) -> None:
    """A worker that traces all it does is twice as slow, and nothing else tells."""
    assert not counts_branches(PurePath("test_counted.py"), request.node.name)
    assert sys.gettrace() is None or not request.config.pluginmanager.hasplugin("_cov")


def test_what_is_said_not_to_count_is_there_and_would_count_else() -> None:
    """A test that was renamed would count again, and nothing else tells."""
    assert all(any(TESTS.rglob(pattern)) for pattern in WALK_NONE)
    for file, tests in AGAIN.items():
        assert counts_branches(PurePath(file), "")
        text = (TESTS / file).read_text(encoding="utf-8")
        assert [name for name in tests if f"def {name}(" not in text] == []
