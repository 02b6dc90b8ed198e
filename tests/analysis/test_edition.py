"""Editions: an analysis that comes out otherwise than before has another name, and nobody is sent an old one."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from domain.analysis.report import written
from services.analysis.jobs import EDITION
from services.analysis.making import WantedAnalysis, analysis_of, record_followed
from tests.sizes import is_long

RECORDS: Final = sorted((Path(__file__).parent / "vectors" / "records").glob("*.cup"))
QUICK: Final = [place for place in RECORDS if place.stem != "finska"]
"""All but one whose first round takes as long as those of the others twice over: a vector holds what is said of it."""
SAMPLES: Final = 64
EDITIONS: Final = {
    1: "23ae6a9f53b43660b9c1ef229636d86729e7f6074c62356c7f99147022e43a75",
    2: "2cbc4d4552bdfd651ebe73fe7e886a94c3003fba4527dccfec6c8b319fd091a5",
}
"""SHA-256 over the analyses of all records, by edition; of every round with `--long`."""
FIRST_ROUNDS: Final = {2: "46f6bee4650d12544a02006e356dd72171046356b58113e1b5d1931e796a5409"}
"""The same of the first rounds alone of those that are quick, which the line tells."""


def test_analyses_that_come_out_otherwise_are_of_another_edition() -> None:
    """Whoever means to change what analyses say adds an edition; whoever does not has found a fault."""
    found, rounds = hashlib.sha256(), None if is_long() else (1, 1)
    for place in RECORDS if is_long() else QUICK:
        followed = record_followed(place.read_bytes())
        wanted = WantedAnalysis(samples=SAMPLES, rounds=rounds)
        found.update(written(analysis_of(followed, wanted, lambda told, _: told)))
    assert found.hexdigest() == (EDITIONS if is_long() else FIRST_ROUNDS)[EDITION]
    assert max(EDITIONS) == max(FIRST_ROUNDS) == EDITION
