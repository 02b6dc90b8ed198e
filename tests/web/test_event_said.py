"""Acts of officials and the texts beside them, where the public reads of them; of appeals no page has any."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from domain.tournaments import commands
from services.web.tournaments.places import ACTS_OF_ENTRANT
from services.web.tournaments.rounds import ACTS_OF_ROUND
from services.web.tournaments.sites import ACTS_MAX
from services.words.catalogue import LANGUAGES, message, speaking
from tests.tournaments.events_by_hand import CLOCKED, HOST, TOURNAMENT, player
from tests.tournaments.events_for_audit import WrittenEvent
from tests.web.event_pages import OneTournament
from tests.web.test_event_pages import reader, text_of

NOTES = {name: f"{at:064x}" for at, name in enumerate(("ruled", "taken back", "shouted", "left", "plea", "answer"))}
"""The hash of each text, by the text."""


def told() -> WrittenEvent:
    """Return an event about which officials had much to say."""
    event = WrittenEvent("duel_swiss", match=CLOCKED).begin(6).start()
    note: dict[str, Any] = {"reason": "other", "by": HOST}
    event.do(commands.Unpair(tables=(3,), note=NOTES["taken back"], **note))
    event.do(commands.FixTables(by=HOST, tables=(next(iter(event.round.freed.values())),), reason="request"))
    event.step()
    seats = event.table().seats
    event.do(commands.GiveTableTime(by=HOST, table=1, number=seats[0], ms=60_000, reason="late"))
    event.do(commands.Extend(by=HOST, until=event.at + 60_000, reason="technical"))
    ranking = tuple((number,) for number in seats)
    event.do(commands.Rule(stage=1, round=1, table=1, ranking=ranking, note=NOTES["ruled"], **note))
    event.record(2)
    event.do(commands.Replay(by=HOST, round=1, table=2, reason="house_fault"))
    event.do(commands.Penalise(number=1, kind="warning", note=NOTES["shouted"], **note))
    event.do(commands.Withdraw(number=1, note=NOTES["left"], **note))
    event.do(commands.Withdraw(by=player(2), number=2, reason="request"))
    event.do(commands.Appeal(by=player(1), number=1, line=2, note=NOTES["plea"]))
    event.do(commands.Appeal(by=player(2), number=2, line=3))
    decided: dict[str, Any] = {"by": HOST, "outcome": "upheld", "lines": (4, 5)}
    event.do(commands.DecideAppeal(appeal=1, note=NOTES["answer"], **decided))
    return event


@pytest.fixture
def site() -> OneTournament:
    found = OneTournament(told())
    found.said = {note: text for text, note in NOTES.items() if text not in {"plea", "answer"}}
    return found


@pytest.fixture
async def client(site: OneTournament) -> AsyncIterator[httpx.AsyncClient]:
    async with reader(site) as found:
        yield found


async def page_of(client: httpx.AsyncClient, path: str) -> str:
    answer = await client.get(f"/t/{TOURNAMENT}{path}")
    assert answer.status_code == 200
    return answer.text


async def test_the_page_of_a_round_says_what_officials_did_and_said(client: httpx.AsyncClient) -> None:
    page = await page_of(client, "/pairings")
    text = text_of(page)
    assert re.findall(r'<q class="said">([^<]*)</q>', page) == ["ruled", "taken back"]
    for sentence in (
        "Table 3 was taken back. Reason: another reason.",
        "Tables were set by hand. Reason: on request.",
        "The round was given more time. Reason: a technical fault.",
        "Table 2 plays again. Reason: a fault of the house.",
    ):
        assert sentence in text
    assert "got time back. Reason: too late." in text


async def test_the_page_of_an_entrant_says_why_of_penalties_and_of_leaving(client: httpx.AsyncClient) -> None:
    page = await page_of(client, "/entrants/1")
    assert re.findall(r'<q class="said">([^<]*)</q>', page) == ["shouted", "left"]
    assert "Withdrawn by an official." in text_of(page)
    assert "What officials did" not in await page_of(client, "/entrants/2"), "who leaves by himself"


async def test_pages_tell_the_newest_acts_and_lead_to_the_older_ones() -> None:
    event = told()
    for more in range(1, ACTS_MAX + 1):
        event.do(commands.Penalise(by=HOST, number=1, kind="warning", reason="late"))
        event.do(commands.Extend(by=HOST, until=event.at + 120_000 * more, reason="late"))
    async with reader(OneTournament(event)) as client:
        for path, words, older in (("/entrants/1", "Warning", 2), ("/pairings", "The round was given more time", 5)):
            page = await page_of(client, path)
            assert text_of(page).count(words) == ACTS_MAX
            (link,) = re.findall(rf'href="/t/{TOURNAMENT}({path}\?[^"]*before=\d+)"', page)
            page = await page_of(client, link.replace("&amp;", "&"))
            assert len(re.findall(r"Reason: [^.]*\.", text_of(page))) == older
            assert "before=" not in page


async def test_what_was_erased_is_read_nowhere(client: httpx.AsyncClient, site: OneTournament) -> None:
    etag = (await client.get(f"/t/{TOURNAMENT}/pairings")).headers["etag"]
    del site.said[NOTES["ruled"]]
    answer = await client.get(f"/t/{TOURNAMENT}/pairings", headers={"If-None-Match": etag})
    assert (answer.status_code, "ruled</q>" in answer.text) == (200, False)
    site.said.clear()
    assert "<q" not in await page_of(client, "/entrants/1")


async def test_the_page_of_an_event_lists_appeals_by_number_and_outcome(client: httpx.AsyncClient) -> None:
    page = await page_of(client, "")
    text = text_of(page)
    assert "Appeal 1, against line 2 of the record: upheld . Done about it: lines 4 and 5." in text
    assert "Appeal 2, against line 3 of the record: open ." in text
    for path in ("", "/pairings", "/entrants/1", "/standings"):
        assert not {"plea", "answer"} & set(re.findall(r"<q[^>]*>([^<]*)</q>", await page_of(client, path)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_act_has_its_words(language: str) -> None:
    with speaking(language):
        assert all(message(f"tournaments.acts.{kind.replace('.', ' ')}") for kind in (*ACTS_OF_ROUND, *ACTS_OF_ENTRANT))
