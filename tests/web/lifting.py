"""Lifts in a page of their own: a board, the show of a verdict over it, and the times of its frames.

For tests, and for `.ci/lift.py`, which measures it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from typing import Any

import msgspec
from playwright.async_api import Page

from domain.errors import Refused
from domain.fairness.openings import DealSecrets
from domain.games import GAMES
from domain.table.offers import CatchMove, ChallengeMove, CountMove, DemandBillsMove, SpotOnMove
from projections.history import history
from services.web.assets import Assets
from tests.domain.playing import Played, commands_for

STEPS = 50
NAMES = {f"p{seat}": name for seat, name in enumerate(("Ada", "Bob", "Cleo", "Dan"), start=1)}
DOUBTS = ChallengeMove | SpotOnMove | CatchMove | CountMove | DemandBillsMove
SLOWER_MAX = 1.25
"""How much longer the median frame of a lift may take than one of the same page at rest."""

_LOADED = """async (sheet) => {
  const folder = document.querySelector('script').src.replace(/pages.[^/]*$/, '');
  const names = ['show/scenes', 'show/lift', 'table/board', 'vendor/libraries'];
  const modules = await Promise.all(names.map((name) => import(`${folder}${name}.js`)));
  globalThis.parts = Object.assign({}, ...modules);
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: sheet });
  await new Promise((resolve) => { link.onload = resolve; document.head.append(link); });
  document.body.replaceChildren();
  globalThis.felt = document.body.appendChild(document.createElement('div'));
  globalThis.stage = async (view, scene) => {
    const { board, html, render } = parts;
    render(html`${board(view, { over: html`<tc-lift .scene=${scene}></tc-lift>` })}`, felt);
    globalThis.lift = document.querySelector('tc-lift');
    await lift.updateComplete;
  };
  globalThis.paced = async (goesOn) => {
    const times = [];
    do times.push(await new Promise(requestAnimationFrame)); while (goesOn(times));
    return times;
  };
}"""
_SCENES = "(appends) => JSON.stringify(JSON.parse(appends).map((frames) => parts.sceneOf(frames)))"


async def load_lift(page: Page, sheet: str = "show.css") -> None:
    """Leave nothing of a page but what a lift is made of: `parts`, `stage` shows one, `paced` times its frames."""
    await page.evaluate(_LOADED, Assets().url(sheet))


def verdicts(options: dict[str, Any], game: str, seed: str, viewer: int | None) -> Iterator[list[Any]]:
    """Yield the frames of appends from their verdict on, of a match in which whoever may doubt often does."""
    drawn = random.Random(seed)
    rules = GAMES[game].rules(msgspec.convert(options, GAMES[game].options))
    played = Played(options, min(4, rules.seats[1]), seed, game, pause_ms=0)
    played.start()
    keepers: dict[int, DealSecrets] = {}
    for _ in range(STEPS):
        if played.match.ended:
            break
        offers = played.offers()
        doubts = [offer for offer in offers if isinstance(offer[1], DOUBTS)]
        seat, move = drawn.choice(doubts if doubts and drawn.random() < 0.4 else offers)
        with suppress(Refused):  # what its dice do not show, a seat may offer and is refused
            played.do(drawn.choice(commands_for(seat, move)))
        played.go_on()
        keepers.update({} if played.keeper is None else {played.keeper.number: played.keeper})
    frames = [msgspec.json.decode(line) for line in history(played.lines, viewer, keepers, NAMES)]
    for at, frame in enumerate(frames):
        if frame["event"]["type"] == "game.judged":
            over = next(place for place, one in enumerate(frames) if place >= at and not one["more"])
            yield frames[at : over + 1]


async def scenes_of(page: Page, appends: list[Any]) -> list[Any]:
    """Return what the page would show of each; as text, for playwright takes long over what is nested."""
    scenes: list[Any] = msgspec.json.decode(await page.evaluate(_SCENES, msgspec.json.encode(appends).decode()))
    return scenes


def between(times: list[float]) -> list[float]:
    """Return the time from each frame to the next, in milliseconds."""
    return [after - before for before, after in pairwise(times)]
