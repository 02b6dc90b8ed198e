"""Texts beside lines, and who reads them: of appeals whoever filed them, of other lines all, unless they are marked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import httpx
import pytest

from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from tests.api.conftest import served
from tests.director.house import EventHouse
from tests.director.test_refusals import Served, playing


@pytest.fixture(scope="module")
def round_one() -> Iterator[Served]:
    house = EventHouse(MemoryStore())
    tokens = asyncio.run(playing(house))
    with served(Bounds(writes_per_s=100_000), events=house) as service:
        yield Served(service, house, tokens)


def read_by(event: Served, who: str | None) -> set[str]:
    headers = {} if who is None else event.tokens[who]
    return {each["text"] for each in event.client.get(f"{event.path}/notes", headers=headers).json()}


def said(answer: httpx.Response) -> None:
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("restricted", [False, True])
def test_what_is_said_of_an_appeal_is_read_by_who_filed_it_and_by_officials(
    round_one: Served, *, restricted: bool
) -> None:
    mark = f"{restricted}"
    plea, answer = f"Dan saw my dice {mark}", f"He did not {mark}"
    said(round_one.ask("Cyd", "appeal", line=2, text=plea, restricted=restricted))
    appeal = round_one.client.get(round_one.path).json()["appeals"][-1]
    assert (appeal["line"], appeal["outcome"], appeal["lines"]) == (2, None, [])
    said(
        round_one.ask(
            "host", "decide", appeal=appeal["appeal"], outcome="denied", lines=[3], text=answer, restricted=restricted
        )
    )
    assert all({plea, answer} <= read_by(round_one, who) for who in ("host", "arbiter", "Cyd"))
    assert not {plea, answer} & (read_by(round_one, None) | read_by(round_one, "Bob"))
    log = round_one.client.get(round_one.path).json()["appeals"]
    assert log[-1] == {**appeal, "outcome": "denied", "lines": [3]}
    card = round_one.client.get(f"{round_one.path}/me", headers=round_one.tokens["Cyd"]).json()["card"]
    assert set(card["appeals"][-1]) == {"appeal", "line", "outcome", "note", "answer"}
    assert None not in card["appeals"][-1].values()


def test_what_is_said_of_a_penalty_is_read_by_all_unless_it_is_marked(round_one: Served) -> None:
    for text, restricted in (("shouted", False), ("was drunk", True)):
        said(
            round_one.ask(
                "host", "penalise", number=2, kind="warning", reason="conduct", text=text, restricted=restricted
            )
        )
    assert {"shouted", "was drunk"} <= read_by(round_one, "arbiter")
    for who in (None, "Bob", "Cyd"):
        assert read_by(round_one, who) & {"shouted", "was drunk"} == {"shouted"}


def test_texts_are_read_by_page_as_well(round_one: Served) -> None:
    for text in ("swore", "swore again", "and again"):
        said(round_one.ask("host", "penalise", number=2, kind="warning", reason="conduct", text=text))
    everything = round_one.client.get(f"{round_one.path}/notes").json()
    found, page = [], round_one.client.get(f"{round_one.path}/notes", params={"limit": 2})
    while "next" in page.links:
        assert len(page.json()) == 2
        found += page.json()
        page = round_one.client.get(page.links["next"]["url"])
    assert found + page.json() == everything
    assert len(everything) >= 3
    for wrong in ("limit=0", "before=ff"):
        assert round_one.client.get(f"{round_one.path}/notes?{wrong}").status_code == 400
