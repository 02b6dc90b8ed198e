"""The console: what it says and offers, from the announcement to the end, as the page has it before any script runs."""

from __future__ import annotations

import html
import re
from collections.abc import AsyncIterator
from typing import get_args

import httpx
import pytest

from domain.tournaments import commands
from domain.tournaments.events import Reason
from domain.tournaments.presets import COMMON
from services.web.tournaments.acts import ACTS
from services.words.catalogue import LANGUAGES, message, speaking
from tests.tournaments.events_by_hand import ARBITER, HOST, TOURNAMENT, player
from tests.tournaments.events_for_audit import WrittenEvent
from tests.web.event_pages import OneTournament
from tests.web.test_event_pages import reader, text_of


class Shown:
    """An event with its console, as it is read."""

    def __init__(self, event: WrittenEvent, client: httpx.AsyncClient) -> None:
        self.event = event
        self._client = client

    async def page(self, query: str = "") -> str:
        answer = await self._client.get(f"/t/{TOURNAMENT}/host{query}")
        assert answer.status_code == 200
        return answer.text

    async def offered(self) -> set[str]:
        """Return the acts that have a button."""
        return set(re.findall(r'data-act="(\w+)"', await self.page()))


@pytest.fixture
async def shown() -> AsyncIterator[Shown]:
    event = WrittenEvent("pods", entry={"approve": True, "late_rounds": 1, "bots": "labelled"})
    async with reader(OneTournament(event)) as client:
        yield Shown(event, client)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_act_has_a_name_and_says_what_it_will_do(language: str) -> None:
    with speaking(language):
        told = {act.key: message(f"tournaments.host.acts.{act.key}") for act in ACTS}
        asked = {name for act in ACTS for name in act.asks}
        assert all({*words} == {"name", "does"} and all(words.values()) for words in told.values())
        assert all(message(f"tournaments.host.ask.{name}") for name in asked)


async def test_the_step_that_is_due_is_the_large_button_in_every_phase(shown: Shown) -> None:
    event, due = shown.event, r'class="button" type="button" data-act="(\w+)"'
    assert re.findall(due, await shown.page()) == ["open_entry"]
    event.enter(5)
    assert re.findall(due, await shown.page()) == ["open_check_in"]
    for number in range(1, 5):
        event.do(commands.Approve(by=HOST, number=number))
    assert {"approve", "turn_away", "close_entry", "enter", "bots", "appoint", "cancel"} <= await shown.offered()
    event.open_check_in()
    assert re.findall(due, await shown.page()) == ["proceed"]
    assert "check_in" in await shown.offered()
    for number in range(1, 5):
        event.do(commands.CheckIn(by=player(number), number=number))
    event.draw().step()
    event.do(commands.PauseTournament(by=HOST))
    assert re.findall(due, await shown.page()) == ["resume"]


async def test_the_checklist_says_what_is_missing_until_nothing_is(shown: Shown) -> None:
    event, point = shown.event, r'<li( class="yes")?>([^<]+)</li>'

    async def missing() -> list[str]:
        return [html.unescape(text) for good, text in re.findall(point, await shown.page()) if not good]

    assert [text.split()[0] for text in await missing()] == ["Entry", "Too", "You", "Nobody"]
    event.enter(2)
    assert any(text == "Waiting to be let in: 2." for text in await missing())
    event.do(commands.Appoint(by=HOST, official=ARBITER, role="arbiter"))
    for number in (1, 2):
        event.do(commands.Approve(by=ARBITER, number=number))
    assert [text.split()[0] for text in await missing()] == ["Nobody"]
    event.open_check_in()
    event.do(commands.CheckIn(by=player(1), number=1, draws=True))
    assert await missing() == ["1 of 2 are here; who is not when check-in ends is out."]


async def test_who_is_waited_for_is_named_and_any_round_can_be_ruled_on(shown: Shown) -> None:
    event = shown.event
    event.enter(4)
    for number in range(1, 5):
        event.do(commands.Approve(by=HOST, number=number))
    event.check_in().draw().start()
    assert "Not there yet: Name" in text_of(await shown.page())
    event.do(commands.PauseTournament(by=HOST))
    assert "During the pause the table waits" in text_of(await shown.page())
    event.do(commands.Resume(by=HOST))
    assert "The table waits until" in text_of(await shown.page())
    assert {"rule", "unpair", "unpair_table", "extend"} <= (offered := await shown.offered())
    assert "give_time" not in offered, "there are no clocks"
    event.play_round().start()
    before = await shown.page("?stage=1&round=1")
    assert 'data-act="replay"' not in before
    assert "&#34;round&#34;: 1" in before


async def test_time_can_be_given_where_matches_have_clocks() -> None:
    event = WrittenEvent("pods", match={**COMMON, "clock": {"bank_ms": 60_000}})
    event.enter(4).check_in().draw().start()
    async with reader(OneTournament(event)) as client:
        assert "give_time" in await Shown(event, client).offered()


async def test_no_reason_of_the_rules_is_missing_in_the_form_and_no_token_is_on_the_page(shown: Shown) -> None:
    page = await shown.page()
    assert set(re.findall(r'<option value="(\w+)">', page)) >= set(get_args(Reason))
    assert "truecup_" not in page
