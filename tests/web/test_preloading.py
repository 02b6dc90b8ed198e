"""Modules that a page asks for at once: those that it loads, and no other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from operator import gt
from typing import Any

import httpx
import pytest

from services.web.assets import Assets
from services.web.modules import modules_behind, modules_of
from tests.web.conftest import Open

SCRIPTS = (
    "pages/lobby.js",
    "pages/table.js",
    "pages/replay.js",
    "pages/audit.js",
    "pages/learn.js",
    "pages/stage.js",
    "pages/event.js",
    "pages/wall.js",
    "pages/card.js",
    "pages/conduct.js",
    "pages/announce.js",
    "pages/beyond.js",
)
_PRELOADED = re.compile(
    r'<link rel="modulepreload" href="/static/[0-9a-f]+/([^"]+)"( as="json")?( fetchpriority="low")?>'
)
_FILE = re.compile(r'(?:src|href)="(/static/[^"]+)"')
CRITICAL = {
    "/": (25, 116_000),
    "/m/{match}": (60, 180_000),
    "/m/{match}/replay": (42, 140_000),
    "/m/{match}/audit": (24, 110_000),
    "/audit": (24, 110_000),
    "/learn": (24, 110_000),
    "/embed/matches/{match}": (34, 120_000),
    "/overlay/matches/{match}": (34, 120_000),
    "/tv": (34, 120_000),
    "/statistics": (7, 30_000),
    "/rules": (7, 30_000),
    "/rules/common_hand": (7, 30_000),
    "/m/{match}/rules": (7, 30_000),
    "/docs": (7, 112_000),
    "/docs/first-bot": (7, 30_000),
    "/problems/claim_not_higher": (7, 30_000),
    "/tournaments": (12, 40_000),
    "/tournaments/new": (24, 110_000),
    "/seasons/new": (24, 110_000),
    "/players/new": (24, 110_000),
    "/t/{event}": (12, 50_000),
    "/t/{event}/me": (31, 110_000),
    "/t/{event}/host": (24, 110_000),
    "/t/{event}/pairings": (12, 50_000),
    "/t/{event}/standings": (12, 50_000),
    "/t/{event}/screen": (12, 50_000),
}
"""The files that each page cannot do without, and their compressed bytes, at most: with 150 ms and 1.6 Mbit/s a file
more costs a sixth of the delay, for six come at a time, and 5 kB as much. So each is usable in 3 s on a phone."""
FILES: Mapping[str, str] = {
    "pages/a.js": """/** A page. */
import { b } from '../rooms/b.js';
import '../rooms/c.js';
import * as d from "./d.js";
import {
  one,
  two as three,
} from '../e.js';
import words from '../words/en.json' with { type: 'json' };
// import { x } from '../gone.js';
/** @type {import('../types.js').X} */
const path = './not.js';
/** @type {import('./types.js').Y} */
const later = async () => import('../rooms/later.js');
const open = async (file) => import(`./${file}.json`);
""",
    "rooms/b.js": "export { f } from './f.js';\nexport * from '../e.js';\nexport const told = { type: './no.js' };\n",
    "rooms/c.js": "import 'https://elsewhere.example/x.js';\n",
    "rooms/later.js": "import './f.js';\nimport './h.js';\nconst { i } = await import('./i.js');\n",
    "rooms/h.js": "",
    "rooms/f.js": 'var a=1;import{g as h}from"../g.js";export{h};',
    "pages/d.js": "import '../pages/a.js';\n",
    "e.js": "",
    "g.js": "",
}


def test_a_module_loads_what_it_imports_and_what_that_imports_each_once() -> None:
    expected = ("pages/a.js", "rooms/b.js", "rooms/c.js", "pages/d.js", "e.js", "words/en.json", "rooms/f.js", "g.js")
    assert modules_of("pages/a.js", FILES.__getitem__) == expected


def test_what_is_asked_for_behind_a_page_is_what_it_imports_later_and_what_that_imports() -> None:
    assert modules_behind("pages/a.js", FILES.__getitem__) == ("rooms/later.js", "rooms/h.js")


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_module_is_a_file_that_is_served(script: str) -> None:
    assets = Assets()
    for name in (*assets.modules(script), *assets.behind(script)):
        assert assets.find(name) is not None, name


@pytest.mark.parametrize("path", ["/", "/m/{match}?lang=de", "/m/{match}/replay", "/m/{match}/audit", "/audit"])
async def test_a_page_asks_for_all_its_modules_at_once_and_for_no_other(
    open_page: Open, service_url: str, path: str
) -> None:
    async with httpx.AsyncClient(base_url=service_url, timeout=60) as client:
        opened = await client.post("/api/v1/matches", json={"rules": {"game": "common_hand"}})
        address = path.format(match=opened.json()["match"])
        preloaded = [name for name, *_ in _PRELOADED.findall((await client.get(address)).text)]
    page = await open_page.fresh("/statistics")  # a page without scripts
    asked: list[dict[str, Any]] = []
    session = await page.context.new_cdp_session(page)

    def hear(event: dict[str, Any]) -> None:
        asked.append(event)

    session.on("Network.requestWillBeSent", hear)
    await session.send("Network.enable")

    await page.goto(address, wait_until="load")

    modules = [event for event in asked if event["request"]["url"].endswith((".js", ".json"))]
    names = [event["request"]["url"].partition("/static/")[2].partition("/")[2] for event in modules]
    assert sorted(names) == sorted(preloaded), "each once"
    assert len(names) > 20
    # It is the page that asks for it, and no module.
    assert {event["initiator"]["type"] for event in modules} == {"parser"}


def test_no_page_needs_more_than_a_phone_far_away_loads_in_three_seconds(service_url: str, running: str) -> None:
    compressed = {"Accept-Encoding": "gzip"}
    with httpx.Client(base_url=service_url, timeout=60, headers=compressed) as client:
        announced = client.post("/api/v1/tournaments", json={"preset": "pods", "title": "Club night"}).json()
        here = {"match": running, "event": announced["tournament"]}
        weights = {path: _weight(client, path.format(**here)) for path in CRITICAL}
    assert {path: weight for path, weight in weights.items() if any(map(gt, weight, CRITICAL[path]))} == {}


def _weight(client: httpx.Client, path: str) -> tuple[int, int]:
    """Return how many files a page needs with itself, and the bytes of their bodies as they are sent."""
    page = client.get(path).text
    behind = {name for name, _, low in _PRELOADED.findall(page) if low}
    files = {one for one in _FILE.findall(page) if one.split("/", 3)[3] not in behind and "/icon-" not in one}
    return 1 + len(files), sum(_sent(client, one) for one in (path, *files))


def _sent(client: httpx.Client, path: str) -> int:
    with client.stream("GET", path) as answer:
        assert answer.status_code == 200, path
        return sum(len(piece) for piece in answer.iter_raw())
