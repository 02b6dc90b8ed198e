"""Names beside a record: both auditors find swapped ones and say the same of all (attack 9 of the threat model).

A crooked house calls people otherwise than they sat down: it swaps two, gives another salt, or another name with none.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
import pytest
from msgspec import UNSET

from domain import commands
from domain.fairness.names import NamesFound, SeatName, names_in, write_names
from domain.fairness.signing.messages import name_commitment
from domain.log.notes import Malformed
from domain.log.policies import policy_of
from services.audit.findings import findings
from services.audit.verdict import Evidence, Verdict, verdict_of
from tests.domain.playing import MATCH
from tests.domain.truth_oracle import Course, Record, played_out
from tests.fairness.javascript_auditor import Ask, run, sentences_in_javascript, told_in_javascript
from tests.fairness.record_files import access_beside, bundled
from tests.fairness.scripted_server import POLICY_TEXT

LAYERS = (1, 2, 3)
SALTS = {seat: bytes([seat]) * 32 for seat in (1, 2)}
CALLED = {1: "Ada", 2: "Bea \N{SMILING FACE WITH HALO}", 3: "Cyd"}


class NamedCourse(Course):
    """A match whose first two have committed to their names, the third to none; a bot sits with them."""

    def start(self) -> None:
        for seat, name in CALLED.items():
            committed = name_commitment(SALTS[seat], name) if seat in SALTS else None
            self.do(commands.Join(f"p{seat}", "server", name=committed))
        self.do(commands.Join("bot/cautious/01234567", "server"))
        self.do(commands.Start(self.chance()))
        self.go_on()


@cache
def played() -> Record:
    course = NamedCourse({"dice_per_player": 1}, 4, "named", "common_hand", pause_ms=0)
    course.start()
    return played_out(course, 1).record


@cache
def record() -> bytes:
    return bundled(played())


def told(**changed: SeatName | None) -> bytes:
    """Return the names of this match, some of them others or none."""
    honest = {
        f"p{seat}": SeatName(str(MATCH), name, f"p{seat}", SALTS[seat].hex() if seat in SALTS else None, seat)
        for seat, name in CALLED.items()
    }
    bot = {"bot": SeatName(str(MATCH), "Cato", "bot/cautious/01234567", None, 4)}
    return write_names([one for one in (honest | bot | changed).values() if one is not None])


def judged(*files: bytes) -> list[Verdict]:
    """Return what the first auditor finds, once the second has said the same."""
    asks = [Ask(record(), layers=LAYERS, access=access_beside(record()), names=file) for file in files]
    policy, others = policy_of(POLICY_TEXT), told_in_javascript(asks)
    found = [
        verdict_of(ask.record, policy, LAYERS, beside=Evidence(ask.access, names=tuple(names_in(ask.names or b""))))
        for ask in asks
    ]
    for one, other, said in zip(found, others, sentences_in_javascript(others, asks), strict=True):
        same = (
            other["status"],
            other["code"] or UNSET,
            other["message"],
            UNSET if other["line"] is None else other["line"],
        )
        assert same == (one.status, one.code, one.message, one.line)
        assert msgspec.convert(other["names"], NamesFound) == one.names
        words = findings(one, judged_log=True)
        assert said["headline"] == {"mark": words.mark, "title": words.title, "text": words.text}
        assert said["findings"] == msgspec.to_builtins(list(words.findings))
    return found


def test_names_that_the_record_commits_to_are_checked() -> None:
    (found,) = judged(told())
    assert (found.status, found.names) == ("OK", NamesFound(checked=(1, 2), open=(3,)))
    said = findings(found, judged_log=True)
    assert "The names of seats 1 and 2 are those that the record commits to." in said.marked("yes")
    assert [text[:21] for text in said.marked("open")[-3:-1]] == [
        "What seat 3 is called",
        "Whether a person\N{RIGHT SINGLE QUOTATION MARK}s id",
    ]


def test_a_house_that_swaps_names_is_found() -> None:
    ada, bea = (
        SeatName(str(MATCH), CALLED[2], "p1", SALTS[2].hex(), 1),
        SeatName(str(MATCH), "Ada", "p2", SALTS[1].hex(), 2),
    )
    swapped, line = judged(told(p1=ada, p2=bea), told(p2=SeatName(str(MATCH), "Eve", "p2", SALTS[2].hex(), 2)))
    assert (swapped.status, swapped.code, swapped.line) == ("FAULT", "E_NAMES", 2)
    assert (line.code, line.line, line.names) == ("E_NAMES", 4, NamesFound((1,), (3,), swapped=(4,)))
    assert swapped.record == "OK", "the record keeps its own word"
    said = findings(swapped, judged_log=True)
    assert said.text == "Line 2: a name is told that the record does not commit to."
    assert [text.partition(":")[0] for text in said.marked("no")] == ["Line 2", "Line 4"]


def test_a_house_that_withholds_a_salt_or_brings_names_of_others_is_found() -> None:
    files = [told(p1=SeatName(str(MATCH), "Ada", "p1", None, 1)), told(eve=SeatName(str(MATCH), "Eve", "p9", None, 9))]
    bare, strange = judged(*files)
    assert (bare.code, bare.line) == ("E_NAMES", 2)
    assert (strange.code, strange.line, strange.names) == ("E_NAMES", 0, NamesFound((1, 2), (3,), strange=1))


def test_a_record_whose_names_were_erased_is_what_it_was() -> None:
    gone = SeatName(str(MATCH), None, "p1", None, 1)
    for found in judged(told(p1=gone), told(p1=None)):
        assert (found.status, found.names) == ("OK", NamesFound((2,), (3,), (1,)))


@pytest.mark.parametrize(
    "file",
    [b"{}\n", b"\n", b"\xff\n", b"[]\n", told() + b"\n", told()[:-2], told().replace(b'"seat":1', b'"seat":0')],
)
def test_what_is_no_file_of_names_is_none_for_both(file: bytes, tmp_path: Path) -> None:
    with pytest.raises(Malformed):
        names_in(file)
    (tmp_path / "match.cup").write_bytes(record())
    (tmp_path / "names").write_bytes(file)
    assert run(str(tmp_path / "match.cup"), "--names", str(tmp_path / "names")).returncode == 3


def test_the_second_program_takes_a_file_of_names(tmp_path: Path) -> None:
    (tmp_path / "match.cup").write_bytes(record())
    (tmp_path / "names").write_bytes(told(p1=SeatName(str(MATCH), "Eve", "p1", None, 1)))
    said = run(str(tmp_path / "match.cup"), "--names", str(tmp_path / "names"))
    assert (said.returncode, "E_NAMES in line 2" in said.stdout) == (1, True), said.stderr
