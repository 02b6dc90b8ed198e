"""Modules that a page asks for at once: those that it loads, and no other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from services.web.assets import Assets
from services.web.modules import modules_of
from tests.web.conftest import Open

SCRIPTS = ("pages/lobby.js", "pages/table.js", "pages/replay.js", "pages/audit.js")
_PRELOADED = re.compile(r'<link rel="modulepreload" href="/static/[0-9a-f]+/([^"]+)"( as="json")?>')
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
const later = async () => import('./later.js');
""",
    "rooms/b.js": "export { f } from './f.js';\nexport * from '../e.js';\nexport const told = { type: './no.js' };\n",
    "rooms/c.js": "import 'https://elsewhere.example/x.js';\n",
    "rooms/f.js": 'var a=1;import{g as h}from"../g.js";export{h};',
    "pages/d.js": "import '../pages/a.js';\n",
    "e.js": "",
    "g.js": "",
}


def test_a_module_loads_what_it_imports_and_what_that_imports_each_once() -> None:
    expected = ("pages/a.js", "rooms/b.js", "rooms/c.js", "pages/d.js", "e.js", "words/en.json", "rooms/f.js", "g.js")
    assert modules_of("pages/a.js", FILES.__getitem__) == expected


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_module_is_a_file_that_is_served(script: str) -> None:
    assets = Assets()
    for name in assets.modules(script):
        assert assets.find(name) is not None, name


@pytest.mark.parametrize("path", ["/", "/m/{match}?lang=de", "/m/{match}/replay", "/m/{match}/audit", "/audit"])
async def test_a_page_asks_for_all_its_modules_at_once_and_for_no_other(
    open_page: Open, service_url: str, path: str
) -> None:
    async with httpx.AsyncClient(base_url=service_url, timeout=60) as client:
        opened = await client.post("/api/v1/matches", json={"rules": {"game": "common_hand"}})
        address = path.format(match=opened.json()["match"])
        preloaded = [name for name, _ in _PRELOADED.findall((await client.get(address)).text)]
    page = await open_page("/statistics")  # a page without scripts
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
