"""Fixtures of races: tournaments, a match that is over, and a bid that can be answered."""

from __future__ import annotations

import pytest_asyncio
from playwright.async_api import Page

from tests.web.conftest import Open
from tests.web.test_entrant_keys import event as keyed
from tests.web.test_event_console import event as duels
from tests.web.test_keys import answering_page
from tests.web.test_watching import over

__all__ = ["duels", "keyed", "over"]
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
    return await answering_page(open_page, service_url, SHOWN, {})
