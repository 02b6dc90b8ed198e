"""The analysis of a replay in the browser: hidden until somebody asks, moment by moment, as a seat could see it."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx
import msgspec
import playwright
import pytest
from msgspec import Struct
from playwright.async_api import Page, Route, expect

from domain.analysis.joining import joined, rounds_of
from domain.analysis.report import ToldSentence, written
from projections.casting.sentences import ENDS, KEYS, LIVE, sentences, with_sentences
from services.analysis.making import WantedAnalysis, means_for, record_followed
from services.evaluators.batch_evaluator import evaluate
from services.policies.shelf import Shelf
from services.web.assets import FOLDER
from services.words.catalogue import LANGUAGES, speaking
from services.words.sentences import sentence_words
from tests.analysis.test_sentences import CASES
from tests.web.conftest import PATIENCE_MS, Open, posted
from tests.web.test_accessibility import LOOKS, check
from tests.web.test_comments import keep, say

NODE = Path(playwright.__file__).parent / "driver" / "node"
SAID = """
globalThis.document = { documentElement: { lang: process.argv[3] } };
const { sentenceWords } = await import(`${process.argv[1]}/analysis/said.js`);
const asked = JSON.parse(process.argv[2]);
process.stdout.write(JSON.stringify(asked.map(({ of, told }) => sentenceWords(of, told, (seat) => `P${seat}`))));
"""
ENDING = """
globalThis.document = { documentElement: { lang: 'en' } };
const { ENDS } = await import(`${process.argv[1]}/analysis/said.js`);
process.stdout.write(JSON.stringify([...ENDS]));
"""
MATCHES_MAX = 6
"""So many matches of bots that choose by chance are never played without one bluff."""
LINK = "#v={}&view=seat-{}"
ERRORS = ("mistake", "blunder")


class Analysed(Struct, frozen=True):
    """A match that is over, its host, and what an analysis says of it."""

    match: str
    host: str
    document: dict[str, Any]

    @property
    def bluff(self) -> dict[str, Any]:
        return next(event for event in self.document["events"] if is_bluff(event))


def is_bluff(event: dict[str, Any]) -> bool:
    return event.get("label") == "bluff" and event.get("decision", {}).get("tag") is not None


def played(service_url: str) -> Analysed:
    rules = {"game": "common_hand", "seats": 3, "pause_ms": 0, "options": {"dice_per_player": 1}}
    opened = posted(service_url, "/matches", {"rules": rules, "choices": {"bots": "instant"}})
    path = f"/matches/{opened['match']}"
    posted(service_url, f"{path}/bots", {"count": 3, "level": "L0"}, opened["token"])
    posted(service_url, f"{path}/start", {}, opened["token"])
    deadline = monotonic() + PATIENCE_MS / 1000
    while httpx.get(f"{service_url}/api/v1{path}", timeout=60).json()["phase"] != "finished":
        assert monotonic() < deadline, "the match does not end"
        sleep(0.05)
    record = httpx.get(f"{service_url}/api/v1{path}/record", timeout=60).content
    followed = record_followed(record)
    means = means_for(followed, WantedAnalysis(samples=64), Shelf())
    analysis = with_sentences(joined(followed, means, list(rounds_of(followed, means, evaluate))))
    return Analysed(opened["match"], opened["token"], json.loads(written(analysis)))


@pytest.fixture(scope="module")
def analysed(service_url: str) -> Analysed:
    """Return a match in which somebody bluffed, with its analysis."""
    found = (played(service_url) for _ in range(MATCHES_MAX))
    return next(each for each in found if any(map(is_bluff, each.document["events"])))


class Desk:
    """Answers for the house that makes analyses: at first that it is being made, then with it."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._body = json.dumps(document)
        self.asked = 0
        self.waits = True
        self.is_made = asyncio.Event()

    async def answer(self, route: Route) -> None:
        self.asked += 1
        if self.asked == 1 and self.waits:
            body, headers = json.dumps({"done": 1, "of": 3}), {"Retry-After": "1"}
            await route.fulfill(status=202, body=body, headers=headers, content_type="application/json")
        else:
            if self.waits:
                await self.is_made.wait()
            await route.fulfill(status=200, body=self._body, content_type="application/json")


async def opened(open_page: Open, analysed: Analysed, address: str = "", **look: Any) -> tuple[Page, Desk]:
    """Open a replay whose analysis is made when somebody asks."""
    page = await open_page("/rules", **look)
    desk = Desk(analysed.document)
    await page.route("**/api/v1/matches/*/analysis", desk.answer)
    await page.goto(f"/m/{analysed.match}/replay{address}")
    await expect(page.get_by_role("slider")).to_be_visible()
    return page, desk


async def test_a_replay_asks_for_an_analysis_when_somebody_does_and_says_how_far_it_is(
    open_page: Open, analysed: Analysed
) -> None:
    page, desk = await opened(open_page, analysed)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    assert desk.asked == 0
    assert not any("/analysis/" in url for url in asked)

    await page.keyboard.press("a")
    await expect(page.get_by_role("progressbar", name="Analysis")).to_have_attribute("value", "1")
    await expect(page.locator(".analysis [role=status]")).to_contain_text("1 of 3 rounds")
    desk.is_made.set()
    await expect(page.get_by_role("heading", name="Analysis")).to_be_visible()
    assert desk.asked == 2
    await page.keyboard.press("a")
    await expect(page.get_by_role("heading", name="Analysis")).to_have_count(0)
    await page.get_by_role("button", name="Analysis", exact=True).click()
    await expect(page.locator(".course polyline")).to_have_count(3)
    assert desk.asked == 2, "what is there is not asked for again"


async def test_keys_step_through_the_key_moments(open_page: Open, analysed: Analysed) -> None:
    page, desk = await opened(open_page, analysed)
    desk.waits = False
    first, second, *_ = [moment["version"] for moment in analysed.document["moments"]]
    for key, moment in (("m", first), ("m", second), ("Shift+M", first)):
        await page.keyboard.press(key)
        await expect(page.locator(".place")).to_contain_text(f" {moment} of ")
    errors = (each for each in analysed.document["events"] if each.get("decision", {}).get("tag") in ERRORS)
    error = next((each["version"] for each in errors if each["version"] > first), first)
    await page.keyboard.press("e")
    await expect(page.locator(".place")).to_contain_text(f" {error} of ")


async def test_somebody_steps_through_a_match_sees_why_a_bluff_was_one_comments_on_it_and_keeps_it_as_one_file(
    open_page: Open, analysed: Analysed, tmp_path: Path
) -> None:
    page, bluff = await open_page(f"/m/{analysed.match}/replay"), analysed.bluff
    await keep(page, f"match.{analysed.match}", {"host": analysed.host})
    await expect(page.get_by_role("slider")).to_be_visible()
    for moment in analysed.document["moments"]:
        await page.keyboard.press("m")
        await expect(page.locator(".place")).to_contain_text(f" {moment['version']} of ")

    address = LINK.format(bluff["version"], bluff["seat"])
    await page.goto(f"/m/{analysed.match}/replay{address}")
    await sees_why(page, bluff)
    await page.reload()
    await say(page, "a brave lie")
    comment = page.locator(".comments li", has_text="a brave lie")
    await expect(comment).to_have_attribute("data-from", str(bluff["version"]))
    await expect(comment).to_be_visible()

    async with page.expect_download() as saved:
        await page.get_by_role("button", name="Save as one file").click()
    await (await saved.value).save_as(tmp_path / "match.html")
    assert (await saved.value).suggested_filename == f"{analysed.match}.html"
    alone = await open_page(f"{(tmp_path / 'match.html').as_uri()}{address}", offline=True)
    await expect(alone.get_by_role("slider")).to_be_visible()
    await alone.keyboard.press("a")
    await sees_why(alone, bluff)
    await expect(alone.locator(".comments li[data-shown]")).to_contain_text("a brave lie")
    await alone.get_by_role("button", name="Audit the record").click()
    await expect(alone.get_by_text("The record has no fault.")).to_be_visible()


async def sees_why(page: Page, bluff: dict[str, Any]) -> None:
    """Expect a bluff to be told by what its seat could know, on a page that looks with its eyes."""
    claim, decided = page.locator(".claimed"), page.locator(".decided")
    await expect(claim.locator('.label[data-label="bluff"]')).to_be_visible()
    own = bluff["chance"]["seat"][str(bluff["seat"])][0]
    await expect(claim.locator("meter").nth(1)).to_have_attribute("value", str(own))
    await expect(page.locator(".course polyline")).to_have_count(1)
    await expect(decided).to_contain_text("could know")
    await decided.get_by_text("What could be done").click()
    await expect(decided.locator("tbody tr")).to_have_count(len(bluff["decision"]["options"]))
    assert all([await mark.get_attribute("title") for mark in await page.locator("abbr.promise").all()])


async def test_what_only_a_seat_knew_spectators_are_not_told_and_links_say_whose_eyes(
    open_page: Open, analysed: Analysed
) -> None:
    allowed = ["clipboard-read", "clipboard-write"]
    link = LINK.format(analysed.bluff["version"], analysed.bluff["seat"])
    page, desk = await opened(open_page, analysed, link, permissions=allowed)
    desk.waits = False
    eyes = page.get_by_label("Seen by")
    await expect(eyes).to_have_value(str(analysed.bluff["seat"]))
    await page.keyboard.press("a")
    await eyes.select_option("spectator")
    await expect(page.locator(".label")).to_have_count(0)
    await expect(page.locator(".claimed")).to_contain_text("Whether it was honest")
    await page.get_by_role("button", name="Copy a link to this moment").click()
    assert str(await page.evaluate("navigator.clipboard.readText()")).endswith("&view=public")
    await page.keyboard.press("v")
    await expect(eyes).to_have_value("1")


async def test_a_replay_hides_what_comes_until_somebody_presses(
    open_page: Open, service_url: str, analysed: Analysed
) -> None:
    comment = {"version": analysed.document["version"], "text": "what an end", "lang": "en"}
    posted(service_url, f"/matches/{analysed.match}/comments", comment, analysed.host)
    page, desk = await opened(open_page, analysed)
    desk.waits = False
    source = await (await page.request.get(f"/m/{analysed.match}/replay")).text()
    assert " wins" not in source
    assert "has won" not in source
    assert "spoilers=no" in source
    ahead = page.locator(".comments li", has_text="what an end")
    await expect(ahead).to_be_hidden()
    await page.keyboard.press("a")
    chips = page.locator(".moments .chip")
    await expect(chips).to_have_count(len(analysed.document["moments"]))
    assert [(await chip.inner_text()).strip() for chip in await chips.all()] == [
        str(at + 1) for at in range(await chips.count())
    ]
    await expect(page.locator(".accounts")).to_have_count(0)
    short = await page.locator(".course polyline").first.get_attribute("points") or ""

    await page.get_by_role("button", name="Show what comes").click()
    await expect(ahead).to_be_visible()
    await expect(page.locator(".accounts tbody tr")).to_have_count(3)
    await expect(page.locator(".accounts td.few").first).to_be_visible()
    whole = await page.locator(".course polyline").first.get_attribute("points") or ""
    assert whole.startswith(short)
    assert len(whole) > len(short)
    await expect(chips.last.locator(".small")).not_to_be_empty()


async def test_an_analysis_can_be_used_by_everybody(open_page: Open, analysed: Analysed) -> None:
    page, desk = await opened(open_page, analysed, f"#v={analysed.bluff['version']}", **LOOKS["phone-dark"])
    desk.waits = False
    await page.keyboard.press("a")
    await page.get_by_role("button", name="Show what comes").click()
    for closed in await page.locator(".analysis details > summary").all():
        await closed.click()
    await check(page)
    await page.set_viewport_size(LOOKS["forced"]["viewport"])
    await page.emulate_media(color_scheme="light", forced_colors="active")
    await check(page)
    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog", name="Keys")).to_contain_text("the next key moment")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_says_every_sentence_as_the_house_does(language: str) -> None:
    asked = [(document, told) for document in CASES.values() for told in sentences(document)]
    given = msgspec.json.encode([{"of": document, "told": told} for document, told in asked])
    command: list[str | Path | bytes] = [NODE, "--no-warnings", "--input-type=module", "-e", SAID]
    done = subprocess.run([*command, str(FOLDER), given, language], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    with speaking(language):
        assert msgspec.json.decode(done.stdout) == [words(document, told) for document, told in asked]


def test_the_page_keeps_back_what_gives_the_end_away() -> None:
    command: list[str | Path] = [NODE, "--no-warnings", "--input-type=module", "-e", ENDING, FOLDER]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert sorted(msgspec.json.decode(done.stdout)) == sorted(ENDS)
    assert KEYS.keys() >= ENDS
    assert ENDS.isdisjoint(LIVE)


def words(document: dict[str, Any], told: ToldSentence) -> str:
    return sentence_words(document, told, {1: "P1", 2: "P2"})
