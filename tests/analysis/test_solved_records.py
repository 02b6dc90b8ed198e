"""Records of solved rounds: by default they are read, weighed and valued as their files play them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from domain.analysis.joining import analysis_of
from domain.analysis.means import SAMPLES_MIN
from domain.analysis.record.following import follow
from domain.analysis.report import written
from domain.fairness.records import split
from domain.strategy.policies.facts import facts_of
from domain.strategy.policies.files import Policy
from services.analysis.making import WantedAnalysis, means_for
from services.evaluators.batch_evaluator import evaluate
from services.policies.shelf import Shelf

RECORD = Path(__file__).parent / "vectors" / "records" / "one-die-each.cup"


def analysed(*policies: str) -> tuple[dict[str, Any], Policy]:
    """Return the analysis of a round of one die each, and the file that has solved it."""
    shelf = Shelf()
    followed = follow(split(RECORD.read_bytes()).lines)
    wanted = WantedAnalysis(tuple(shelf.find(name).policy for name in policies), SAMPLES_MIN)
    found = written(analysis_of(followed, means_for(followed, wanted, shelf), evaluate))
    dealt = followed.rounds[0].dealt
    assert dealt is not None
    return json.loads(found), shelf.default("play", facts_of(dealt.new))


def test_a_solved_round_is_worth_what_its_certificate_says() -> None:
    found, solved = analysed()
    assert solved.kind == "solved"
    assert found["rounds"][0]["policy"] == solved.id
    assert solved.certificate is not None
    assert found["policies"][0]["guarantee"] == {
        "lower": str(solved.certificate.lower),
        "upper": str(solved.certificate.upper),
    }
    dealt, opener = found["events"][0], str(found["rounds"][0]["starter"])
    value = (1 + solved.certificate.lower) / 2
    assert abs(dealt["equity"]["public"][opener][0] - value * 10**6) <= 1
    decided = found["events"][1]["decision"]
    played = [option["q"][0] for option in decided["options"] if option["weight"][0]]
    assert max(played) - min(played) <= 1


def test_who_names_a_level_has_solved_rounds_read_by_it() -> None:
    found, _ = analysed("level1", "weighted")
    assert found["rounds"][0]["policy"].startswith("level1@")
    assert "reason" not in found["rounds"][0]
