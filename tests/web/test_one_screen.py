"""Felt and controls share one screen in every game, whatever its size, and nothing moves when the turn comes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
import pytest
from playwright.async_api import Page, expect

from domain import commands
from domain.games import GAMES
from projections.history import history
from projections.view import view_of
from tests.domain.playing import Played
from tests.domain.test_every_game import OPTIONS, step
from tests.sizes import spread
from tests.web.conftest import Open, posted
from tests.web.keeping import MOVES

pytestmark = pytest.mark.asyncio(loop_scope="session")
SCREENS = [(1366, 657), (1280, 800), (1920, 1080), (390, 844), (320, 640), (844, 390)]
TIGHTEST = ((320, 640), "de")
"""The least room, and the longest words."""
SPOKEN = spread(
    ((screen, tongue) for screen in SCREENS for tongue in ("en", "de", "es")),
    1,
    lambda pair: pair if pair == TIGHTEST else pair[0],
)
SEATS = 4
STEPS = 40
FULL = {"a full hand": ("common_hand", {"dice_per_player": 6, "push": True, "pass_once": True, "spot_on": True})}
"""As many dice, and as much to press, as there can be."""
SHIFT_MAX = 0.1
"""Of a layout, as browsers reckon it: what is called good."""
STANDS = ("cut", "spilt", "folded", "scrolled", "strip", "claimed", "beneath", "below")
"""By how many pixels something would not fit where it belongs."""
NAMES = {f"p{seat}": name for seat, name in enumerate(("Ada", "Bob", "Cleopatra", "Dan", *"EFGHIJKL"), start=1)}


def _turned(games: list[str]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Pair games with screens, each game beginning with another."""
    for at, game in enumerate(games):
        first = at % len(SCREENS)
        yield from ((game, screen) for screen in SCREENS[first:] + SCREENS[:first])


TRIED = spread(_turned(list(GAMES)), 1, lambda pair: pair[0])
ONCE = [(game, SCREENS[at % len(SCREENS)]) for at, game in enumerate(GAMES)]
"""Each game on one screen: what a language that is neither the first nor the longest is looked at on."""

SHOWN = """async (view) => {
  const table = document.querySelector('tc-table');
  table.following.stop();
  table.guard.stop();
  globalThis.shift = 0;
  globalThis.watch ??= new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) shift += value;
  });
  table.view = view;
  const drawn = async () => {
    await new Promise(requestAnimationFrame);
    await new Promise((done) => setTimeout(done));
  };
  for (let times = 0; times < 2; times += 1) await drawn();
  watch.observe({ type: 'layout-shift' });
  const box = (found) => found?.getBoundingClientRect();
  const [rail, felt] = ['.rail', '.felt'].map((name) => document.querySelector(name));
  const buttons = [...document.querySelectorAll('.bar button')].map(box);
  const [seats, claims] = ['.seats', '.seat .claim'].map((name) => [...document.querySelectorAll(name)]);
  for (const each of claims.flatMap((one) => one.getAnimations())) each.finish();
  const common = (one, other) =>
    Math.min(
      Math.min(one.right, other.right) - Math.max(one.left, other.left),
      Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top),
    );
  const { top, height } = box(rail);
  return {
    rail: [top, height],
    beyond: buttons.filter(({ top, right, bottom }) => bottom > innerHeight || right > innerWidth || top < 0).length,
    wider: document.documentElement.scrollWidth - innerWidth,
    cut: felt.scrollHeight - felt.clientHeight,
    spilt: rail.scrollHeight - rail.clientHeight,
    folded: Math.max(0, ...[...document.querySelectorAll('.choose')].map((one) => one.scrollHeight - one.clientHeight)),
    scrolled: scrollY,
    strip: Math.max(...seats.map((one) => one.scrollHeight - one.clientHeight)),
    claimed: Math.max(0, ...claims.map((one) => one.scrollWidth - one.clientWidth)),
    beneath: Math.max(0, ...claims.map((one) => common(box(one), box(rail)))),
    below: Math.max(0, ...[...document.querySelectorAll('.seat')].map((one) => box(one).bottom - innerHeight)),
    shift,
  };
}"""
OVERLAPS = """async (view) => {
  const table = document.querySelector('tc-table');
  table.following.stop();
  table.view = view;
  await table.updateComplete;
  const boxes = [...document.querySelectorAll('.seat')].map((seat) => seat.getBoundingClientRect());
  const lie = (one, other) =>
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
  const beyond = [...document.querySelectorAll('.seat .hand .die')].filter((die) => {
    const [inner, seat] = [die, die.closest('.seat')].map((one) => one.getBoundingClientRect());
    return inner.left < seat.left || inner.right > seat.right;
  });
  return [boxes.flatMap((one, at) => boxes.slice(at + 1).filter((other) => lie(one, other))).length, beyond.length];
}"""


@cache
def moments(called: str) -> list[dict[str, Any]]:
    """Return what the first seat sees of a match, once for each list of things it may do, and for nothing to do."""
    drawn = random.Random(called)
    game, options = FULL.get(called) or (called, OPTIONS[called][0])
    rules = GAMES[game].rules(msgspec.convert(options, GAMES[game].options))
    played = Played(options, min(SEATS, rules.seats[1]), game, game, pause_ms=0)
    played.start()
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for _ in range(STEPS):
        if played.match.ended or 1 in played.table.out:
            break
        view = msgspec.to_builtins(view_of(played.written, 1, played.keeper, NAMES))
        found.setdefault(tuple(move["type"] for move in view["moves"]), view)
        step(played, drawn, closing=False)
    assert any(view["turn"] == 1 for view in found.values())
    return list(found.values())


async def at_a_table(open_page: Open, service_url: str, screen: tuple[int, int], tongue: str = "en") -> Page:
    """Open the page of a table, on which a view can be shown."""
    opened = posted(service_url, "/matches", {"rules": {"game": "common_hand"}})
    size = dict(zip(("width", "height"), screen, strict=True))
    # A page that speaks another language than most is nobody's afterwards.
    spoken = {} if tongue == "en" else {"locale": tongue}
    page = await open_page(f"/m/{opened['match']}", viewport=size, **spoken, **MOVES)
    await expect(page.locator(".felt")).to_be_visible()
    return page


@pytest.mark.parametrize(("screen", "tongue"), SPOKEN)
async def test_whoever_is_in_turn_sees_felt_and_buttons_at_once_and_nothing_moves(
    open_page: Open, service_url: str, screen: tuple[int, int], tongue: str
) -> None:
    page = await at_a_table(open_page, service_url, screen, tongue)
    tried = TRIED if tongue in {"en", TIGHTEST[1]} else ONCE
    for game in (*FULL, *(game for game, on in tried if on == screen)):
        seen = [await page.evaluate(SHOWN, view) for view in moments(game)]
        for view, drawn in zip(moments(game), seen, strict=True):
            offered = [move["type"] for move in view["moves"]]
            assert drawn["beyond"] == 0, (game, offered, drawn)
            assert drawn["wider"] <= 0, (game, offered, drawn)
            assert max(drawn[one] for one in STANDS) <= 1, (game, offered, drawn)
        assert len({tuple(drawn["rail"]) for drawn in seen}) == 1, (game, seen)
        assert max(drawn["shift"] for drawn in seen[1:] or seen) < SHIFT_MAX, (game, seen)
    await lie_beside_each_other(page)


async def lie_beside_each_other(page: Page) -> None:
    """Show as many seats as there can be."""
    most, game = max((GAMES[game].rules(GAMES[game].options()).seats[1], game) for game in GAMES)
    played = Played(None, most, game, game, pause_ms=0, clock={"bank_ms": 600_000})
    played.start()
    for viewer in (1, None):
        view = msgspec.to_builtins(view_of(played.written, viewer, played.keeper, NAMES))
        assert await page.evaluate(OVERLAPS, view) == [0, 0], "seats on each other, and dice beyond their seats"


TOLD = """async (frames) => {
  const table = document.querySelector('tc-table');
  table.following.stop();
  for (const frame of frames) table.story.hear(frame);
  table.view = frames.at(-1).view;
  await table.updateComplete;
  const drawn = (selector) => {
    const found = [...document.querySelectorAll(selector)];
    return found.map((one) => [getComputedStyle(one).backgroundColor, one.querySelector('path')?.getAttribute('d')]);
  };
  const { standing } = table.view;
  const seat = document.querySelector(`.seat[data-seat="${standing.seat}"]`);
  return {
    thread: [...document.querySelectorAll('.thread li')].map((one) => Number(one.dataset.of)),
    marks: drawn('.thread li').map(([, path]) => path),
    large: drawn('.standing')[0][0],
    seat: [getComputedStyle(seat).borderTopColor, seat.querySelector('.seat-mark path').getAttribute('d')],
    made: document.querySelector('.made path').getAttribute('d'),
    lost: [...document.querySelectorAll('.lost')].map((one) => one.ariaLabel),
  };
}"""


async def test_a_claim_has_colour_and_shape_of_who_made_it_and_the_claims_that_led_there(
    open_page: Open, service_url: str
) -> None:
    played = Played({"elimination": "lose_die"}, 3, pause_ms=0)
    played.start()
    played.do(commands.Bid(played.turn, 1, 2))
    played.do(commands.Challenge(played.turn))
    played.go_on()
    bidders = []
    for quantity in (1, 2, 3):
        bidders.append(played.turn)
        played.do(commands.Bid(played.turn, quantity, 3))
    frames = [msgspec.json.decode(line) for line in history(played.lines, None, {}, NAMES)]
    page = await at_a_table(open_page, service_url, SCREENS[0])

    drawn = await page.evaluate(TOLD, frames)

    assert drawn["thread"] == bidders[:2]
    assert len(set(drawn["marks"])) == len(set(bidders[:2]))
    assert drawn["seat"] == [drawn["large"], drawn["made"]]
    assert drawn["lost"] == ["lost: a die"]
