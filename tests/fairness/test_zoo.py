"""The zoo: records as houses of every version have handed them out, which are audited alike for ever.

A file in `tests/zoo/` is never written anew. `first` was made before there were limits for those who stay away,
`absence` with the first of them; `closing` while losses of seats that were out still closed the buying back, `edition`
when they no longer did, `powers` with the first powers of hosts, `continuing` once players could end pauses between
rounds, `tournaments` with the first tables of tournaments, `events` with the first tournaments, one of each format;
`pauses` before and after a round that ended in a host's pause no longer waited for all of it once more;
`names` once lines could commit to names, with a file of them from before and after one was erased;
`waves` once an arena seated one table where those next in turn may not meet.
Who changes what stands in a record adds a folder. No access record lies beside them: what an honest house hands out
with them is written here, and without it an audit cannot say who saw what. A tournament has none.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.fairness.names import NamesFound, names_in
from domain.log.policies import policy_of
from services.audit.verdict import Evidence, verdict_of
from services.cli.ledger import REHEARSAL, Ledger
from tests.fairness.javascript_auditor import Ask, told_in_javascript
from tests.fairness.record_files import access_beside
from tests.fairness.scripted_server import POLICY_TEXT

ZOO = Path(__file__).parents[1] / "zoo"
EVENTS = {path.stem: path for folder in ("events", "waves") for path in sorted((ZOO / folder).glob("*.cup"))}
RECORDS = {str(path.relative_to(ZOO)): path for path in sorted(ZOO.glob("*/*.cup")) if path not in EVENTS.values()}
VERSIONS = {
    "absence": 8, "closing": 1, "continuing": 2, "edition": 1, "events": 12, "first": 12, "names": 1, "powers": 5,
    "pauses": 2, "tournaments": 3, "waves": 1,
}  # fmt: skip
"""How many records of each version there are: none is ever taken away."""


def test_no_record_is_missing() -> None:
    assert {name: len(list((ZOO / name).glob("*.cup"))) for name in VERSIONS} == VERSIONS
    assert len(RECORDS) + len(EVENTS) == sum(VERSIONS.values())


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_of_any_version_passes_all_three_layers(name: str) -> None:
    record, policy = RECORDS[name].read_bytes(), policy_of(POLICY_TEXT)
    found = verdict_of(record, policy, beside=Evidence(access_beside(record)))
    assert (found.status, found.layers, found.anchored) == ("OK", (1, 2, 3), True), found
    alone = verdict_of(record, policy)
    assert (alone.status, alone.record, alone.layers) == ("INCOMPLETE", "OK", (1, 2, 3)), alone


@pytest.mark.parametrize("name", EVENTS)
def test_a_tournament_of_any_version_is_decided_alike_to_its_end(name: str) -> None:
    record = EVENTS[name].read_bytes()
    found = verdict_of(record, policy_of(Ledger(REHEARSAL, bytes(32)).policy))
    assert (found.status, found.layers, found.anchored) == ("OK", (1, 2, 3), True), found
    assert b"tournament.closed" in record


def test_the_second_auditor_says_the_same_of_all_of_them() -> None:
    records = [path.read_bytes() for path in RECORDS.values()]
    found = told_in_javascript([Ask(record, layers=(1, 2, 3), access=access_beside(record)) for record in records])
    assert [(one["status"], one["record"]) for one in found] == [("OK", "OK")] * len(RECORDS)
    alone = told_in_javascript([Ask(record, layers=(1, 2, 3)) for record in records])
    assert [(one["status"], one["record"]) for one in alone] == [("INCOMPLETE", "OK")] * len(RECORDS)


@pytest.mark.parametrize(("told", "erased"), [("before", ()), ("after", (1,))])
def test_a_match_holds_with_the_names_of_its_people_and_once_one_was_erased(told: str, erased: tuple[int, ...]) -> None:
    record = (ZOO / "names" / "committed-and-erased.cup").read_bytes()
    names = (ZOO / "names" / f"{told}.names.ndjson").read_bytes()
    beside = Evidence(access_beside(record), names=tuple(names_in(names)))
    found = verdict_of(record, policy_of(POLICY_TEXT), beside=beside)
    checked = tuple(seat for seat in (1, 2) if seat not in erased)
    assert (found.status, found.names) == ("OK", NamesFound(checked, (3,), erased))
    (other,) = told_in_javascript([Ask(record, layers=(1, 2, 3), access=beside.access, names=names)])
    assert (other["status"], other["names"]["erased"]) == ("OK", [*erased])
