"""A match as one file: read without a network or a script, audited by itself, found out when its record is forged."""

from __future__ import annotations

import re
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import playwright
import pytest
from playwright.async_api import Browser, Page, expect

from domain.analysis.record.following import follow
from domain.analysis.report import Analysis, document_of
from domain.commentary.commentary import comment_id
from domain.commentary.events import CommentaryEvent, CommentaryOpened, CommentMade
from domain.commentary.record import commentary_lines
from domain.commentary.texts import text_hash
from domain.fairness.records import split
from domain.match.record import GENESIS
from projections.commentary.comments import ExportedLine
from services.analysis.making import WantedAnalysis, analysis_of
from services.cli.analysing.analyse import analyse
from services.cli.analysing.writing import PageAsked
from services.web.assets import FOLDER
from services.web.onefile import page as pages
from services.web.onefile.bundler import CannotBundle, bundled
from services.web.onefile.events import shown_events
from services.web.onefile.page import BYTES_MAX, ENTRY, TooLarge, one_file, packed
from services.web.onefile.remarks import BadComments, comments_in
from services.words.catalogue import LANGUAGES, speaking
from services.words.sentences import sentence_words
from tests.analysis.played import lines_of
from tests.web.test_accessibility import LOOKS, check

RECORDS = Path(__file__).parents[1] / "analysis" / "vectors" / "records"
RECORD = RECORDS / "two-dice-face-first.cup"
NODE = Path(playwright.__file__).parent / "driver" / "node"
MATCH = UUID("6f1de1ce-0000-4000-8000-000000000001")


@cache
def analysis_from(record: bytes) -> Analysis:
    return analysis_of(follow(split(record).lines), WantedAnalysis(samples=64), lambda told, _: told)


def comments_on(match: UUID, *texts: str) -> bytes:
    """Return the export of these comments, each on the next version from the twentieth on."""
    said: list[CommentaryEvent] = [CommentaryOpened(str(match))]
    words: list[tuple[str, str] | None] = [None]
    for number, text in enumerate(texts):
        salt = bytes([number]) * 16
        hashed = text_hash(salt, text)
        said.append(CommentMade(comment_id(number, salt), 20 + number, None, None, "host:1", "en", hashed))
        words.append((salt.hex(), text))
    lines, _ = commentary_lines(match, 0, GENESIS, 1, said)
    rows = [ExportedLine(line.decode(), *(one or (None, None))) for line, one in zip(lines, words, strict=True)]
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)


NICE = comments_on(MATCH, "Well done.")


@asynccontextmanager
async def opened(browser: Browser, file: Path, width: int = 1366, **look: Any) -> AsyncIterator[tuple[Page, list[str]]]:
    """Open a file in a browser without a network; yield its page, and whatever it complains of."""
    context = await browser.new_context(**{"viewport": {"width": width, "height": 800}, "offline": True, **look})
    tab, complaints = await context.new_page(), list[str]()
    tab.on("console", lambda message: complaints.append(message.text))
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    await tab.goto(file.as_uri())
    yield tab, complaints
    await context.close()


async def audited(tab: Page) -> tuple[str | None, str]:
    await tab.click("#audit")
    found = tab.locator("#found[data-status]")
    await found.wait_for(timeout=60_000)
    return await found.get_attribute("data-status"), await found.inner_text()


async def test_a_page_alone_audits_its_record_and_finds_a_forged_one(browser: Browser, tmp_path: Path) -> None:
    record = tmp_path / "match.cup"
    record.write_bytes(RECORD.read_bytes())
    (tmp_path / "match.comments.ndjson").write_bytes(comments_on(MATCH, "What a <bid>!", "\u202eturned"))
    page = tmp_path / "match.html"
    assert analyse(str(record), samples=64, page=PageAsked(str(page))) == 0
    written = page.read_text(encoding="utf-8")
    async with opened(browser, page, 320) as (tab, complaints):
        assert await audited(tab) == ("OK", "The record has no fault.")
        assert await tab.evaluate("document.documentElement.scrollWidth") == 320
        said = tab.locator("#comments .words")
        await expect(said.last).to_be_hidden()
        await tab.get_by_role("button", name="Show what comes").click()
        assert await said.all_inner_texts() == ["What a <bid>!", "\\u202eturned"]
        async with tab.expect_download() as saved:
            await tab.click("#save")
        await (await saved.value).save_as(tmp_path / "saved.cup")
        assert (tmp_path / "saved.cup").read_bytes() == record.read_bytes()
        assert complaints == []
    forged = record.read_bytes().replace(b'"quantity":1', b'"quantity":2', 1)
    assert forged != record.read_bytes()
    assert packed(record.read_bytes()) in written
    page.write_text(written.replace(packed(record.read_bytes()), packed(forged)), encoding="utf-8")
    async with opened(browser, page) as (tab, complaints):
        status, told = await audited(tab)
        assert status == "FAULT"
        assert re.fullmatch(r"The record is at fault: E_[A-Z]+ in line [0-9]+\.", told)
        assert complaints == []


async def test_a_page_opens_as_a_replay_that_says_no_end_and_is_stepped_through_by_keys(
    browser: Browser, tmp_path: Path
) -> None:
    record, page = (RECORDS / "three-by-five.cup").read_bytes(), tmp_path / "match.html"
    analysis = analysis_from(record)
    page.write_bytes(one_file(record, analysis))
    moments = [str(moment.version) for moment in analysis.moments]
    async with opened(browser, page) as (tab, complaints):
        place, line = tab.locator(".place"), tab.locator(".course polyline")
        await expect(place).to_contain_text("Round 1")
        assert " wins" not in await tab.inner_text("body")
        await tab.keyboard.press("a")
        await expect(line).to_have_count(3)
        await expect(tab.locator(".accounts")).to_have_count(0)
        chips = tab.locator(".moments .chip")
        assert [text.strip() for text in await chips.all_inner_texts()] == [str(at + 1) for at in range(len(moments))]
        for key, at in (("m", 0), ("m", 1), ("Shift+M", 0)):
            await tab.keyboard.press(key)
            await expect(place).to_contain_text(f" {moments[at]} of ")
        eyes = tab.get_by_label("Seen by")
        for seen, lines in (("spectator", 3), ("1", 1), ("2", 1)):
            await tab.keyboard.press("v")
            await expect(eyes).to_have_value(seen)
            await expect(line).to_have_count(lines)
        short = await line.get_attribute("points") or ""
        await tab.get_by_role("button", name="Show what comes").click()
        assert len(await line.get_attribute("points") or "") > len(short)
        await expect(tab.locator(".accounts tbody tr")).to_have_count(3)
        await tab.get_by_text("Everything as text").click()
        await expect(tab.locator("#events")).to_contain_text(" wins")
        await tab.locator("#text").get_by_role("link", name=f"Line {moments[1]}").first.click()
        await expect(place).to_contain_text(f" {moments[1]} of ")
        await expect(place).to_be_in_viewport()
        assert complaints == []


@pytest.mark.parametrize("look", ["phone-dark", "forced"])
async def test_a_page_alone_can_be_used_by_everybody(browser: Browser, tmp_path: Path, look: str) -> None:
    page = tmp_path / "match.html"
    page.write_bytes(one_file(RECORD.read_bytes(), analysis_from(RECORD.read_bytes()), comments_in(NICE, MATCH)))
    async with opened(browser, page, **LOOKS[look]) as (tab, complaints):
        await expect(tab.get_by_role("slider")).to_be_visible()
        await tab.keyboard.press("a")
        await tab.get_by_role("button", name="Show what comes").click()
        while await tab.locator("details:not([open]) > summary:visible").count():
            await tab.locator("details:not([open]) > summary:visible").first.click()
        await tab.locator("#audit").click()
        await expect(tab.locator("#found[data-status]")).to_be_visible()
        await check(tab)
        assert complaints == []


async def test_a_page_without_a_script_is_read_whole_and_says_that_it_hides_nothing(
    browser: Browser, tmp_path: Path
) -> None:
    page = tmp_path / "match.html"
    page.write_bytes(one_file(RECORD.read_bytes(), analysis_from(RECORD.read_bytes())))
    async with opened(browser, page, java_script_enabled=False) as (tab, _):
        await expect(tab.locator("noscript p")).to_be_visible()
        await expect(tab.locator("#events")).to_contain_text(" wins")
        await expect(tab.locator("#events li").last).to_be_visible()
        await expect(tab.get_by_role("button")).to_have_count(0)


async def test_a_script_that_was_put_into_the_page_does_not_run(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "match.html"
    record = RECORD.read_bytes()
    written = one_file(record, analysis_from(record)).decode()
    page.write_text(written.replace("</main>", "<script>document.title = 'taken'</script></main>"), encoding="utf-8")
    async with opened(browser, page) as (tab, complaints):
        assert await tab.title() != "taken"
        assert any("Content Security Policy" in each for each in complaints)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_reads_without_a_script_and_names_nothing_elsewhere(language: str) -> None:
    record = (RECORDS / "three-by-five.cup").read_bytes()
    with speaking(language):
        page = one_file(record, analysis_from(record)).decode()
    assert len(page.encode()) < BYTES_MAX
    assert f'<html lang="{language}">' in page
    assert "default-src &#39;none&#39;" in page
    text = page.partition("<script")[0]
    assert not re.search(r'\b(?:src|href)="(?!#)', text)
    assert text.count("<li id=") > 50
    assert "<meter" in text
    assert "polyline" in text
    assert "\N{LEFT CURLY BRACKET}" not in text.partition("</style>")[2].partition("<template")[0]


@pytest.mark.parametrize("game", ["push_and_pass", "mexican", "dollar_bill"])
def test_a_game_of_another_family_or_without_an_end_has_its_page(game: str) -> None:
    lines = lines_of(game)
    found = analysis_of(follow(lines), WantedAnalysis(samples=64), lambda told, _: told)
    assert b"<li id=" in one_file(b"".join(line + b"\n" for line in lines), found)


def test_a_page_says_what_was_said_of_an_event_beside_it_in_its_order() -> None:
    record = RECORD.read_bytes()
    analysis = analysis_from(record)
    seen = [comment for each in ("First.", "Second.") for comment in comments_in(comments_on(MATCH, each, each), MATCH)]
    events = list(shown_events(split(record).lines, analysis, seen))
    assert {one.version for one in seen} == {20, 21}
    for event in events:
        assert event.comments == tuple(one for one in seen if one.version == event.version)
        told = [sentence_words(document_of(analysis), one) for one in analysis.text if one.version == event.version]
        assert list(event.said) == told
    assert sum(len(event.comments) for event in events) == len(seen)
    assert sum(len(event.said) for event in events) == len(analysis.text) > 0


def test_a_page_is_never_larger_than_one_file_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    record = RECORD.read_bytes()
    monkeypatch.setattr(pages, "BYTES_MAX", 100_000)
    with pytest.raises(TooLarge, match="would have"):
        one_file(record, analysis_from(record))
    # Of a match that is far too long none is begun.
    monkeypatch.setattr(pages, "LOOKS_MAX", 100)
    with pytest.raises(TooLarge, match="lines"):
        one_file(record, analysis_from(record))


# ---- where it is written --------------------------------------------------------------------------


def test_a_page_is_written_over_nothing_unless_that_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record, page = RECORDS / "one-die-each.cup", tmp_path / "page.html"
    for place, why in ((tmp_path, "a folder"), (tmp_path / "none" / "page.html", "no folder")):
        assert analyse(str(record), samples=64, page=PageAsked(str(place))) == 2
        assert why in capsys.readouterr().err
    page.write_text("mine")
    assert analyse(str(record), samples=64, page=PageAsked(str(page))) == 2
    assert "--force" in capsys.readouterr().err
    assert page.read_text() == "mine"
    assert analyse(str(record), samples=64, page=PageAsked(str(page), force=True)) == 0
    assert page.read_text().startswith("<!doctype html>")
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]


def test_nothing_is_written_of_a_record_at_fault_or_with_the_comments_of_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record, page = tmp_path / "match.cup", tmp_path / "page.html"
    record.write_bytes(RECORD.read_bytes().replace(b'"quantity":1', b'"quantity":2', 1))
    assert analyse(str(record), samples=64, page=PageAsked(str(page))) == 1
    record.write_bytes(RECORD.read_bytes())
    comments = tmp_path / "match.comments.ndjson"
    for strange, why in ((comments_on(UUID(int=7), "Hm."), "another match"), (b"{}\n", "no comments")):
        comments.write_bytes(strange)
        assert analyse(str(record), samples=64, page=PageAsked(str(page))) == 2
        assert why in capsys.readouterr().err
    assert not page.exists()


def test_words_that_no_line_names_are_not_shown() -> None:
    exported = comments_on(MATCH, "Well played.")
    assert [one.text for one in comments_in(exported, MATCH)] == ["Well played."]
    assert [one.text for one in comments_in(exported.replace(b"Well", b"Hell"), MATCH)] == [None]
    assert comments_in(b"", MATCH) == []
    with pytest.raises(BadComments):
        comments_in(exported.replace(b"comment.made", b"comment.mad3"), MATCH)


# ---- modules as one script ------------------------------------------------------------------------


def test_modules_come_behind_what_they_need_each_once() -> None:
    files = {
        "a/main.js": "import { b as c } from '../b.js';\nimport * as d from './d.js';\nc(d.D);\n",
        "b.js": "import { D } from './a/d.js';\nexport function b(x) { return [x, D]; }\n",
        "a/d.js": "export const D = 1;\n",
    }
    script = bundled("a/main.js", files.__getitem__)
    assert [script.count(f"modules['{path}'] = ") for path in files] == [1, 1, 1]
    assert script.index("modules['a/d.js'] = ") < script.index("modules['b.js'] = ")
    assert "const { b: c } = modules['b.js'];" in script
    assert "const d = modules['a/d.js'];" in script


@pytest.mark.parametrize(
    "text",
    [
        "export default 1;\n",
        "export let turned = 1;\n",
        "export const { a } = {};\n",
        "export * from './b.js';\n",
        "export { none } from './b.js';\n",
        "import b from './b.js';\n",
        "import { none } from './b.js';\n",
        "import { b } from 'elsewhere';\n",
        "import { b } from './main.js';\n",
        "async function f(x) { await import(x); }\n",
        "f(import.meta.url);\n",
        "const data = await import(`./${name}.js`);\n",
        "const text = '</script>';\n",
        "const text = '<!--';\n",
    ],
)
def test_what_is_not_understood_is_refused(text: str) -> None:
    files = {"main.js": text, "b.js": "export const b = 1;\n"}
    with pytest.raises(CannotBundle):
        bundled("main.js", files.__getitem__)


def test_a_bundle_does_what_its_modules_do() -> None:
    files = {
        "main.js": (
            "import './side.js';\nimport { twice, word as said } from './on.js';\n"
            "/** @type {import('./side.js').One} */\nconst later = await import('./later.js');\n"
            "const { default: data } = await import(`./${said}.json`, { with: { type: 'json' } });\n"
            "process.stdout.write(JSON.stringify([globalThis.side, twice(later.L), data.a]));\n"
        ),
        "side.js": "globalThis.side = 1;\n",
        "on.js": "export { twice, word } from './far.js';\n",
        "far.js": (
            "import{two as t}from\"./two.js\";const w='en';\nexport const twice = (x) => t * x;export{w as word};"
        ),
        "two.js": "export const two = await Promise.resolve(2);\n",
        "later.js": "export const L = 21;\n",
        "en.json": '{"a": 3}\n',
    }
    script = bundled("main.js", files.__getitem__, ["en.json"])
    done = subprocess.run([NODE, "-e", script], capture_output=True, check=True)
    assert done.stdout == b"[1,42,3]"


def test_what_is_told_of_a_script_is_left_out_and_no_code_with_it() -> None:
    text = "/** Told. */\nexport const a = 1;\n  /** @type {B} */ (a);\n/** More. */\nconst b = 2;\n"
    script = bundled("main.js", {"main.js": text}.__getitem__)
    assert "Told" not in script
    assert "More" not in script
    assert "  /** @type {B} */ (a);\nconst b = 2;\n" in script


def test_the_auditor_is_understood() -> None:
    script = bundled(ENTRY, lambda path: (FOLDER / path).read_text(encoding="utf-8"), ["words/en.json"])
    assert "modules['auditor/verdict.js'] = " in script
    assert not re.search(r"^\s*(?:import|export)\b", re.sub(r"/\*.*?\*/", "", script, flags=re.DOTALL), re.MULTILINE)
