"""Languages: one catalogue in each, and the page in the one that was chosen by hand or that the browser asks for."""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final, cast

import httpx
import msgspec
import pytest
from litestar import Litestar
from markupsafe import Markup

from domain.games import GAMES
from services.http.game_cards import cards
from services.http.problems import PROBLEMS
from services.web.assets import FOLDER
from services.web.front import title_of
from services.web.options import groups, preset_name
from services.web.pages import web_handlers
from services.web.writing.languages import language_of, say_on_page
from services.words.catalogue import (
    LANGUAGES,
    amount_words,
    count_words,
    hand_words,
    join_names,
    sentences_in,
    speaking,
    spoken,
)
from services.words.events import sentence_of
from tests.web.test_one_voice import SIXES, judged, said_by_the_page
from tests.web.test_pages import FAIR, FAULT, OneTable, found_in

WORDS: Final = ("amount", "claim", "dice", "wild")
"""Messages that say a number or a thing as their language does, by any of the same arguments."""


@pytest.mark.parametrize(
    ("query", "cookies", "accepted", "language"),
    [
        ({}, {}, "", "en"),
        ({}, {}, "de", "de"),
        ({}, {}, "de-AT, en;q=0.8", "de"),
        ({}, {}, "en;q=0.4, es-MX;q=0.9, de;q=0.5", "es"),
        ({}, {}, "fr, ES;q=0.1", "es"),
        ({}, {}, "fr, *", "en"),
        ({}, {}, "de;q=0, en", "en"),
        ({}, {}, "de" * 1000, "en"),
        ({}, {}, ";;;q=,", "en"),
        ({}, {"lang": "es"}, "de", "es"),
        ({"lang": "de"}, {"lang": "es"}, "en", "de"),
        ({"lang": "../de"}, {"lang": "tlh"}, "es", "es"),
    ],
)
def test_a_language_is_chosen_by_hand_or_else_by_the_browser(
    query: dict[str, str], cookies: dict[str, str], accepted: str, language: str
) -> None:
    assert language_of(query, cookies, accepted) == language


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    """Yield a reader of a house without a table."""
    app = Litestar(web_handlers(OneTable(cast("Any", None))), openapi_config=None, logging_config=None)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(cast("Any", app)), base_url="http://house") as client:
        yield client


@pytest.mark.parametrize("path", ["/", "/tables/live", "/tables/nowhere", "/nowhere", "/problems/not_yours"])
async def test_a_page_speaks_the_language_of_its_reader(client: httpx.AsyncClient, path: str) -> None:
    page = await client.get(path, headers={"Accept-Language": "de-CH,de;q=0.9", "Accept": "text/html"})

    assert '<html lang="de">' in page.text
    assert "Sprachen" in page.text
    assert page.headers["Content-Language"] == "de"
    assert page.headers["Vary"] == "Accept-Language, Cookie"
    assert "Set-Cookie" not in page.headers


async def test_a_choice_is_kept_and_stronger_than_the_browser(client: httpx.AsyncClient) -> None:
    chosen = await client.get("/?lang=es", headers={"Accept-Language": "de"})
    assert '<html lang="es">' in chosen.text
    assert chosen.headers["Set-Cookie"].startswith("lang=es; Path=/; ")

    kept = await client.get("/statistics", headers={"Accept-Language": "de"})
    assert '<html lang="es">' in kept.text
    assert "Set-Cookie" not in kept.headers

    strange = await client.get("/statistics?lang=tlh")
    assert (strange.status_code, '<html lang="es">' in strange.text) == (200, True)
    assert "Set-Cookie" not in strange.headers


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_page_loads_the_sentences_of_its_language_and_no_others(
    client: httpx.AsyncClient, language: str
) -> None:
    page = await client.get(f"/?lang={language}")
    assert re.findall(r"words/(\w+)\.json", page.text) == [language]
    assert re.findall(r'rel="alternate" hreflang="(\w+)" href="\?lang=\1"', page.text) == list(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_who_installs_the_house_reads_of_it_in_the_own_language(client: httpx.AsyncClient, language: str) -> None:
    told = await client.get("/manifest.webmanifest", headers={"Accept-Language": language})
    assert told.json()["lang"] == language
    assert told.json()["description"] == sentences_in(language)["pages"]["frame"]["install"]
    assert "Accept-Language" in told.headers["Vary"]


async def test_each_task_speaks_its_own_language() -> None:
    async def said(language: str) -> str:
        with speaking(language):
            await asyncio.sleep(0)
            return spoken()

    assert await asyncio.gather(*map(said, LANGUAGES)) == list(LANGUAGES)
    assert spoken() == "en"


def test_a_sentence_keeps_marks_of_html_in_what_it_is_given_and_in_nothing_else() -> None:
    assert say_on_page("people.whose", name=Markup("<b>Ann</b>")) == "<b>Ann</b>\u2019s"
    assert say_on_page("people.whose", name="<b>") == "&lt;b&gt;\u2019s"
    with pytest.raises(KeyError):
        say_on_page("people.nobody")
    with pytest.raises(KeyError):
        say_on_page("people.whose")


def is_choice(node: Any) -> bool:
    """Report whether a member of the catalogue chooses among messages by an argument."""
    if not isinstance(node, dict) or len(node) != 1:
        return False
    (cases,) = node.values()
    return isinstance(cases, dict) and ("other" in cases or {"yes", "no"} <= cases.keys())


def messages(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every message below a member of the catalogue, with its key."""
    if isinstance(node, str) or is_choice(node):
        yield path, node
        return
    members = node.items() if isinstance(node, dict) else enumerate(node)
    for name, inner in members:
        yield from messages(inner, f"{path}.{name}".removeprefix("."))


def arguments(node: Any) -> set[str]:
    """Return what a message asks for, in any case of it; what goes by the name of another thing goes with it."""
    if isinstance(node, str):
        return {name.partition(".")[0] for name in re.findall(r"\{([\w.]+)\}", node)}
    ((name, cases),) = node.items()
    return {name.partition(".")[0]}.union(*map(arguments, cases.values()))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_asks_for_the_same_in_every_language(language: str) -> None:
    english, found = dict(messages(sentences_in("en"))), dict(messages(sentences_in(language)))

    assert english.keys() - found.keys() == set(), "this language has no words for it"
    assert found.keys() - english.keys() == set(), "nobody says this"
    assert [
        key for key, node in found.items() if not key.startswith(WORDS) and arguments(node) != arguments(english[key])
    ] == []


def cases(node: Any) -> set[tuple[str, str]]:
    """Return every value of an argument that a message has words of its own for."""
    if isinstance(node, str):
        return set()
    ((name, inner),) = node.items()
    return {(name, value) for value in inner}.union(*map(cases, inner.values()))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_english_tells_apart_no_language_throws_together(language: str) -> None:
    found = dict(messages(sentences_in(language)))
    english = ((key, node) for key, node in messages(sentences_in("en")) if not key.startswith(WORDS))
    assert [(key, thrown) for key, node in english if (thrown := cases(node) - cases(found[key]))] == []


@pytest.mark.parametrize(
    ("language", "claim", "amount", "hand", "names"),
    [
        ("en", "one king", "a die", "a pair of kings, with three", "Ann, Bob and Eve"),
        ("de", "einen König", "einen Würfel", "ein Paar Könige, dazu Drei", "Ann, Bob und Eve"),
        ("es", "un rey", "un dado", "una pareja de reyes, con tres", "Ann, Bob y Eve"),
    ],
)
def test_claims_amounts_and_rows_are_said_as_people_say_them_in_each_language(
    language: str, claim: str, amount: str, hand: str, names: str
) -> None:
    with speaking(language):
        said = (
            count_words(1, 13),
            amount_words(1, "die"),
            hand_words("pair", (13, 3)),
            join_names(["Ann", "Bob", "Eve"]),
        )
    assert said == (claim, amount, hand, names)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Three sixes and five wild ones: eight sixes, Ann\u2019s claim of seven holds."),
        ("de", "Drei Sechsen und fünf Joker: acht Sechsen, das Gebot von Ann über sieben stimmt."),
        ("es", "Tres seises y cinco comodines: ocho seises, la apuesta de Ann de siete se cumple."),
    ],
)
def test_a_verdict_says_why_in_each_language(language: str, text: str) -> None:
    frame = judged(SIXES, quantity=7, face=6, count=8, holds=True)
    with speaking(language):
        assert sentence_of(frame["event"], frame["view"]) == text
    assert said_by_the_page([frame], language) == [text]


def test_a_table_without_a_name_is_called_by_who_sits_there_in_each_language() -> None:
    seats = [{"seat": 1, "name": "Deep", "bot": True}, {"seat": 2, "name": "Ann", "bot": False}]
    with speaking("de"):
        assert title_of({"title": "Ann\u2019s table", "seats": seats}) == "Tisch von Ann"
        assert title_of({"title": "An empty table", "seats": []}) == "Ein leerer Tisch"
        assert title_of({"title": "Friday", "seats": seats}) == "Friday"


def test_every_problem_has_a_title_which_in_english_is_that_of_the_interface() -> None:
    titles = {code: kind.title for code, kind in PROBLEMS.items()}
    assert sentences_in("en")["problems"].items() <= titles.items()


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_page_of_a_problem_explains_it_in_every_language(client: httpx.AsyncClient, language: str) -> None:
    catalogue = sentences_in(language)
    titles, means = catalogue["problems"], catalogue["pages"]["problem"]["means"]
    assert set(titles) == set(means) == set(PROBLEMS)
    assert len(set(means.values())) == len(means)
    for code, said in means.items():
        assert said.casefold().strip(" .") != titles[code].casefold()
        assert said.endswith(".")
        page = await client.get(f"/problems/{code}", headers={"Accept-Language": language})
        assert said in html.unescape(page.text), code


def words_of_games() -> set[str]:
    """Return everything in words that stands beside the values of games and their options."""
    words = set[str]()
    for card in cards():
        told = msgspec.to_builtins(card)
        words |= {told["title"], told["line"], *map(preset_name, told["presets"])}
        for group in groups(told):
            words.add(group.title)
            for field in group.fields:
                words |= {field.label, field.note, field.empty, *(choice.label for choice in field.choices)}
    return words - {""}


def test_every_title_option_and_choice_of_every_game_has_its_words() -> None:
    assert sentences_in("en")["terms"] == {word: word for word in words_of_games()}
    for language in LANGUAGES:
        assert sentences_in(language)["terms"].keys() == words_of_games()


@pytest.mark.parametrize(
    ("language", "title", "finding"),
    [
        ("en", "Fair", "Every line carries the hash of the line before it."),
        ("de", "Fair", "Jede Zeile trägt den Hash der Zeile davor."),
        ("es", "Limpia", "Cada línea lleva el hash de la anterior."),
    ],
)
def test_an_audit_speaks_each_language(language: str, title: str, finding: str) -> None:
    with speaking(language):
        told, faulty = found_in(FAIR), found_in(FAULT)
    assert (told.title, told.findings[0].text) == (title, finding)
    assert faulty.title.endswith(": E_VALUE")


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_an_audit_leaves_open_is_no_detail_of_the_auditor(language: str) -> None:
    seen = {"status": "INCOMPLETE", "message": "ENGLISH", "viewers": {}}
    report = {**FAIR, "status": "INCOMPLETE", "record": "INCOMPLETE", "rules": "ENGLISH", "seen": seen}
    with speaking(language):
        told = [found_in({**report, "layers": layers}) for layers in ([1, 2], [1, 2, 3])]
    assert "ENGLISH" not in str([(each.title, each.text, each.findings) for each in told])


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_rules_of_every_game_are_a_page_in_each_language(client: httpx.AsyncClient, language: str) -> None:
    for game in GAMES:
        page = await client.get(f"/rules/{game}?lang={language}")
        assert page.status_code == 200, game
    assert (await client.get(f"/rules?lang={language}")).status_code == 200


def test_every_alarm_of_a_page_has_its_sentence_and_no_sentence_is_left() -> None:
    scripts = (path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.js"))
    raised = {kind for script in scripts for kind in re.findall(r"new (?:Alarm|Distrust)\('([^']+)'", script)}
    assert raised == sentences_in("en")["alarms"].keys()


def test_every_shape_of_a_hand_has_a_name_of_its_own() -> None:
    shapes = sentences_in("en")["shapes"].keys()
    for language in LANGUAGES:
        names = sentences_in(language)["shape_names"]
        assert names.keys() == {*shapes, "score"}
        assert len(set(names.values())) == len(names)


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_is_owned_or_counted_has_a_name_of_its_own(language: str) -> None:
    for named in (sentences_in(language)["units"], sentences_in(language)["sheet"]["held"]):
        assert len(set(map(str, named.values()))) == len(named)
