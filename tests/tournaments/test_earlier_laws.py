"""Records that were written before some laws were mended: they accuse nobody, and an auditor says what they follow.

A file in `earlier/` holds the lines of one tournament, as houses wrote them until 25 November 2026. None is ever
written anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec
import pytest

from domain.errors import Refused
from domain.tournaments.options import idle_options, rules_from
from domain.tournaments.rules import object_of
from tests.tournaments.events_for_audit import bent, judged

EARLIER: Final = Path(__file__).parent / "earlier"
PAIRED: Final = ("cup.rolled",)
SAID: Final[dict[str, tuple[str, ...]]] = {
    "drawers-by-number": ("seat.joined",),
    "two-hours-of-64-rolls": ("seat.joined",),
    "a-table-for-who-left": ("tables.paired",),
    "byes-for-two": (*PAIRED, *PAIRED),
    "a-bye-for-one": (*PAIRED, *PAIRED),
    "a-schedule-for-one": ("tables.paired", "tables.paired"),
    "byes-in-a-group": (*PAIRED, *PAIRED),
    "a-first-place-for-who-left": ("tournament.finished",),
    "called-off-too-soon": ("player.withdrawn",),
    "one-time-for-all-rounds": ("cup.rolled", "cup.rolled"),
    "time-without-clocks": ("time.given",),
    "rated": (),
    "third-place": (),
    "rounds-max": (),
}
"""By the record, the lines at which a command begins that today's laws would answer otherwise, by their types."""


def lines_of(name: str) -> list[bytes]:
    return (EARLIER / f"{name}.jsonl").read_bytes().splitlines()


def test_every_record_is_looked_at() -> None:
    assert set(SAID) == {path.stem for path in EARLIER.iterdir()}


@pytest.mark.parametrize("name", SAID)
def test_what_followed_then_accuses_nobody_and_is_said(name: str) -> None:
    lines = lines_of(name)
    ruling = judged(lines)
    assert (ruling.code, ruling.upto) == (None, len(lines)), ruling.why
    assert tuple(msgspec.json.decode(lines[each - 1])["type"] for each in ruling.earlier) == SAID[name]


@pytest.mark.parametrize(("name", "option"), [("third-place", "third_place"), ("rounds-max", "rounds_max")])
def test_options_that_changed_nothing_were_taken_then_and_are_refused_now(name: str, option: str) -> None:
    ruling = judged(lines_of(name))
    assert ruling.tournament is not None
    assert [named for named, _ in idle_options(ruling.tournament.rules)] == [f"stages.0.{option}"]
    with pytest.raises(Refused) as refused:
        rules_from(object_of(ruling.tournament.rules))
    assert refused.value.facts["option"] == f"stages.0.{option}"


def test_what_follows_from_no_laws_is_a_fault_by_those_of_today() -> None:
    lines = lines_of("drawers-by-number")
    seated = next(number for number, line in enumerate(lines, start=1) if b'"seat":3' in line)
    ruling = judged(bent(lines, seated, lambda document: document["data"].update(seat=9)))
    assert (ruling.code, ruling.line, ruling.earlier) == ("E_RULES", seated - 1, ())
