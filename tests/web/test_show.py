"""The lift of the cups: what rises and slides and climbs, by whose word it stops, and that it shows nothing hidden."""

from __future__ import annotations

from statistics import median
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.domain.test_every_game import OPTIONS
from tests.sizes import cases, spread
from tests.web.conftest import Open, seated
from tests.web.keeping import MOVES
from tests.web.lifting import SLOWER_MAX, between, load_lift, scenes_of, verdicts

pytestmark = pytest.mark.asyncio(loop_scope="session")
MOVED = {"transform", "opacity"}

BEGUN = """async (frames) => {
  const scene = parts.sceneOf(frames);
  await stage(frames[0].view, scene);
  for (const each of document.getAnimations()) each.pause();
  return scene;
}"""
AT = """async (ms) => {
  for (const each of document.getAnimations()) each.currentTime = ms;
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const seen = (selector) => [...lift.querySelectorAll(selector)].filter((one) => getComputedStyle(one).opacity > 0.9);
  const numbers = [...lift.querySelectorAll('.climb b')].map((one) => [getComputedStyle(one).opacity, one.textContent]);
  return { number: Number(numbers.sort((left, right) => left[0] - right[0]).at(-1)[1]), cups: seen('.shell').length,
    lost: seen('.loss').map((one) => one.textContent) };
}"""
KEYS = """() => document.getAnimations().flatMap((each) => each.effect.getKeyframes()).flatMap(Object.keys)
  .filter((key) => !['composite', 'computedOffset', 'easing', 'offset'].includes(key))"""
LEFT = (
    "() => [...document.querySelectorAll('.seats .die')].filter((one) => getComputedStyle(one).opacity === '0').length"
)
FRAMES = "() => paced((times) => times.length < 120)"


def lying(view: Any, seat: int | None) -> list[Any]:
    """Return the dice of a place as a viewer sees them."""
    return view["cup"] if seat is None else next(one["dice"] for one in view["seats"] if one["seat"] == seat)


@pytest.fixture
def counted() -> list[Any]:
    """Return the frames of a verdict on a count, at which somebody loses a die, as a spectator sees them."""
    found = verdicts({"dice_per_player": 3}, "common_hand", "counted", None)
    return next(frames for frames in found if frames[0]["event"]["count"] and frames[0]["event"]["losers"])


async def loaded(open_page: Open, **look: Any) -> Page:
    page = await open_page("/", **{**MOVES, **look})
    await load_lift(page)
    return page


async def test_a_scene_of_any_game_shows_no_die_that_not_everybody_sees(open_page: Open) -> None:
    page = await loaded(open_page)
    for game, every in OPTIONS.items():
        appends = [frames for each in spread(every, 1) for frames in verdicts(each, game, f"{game} {each}", 1)]
        scenes = await scenes_of(page, appends)
        assert any(scenes), f"{game}: nothing is ever shown"
        for frames, scene in zip(appends, scenes, strict=True):
            verdict, view = frames[0]["event"], frames[0]["view"]
            if scene is None:
                continue
            for cup in scene["cups"]:
                seen = [die["face"] for die in lying(view, cup["seat"]) if die["shown"]]
                assert cup["faces"] in ([], seen)
            assert scene["count"] in {None, verdict["count"]}
            assert scene["count"] in {None, sum(cup["adds"] for cup in scene["cups"])}
            assert [loss["seat"] for loss in scene["losses"]] == verdict["losers"]


async def test_what_is_shown_is_the_same_for_everybody(open_page: Open) -> None:
    page = await loaded(open_page)
    options = {"dice_per_player": 3}
    shown = []
    for viewer in (None, 1):
        scenes = await scenes_of(page, list(verdicts(options, "common_hand", "same", viewer)))
        shown.append([[{**cup, "name": ""} for cup in scene["cups"]] for scene in scenes])
    assert shown[0]
    assert shown[0] == shown[1]


async def test_cups_rise_from_the_left_of_who_doubted(open_page: Open, counted: list[Any]) -> None:
    page = await loaded(open_page)
    (scene,) = await scenes_of(page, [counted])
    doubter = counted[0]["event"]["doubters"][0]
    order = [cup["seat"] for cup in scene["cups"]]
    assert order == sorted(order, key=lambda seat: (seat <= doubter, seat))


async def test_a_number_climbs_to_the_count_and_what_moves_is_not_laid_out(open_page: Open, counted: list[Any]) -> None:
    page = await loaded(open_page)
    scene = await page.evaluate(BEGUN, counted)
    session = await page.context.new_cdp_session(page)
    await session.send("Performance.enable")
    assert set(await page.evaluate(KEYS)) <= MOVED

    first = await page.evaluate(AT, 0)
    assert first == {"number": 0, "cups": len(scene["cups"]), "lost": []}
    laid_out = await layouts(session)
    numbers = [(await page.evaluate(AT, ms))["number"] for ms in range(0, 2_400, 100)]
    assert await layouts(session) - laid_out < len(numbers) / 4, "what moves is laid out anew as it moves"
    assert numbers == sorted(numbers)
    assert numbers[-1] == scene["count"] == counted[0]["event"]["count"]
    last = await page.evaluate(AT, 3_200)
    assert last["cups"] == 0
    assert last["lost"] == [loss["text"] for loss in scene["losses"]]
    assert await page.evaluate(LEFT) == sum(loss["dice"] for loss in scene["losses"]) > 0


async def layouts(session: Any) -> int:
    """Return how often the page has been laid out."""
    metrics = (await session.send("Performance.getMetrics"))["metrics"]
    return next(int(each["value"]) for each in metrics if each["name"] == "LayoutCount")


async def test_who_loses_is_named_within_the_narrowest_window(open_page: Open, counted: list[Any]) -> None:
    page = await loaded(open_page, viewport={"width": 320, "height": 640})
    scene = await page.evaluate(BEGUN, counted)
    await page.evaluate(AT, 3_200)
    edges = await page.evaluate("""() => [...lift.querySelectorAll('.loss')].map((one) => one.getBoundingClientRect())
      .map(({ left, right }) => [left, right])""")
    assert len(edges) == len(scene["losses"]) > 0
    assert all(0 <= left < right <= 320 for left, right in edges)


@pytest.mark.parametrize("how", ["space", "tap"])
async def test_anybody_skips_it_for_himself(open_page: Open, counted: list[Any], how: str) -> None:
    page = await loaded(open_page)
    await page.evaluate(BEGUN, counted)
    await expect(page.locator("tc-lift[on]")).to_be_attached()
    if how == "space":
        await page.keyboard.press(" ")
    else:
        await page.locator(".felt").dispatch_event("pointerdown")
    await expect(page.locator("tc-lift[on]")).not_to_be_attached()
    await expect(page.locator("tc-lift .stage")).to_have_count(0)


async def test_who_asks_for_less_motion_reads_a_list(open_page: Open, counted: list[Any]) -> None:
    page = await loaded(open_page, reduced_motion="reduce")
    scene = await page.evaluate(BEGUN, counted)
    assert await page.evaluate(KEYS) == []
    told = [cup["name"] for cup in scene["cups"] if cup["adds"]]
    await expect(page.locator("tc-lift .listed li")).to_have_text(told)
    await expect(page.locator("tc-lift .listed .die")).to_have_count(scene["count"])
    await expect(page.locator("tc-lift .tally b")).to_have_text(str(scene["count"]))
    await expect(page.locator("tc-lift .why")).to_have_text(scene["why"])


async def test_a_verdict_is_shown_at_the_table_and_in_the_replay(open_page: Open) -> None:
    page = await open_page(**MOVES)
    rules = {"game": "common_hand", "options": {"dice_per_player": 2}, "seats": 2, "pause_ms": 60_000}
    match = await seated(page, rules, bots=1)
    await page.get_by_role("button", name="Start the match").click()
    lift = page.locator("tc-lift[on]")
    doubt = page.locator(".doubt:enabled")
    raising = page.locator(".quick button:enabled")
    while not await lift.count():
        for button in (doubt, raising):
            if await button.count():
                await button.first.dispatch_event("click")
        await page.wait_for_timeout(50)
    await page.keyboard.press(" ")
    await expect(lift).to_have_count(0)
    await expect(page.locator(".go-on:enabled")).to_have_text("Continue")
    await page.keyboard.press(" ")
    await expect(page.locator(".story")).to_contain_text("You are ready for the next round.")
    await expect(page.locator(".story")).to_contain_text("Round 2")

    await page.goto(f"/m/{match}/replay")
    on = page.get_by_role("button", name="Step on")
    while not await lift.count():
        await on.click()
    await on.click()
    await expect(lift).to_have_count(0)


@pytest.mark.parametrize("_nth", range(cases(0, 3)))
async def test_the_lift_is_as_smooth_as_the_page_without_it(open_page: Open, counted: list[Any], _nth: int) -> None:
    page = await loaded(open_page)
    floor = median(between(await page.evaluate(FRAMES)))
    await page.evaluate(BEGUN, counted)
    await page.evaluate("() => document.getAnimations().forEach((each) => each.play())")
    assert median(between(await page.evaluate(FRAMES))) <= SLOWER_MAX * floor


HEARD = """async () => {
  const folder = document.querySelector('script').src.replace(/pages.[^/]*$/, '');
  const { play } = await import(`${folder}show/sound.js`);
  const heard = {};
  for (const name of ['cup', 'die', 'doubt', 'turn', 'shake']) {
    const context = new OfflineAudioContext(1, 44_100, 44_100);
    play(context, context.destination, name, 0);
    const samples = (await context.startRendering()).getChannelData(0);
    heard[name] = samples.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
  }
  return heard;
}"""
SHAKEN = """async (view) => {
  const { board, html, render } = parts;
  const shaken = view.seats.map(({ seat }) => seat);
  render(html`${board(view, { over: html`<tc-lift .shaken=${shaken}></tc-lift>` })}`, felt);
  await document.querySelector('tc-lift').updateComplete;
  return document.getAnimations().filter((one) => one.effect.getKeyframes().length > 2).length;
}"""
TELLING = """
  globalThis.told = [];
  globalThis.Notification = class {
    static permission = 'default';
    static requestPermission() {
      Notification.permission = 'granted';
      return Promise.resolve('granted');
    }
    constructor(title, options) {
      told.push([title, options.body]);
    }
  };
  Object.defineProperty(document, 'hidden', { get: () => told.away ?? false });
"""


async def test_every_sound_is_heard_and_none_is_too_loud(open_page: Open) -> None:
    page = await open_page("/")
    heard = await page.evaluate(HEARD)
    assert all(0.02 < loudest <= 1 for loudest in heard.values()), heard


@pytest.mark.parametrize(("motion", "share"), [("no-preference", 1), ("reduce", 0)])
async def test_cups_shake_while_dice_are_rolled(open_page: Open, counted: list[Any], motion: str, share: int) -> None:
    page = await loaded(open_page, reduced_motion=motion)
    view = counted[0]["view"]
    holding = [seat for seat in view["seats"] if seat["dice"]]
    assert await page.evaluate(SHAKEN, view) == share * len(holding)
    await expect(page.locator("tc-lift .shell")).to_have_count(0)


async def test_who_has_asked_for_it_is_called_when_the_turn_comes_and_nobody_else(open_page: Open) -> None:
    page = await open_page()
    await page.add_init_script(TELLING)
    rules = {"game": "common_hand", "options": {"spot_on": True}, "seats": 2, "pause_ms": 0}
    await seated(page, rules, bots=1)
    await page.get_by_role("button", name="Call me when it is my turn").click()
    await page.get_by_role("button", name="You are called when it is your turn").click()
    await page.get_by_role("button", name="Call me when it is my turn").click()
    await expect(page.get_by_role("button", name="You are called when it is your turn")).to_be_visible()
    await page.evaluate("told.away = true")
    await page.get_by_role("button", name="Start the match").dispatch_event("click")
    raising = page.locator(".quick button:enabled")
    while not await page.evaluate("told.length"):
        if await raising.count():
            await raising.first.dispatch_event("click")
        await page.wait_for_timeout(50)
    assert (await page.evaluate("told"))[0][0] == "Your turn"


async def test_who_wants_no_sounds_is_asked_once_for_all_tables(open_page: Open) -> None:
    page = await open_page()
    await seated(page, {"game": "common_hand", "seats": 2, "pause_ms": 0})
    await page.get_by_role("button", name="Sounds on").click()
    await expect(page.get_by_role("button", name="Sounds off")).to_be_visible()
    await page.reload()
    await page.get_by_role("button", name="Sounds off").click()
    await expect(page.get_by_role("button", name="Sounds on")).to_be_visible()
