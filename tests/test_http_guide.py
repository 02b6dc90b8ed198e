"""The guide to the interface, run: each block of `.docs/http.md` in order, in one shell, against the real service."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from services.http.bounds import Bounds
from services.http.problems import PROBLEMS

GUIDE = (Path(__file__).parent.parent / ".docs" / "http.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(sh|python)\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
PATIENCE_S = 240


def script() -> str:
    """Return all blocks as one shell script that ends at the first fault; the bot is saved where the guide says."""
    saved = "cat > bot.py << 'END OF BOT'\n{}END OF BOT\n"
    return "set -eu\n" + "\n".join(saved.format(code) if kind == "python" else code for kind, code in BLOCKS)


@pytest.fixture(scope="module")
def ran(service_url: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Run the guide once; return the folder it ran in, and what it printed."""
    if shutil.which("curl") is None:
        pytest.fail("the guide to the interface needs curl: install it, or run tests/setup.sh where apt-get is")
    folder = tmp_path_factory.mktemp("guide")
    # The commands of this environment, and its `python3`, are those the guide means.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    # Into a file, not a pipe: what the script left running, if it failed, would hold that open.
    with (folder / "printed").open("wb") as printed:
        done = subprocess.run(
            ["/bin/sh"],
            input=script().encode(),
            cwd=folder,
            env={**os.environ, "PATH": path, "URL": service_url},
            stdout=printed,
            stderr=printed,
            timeout=PATIENCE_S,
            check=False,
        )
    said = (folder / "printed").read_text(encoding="utf-8")
    assert done.returncode == 0, said
    return folder, said


def test_both_matches_of_the_guide_are_audited_as_fair(ran: tuple[Path, str]) -> None:
    _, printed = ran
    assert "match.cup: OK" in printed
    assert "bot.cup: OK" in printed


def test_the_bot_of_the_guide_plays_its_seat_to_the_end(ran: tuple[Path, str]) -> None:
    folder, printed = ran
    assert re.search(r"played to the end; the winner is seat [12]$", printed, re.MULTILINE)
    record = (folder / "bot.cup").read_text(encoding="utf-8")
    assert re.search(r'"data":\{"winner":[12]\}.*"type":"match.ended"', record)
    # A seat that does not act is played by the table, which would end the match as well.
    assert '"type":"game.timed_out"' not in record


def test_the_guide_has_a_bot_that_fits_on_a_screen() -> None:
    (bot,) = (code for kind, code in BLOCKS if kind == "python")
    assert len(bot.splitlines()) <= 30


def test_every_block_of_the_guide_is_run_but_the_one_that_starts_a_house() -> None:
    fences = re.findall(r"^```(\w*)\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
    apart = [code for kind, code in fences if kind not in {"sh", "python"}]
    assert [code.split()[:2] for code in apart] == [["truecup", "up"]]


def test_the_guide_names_statuses_that_there_are() -> None:
    table = GUIDE.partition("\n## Refusals\n")[2].partition("\n## ")[0]
    named = {int(status) for row in re.findall(r"^\| ([\d, ]+) \|", table, re.MULTILINE) for status in row.split(",")}
    # What no client of the interface meets by asking for what there is: a method or a media type that nobody takes.
    assert {kind.status for kind in PROBLEMS.values()} - named == {405, 406}
    assert named - {kind.status for kind in PROBLEMS.values()} == set()


def test_the_guide_states_the_bounds_that_hold() -> None:
    bounds, table = Bounds(), GUIDE.partition("\n## Rate limits\n")[2].partition("\n## ")[0]
    for said in (
        f"{bounds.writes_per_s} a second",
        f"{bounds.audits_per_s} a second",
        f"{bounds.dear.burst} in {bounds.dear.window_s} seconds, {bounds.dear_at_once} at once",
        f"{bounds.streams_of_network_max}; of the house {bounds.streams_max:,}",
    ):
        assert said in table, said
