"""Limits of what a record proves: the page of a tournament says them all, and that of a package where one pairs."""

from __future__ import annotations

import pytest

from tests.tournaments.events_by_hand import TOURNAMENT
from tests.tournaments.events_for_audit import WrittenEvent
from tests.web.event_pages import OneTournament
from tests.web.test_event_pages import reader, text_of

SAID = (
    "could time a withdrawal",
    "the house alone chooses the dice",
    "Rulings are visible, not right",
    "One person with two tokens is two entrants",
    "need not find the best seating",
    "is the word of the house and the host",
    "can throw one draw away",
)


@pytest.mark.parametrize("name", ["pods", "dutch"])
async def test_the_page_says_what_the_record_does_not_prove(name: str) -> None:
    async with reader(OneTournament(WrittenEvent(name).enter(3))) as client:
        text = text_of((await client.get(f"/t/{TOURNAMENT}")).text)
    assert [part for part in SAID if part not in text] == []
    assert ("only as recomputable as the package" in text) is (name == "dutch")
