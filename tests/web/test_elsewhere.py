"""A short walk in browsers besides Chromium: a table is opened, played at with a key, and audited."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import httpx
import pytest

from tests.log.odd_points import fitting, refused
from tests.web.elsewhere import FIREFOX, PATIENCE_S, Elsewhere, Firefox, until

NAMES = {"firefox": FIREFOX}
"""What each is called on machines where it is installed."""
CHOOSE = """(wanted) => {
  for (const [name, value] of Object.entries(wanted)) {
    const part = document.querySelector(`#create-form [name="${name}"]`);
    part.value = value;
    part.dispatchEvent(new Event('change', { bubbles: true }));
  }
}"""
PLAY = """() => {
  const ways = ['.doubt:enabled', '.quick button:enabled', '.go-on:enabled'];
  ways.map((css) => document.querySelector(css)).find((button) => button !== null)?.click();
  return document.querySelector('tc-table').view.phase;
}"""

FITS = """async (message, signatures) => {
  const folder = document.querySelector('script[src*="/pages/"]').src.replace(/pages.[^/]*$/, '');
  const [{ chosen }, { unhex }] = [await import(`${folder}auditor/hashing.js`), await import(`${folder}bytes.js`)];
  const { signed } = await chosen();
  return Promise.all(signatures.map(([key, value]) => signed(unhex(key), unhex(message), unhex(value))));
}"""


@pytest.fixture(params=sorted(NAMES))
def elsewhere(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Elsewhere]:
    programs = [path for path in map(shutil.which, NAMES[request.param]) if path is not None]
    if not programs:
        pytest.skip(f"no {request.param} is installed here")
    browser: Elsewhere = Firefox(programs[0], tmp_path / "profile")
    yield browser
    browser.close()


@pytest.mark.long
def test_who_sits_down_in_another_browser_plays_signs_and_audits(elsewhere: Elsewhere, service_url: str) -> None:
    match = opens_a_table(elsewhere, service_url)
    assert elsewhere.picture().startswith(b"\x89PNG")
    plays_to_the_end(elsewhere)

    elsewhere.open(f"{service_url}/m/{match}/audit")
    until(elsewhere, "() => document.querySelector('.verdict.yes') !== null")
    assert {"join", "commit_seed", "open_seed", "bid"} <= signed(service_url, match)
    assert elsewhere.complaints == []


@pytest.mark.long
def test_another_browser_says_the_same_of_odd_signatures(elsewhere: Elsewhere, service_url: str) -> None:
    message = b"x"
    odd = [*fitting(message).values(), *refused(message).values()]
    elsewhere.open(f"{service_url}/audit")
    found = elsewhere.run(FITS, message.hex(), [(one.key.hex(), one.value.hex()) for one in odd])
    assert found == [True] * len(fitting(message)) + [False] * len(refused(message))


def opens_a_table(browser: Elsewhere, service_url: str) -> str:
    """Return the match that begins with a house bot; its owner's own dice are there, and proved."""
    browser.open(f"{service_url}/#create")
    browser.click("#create-form [name=name]")
    browser.type("Ada")
    browser.run(CHOOSE, {"seats": 2, "bots": 1, "dice_per_player": 2})
    browser.click("#create-form [data-now]")
    until(browser, "() => document.querySelector('.own-dice .die') !== null")
    until(browser, "() => document.querySelector('.proof.yes') !== null")
    assert browser.run("() => document.querySelector('.seat.you .name').textContent.includes('Ada')")
    return str(browser.run("() => location.pathname")).rpartition("/")[2]


def plays_to_the_end(browser: Elsewhere) -> None:
    """Bid where there is nothing to doubt, and doubt every claim of the other, until somebody has won."""
    browser.click(".quick button")
    end = monotonic() + PATIENCE_S
    while browser.run(PLAY) != "finished":
        assert monotonic() < end, "nobody has won"
        sleep(0.05)


def signed(service_url: str, match: str) -> set[str]:
    """Return the types of what anybody has signed there."""
    text = httpx.get(f"{service_url}/api/v1/matches/{match}/record", timeout=60).text
    lines = [json.loads(line) for line in text.splitlines() if not line.startswith("#")]
    return {line["signed"]["command"]["type"] for line in lines if "signed" in line}
