"""The browser's own arithmetic, held against the vectors of CUP/1: it is written apart from the server's."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Page

from domain.log.checkpoints import sign_checkpoint
from domain.log.notes import COSIGNATURE, ED25519, Key
from infra.keys import Ed25519Signer
from tests.web.conftest import Open
from tests.web.keeping import KeptPages

pytestmark = pytest.mark.asyncio(loop_scope="session")
VECTORS = Path(__file__).parents[1] / "fairness" / "vectors"
PRIMITIVES = json.loads((VECTORS / "primitives.json").read_text())
GOOD = "ok-liars.cup"


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def page(kept_pages: KeptPages) -> AsyncIterator[Page]:
    """One page whose modules are asked: they keep nothing."""
    opened = Open(kept_pages)
    yield await opened("/")
    await opened.close()


async def run(page: Page, names: str, code: str, given: Any) -> Any:
    """Run code in the page, with the names of its own modules."""
    script = f"""async (given) => {{
      const folder = document.querySelector('script').src.replace(/pages.[^/]*$/, '');
      const load = async (name) => import(`${{folder}}${{name}}.js`);
      const parts = await Promise.all({json.dumps(names.split())}.map(load));
      const {{ {", ".join(_USED)} }} = Object.assign({{}}, ...parts);
      {code}
    }}"""
    return await page.evaluate(script, given)


_PARTS = "bytes cup1 auditor/notes client/notes client/record"
_USED = (
    *("hex", "unhex", "canonical", "contextOf", "seedCommitment", "mixOf", "dieValue", "opened"),
    *("linesOf", "dealOf", "checkMix", "checkSealed", "policyOf", "checkpointOf", "believed"),
)


async def test_contexts(page: Page) -> None:
    code = """return given.map((row) =>
        hex(contextOf(unhex(row.match), row.deal, unhex(row.rules_hash), row.policy, row.cups)))"""
    rows = PRIMITIVES["ctx"]

    assert await run(page, "bytes cup1", code, rows) == [row["ctx"] for row in rows]


async def test_seed_commitments(page: Page) -> None:
    code = """return given.map((row) =>
        hex(seedCommitment(unhex(row.seed), unhex(row.ctx), unhex(row.root), row.seat)))"""
    rows = PRIMITIVES["seed"]

    assert await run(page, "bytes cup1", code, rows) == [row["commit"] for row in rows]


async def test_dice(page: Page) -> None:
    code = """return given.map((row) =>
        dieValue(unhex(row.key), unhex(row.mix), [row.cup, row.roll, row.slot], row.m))"""
    rows = PRIMITIVES["die"]

    assert await run(page, "bytes cup1", code, rows) == [row["value"] for row in rows]


async def test_what_seeds_and_beacon_come_to(page: Page) -> None:
    code = """return given.map((row) => {
        const seeds = new Map(row.seeds.map(([seat, seed]) => [seat, unhex(seed)]));
        const said = row.beacon;
        const heard = said && { ...said, chain: unhex(said.chain), randomness: unhex(said.randomness) };
        return hex(mixOf(unhex(row.ctx), unhex(row.root), seeds, heard));
    })"""
    rows = PRIMITIVES["mix"]

    assert {row["beacon"] is None for row in rows} == {True, False}
    assert await run(page, "bytes cup1", code, rows) == [row["mix"] for row in rows]


@pytest.mark.parametrize("lie", ["", "not-announced", "other-round", "randomness", "missing-at-ready"])
async def test_a_deal_takes_the_answer_of_the_beacon_it_waited_for_and_no_other(page: Page, lie: str) -> None:
    code = """
      try { return hex(checkMix(dealOf(linesOf(given.record, `match/${given.match}`), 0))); }
      catch { return 'refused'; }
    """
    name = "ok-beacon" if lie == "" else f"bad-beacon-{lie}"
    record = (VECTORS / "bundles" / f"{name}.cup").read_text()
    events = [json.loads(line) for line in record.splitlines() if not line.startswith("#")]
    match = events[0]["stream"].removeprefix("match/")
    ready = next((event["data"]["mix"] for event in events if event["type"] == "deal.ready"), "")

    found = await run(page, "bytes cup1 client/record", code, {"record": record, "match": match})
    assert found == ("refused" if lie else ready)


async def test_canonical_lines(page: Page) -> None:
    lines = [line for line in (VECTORS / "bundles" / GOOD).read_text().splitlines() if not line.startswith("#")]
    code = "return given.map((line) => canonical(JSON.parse(line)))"

    assert await run(page, "auditor/canonical", code, lines) == lines


async def test_a_good_record_is_believed_and_all_its_dice_recomputed(page: Page) -> None:
    code = """
      const lines = linesOf(given.record, `match/${given.match}`);
      const [policy, deal] = [policyOf(given.policy), dealOf(lines, 0)];
      const stream = `match/${given.match}`;
      for (const [seat, commit] of deal.commits) checkSealed(deal, { stream, seat, commit, policy });
      const mix = checkMix(deal);
      const shown = lines.filter((line) => line.type === 'cup.revealed' && line.data.cup !== 0);
      return shown.flatMap(({ data }) =>
        opened(data, { ...deal, mix }).map((die) => [data.cup, data.roll, die.slot, 6, die.value]));
    """
    expected = _expected()["deals"]["0"]["values"]
    dice = await run(page, _PARTS, code, _good())

    assert dice
    assert all(die in expected for die in dice)


@pytest.mark.parametrize("lie", ["seed", "root", "checkpoint", "key", "chain"])
async def test_a_record_with_one_lie_is_not(page: Page, lie: str) -> None:
    code = """
      try {
        const lines = linesOf(given.record, `match/${given.match}`);
        const deal = dealOf(lines, 0);
        const seat = [...deal.commits.keys()][0];
        const [stream, policy] = [`match/${given.match}`, policyOf(given.policy)];
        checkSealed(deal, { stream, seat, commit: given.commit, policy });
        const mix = checkMix(deal);
        const shown = lines.find((line) => line.type === 'cup.revealed' && line.data.cup !== 0);
        return opened(shown.data, { ...deal, mix }) === null ? 'refused' : 'believed';
      } catch (trouble) {
        return 'refused';
      }
    """
    good = _good()
    events = [json.loads(line) for line in good["record"].splitlines() if not line.startswith("#")]
    commit = next(event["data"]["commit"] for event in events if event["type"] == "seed.committed")

    assert await run(page, _PARTS, code, {**good, "commit": commit}) == "believed"
    assert await run(page, _PARTS, code, {**_bad(good, events, lie), "commit": commit}) == "refused"


async def test_a_checkpoint_is_believed_only_from_the_key_and_the_witnesses_of_the_policy(page: Page) -> None:
    signer, other = Ed25519Signer(b"a" * 32), Ed25519Signer(b"b" * 32)
    policy = f"log {Key('house/log', ED25519, signer.public_key)}\nquorum none\n"
    notes = [
        sign_checkpoint("house/log", 7, b"r" * 32, signer),
        sign_checkpoint("house/log", 7, b"r" * 32, other),
        sign_checkpoint("other/log", 7, b"r" * 32, signer),
    ]
    code = "return given.notes.map((note) => believed(checkpointOf(note), policyOf(given.policy)))"

    assert await run(page, _PARTS, code, {"notes": notes, "policy": policy}) == [True, False, False]
    witnessed = policy.replace("quorum none", f"witness w {Key('w', COSIGNATURE, other.public_key)}\nquorum w")
    assert await run(page, _PARTS, code, {"notes": notes, "policy": witnessed}) == [False, False, False]


def _good() -> dict[str, str]:
    record = (VECTORS / "bundles" / GOOD).read_text()
    match = json.loads(record.splitlines()[0])["stream"].removeprefix("match/")
    return {"record": record, "match": match, "policy": (VECTORS / "policy.txt").read_text()}


def _expected() -> dict[str, Any]:
    bundles = json.loads((VECTORS / "bundles.json").read_text())["bundles"]
    found: dict[str, Any] = next(row["result"] for row in bundles if row["file"].endswith("/" + GOOD))
    return found


def _bad(good: dict[str, str], events: list[dict[str, Any]], lie: str) -> dict[str, str]:
    """Return the record with one lie, chained anew where the chain is not the lie."""
    data = {event["type"]: event["data"] for event in reversed(events)}
    shown = next(event for event in events if event["type"] == "cup.revealed" and event["data"]["cup"] != 0)["data"]
    match lie:
        case "seed":
            data["seed.opened"]["seed"] = "0" * 64
        case "root":
            data["deal.committed"]["root"] = "0" * 64
        case "checkpoint":
            origin, size, rest = data["deal.logged"]["checkpoint"].split("\n", 2)
            data["deal.logged"]["checkpoint"] = f"{origin}\n{int(size) + 1}\n{rest}"
        case "key":
            shown["keys"][0][1] = "0" * 64
        case "chain":
            events[3]["at"] += 1
            return {**good, "record": "\n".join(_line(event) for event in events)}
    return {**good, "record": "\n".join(_chained(events))}


def _line(event: dict[str, Any]) -> str:
    return json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _chained(events: list[dict[str, Any]]) -> list[str]:
    lines: list[str] = []
    for event in events:
        prev = hashlib.sha256(lines[-1].encode()).hexdigest() if lines else "0" * 64
        lines.append(_line({**event, "prev": prev}))
    return lines
