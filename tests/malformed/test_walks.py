"""Walks along the links of the document: nothing breaks, all is answered as it says, and a no leaves nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.malformed.walks import PARTS, walk
from tests.sizes import cases

ENTRANCES = {"tables": {"open_match"}, "events": {"announce_tournament", "begin_season", "make_player"}}
"""Where walks begin."""


@pytest.mark.parametrize("part", PARTS)
def test_walks_along_the_links_of_the_document_break_nothing(tmp_path: Path, part: str) -> None:
    answered, found = walk(tmp_path, part, cases(2, 100))
    assert found == []
    assert {operation for operation, status in answered if status < 400} > ENTRANCES[part], "walks lead on"
