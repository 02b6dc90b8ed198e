"""The weight of a page that is one file, frames that lie in it as what differs, and the edition it is of."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain.analysis.record.following import follow
from domain.match.record import fold
from projections.glass import ALL, Eyes, Glass, frames_through, take
from services.analysis.making import WantedAnalysis, analysis_of
from services.web.assets import FOLDER
from services.web.onefile import edition
from services.web.onefile.events import names_in
from services.web.onefile.looking import house_of
from services.web.onefile.page import BYTES_MAX, one_file
from tests.analysis.played import lines_of
from tests.domain.truth_oracle import Course, played_out
from tests.web.test_one_file import NODE


@pytest.mark.long
def test_a_whole_match_of_ten_seats_fits_into_one_file() -> None:
    course = Course({}, 10, "ten", pause_ms=0, deal_per="match")
    course.start()
    lines = played_out(course, 1, 10_000).lines
    record = b"".join(line + b"\n" for line in lines)
    asked = WantedAnalysis(samples=64, rounds=(1, 4))
    page = one_file(record, analysis_of(follow(lines), asked, lambda told, _: told))
    # What is said of the other rounds comes to less than what is left here.
    assert len(page) < BYTES_MAX - 300_000


@pytest.mark.parametrize("game", ["stud_liars", "finska", "german_liar_dice"])
def test_frames_lie_in_a_page_for_all_eyes_and_are_put_together_again(game: str) -> None:
    lines = lines_of(game)
    steps, glass, names = list(fold(lines)), Glass(), names_in(lines)
    for written, event in steps:
        take(glass, written.match, event)
    asked = WantedAnalysis(samples=64, rounds=(1, 1))
    house = house_of(lines, analysis_of(follow(lines), asked, lambda told, _: told), names)
    together = put_together(house)
    assert [*together] == ["spectator", "all", *map(str, range(1, len(together) - 1))]
    for eyes, found in together.items():
        whose: Eyes = int(eyes) if eyes.isdigit() else ALL if eyes == ALL else None
        seen = frames_through(steps, glass, whose, names)
        assert found == [msgspec.json.decode(msgspec.json.encode(frame)) for frame in seen]


def put_together(house: bytes) -> dict[str, list[dict[str, Any]]]:
    """Return the frames that the script of a page has for a spectator and for all other eyes."""
    script = (
        f"import {{ framesOf }} from '{(FOLDER / 'onefile/frames.js').as_uri()}';"
        "const { eyes, rows } = JSON.parse((await import('node:fs')).readFileSync(0));"
        "const seen = [['spectator'], ...eyes.map((each) => [each, each])];"
        "const told = seen.map(([name, each]) => [name, framesOf(eyes, rows, each)]);"
        # Seats are numbers, and an object would put those first.
        "process.stdout.write(JSON.stringify(told));"
    )
    done = subprocess.run([NODE, "--input-type=module", "-e", script], input=house, capture_output=True, check=True)
    return dict(json.loads(done.stdout))


def test_pages_of_releases_with_other_words_scripts_or_numbers_are_of_other_editions(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = [edition.page_edition()]
    monkeypatch.setattr(edition, "FOLDER", tmp_path)
    for file, text in (("words.json", "{}"), ("words.json", '{"a": "b"}'), ("page.js", "run();"), ("notes.txt", "-")):
        (tmp_path / file).write_text(text)
        edition.page_edition.cache_clear()
        found.append(edition.page_edition())
    monkeypatch.setattr(edition, "program_version", lambda: "0.2.0")
    edition.page_edition.cache_clear()
    found.append(edition.page_edition())
    edition.page_edition.cache_clear()
    # What a page is not made of changes nothing.
    assert found[3] == found[4]
    assert len(set(found)) == len(found) - 1
