"""Records of tournaments in two languages: chain, lots and log are judged alike, whatever was changed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.fairness.javascript_auditor import Ask, told_in_javascript
from tests.fairness.random_mutations import mutants
from tests.fairness.rewritten_records import Event, retold
from tests.fairness.test_two_auditors import agreed
from tests.sizes import cases
from tests.tournaments.events_for_audit import WrittenEvent

MUTANTS = cases(150, 3_000)


def held(**members: Any) -> list[Event]:
    """Return the events of a tournament of five, two rounds of it, from its rules to its end."""
    event = WrittenEvent("duel_swiss", **members).begin(5).start()
    event.absent(1, event.table().seats[0])
    return [json.loads(line) for line in event.play_round().close().lines]


@pytest.fixture(scope="module")
def stories() -> list[list[Event]]:
    return [held(), held(prizes={"unit": "EUR", "amounts": [10, 5, 3]})]


def test_they_agree_on_records_of_tournaments(stories: list[list[Event]]) -> None:
    whole = [retold(story).record() for story in stories]
    assert agreed([Ask(record) for record in whole]) == {"OK": len(whole)}
    cut = [retold(story[: len(story) // 2]).record() for story in stories]
    assert agreed([Ask(record) for record in cut]) == {"INCOMPLETE": len(cut)}


def test_they_agree_on_changed_records_of_tournaments(stories: list[list[Event]]) -> None:
    found = agreed(list(mutants(1, MUTANTS, stories)))
    assert found.total() == MUTANTS
    assert found.keys() >= {"E_FORMAT", "E_ORDER", "OK"}


@pytest.mark.parametrize("kind", ["match.created", "match.ended", "game.bid", "seat.locked", "tables", "case"])
def test_what_is_said_in_matches_alone_is_no_line_of_a_tournament(kind: str, stories: list[list[Event]]) -> None:
    story = [{**event, "type": kind} if place == 1 else event for place, event in enumerate(stories[0])]
    assert agreed([Ask(retold(story).record())]) == {"E_FORMAT": 1}


@pytest.mark.parametrize("kind", ["tournament.created", "tables.paired", "tournament.closed"])
def test_what_is_said_in_tournaments_alone_is_no_line_of_a_match(kind: str, stories: list[list[Event]]) -> None:
    stream = "match/" + stories[0][0]["data"]["tournament"]
    story = [{**event, "stream": stream} for event in stories[0] if event["type"] == kind]
    assert agreed([Ask(retold(story).record())]) == {"E_FORMAT": 1}


def test_the_second_auditor_says_that_it_knows_no_laws_of_tournaments(stories: list[list[Event]]) -> None:
    (told,) = told_in_javascript([Ask(retold(stories[0]).record(), layers=(1, 2, 3))])
    assert (told["status"], told["layers"]) == ("INCOMPLETE", [1, 2])
    assert "laws of tournaments" in told["message"]
