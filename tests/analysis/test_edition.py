"""Editions: an analysis that comes out otherwise than before has another name, and nobody is sent an old one."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from domain.analysis.report import written
from services.analysis.jobs import EDITION
from services.analysis.making import WantedAnalysis, analysis_of, record_followed

RECORDS: Final = sorted((Path(__file__).parent / "vectors" / "records").glob("*.cup"))
SAMPLES: Final = 64
EDITIONS: Final = {
    1: "23ae6a9f53b43660b9c1ef229636d86729e7f6074c62356c7f99147022e43a75",
    2: "2cbc4d4552bdfd651ebe73fe7e886a94c3003fba4527dccfec6c8b319fd091a5",
}
"""SHA-256 over the analyses of all records, by edition."""


def test_analyses_that_come_out_otherwise_are_of_another_edition() -> None:
    """Whoever means to change what analyses say adds an edition; whoever does not has found a fault."""
    found = hashlib.sha256()
    for place in RECORDS:
        followed = record_followed(place.read_bytes())
        found.update(written(analysis_of(followed, WantedAnalysis(samples=SAMPLES), lambda told, _: told)))
    assert found.hexdigest() == EDITIONS[max(EDITIONS)]
    assert max(EDITIONS) == EDITION
