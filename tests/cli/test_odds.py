"""Odds, asked in a terminal and over HTTP: exact fractions, and a sentence for what nobody can ask."""

from __future__ import annotations

import json

import pytest

from domain.statistics.questions import QUESTIONS
from services.cli.main import run


def test_every_question_is_listed_with_what_it_takes(capsys):
    assert run(["odds"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in QUESTIONS)
    assert run(["odds", "--json"]) == 0
    assert [card["name"] for card in json.loads(capsys.readouterr().out)] == list(QUESTIONS)


@pytest.mark.parametrize(
    ("given", "printed"),
    [
        ("at_least tokens=5 chance=1/3 quantity=1", "0.868313  211/243"),
        ("odds_against chance=1/6 --places 1", "5.0  5"),
        ("bid_holds quantity=3 face=3 seen=3,1,4,4,6 unseen=0 wild=true", "0.000000  0"),
        ("bid_holds quantity=2 face=3 seen=3,1,4,4,6 unseen=0 wild=true", "1.000000  1"),
        (
            "specials",
            "social   0.055556  1/18\nreverse  0.055556  1/18\nimpose   0.055556  1/18\nmexican  0.055556  1/18",
        ),
    ],
)
def test_an_answer_is_a_decimal_and_the_fraction_it_stands_for(given, printed, capsys):
    assert run(["odds", *given.split()]) == 0
    assert capsys.readouterr().out.rstrip() == printed


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("luck", "no question is called luck"),
        ("at_least", "at_least takes tokens chance quantity"),
        ("at_least tokens=5 chance=2/3 quantity=x", "at_least takes tokens chance quantity"),
        ("at_least tokens=5 chance=1/0 quantity=1", "at_least takes tokens chance quantity"),
        ("hands_exactly throw=hoyle kept=7", "no token here shows 7"),
        ("specials colour=red", "specials takes nothing"),
        ("at_least tokens=5 tokens=6 chance=1/3 quantity=1", "tokens is given twice"),
        ("bid_holds quantity=5 face=3 seen=3,,4 unseen=10 wild=true", "bid_holds takes"),
    ],
)
def test_what_nobody_can_ask_is_said_in_a_sentence(given, why, capsys):
    assert run(["odds", *given.split()]) == 3
    assert why in capsys.readouterr().err
