"""Every case of every vector file, by the law that its file is about; a file or a kind that nobody knows fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.tournaments import pairing_kinds, ranking_kinds

Check = Callable[[dict[str, Any]], None]
"""Holds a law against a case."""

CHECKS: dict[str, dict[str | None, Check]] = {**pairing_kinds.CHECKS, **ranking_kinds.CHECKS}
"""By the file, and by the kind of the case, which is None where a file has cases of one kind."""


def test_a_law_gives_what_the_case_says(case: tuple[str, dict[str, Any]]) -> None:
    law, found = case
    check = CHECKS.get(law, {}).get(found.get("kind"))
    if check is None:
        pytest.fail(f"nobody knows what a case of {law} and kind {found.get('kind')} says")
    check(found)
