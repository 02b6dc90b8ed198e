"""Rulebooks: every game has one, complete, made from its rules and knowing of no match."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from typing import Any, cast

import httpx
import msgspec
import pytest
from litestar import Litestar

from domain.errors import Refused
from domain.games import GAMES, options_of, rules_of
from domain.rules.ladders import ladder_of
from domain.rules.laws import LAWS
from domain.rules.orders import ORDERS
from domain.rules.rules import Rungs
from services.http.game_cards import cards
from services.web.options import fields_of
from services.web.pages import web_handlers
from services.web.sites import Site
from services.web.teaching import examples
from services.web.teaching.examples import example_of, scripts
from services.web.teaching.ladders import rows_of
from services.web.teaching.rulebook import SECTIONS, Rulebook, facts_of, rulebook_of
from services.words.catalogue import CATALOGUE, say

CARDS: dict[str, dict[str, Any]] = {card["name"]: card for card in msgspec.to_builtins(cards())}
BOOK = CATALOGUE["rulebook"]
LADDERS = ("hoyle", "finska", "german", "stanford", "kinds", "digits", "doubles_high", "mexican")
LEFT_OPEN = re.compile(r"[{}]|\b(?:True|False|None)\b|  ")
"""What a sentence has in it that was not made to its end."""


class Games:
    """A site that knows its games; whatever else it is asked for is a mistake."""

    async def games(self) -> list[dict[str, Any]]:
        return list(CARDS.values())


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    app = Litestar(web_handlers(cast(Site, Games())), openapi_config=None, logging_config=None)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(cast(Any, app)), base_url="http://house") as client:
        yield client


def choices(name: str) -> Iterator[dict[str, Any]]:
    """Yield the options of a game with one other value each, as far as its rules take it, and its known rules."""
    for field in fields_of(CARDS[name]):
        option, _, member = field.name.partition(".")
        values: list[Any] = [choice.value for choice in field.choices] if field.kind == "choice" else [True, False]
        for value in values if field.kind != "number" else [field.low, field.high]:
            given = {option: {"basis": "round", member: value}} if member else {option: value}
            for known in ({}, *CARDS[name]["presets"].values(), {"stakes": "money", "spot_on": True}):
                try:
                    options_of(name, {**known, **given})
                except Refused:
                    continue
                yield {**known, **given}


def told(book: Rulebook) -> list[str]:
    return [
        *(text for sentences in book.sections.values() for text in sentences),
        *(text for row in book.ladder for text in (row.title, *(drawn.words for drawn in row.drawn))),
        *(text for word in book.words for text in (word.term, word.means)),
        *(text for rule in book.options for text in (rule.label, rule.value)),
    ]


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_told_whole_under_the_usual_rules(name: str) -> None:
    book = rulebook_of(CARDS[name])

    assert all(book.sections[section] for section in SECTIONS)
    assert book.ladder
    assert {rule.label for rule in book.options} == {field.label for field in fields_of(CARDS[name])}
    assert {"Claim", "Round", "Match"} <= {word.term for word in book.words}
    assert {"Who stops", "Clocks", "The host"} <= {line.label for line in book.stops}
    assert [text for text in told(book) if LEFT_OPEN.search(text)] == []


@pytest.mark.parametrize("name", GAMES)
def test_every_choice_of_house_rules_is_told_in_whole_sentences(name: str) -> None:
    for given in choices(name):
        facts = facts_of(rules_of(name, given))
        told_now = [say(message, facts) for section in SECTIONS for message in BOOK[section]]
        told_now += [say(word["means"], facts) for word in BOOK["words"]]
        assert [text for text in told_now if LEFT_OPEN.search(text)] == [], given


@pytest.mark.parametrize(
    ("section", "argument", "values", "silent"),
    [("turn", "law", {*LAWS}, "frozen"), ("claims", "order", {*ORDERS}, ""), ("claims", "ladder", {*LADDERS}, "")],
)
def test_every_law_order_and_ladder_is_told_wherever_it_counts(
    section: str, argument: str, values: set[str], silent: str
) -> None:
    used = [facts_of(rules_of(name, given)) for name in GAMES for given in ({}, *choices(name))]
    assert {facts[argument] for facts in used} - {silent} >= values - {silent}
    messages = [message for message in BOOK[section] if argument in message]
    for facts in used:
        assert facts[argument] == silent or any(say(message, facts) for message in messages)


@pytest.mark.parametrize("name", GAMES)
def test_what_is_drawn_is_what_the_engine_takes_for_a_claim(name: str) -> None:
    rules = rules_of(name, {})
    if isinstance(rules.claims, Rungs):
        ladder = ladder_of(rules.claims, rules.tokens.dice, rules.tokens.faces, wild=rules.claims.wild != "never")
        assert {hand.shape for hand in ladder.hands} - {"score"} == {
            shape for shape, title in BOOK["ladder"]["shapes"].items() if title in {row.title for row in rows_of(rules)}
        }
    else:
        raises = [row for row in rows_of(rules) if row.drawn[0].quantity is not None]
        # Whatever stands, some face needs no more dice than it, and the others one more.
        assert all(len({drawn.quantity for drawn in row.drawn}) > 1 for row in raises)
        assert raises


@pytest.mark.parametrize("name", GAMES)
def test_an_example_is_a_whole_round_that_the_engine_has_played(name: str) -> None:
    steps = example_of(name)

    # Where everybody has a cup, the table deals before anybody types.
    assert len(steps) - len(scripts()[name].typed) == (0 if "cup" in scripts()[name].dice else 1)
    assert all(step.told for step in steps)
    assert any("claim of" in text for text in steps[-1].told)
    assert any(step.lying for step in steps)
    assert [text for step in steps for text in step.told if LEFT_OPEN.search(text)] == []


def test_what_an_example_has_typed_is_refused_where_the_rules_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    script = msgspec.structs.replace(scripts()["common_hand"], typed=["3x5", "3x4"])
    monkeypatch.setattr(examples, "scripts", lambda: {"common_hand": script})
    with pytest.raises(Refused) as refused:
        example_of("common_hand")
    assert refused.value.code == "claim_not_higher"


def test_a_table_is_told_by_the_rules_it_has_and_what_differs_is_marked() -> None:
    options = msgspec.to_builtins(options_of("common_hand", GAMES["common_hand"].presets["perudo"]))
    table = {"options": options, "deal_per": "match", "clock": None, "idle": None}
    book = rulebook_of(CARDS["common_hand"], table)

    marked = {rule.label: rule.others for rule in book.options if not rule.usual}
    assert marked["Spot on may be called"] == ("off",)
    assert "Dice each" not in marked
    assert rulebook_of(CARDS["common_hand"]).known[0].startswith("Known as Perudo: ")
    assert any("palifico" in text for text in book.sections["claims"])
    assert not any("palifico" in text for text in rulebook_of(CARDS["common_hand"]).sections["claims"])


async def test_all_games_have_a_page_that_the_list_leads_to(client: httpx.AsyncClient) -> None:
    listed = await client.get("/rules")
    assert listed.status_code == 200
    for name, card in CARDS.items():
        assert f'href="/rules/{name}"' in listed.text
        page = await client.get(f"/rules/{name}")
        assert page.status_code == 200
        for section in (*SECTIONS, "example", "options", "words", "stops", "sources"):
            assert f'id="rules-{section}"' in page.text, name
        assert page.text.count("<svg") >= len(rulebook_of(card).ladder)
        assert f'<link rel="canonical" href="http://house/rules/{name}">' in page.text
        assert '<meta name="description" content="How ' in page.text


@pytest.mark.parametrize("name", ["poker", "Finska", "common_hand%20", "\N{GAME DIE}"])
async def test_a_game_that_nobody_knows_is_a_page_that_says_so(client: httpx.AsyncClient, name: str) -> None:
    page = await client.get(f"/rules/{name}")

    assert page.status_code == 404
    assert BOOK["page"]["missing"] in page.text
