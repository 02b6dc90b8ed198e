"""Hints: the page reckons with what its viewer sees, and comes to what the house's own odds come to."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import playwright
import pytest

from domain.analysis.odds.chances import chance_of_claim
from domain.rules.orders import Count
from domain.rules.rules import DIGITS, PIPS
from domain.statistics.odds import chance_of_bid
from domain.strategy.knowledge import known_all
from projections.view import View, view_of
from services.web.assets import FOLDER
from services.words.catalogue import LANGUAGES, message, say
from tests.domain.playing import Played

NODE = Path(playwright.__file__).parent / "driver" / "node"
RECKONED = """
const { chanceOf, percent } = await import(`${process.argv[1]}/forms/hints.js`);
const asked = JSON.parse(process.argv[2]);
process.stdout.write(JSON.stringify(asked.map(({ view, raise }) => chanceOf(view, raise))));
"""
SAID = """
const { percent } = await import(`${process.argv[1]}/forms/hints.js`);
process.stdout.write(JSON.stringify(JSON.parse(process.argv[2]).map(percent)));
"""
CASES = 300
SHARES = ("0", "1", "42", "99", "100")


def run(script: str, given: Any) -> Any:
    command: list[str | Path | bytes] = [
        NODE,
        "--no-warnings",
        "--input-type=module",
        "-e",
        script,
        str(FOLDER),
        msgspec.json.encode(given),
    ]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return msgspec.json.decode(done.stdout)


def case(drawn: random.Random) -> tuple[dict[str, Any], float]:
    """Return a question that a page asks of itself, and the answer of the house."""
    faces = drawn.choice([PIPS, PIPS, PIPS, DIGITS])
    every = range(faces.first, faces.first + faces.count)
    wild, natural = faces == PIPS and drawn.random() < 0.7, drawn.random() < 0.5
    seen, unseen = drawn.choices(every, k=drawn.randint(0, 6)), drawn.randint(1, 14)
    bid = Count(drawn.randint(1, len(seen) + unseen), drawn.choice(every))
    dice = [{"face": face} for face in seen + [None] * unseen]
    drawn.shuffle(dice)
    view = {
        "seats": [{"dice": dice[::2]}, {"dice": dice[1::2]}],
        "faces": [faces.first, faces.count],
        "flags": [] if wild else ["plain_ones"],
        "rules": {"options": {"natural_required": natural}},
    }
    answer = chance_of_bid(bid, seen, unseen, wild=wild, natural=natural and wild and bid.face != 1, faces=faces)
    return {"view": view, "raise": {"quantity": bid.quantity, "face": bid.face}}, float(answer)


def test_a_hint_is_the_chance_that_the_house_reckons_of_what_the_viewer_sees() -> None:
    drawn = random.Random(1)
    cases = [case(drawn) for _ in range(CASES)]
    reckoned = run(RECKONED, [asked for asked, _ in cases])

    assert reckoned == pytest.approx([answer for _, answer in cases], abs=1e-9)
    assert 0 < sum(0 < answer < 1 for _, answer in cases) < CASES


COUNTED = ("common_hand", "liars_poker")


@pytest.mark.parametrize("seat", [None, 1, 3])
def test_a_hint_says_of_every_claim_what_an_analysis_says_of_it(seat: int | None) -> None:
    asked: list[dict[str, Any]] = []
    answers: list[float] = []
    for game in COUNTED:
        played = Played(None, 3, "hints", game)
        played.start()
        view = view_of(played.written, seat, played.keeper, {})
        knowledge = {} if seat is None else {seat: known_all(own_dice(view, seat), 0)}
        first, count = view.faces
        for claim in (Count(quantity, first + face) for quantity in (1, 2, 5, 9) for face in range(count)):
            asked.append({"view": page_of(view), "raise": msgspec.to_builtins(claim)})
            answers.append(float(chance_of_claim(played.table, claim, 2, knowledge)))

    assert run(RECKONED, asked) == pytest.approx(answers, abs=1e-9)
    assert len({round(answer, 9) for answer in answers}) > len(COUNTED)


def page_of(view: View) -> dict[str, Any]:
    """Return what of a view a hint goes by."""
    seats = [{"dice": [{"face": die.face} for die in seat.dice]} for seat in view.seats]
    return {"seats": seats, "faces": view.faces, "flags": view.flags, "rules": {"options": view.rules["options"]}}


def own_dice(view: View, seat: int) -> tuple[int, ...]:
    found = next(one for one in view.seats if one.seat == seat)
    return tuple(die.face for die in found.dice if die.face is not None)


def test_what_is_not_sure_is_never_said_to_be_so() -> None:
    none, one, some, most, every = (say(message("figures.percent"), {"number": text}) for text in SHARES)
    assert run(SAID, [0, 0.001, 0.424, 0.999, 1]) == [none, f"under {one}", some, f"over {most}", every]


@pytest.mark.parametrize("language", LANGUAGES)
def test_hints_are_said_in_every_language(language: str) -> None:
    texts = msgspec.json.decode((FOLDER / "words" / f"{language}.json").read_bytes())["teach"]
    assert {*texts} == {*message("teach")}
    assert {*texts["hints"]} == {*message("teach.hints")}
