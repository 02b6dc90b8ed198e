"""Audits that found nothing wrong and did not judge everything, or found something beside: what a page says of them."""

from __future__ import annotations

from typing import Any

import pytest

from services.audit.findings import powers
from tests.web.test_pages import FAIR, FAULT, SEEN, found_in

UNKNOWN = {**FAIR, "status": "INCOMPLETE", "record": "INCOMPLETE", "layers": [1, 2], "rules": "who won was not checked"}
HELD = {**FAIR, "status": "INCOMPLETE", "rules": "every event follows"}
UNSEEN = {name: value for name, value in HELD.items() if name != "seen"}


@pytest.mark.parametrize(
    ("report", "says"),
    [
        (UNKNOWN, "who won was not checked"),
        (UNSEEN, "no access record was given"),
        (
            {**HELD, "seen": {"status": "INCOMPLETE", "message": "no end", "viewers": {}}},
            "what says who saw which hidden dice is not complete",
        ),
        ({**HELD, "record": "INCOMPLETE"}, "the match is still played"),
    ],
)
def test_what_was_not_judged_is_not_called_fair_and_the_page_says_what_it_is(report: dict[str, Any], says: str) -> None:
    told = found_in(report)

    assert (told.title, told.mark) == ("Not complete yet", "open")
    assert says in told.text
    assert told.findings[0].mark == "yes", "what holds is said to hold"


def test_a_fault_of_the_access_record_is_told_with_its_line_and_beside_what_holds() -> None:
    seen = {"status": "FAULT", "message": "a seat may not", "code": "E_ACCESS", "line": 7}
    told = found_in({**HELD, "status": "FAULT", "code": "E_ACCESS", "line": 7, "seen": seen})

    assert told.text.startswith("Line 7 of the access record: hidden dice were served")
    assert told.mark == "no"
    assert told.marked("no") == (told.text,)
    assert len(told.marked("yes")) > 3


def test_viewers_without_a_seat_who_were_served_hidden_dice_stand_in_the_verdict() -> None:
    noticed = [{"line": line, "viewer": f"caster/{line}"} for line in range(2, 7)]
    told = found_in({**FAIR, "seen": {**SEEN, "noticed": noticed}})

    served = "Hidden dice were served to caster/2, caster/3, caster/4 and 2 more, who have no seat."
    assert told.text.endswith(served)
    *each, more = told.marked("note")
    assert each[0] == "Hidden dice were served to caster/2, who has no seat, in line 2 of the access record."
    assert (len(each), more) == (3, "Hidden dice were served to viewers without a seat in 2 lines more.")
    assert not any("nobody any others" in text for text in told.marked("yes"))


def test_deals_that_were_thrown_away_are_counted_and_no_more_is_said_of_them_than_the_record_shows() -> None:
    voids = [{"deal": 0, "logged": True, "seats": [2, 3]}, {"deal": 1, "logged": False, "seats": []}]
    told = found_in({**FAIR, "voids": voids})

    assert any(text.endswith("2 of these were voided.") for text in told.marked("yes"))
    late, early = told.marked("note")
    assert early == "Deal 1 was voided before the log had it."
    assert late.startswith("Deal 0")
    assert "seats 2 and 3 are said to have withheld their seeds" in late
    assert "could know the dice that were thrown away" in late


def test_a_deal_for_which_no_seat_drew_a_seed_is_named_beside_those_that_had_one() -> None:
    said = "No seat drew its own seed in deal 1: there one has to trust the server."

    assert said in found_in({**FAIR, "seeds": {"own": [1], "server": [2], "unseeded": [1]}}).marked("open")
    assert said not in found_in({**FAIR, "seeds": {"own": [1], "server": []}}).marked("open")


@pytest.mark.parametrize(
    ("report", "title", "mark"),
    [
        (FAIR, "Fair", "yes"),
        (FAULT, "At fault: E_VALUE", "no"),
        ({**FAIR, "status": "INCOMPLETE", "record": "INCOMPLETE", "deals": {}}, "Not complete yet", "open"),
    ],
)
def test_a_report_is_told_in_plain_words(report: dict[str, Any], title: str, mark: str) -> None:
    told = found_in(report)

    assert (told.title, told.mark) == (title, mark)
    assert told.text
    assert all(finding.text for finding in told.findings)


def test_a_fault_names_its_line_and_claims_nothing_of_what_comes_after() -> None:
    told = found_in(FAULT)

    assert told.text == "Line 12: a die shows another face than its key and the seeds come to."
    assert [finding.mark for finding in told.findings] == ["open"]
    assert told.possible == ()


@pytest.mark.parametrize(("own", "promised"), [((), False), ((1,), True)])
def test_only_where_a_seat_brought_a_seed_is_it_said_that_nobody_chose(own: tuple[int, ...], *, promised: bool) -> None:
    told = found_in({**FAIR, "seeds": {"own": own, "server": (2,)}})

    assert told.text.startswith("Nobody chose a die") is promised
    assert told.seeds is not None
    assert ("trust the server" in told.seeds.text) is not promised
    assert any(power.startswith("It could not choose a die") for power in told.possible) is promised
    assert any(power.startswith("It could choose the dice") for power in told.possible) is not promised
    assert any("where a seat draws its own seeds" in power for power in powers())
    assert told.title == ("Fair" if promised else "Nothing was changed, and the rules were kept")


def test_a_log_that_no_witness_saw_is_its_keepers_word() -> None:
    told = found_in({**FAIR, "witnessed": False})

    assert (told.title, told.mark) == ("Consistent, not witnessed", "open")
    assert "could have written all of it afterwards" in told.text
    assert any("another history" in text for text in told.marked("open"))


@pytest.mark.parametrize(
    "seeds", [{"own": [], "server": [1, 2], "unseeded": [0]}, {"own": [1], "server": [2], "unseeded": [1]}]
)
def test_where_a_beacon_had_the_last_word_nobody_is_said_to_have_had_it(seeds: dict[str, Any]) -> None:
    told = found_in({**FAIR, "seeds": seeds, "beacons": "checked", "alone": []})

    assert "a public beacon that spoke after all seeds were open had the last word" in told.text
    assert told.title == "Nothing was changed, and the rules were kept"
    assert told.seeds is not None
    assert "trust the server" not in told.seeds.text
    assert not any("nobody else had a say" in power for power in told.possible)
    assert not any("trust the server" in text for text in told.marked("open"))


@pytest.mark.parametrize(
    "spoke",
    [{}, {"beacons": "unchecked", "alone": []}, {"beacons": "checked", "alone": [1]}],
    ids=["none", "unchecked", "not in every deal"],
)
def test_a_beacon_that_may_not_have_spoken_takes_nothing_from_what_the_server_could_do(spoke: dict[str, Any]) -> None:
    told = found_in({**FAIR, "seeds": {"own": [], "server": [1, 2], "unseeded": [0, 1]}, **spoke})

    assert any(power.startswith("It could choose the dice") for power in told.possible)


def test_a_match_with_a_deal_that_the_server_alone_could_choose_is_not_called_fair() -> None:
    told = found_in({**FAIR, "seeds": {"own": [1], "server": [2], "unseeded": [1, 3]}})

    assert told.title == "Nothing was changed, and the rules were kept"
    assert "In deals 1 and 3 no seat drew its own seed" in told.text
    assert "Nobody chose a die" not in told.text
