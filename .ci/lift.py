"""Frames of the lift beside the same page at rest: `.venv/bin/python .ci/lift.py`, which ends with 1 if it is slower.

On each screen, in Chromium as fast as the machine is and with its processor slowed down, a board stands still, then the
cups on it are lifted, then the same is told as a list, as those see it who ask for less motion. A frame is timed by
`requestAnimationFrame`; a screen shows 60 a second at most, one in 16.7 ms. Figures are medians of the repetitions. The
pages come from the process itself: no server is started, and none of a database is needed.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from statistics import median, quantiles
from typing import Any, Final, Literal, NamedTuple, cast

import httpx
import msgspec
from litestar import Litestar
from playwright.async_api import Browser, Page, Route, async_playwright

from services.cli.bench.sheets.machine import bare_machine
from services.web.pages import web_handlers
from tests.conftest import BROWSERS, MAC
from tests.domain.test_every_game import OPTIONS
from tests.web.conftest import QUIET
from tests.web.lifting import SLOWER_MAX, between, load_lift, scenes_of, verdicts

HOUSE: Final = "http://localhost"
"""Where the browser believes the pages to be."""
PAGE: Final = f"{HOUSE}/audit"
"""A page that asks for nothing but its scripts."""
Motion = Literal["no-preference", "reduce"]
SHOWS: Final[dict[Motion, str]] = {"no-preference": "the lift", "reduce": "a list"}
"""What is shown to those who ask for less motion, and to those who do not."""
SCREENS: Final = {"phone": (360, 740), "laptop": (1366, 768)}
"""Width and height in CSS pixels."""
SLOWED: Final = (1, 4)
"""How many times slower than the machine the processor is."""
FEW: Final = ("common_hand", "stanford", "boss_liars", "dollar_bill")
"""Cups of each player's, one cup that is passed, many dice, and banknotes."""
LOOK_MS: Final = 2_000
"""How long a page is looked at that stands still, or tells a list."""
END_MS: Final = 10_000
"""When a lift has surely ended."""
LINE: Final = "{:<20} {:<7} {:>5} {:<12} {:>8} {:>8} {:>8} {:>8} {:>6}"

MEASURED: Final = """async ([told, calm, lookMs, endMs]) => {
  const frames = JSON.parse(told);
  const [view, scene] = [frames[0].view, parts.sceneOf(frames)];
  const lasted = (times) => times.at(-1) - times[0];
  await stage(view, null);
  const rest = await paced((times) => lasted(times) < lookMs);
  const begun = stage(view, scene);
  const played = await paced((times) => lift.on && lasted(times) < (calm ? lookMs : endMs));
  await begun;
  const isOver = !lift.on;
  await stage(view, null);
  return { rest, played, isOver };
}"""


class Row(NamedTuple):
    """The frames of one show on one screen, in milliseconds, beside those of the page at rest."""

    p50: float
    p95: float
    rest_p50: float
    rest_p95: float
    ratio: float


async def main() -> None:
    """Measure what was asked for, print a line for each, and end with 1 if a median is further from its floor."""
    asked = arguments()
    print("on", ", ".join((bare_machine().cpu, f"{bare_machine().cores} cores", bare_machine().system)), flush=True)
    print(LINE.format("game", "screen", "cpu", "show", "p50 ms", "p95 ms", "rest p50", "rest p95", "ratio"))
    slower = 0
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=asked.browser, args=list(QUIET))
        for game in asked.games:
            for screen in SCREENS:
                for motion in SHOWS:
                    async with opened(browser, screen, motion) as page:
                        frames = await dearest(page, game)
                        for slowed in SLOWED:
                            row = await measured(page, frames, slowed, motion == "reduce", asked.repetitions)
                            slower += row.ratio > SLOWER_MAX
                            shown = [f"{figure:.1f}" for figure in row[:4]]
                            told = (game, screen, f"1/{slowed}", SHOWS[motion], *shown, f"{row.ratio:.2f}")
                            print(LINE.format(*told), flush=True)
        await browser.close()
    if slower:
        sys.exit(f"{slower} of them are more than {SLOWER_MAX} times their floor")


def arguments() -> argparse.Namespace:
    """Return what was asked for on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=FEW, help=f"{', '.join(FEW)} if none is named")
    parser.add_argument("--repetitions", type=int, default=3, metavar="N", help="of which medians are told; 3")
    parser.add_argument("--browser", default=chromium(), metavar="PATH", help="the first of the tests' browsers")
    return parser.parse_args()


def chromium() -> str:
    """Return the browser that the tests use."""
    return next(filter(None, map(shutil.which, BROWSERS)), str(MAC))


@asynccontextmanager
async def opened(browser: Browser, screen: str, motion: Motion) -> AsyncIterator[Page]:
    """Yield a page on a screen with nothing but what a lift needs."""
    app = Litestar(web_handlers(cast("Any", None)), openapi_config=None, logging_config=None)
    width, height = SCREENS[screen]
    context = await browser.new_context(viewport={"width": width, "height": height}, reduced_motion=motion)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(cast("Any", app)), base_url=HOUSE) as house:

        async def answer(route: Route) -> None:
            got = await house.get(route.request.url)
            kind = {"Content-Type": got.headers["Content-Type"]}
            await route.fulfill(status=got.status_code, headers=kind, body=got.content)

        await context.route("**/*", answer)
        page = await context.new_page()
        await page.goto(PAGE)
        await load_lift(page)
        yield page
        await context.close()


async def dearest(page: Page, game: str) -> list[Any]:
    """Return the verdict of some matches that moves the most dice."""
    appends = [frames for each in OPTIONS[game] for frames in verdicts(each, game, f"{game} {each}", None)]
    weights = [0 if scene is None else weight(scene) for scene in await scenes_of(page, appends)]
    found: list[Any] = appends[weights.index(max(weights))]
    return found


def weight(scene: dict[str, Any]) -> int:
    """Return how many cups rise and dice slide."""
    return sum(1 + len(cup["sliding"]) for cup in scene["cups"])


async def measured(page: Page, frames: list[Any], slowed: int, calm: bool, repetitions: int) -> Row:  # noqa: FBT001
    """Return the medians of the repetitions, each of which looks at the page at rest and at what it shows."""
    session = await page.context.new_cdp_session(page)
    await session.send("Emulation.setCPUThrottlingRate", {"rate": slowed})
    rows = []
    for _ in range(repetitions):
        told = msgspec.json.encode(frames).decode()
        found = await page.evaluate(MEASURED, [told, calm, LOOK_MS, END_MS])
        assert found["isOver"] is not calm, "the lift does not end"
        (p50, p95), (rest_p50, rest_p95) = halves(between(found["played"])), halves(between(found["rest"]))
        rows.append((p50, p95, rest_p50, rest_p95, p50 / rest_p50))
    await session.detach()
    return Row(*map(median, zip(*rows, strict=True)))


def halves(times: Sequence[float]) -> tuple[float, float]:
    """Return p50 and p95."""
    return median(times), quantiles(times, n=20)[-1]


if __name__ == "__main__":
    asyncio.run(main())
