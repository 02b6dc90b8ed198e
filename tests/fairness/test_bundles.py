"""Every published record: 14 good, 2 incomplete, 106 with one lie each (CUP/1 section 8)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fairness.published import VECTORS, check_as_published, published

PUBLISHED = published("bundles.json")
BUNDLES = PUBLISHED["bundles"]


def test_all_of_them_are_here() -> None:
    assert sum(1 for _ in VECTORS.glob("bundles/*.cup")) == len(BUNDLES) == 122


@pytest.mark.parametrize("bundle", BUNDLES, ids=lambda bundle: Path(bundle["file"]).stem)
def test_a_published_record_is_judged_as_published(bundle: dict[str, Any]) -> None:
    check_as_published(bundle, PUBLISHED["policy"])
