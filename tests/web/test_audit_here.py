"""A record audited in the browser: chosen, dropped or of the match at hand, and nothing of it leaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from domain.fairness.records import split
from tests.domain.access_records import written
from tests.fairness.javascript_auditor import VECTORS, in_python, published
from tests.fairness.random_mutations import mutants
from tests.fairness.record_files import access_beside, bundled
from tests.fairness.scripted_server import POLICY_TEXT
from tests.fairness.test_every_game import record_of
from tests.sizes import cases, spread
from tests.web.conftest import Open
from tests.web.test_accessibility import LOOKS, check

pytestmark = pytest.mark.asyncio(loop_scope="session")
GOOD = VECTORS / "bundles" / "ok-liars.cup"
NAMED = VECTORS.parents[1] / "zoo" / "names" / "committed-and-erased.cup"
KEPT = "Nothing was changed, and the rules were kept"
BAD = VECTORS / "bundles" / "bad-key-altered.cup"
POLICY = VECTORS / "policy.txt"
DROP = """({ name, size }) => {
  const transfer = new DataTransfer();
  const begun = Math.min(size, 5_000_000);
  transfer.items.add(new File(['['.repeat(begun), new Uint8Array(size - begun)], name));
  const how = { dataTransfer: transfer, cancelable: true };
  document.querySelector('form.drop').dispatchEvent(new DragEvent('drop', how));
}"""
MANY = """async ({ asks, alone }) => {
  const folder = document.querySelector('script[type=module]').src.replace(/pages.[^/]*$/, '');
  const [{ audit, readPolicy }, { chosen, noble }] = await Promise.all(
    ['audit', 'hashing'].map((name) => import(`${folder}auditor/${name}.js`)));
  const hashing = await (alone ? noble() : chosen());
  const bytes = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const found = [];
  for (const { record, policy, layers } of asks) {
    const believed = policy === null ? null : await readPolicy(policy, hashing);
    found.push((await audit(bytes(record), believed, { layers, hashing })).report);
  }
  return found;
}"""


@pytest.fixture(scope="module")
def fair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record whose rules the page knows, with its access record and the policy of its log beside it."""
    folder = tmp_path_factory.mktemp("fair")
    file = folder / "fair.cup"
    file.write_bytes(bundled(record_of("common_hand", "match")))
    file.with_suffix(".access").write_bytes(access_beside(file.read_bytes()))
    (folder / "policy.txt").write_text(POLICY_TEXT)
    return file


async def choose(page: Page, record: Path, policy: Path | None = POLICY, access: Path | None = None) -> None:
    await page.get_by_label("The record").set_input_files(record)
    await page.get_by_label("Who saw what").set_input_files([] if access is None else [access])
    if policy is not None:
        await page.get_by_label("The log\N{RIGHT SINGLE QUOTATION MARK}s policy").set_input_files(policy)
        await expect(page.get_by_label("Or paste the policy")).not_to_have_value("")
    await page.get_by_role("button", name="Audit", exact=True).click()


@pytest.mark.parametrize("look", spread([*list(LOOKS)[2::-1], "forced"], 1))
async def test_everybody_can_audit_a_file(open_page: Open, look: str, fair: Path) -> None:
    page = await open_page("/audit", **LOOKS[look])
    await expect(page.get_by_label("The record")).to_be_visible()
    await check(page)
    await choose(page, fair, fair.parent / "policy.txt", fair.with_suffix(".access"))
    await expect(page.locator(".verdict.yes")).to_have_text("Fair")
    await expect(page.locator(".findings")).to_contain_text(
        "A log that the policy believes vouches for every line of the record"
    )
    await check(page)
    await choose(page, BAD)
    await expect(page.locator(".verdict.no")).to_have_text("At fault: E_KEY")
    await check(page)


async def test_a_match_is_not_called_fair_before_its_access_record_is_there_and_whole(
    open_page: Open, fair: Path, tmp_path: Path
) -> None:
    page, policy, whole = await open_page("/audit"), fair.parent / "policy.txt", fair.with_suffix(".access")
    await choose(page, fair, policy)
    await expect(page.locator(".verdict.open")).to_have_text("Not complete yet")
    await expect(page.locator("tc-audit .lead")).to_contain_text("no access record was given")
    lines = whole.read_bytes().splitlines(keepends=True)
    for name, content, title in (
        ("cut.access", b"".join(lines[:-2]), "Not complete yet"),
        ("torn.access", b"".join([*lines[:1], *lines[2:]]), "At fault: E_ACCESS"),
    ):
        (tmp_path / name).write_bytes(content)
        await choose(page, fair, policy, tmp_path / name)
        await expect(page.locator(".verdict")).to_have_text(title)
        await check(page)


async def test_a_caster_who_was_served_hidden_dice_stands_in_the_verdict(
    open_page: Open, fair: Path, tmp_path: Path
) -> None:
    documents = [json.loads(line) for line in split(fair.with_suffix(".access").read_bytes()).lines]
    told = [(one["type"], one["data"]) for one in documents]
    besides = (told[1][0], {**told[1][1], "viewer": "caster/jo"})
    file = tmp_path / "besides.access"
    file.write_bytes(written([*told[:2], besides, *told[2:]], documents[0]["stream"]))
    page = await open_page("/audit")
    await choose(page, fair, fair.parent / "policy.txt", file)
    await expect(page.locator(".verdict.yes")).to_have_text("Fair")
    await expect(page.locator("tc-audit .lead")).to_contain_text("Hidden dice were served to caster/jo")


async def test_names_are_held_against_the_record_here_as_well(open_page: Open, tmp_path: Path) -> None:
    (tmp_path / "policy.txt").write_text(POLICY_TEXT)
    (tmp_path / "match.access").write_bytes(access_beside(NAMED.read_bytes()))
    page, before = await open_page("/audit"), NAMED.with_name("before.names.ndjson")
    swapped, none = tmp_path / "swapped.names.ndjson", tmp_path / "none.names.ndjson"
    swapped.write_bytes(before.read_bytes().replace(b'"name":"Ada"', b'"name":"Eve"'))
    none.write_bytes(b"Ada\n")
    for names, title, said in (
        (before, KEPT, "The names of seats 1 and 2 are those that the record commits to."),
        (NAMED.with_name("after.names.ndjson"), KEPT, "No name is told of seat 1: it was erased, or is withheld."),
        (swapped, "At fault: E_NAMES", "Line 2: the name that is told is not the one that the record commits to."),
    ):
        await page.get_by_label("What people are called").set_input_files(names)
        await choose(page, NAMED, tmp_path / "policy.txt", tmp_path / "match.access")
        await expect(page.locator(".verdict")).to_have_text(title)
        await expect(page.locator(".findings")).to_contain_text(said)
    await check(page)
    await page.get_by_label("What people are called").set_input_files(none)
    await page.get_by_role("button", name="Audit", exact=True).click()
    await expect(page.get_by_role("alert")).to_contain_text("The file of names cannot be read")


async def test_rules_that_nobody_here_knows_are_not_called_fair_and_nothing_of_a_file_leaves_the_browser(
    open_page: Open,
) -> None:
    page = await open_page("/audit")
    await choose(page, GOOD)
    await expect(page.locator(".verdict.open")).to_have_text("Not complete yet")
    await expect(page.locator("tc-audit .lead")).to_contain_text("who won was not checked")
    await expect(page.locator(".findings")).to_contain_text("were fixed before any seed was opened")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    await choose(page, BAD)
    await expect(page.locator(".verdict.no")).to_be_visible()
    assert sent == []


async def test_without_a_policy_the_page_does_not_call_a_record_fair(open_page: Open, fair: Path) -> None:
    page = await open_page("/audit")
    await choose(page, fair, None)
    await expect(page.locator(".verdict.open")).to_have_text("Consistent, not anchored")
    await expect(page.locator(".findings")).to_contain_text("signature was judged")


async def test_what_is_no_record_or_no_policy_is_said(open_page: Open) -> None:
    page = await open_page("/audit")
    await page.get_by_role("button", name="Audit", exact=True).click()
    await expect(page.get_by_role("alert")).to_contain_text("Choose a record first")
    await choose(page, POLICY, None)
    await expect(page.locator(".verdict.no")).to_have_text("At fault: E_FORMAT")
    await page.get_by_label("Or paste the policy").fill("believe everybody")
    await page.get_by_role("button", name="Audit", exact=True).click()
    await expect(page.get_by_role("alert")).to_contain_text("line 1 of the policy")


async def test_a_match_is_audited_where_it_is_shown(open_page: Open, running: str) -> None:
    page = await open_page(f"/m/{running}/audit")
    await page.get_by_role("button", name="Audit it in this browser").click()
    await expect(page.locator("tc-audit .verdict")).to_be_visible()
    await expect(page.locator("tc-audit .verdict.no")).to_have_count(0)
    await expect(page.locator("tc-audit .findings")).to_contain_text("No seat drew its own seeds")
    await check(page)


async def test_a_verdict_does_not_outlive_the_file_it_is_about(open_page: Open) -> None:
    page = await open_page("/audit")
    await choose(page, GOOD)
    await expect(page.locator(".verdict.open")).to_be_visible()
    await page.get_by_label("The record").set_input_files(BAD)
    await expect(page.locator(".verdict")).to_have_count(0)
    await page.get_by_role("button", name="Audit", exact=True).click()
    await expect(page.locator(".verdict.no")).to_be_visible()
    await page.get_by_label("Or paste the policy").fill("# none")
    await expect(page.locator(".verdict")).to_have_count(0)


async def test_files_are_told_apart_and_those_that_are_too_large_are_not_read(open_page: Open) -> None:
    page = await open_page("/audit")
    await page.evaluate(DROP, {"name": "deep.json", "size": 5_000_000})
    await expect(page.get_by_role("alert")).to_contain_text("at most 64 kB")
    await expect(page.get_by_label("Or paste the policy")).to_have_value("")
    await page.evaluate(DROP, {"name": "deep.cup", "size": 5_000_000})
    await expect(page.get_by_role("alert")).to_have_text("")
    await expect(page.get_by_text("deep.cup")).to_be_visible()
    await page.get_by_role("button", name="Audit", exact=True).click()
    await expect(page.locator(".verdict.no")).to_have_text("At fault: E_FORMAT")
    await page.evaluate(DROP, {"name": "huge.cup", "size": 256 * 1024 * 1024 + 1})
    await expect(page.get_by_role("alert")).to_contain_text("at most 256 MiB")
    await expect(page.locator(".verdict")).to_have_count(0)


async def test_a_match_logged_under_a_policy_this_browser_does_not_know_is_not_called_at_fault(
    open_page: Open, running: str
) -> None:
    page = await open_page(f"/m/{running}/audit")
    await page.evaluate("(text) => localStorage.setItem('truecup.policy', JSON.stringify(text))", POLICY.read_text())
    await page.get_by_role("button", name="Audit it in this browser").click()
    await expect(page.locator("tc-audit .verdict.open")).to_have_text("Under an earlier policy")
    await expect(page.locator("tc-audit .lead")).to_contain_text("only somebody who kept it can say")
    await page.get_by_text("The earlier policy", exact=True).click()
    await expect(page.get_by_label("The earlier policy")).to_contain_text("quorum")
    await expect(page.locator("tc-audit .findings")).to_contain_text("A log that the earlier policy believes")
    await check(page)


@pytest.mark.parametrize("alone", [False, True], ids=["its own hashes", "the library's"])
async def test_chromium_agrees_with_the_first_auditor(open_page: Open, *, alone: bool) -> None:
    page = await open_page("/audit")
    asks = [*published().values(), *mutants(77, cases(100, 300))]
    given: dict[str, Any] = {"asks": [json.loads(ask.written()) for ask in asks], "alone": alone}
    found = await page.evaluate(MANY, given)
    for one in found:
        del one["message"]
    assert found == in_python(asks)
