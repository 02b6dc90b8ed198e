"""The tests that are traced: those that count branches, and no others."""

from __future__ import annotations

import sys
from pathlib import PurePath

import pytest

from tests.counted import counts_branches


def test_what_counts_no_branches_is_not_traced(request: pytest.FixtureRequest) -> None:
    """A worker that traces all it does is twice as slow, and nothing else tells."""
    assert not counts_branches(PurePath("test_counted.py"))
    assert sys.gettrace() is None or not request.config.pluginmanager.hasplugin("_cov")
