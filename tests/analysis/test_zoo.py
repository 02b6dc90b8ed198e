"""The zoo analysed: of a record of any version there is a valid analysis, or a plain word why there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.analysis.record.following import follow
from domain.fairness.records import split
from services.analysis.making import CannotAnalyse
from tests.analysis.test_documents import FIRST, document
from tests.analysis.test_rolling import PARTS
from tests.sizes import is_long

ZOO = Path(__file__).parents[1] / "zoo"
OF_TOURNAMENTS = {"events", "waves"}
PATHS = [path for path in sorted(ZOO.glob("*/*.cup")) if path.parent.name not in OF_TOURNAMENTS]
RECORDS = {str(path.relative_to(ZOO)): path for path in PATHS}
UNPLAYED = {
    "absence/asked-to-end.cup",
    "absence/given-each-once.cup",
    "absence/lobby-expired.cup",
    "first/closed-lobby.cup",
}
"""Matches that came to an end before a round did."""


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_of_any_version_has_a_valid_analysis(name: str) -> None:
    followed = follow(split(RECORDS[name].read_bytes()).lines)
    if name in UNPLAYED:
        with pytest.raises(CannotAnalyse, match="no round is over"):
            document(followed)
        return
    found = document(followed, None if is_long() else FIRST)
    assert found["complete"]
    assert found["events"]
    judged = {event["round"] for event in found["events"] if "equity" in event}
    assert judged <= {each["round"] for each in found["rounds"]}
    for luck in [seat["luck"] for seat in found["seats"] if seat["luck"] is not None]:
        assert luck["end"][0] - luck["start"][0] == sum(luck[part][0] for part in PARTS)
