"""The guide to a first bot: what its page shows is run as it stands there, and wins."""

from __future__ import annotations

import html
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.cli.conftest import BUSY_S, Service, environment


def shown(page: str) -> str:
    """Return the program that a page shows."""
    found = re.search(r'<code id="program">(.*?)</code>', page, re.DOTALL)
    assert found is not None
    return html.unescape(found[1])


@pytest.mark.long
def test_the_program_of_the_guide_wins_at_a_practice_table(running: Service, tmp_path: Path) -> None:
    page = httpx.get(f"{running.url}/docs/first-bot", timeout=60).text
    saved = re.search(r'href="([^"]+)" download="first_bot\.py"', page)
    assert saved is not None
    assert httpx.get(f"{running.url}{saved[1]}", timeout=60).text == shown(page)
    file = tmp_path / "first_bot.py"
    file.write_text(shown(page), encoding="utf-8")

    ran = subprocess.run(
        [sys.executable, file, running.url],
        capture_output=True,
        text=True,
        timeout=BUSY_S,
        cwd=tmp_path,
        env=environment(tmp_path / "data"),
        check=False,
    )

    assert (ran.returncode, ran.stderr) == (0, "")
    *lost, (won, place) = [line.split() for line in ran.stdout.splitlines()]
    assert {one for one, _ in lost} <= {"lost"}
    assert won == "won"
    view = httpx.get(f"{running.url}/api/v1/matches/{place.rpartition('/')[2]}", timeout=60).json()
    (winner,) = [one["name"] for one in view["seats"] if one["seat"] == view["winner"]]
    assert winner == "First"
