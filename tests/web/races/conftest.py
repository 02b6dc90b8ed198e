"""Fixtures of races: tournaments, a match that is over, and a bid that can be answered."""

from __future__ import annotations

import msgspec
import pytest_asyncio
from playwright.async_api import Page, expect

from domain import commands
from projections.view import view_of
from tests.domain.playing import Played
from tests.web.conftest import Open, posted
from tests.web.test_entrant_keys import event as keyed
from tests.web.test_event_console import event as duels
from tests.web.test_watching import over

__all__ = ["duels", "keyed", "over"]
NAMES = {"p1": "Ada", "p2": "Bob", "p3": "Cleo"}
SHOWN = """async (view) => {
  const table = document.querySelector('tc-table');
  table.following.stop();
  table.view = view;
  await table.updateComplete;
  globalThis.played = [];
  // What would be sent is kept here, behind the controls, which hear of it: nobody sits at this table.
  document.querySelector('tc-controls').addEventListener('play', (event) => {
    event.stopPropagation();
    played.push(event.detail.type);
  });
}"""


@pytest_asyncio.fixture(loop_scope="session")
async def answering(open_page: Open, service_url: str) -> Page:
    """Open the page of whoever has to answer a bid; what is played there is in `played`."""
    played = Played({"dice_per_player": 3}, 3, pause_ms=0)
    played.start()
    played.do(commands.Bid(played.turn, 1, 2))
    opened = posted(service_url, "/matches", {"rules": {"game": "common_hand"}})
    page = await open_page(f"/m/{opened['match']}")
    await expect(page.locator(".felt")).to_be_visible()
    await page.evaluate(SHOWN, msgspec.to_builtins(view_of(played.written, played.turn, played.keeper, NAMES)))
    await expect(page.locator(".doubt")).to_have_text("Liar!")
    return page
