"""What a page says of an audit that found nothing wrong and did not judge everything, or found something beside."""

from __future__ import annotations

from typing import Any

import pytest

from services.web import telling
from tests.web.test_pages import FAIR, SEEN

UNKNOWN = {**FAIR, "status": "INCOMPLETE", "record": "INCOMPLETE", "layers": [1, 2], "rules": "who won was not checked"}
HELD = {**FAIR, "status": "INCOMPLETE", "record": "OK", "layers": [1, 2, 3], "rules": "every event follows"}


@pytest.mark.parametrize(
    ("report", "says"),
    [
        (UNKNOWN, "who won was not checked"),
        ({**HELD, "seen": None}, "there is no access record"),
        ({**HELD, "seen": {"status": "INCOMPLETE", "viewers": {}}}, "who saw which hidden dice is not complete"),
        ({**HELD, "record": "INCOMPLETE"}, "The match is still played"),
    ],
)
def test_what_was_not_judged_is_not_called_fair_and_the_page_says_what_it_is(report: dict[str, Any], says: str) -> None:
    told = telling.verdict(report)

    assert (told.title, told.mark) == ("Not complete yet", "open")
    assert says in told.text
    assert telling.findings(report)[0].mark == "yes", "what holds is said to hold"


def test_a_fault_of_the_access_record_is_told_with_its_line_and_beside_what_holds() -> None:
    report = {**HELD, "status": "FAULT", "code": "E_ACCESS", "line": 7}

    assert telling.verdict(report).text.startswith("Line 7 of the access record: hidden dice were served")
    assert telling.verdict(report).mark == "no"
    assert len(telling.findings(report)) > 3


def test_viewers_without_a_seat_who_were_served_hidden_dice_stand_in_the_verdict() -> None:
    noticed = [{"line": line, "viewer": f"caster/{line}"} for line in range(2, 7)]
    report = {**FAIR, "seen": {**SEEN, "noticed": noticed}}

    served = "Hidden dice were served to caster/2, caster/3, caster/4 and 2 more, who have no seat."
    assert telling.verdict(report).text.endswith(served)
    told = telling.disclosure(report)
    assert told is not None
    assert (told.mark, "caster/2 (line 2)" in told.text, "nobody any others" in told.text) == ("open", True, False)


def test_deals_that_were_thrown_away_are_counted_and_no_more_is_said_of_them_than_the_record_shows() -> None:
    voids = ({"deal": 0, "logged": True, "seats": (2, 3)}, {"deal": 1, "logged": False, "seats": ()})
    told = [finding.text for finding in telling.findings({**FAIR, "voids": voids})]

    assert "2 deals voided." in told
    assert "Deal 1 was voided before the log had it." in told
    (late,) = [text for text in told if text.startswith("Deal 0")]
    assert "seats 2 and 3 are said to have withheld their seeds" in late
    assert "could know the dice that were thrown away" in late


def test_a_deal_for_which_no_seat_drew_a_seed_is_named_beside_those_that_had_one() -> None:
    report = {**FAIR, "seeds": {"own": (1,), "server": (2,), "unseeded": (1,)}}
    said = "No seat drew its own seed in deal 1: there you trust the server."

    assert said in [finding.text for finding in telling.findings(report)]
    assert said not in [finding.text for finding in telling.findings({**report, "seeds": {"own": (1,)}})]
