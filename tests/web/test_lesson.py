"""The first lesson: what it teaches is what the rules say, in every language it is told in."""

from __future__ import annotations

import subprocess
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import playwright
import pytest

from domain.games import rules_of
from domain.rules.claims import Auction, count_of, holds, refusal
from domain.rules.orders import Count
from domain.rules.rules import PIPS, Counting
from services.web.assets import FOLDER
from services.words.catalogue import LANGUAGES

NODE = Path(playwright.__file__).parent / "driver" / "node"
READ = """
const { HANDS, STEPS } = await import(`${process.argv[1]}/forms/lesson.js`);
process.stdout.write(JSON.stringify({ hands: HANDS, steps: STEPS }));
"""


@pytest.fixture(scope="module")
def lesson() -> dict[str, Any]:
    run = subprocess.run([NODE, "--input-type=module", "-e", READ, str(FOLDER)], capture_output=True, check=True)
    return dict(msgspec.json.decode(run.stdout))


@pytest.fixture(scope="module")
def auction(lesson: dict[str, Any]) -> Auction:
    counting = rules_of("common_hand", {}).claims
    assert isinstance(counting, Counting)
    return Auction(counting, sum(map(len, lesson["hands"].values())), PIPS, wild=counting.wild == "always")


def test_every_claim_is_legal_and_the_wrong_answers_are_not(lesson: dict[str, Any], auction: Auction) -> None:
    for step in lesson["steps"]:
        standing = None
        for said in step["said"]:
            claim = Count(said["quantity"], said["face"])
            assert refusal(auction, standing, claim) is None
            standing = claim
        for choice in step.get("choices", ()):
            if "quantity" in choice and choice["name"] != "higher":
                code = refusal(auction, standing, Count(choice["quantity"], choice["face"]))
                assert (code is None) == choice.get("right", False), choice
        assert sum(choice.get("right", False) for choice in step.get("choices", [{"right": True}])) == 1


def test_the_last_claim_falls_by_the_count_that_is_told(lesson: dict[str, Any], auction: Auction) -> None:
    lifted = next(step for step in lesson["steps"] if step.get("lifted"))
    last = lifted["said"][-1]
    counts = {who: count_of(auction, last["face"], dice) for who, dice in lesson["hands"].items()}

    assert counts == {"you": 3, "ann": 2, "ben": 0}
    assert (last["who"], last["quantity"]) == ("ann", 6)
    assert not holds(auction, Count(last["quantity"], last["face"]), chain(*lesson["hands"].values()))
    assert [step["lost"] for step in lesson["steps"] if "lost" in step] == ["ann"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_step_and_answer_is_told(lesson: dict[str, Any], language: str) -> None:
    words = msgspec.json.decode((FOLDER / "words" / f"{language}.json").read_bytes())["teach"]["learn"]
    names = {step["name"] for step in lesson["steps"]}
    asked = {
        step["name"]: {choice["name"] for choice in step["choices"]} for step in lesson["steps"] if "choices" in step
    }

    assert words["titles"].keys() == words["texts"].keys() == names
    assert {step: {*answers} for step, answers in words["answers"].items()} == asked
    assert {*words["names"]} == {*lesson["hands"]}
