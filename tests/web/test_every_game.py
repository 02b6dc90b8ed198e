"""Every game is played by nothing but the buttons of the page, drawn and told: whatever it offers, the rules take."""

from __future__ import annotations

import random
import re
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
import pytest_asyncio
from playwright.async_api import Page

from domain.commands import MatchCommand
from domain.errors import Refused
from domain.fairness.openings import DealSecrets
from domain.games import GAMES
from projections.history import history
from projections.view import view_of
from services.api.bodies import AnyPlay, command_of
from tests.domain.playing import Played
from tests.domain.test_every_game import OPTIONS
from tests.sizes import spread
from tests.web.conftest import Open
from tests.web.keeping import KeptPages

pytestmark = pytest.mark.asyncio(loop_scope="session")
STEPS = 45
EVERYTHING = ("common_hand", {"push": True, "pass_once": True, "spot_on": True, "challenge_by": "anyone"})
"""What common hand has besides."""
PLAYED = [(game, each) for game in OPTIONS for each in OPTIONS[game]]
NAMES = {f"p{seat}": name for seat, name in enumerate(("Ada", "Bob", "Cleo", "Dan"), start=1)}
ONLY_THE_DICE_TELL = {
    ("declare", "cannot_prove"),
    ("arrange", "bad_dice"),  # a push of dice that differ
    ("bid", "cocked_dice"),
}
"""What a seat may be refused though its page offers it: what its dice show, no form decides."""

LOADED = """async () => {
  const folder = document.querySelector('link[rel="stylesheet"]').href.replace(/[^/]*$/, '');
  const names = ['table/board', 'forms/controls', 'words/telling', 'table/ledger', 'vendor/libraries'];
  const parts = await Promise.all(names.map((name) => import(`${folder}${name}.js`)));
  globalThis.parts = Object.assign({}, ...parts);
  globalThis.settle = async () => {
    await controls.updateComplete;
    for (const part of controls.querySelectorAll('tc-dice, tc-bid, tc-call')) await part.updateComplete;
    // The bar says what the forms come to.
    await controls.updateComplete;
  };
}"""
CLEARED = """() => {
  document.body.replaceChildren();
  globalThis.controls = document.body.appendChild(document.createElement('tc-controls'));
  globalThis.felt = document.body.appendChild(document.createElement('div'));
}"""
PRESSED = """async ([view, chances]) => {
  const one = (found, chance) => found[Math.floor(chance * found.length)];
  controls.view = view;
  await settle();
  const labels = () => [...controls.querySelectorAll('label:has(input:enabled), button.lies')];
  for (const chance of chances.slice(1)) {
    one(labels(), chance)?.click();
    await settle();
  }
  const buttons = [...controls.querySelectorAll('button:enabled:not(.lies)')]
    .filter((button) => button.closest('.stepper, .typed, .foot-line, dialog') === null);
  let body = null;
  controls.addEventListener('play', (event) => (body = event.detail), { once: true });
  one(buttons, chances[0])?.click();
  // A doubt is asked for twice.
  await settle();
  controls.querySelector('.doubt.asking')?.click();
  return [body, controls.innerText];
}"""
CHOSEN = """async (view) => {
  // As the server writes it where the host allows hints.
  document.body.appendChild(document.createElement('tc-table')).setAttribute('hints', '');
  const chosen = [];
  controls.addEventListener('chosen', (event) => chosen.push(event.target.localName));
  controls.view = view;
  await settle();
  const begun = chosen.splice(0);
  // The next view is of the same moves, and every object in it another one.
  controls.view = structuredClone(view);
  await settle();
  return [begun, chosen];
}"""
TOLD = """(frames) => frames.map((frame, at) => {
  const { board, render, html, sheet, told } = parts;
  render(html`${board(frame.view)} ${sheet(frame.view)}`, felt);
  return `${told(frame.event, frame.view, frames[at - 1])} | ${felt.innerText}`;
})"""
BLANKS = re.compile(r"undefined|NaN|null|\[object|game\.|_")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def loaded(kept_pages: KeptPages) -> AsyncIterator[Page]:
    """Return a page that has what draws, for all tests of this file."""
    opened = Open(kept_pages)
    page = await opened()
    await page.evaluate(LOADED)
    yield page
    await opened.close()


@pytest_asyncio.fixture(loop_scope="session")
async def page(loaded: Page) -> Page:
    """Return the page with nothing on it that was pressed before."""
    await loaded.evaluate(CLEARED)
    return loaded


@pytest.mark.parametrize(("game", "options"), [*spread(PLAYED, 2), EVERYTHING])
async def test_a_game_is_played_by_the_buttons_of_the_page(page: Page, game: str, options: dict[str, Any]) -> None:
    drawn = random.Random(f"{game} {options}")
    rules = GAMES[game].rules(msgspec.convert(options, GAMES[game].options))
    played = Played(options, min(4, rules.seats[1]), str(drawn.random()), game, pause_ms=0)
    played.start()
    keepers: dict[int, DealSecrets] = {}
    for _ in range(STEPS):
        if played.match.ended:
            break
        await _press(page, played, drawn)
        played.go_on()
        keepers.update({} if played.keeper is None else {played.keeper.number: played.keeper})

    for viewer in (None, 1):
        for text in await page.evaluate(TOLD, _frames(played, viewer, keepers)):
            assert not BLANKS.search(text), text


@pytest.mark.parametrize("game", ["common_hand", "individual_hand"])
async def test_a_form_that_is_drawn_anew_has_not_been_filled_in(page: Page, game: str) -> None:
    played = Played({}, 2, "drawn anew", game, pause_ms=0)
    played.start()
    seat, _ = played.offers()[0]
    begun, again = await page.evaluate(CHOSEN, msgspec.to_builtins(view_of(played.written, seat, played.keeper, NAMES)))

    assert begun
    assert again == []


async def _press(page: Page, played: Played, drawn: random.Random) -> None:
    """Let one of the seats that may do something press a button that its page shows."""
    seat, _ = drawn.choice(played.offers())
    view = msgspec.to_builtins(view_of(played.written, seat, played.keeper, NAMES))
    chances = [drawn.random() for _ in range(drawn.randint(1, 4))]
    body, text = await page.evaluate(PRESSED, [view, chances])
    assert not BLANKS.search(text), text
    if body is None:
        # Who has looked and has no die lying cocked has nothing to do but wait.
        assert {move["type"] for move in view["moves"]} <= {"look", "show_cocked"}
        return
    command = command_of(msgspec.convert(body, AnyPlay), seat)
    refused = _refused(played, command)
    assert refused is None or (body["type"], refused) in ONLY_THE_DICE_TELL, (refused, body, view["moves"])
    assert refused != "bad_dice" or view["rules"]["options"].get("push")


def _refused(played: Played, command: MatchCommand) -> str | None:
    """Do it; return the code with which it is refused, if it is."""
    try:
        played.do(command)
    except Refused as refused:
        return refused.code
    return None


def _frames(played: Played, viewer: int | None, keepers: dict[int, DealSecrets]) -> list[Any]:
    return [msgspec.json.decode(line) for line in history(played.lines, viewer, keepers, NAMES)]
