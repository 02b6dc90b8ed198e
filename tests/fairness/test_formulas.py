"""The formulas of CUP/1, byte for byte, against the published vectors."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.events import Choice
from domain.fairness import choices, deal, sampling
from domain.fairness.deal import BeaconAnswer, Cup, Deal
from domain.fairness.openings import OpenDeal

VECTORS = Path(__file__).parent / "vectors"
PRIMITIVES = json.loads((VECTORS / "primitives.json").read_text(encoding="utf-8"))
SAMPLES = json.loads((VECTORS / "sample.json").read_text(encoding="utf-8"))
CHOICES = json.loads((VECTORS / "choice.json").read_text(encoding="utf-8"))
hexed = bytes.fromhex


@pytest.mark.parametrize("each", PRIMITIVES["ctx"])
def test_the_context_of_a_deal(each: dict[str, Any]) -> None:
    cups = [Cup(*row) for row in each["cups"]]
    policy = ("all", "shown")[each["policy"]]
    found = deal.context(hexed(each["match"]), each["deal"], hexed(each["rules_hash"]), policy, cups)  # type: ignore[arg-type]
    assert found.hex() == each["ctx"]


@pytest.mark.parametrize("each", PRIMITIVES["key_com"])
def test_the_key_of_an_address_and_its_commitment(each: dict[str, Any]) -> None:
    at = deal.address(each["cup"], each["roll"], each["slot"])
    key = Deal(hexed(each["secret"]), hexed(each["ctx"]), ()).key(each["cup"], each["roll"], each["slot"])
    assert key.hex() == each["key"]
    assert deal.commitment(key, hexed(each["ctx"]), at).hex() == each["com"]


@pytest.mark.parametrize("each", PRIMITIVES["seed"])
def test_the_commitment_to_a_seed(each: dict[str, Any]) -> None:
    found = deal.seed_commitment(hexed(each["seed"]), hexed(each["ctx"]), hexed(each["root"]), each["seat"])
    assert found.hex() == each["commit"]


@pytest.mark.parametrize("each", PRIMITIVES["mix"])
def test_what_seeds_and_beacon_come_to(each: dict[str, Any]) -> None:
    beacon = each["beacon"]
    heard = beacon and BeaconAnswer(hexed(beacon["chain"]), beacon["round"], hexed(beacon["randomness"]))
    seeds = {seat: hexed(seed) for seat, seed in reversed(each["seeds"])}
    assert deal.mix(hexed(each["ctx"]), hexed(each["root"]), seeds, heard).hex() == each["mix"]


@pytest.mark.parametrize("each", PRIMITIVES["die"])
def test_the_value_of_a_die(each: dict[str, Any]) -> None:
    at = deal.address(each["cup"], each["roll"], each["slot"])
    assert sampling.value(hexed(each["key"]), hexed(each["mix"]), at, each["m"]) == each["value"]
    assert sampling.sample(hexed(each["block0"]), each["m"]) == each["value"]


@pytest.mark.parametrize("each", SAMPLES["accept"])
def test_bytes_that_favour_somebody_are_passed_over(each: dict[str, Any]) -> None:
    assert sampling.sample(hexed(each["bytes"]), each["m"]) == each["value"]


@pytest.mark.parametrize("m", SAMPLES["reject_m"])
def test_a_modulus_out_of_range_is_refused(m: int) -> None:
    with pytest.raises(ValueError, match="modulus"):
        sampling.sample(bytes(32), m)
    with pytest.raises(ValueError, match="modulus"):
        sampling.value(bytes(32), bytes(32), bytes(4), m)


@given(st.integers(1, 256))
def test_every_value_has_equally_many_bytes(m: int) -> None:
    accepted = Counter(sampling.sample([byte, 0], m) for byte in range(256 - 256 % m))
    assert set(accepted.values()) == {256 // m}
    assert set(accepted) == set(range(m))
    assert all(sampling.sample([byte, m - 1], m) == m - 1 for byte in range(256 - 256 % m, 256))


@pytest.mark.parametrize("each", CHOICES["choices"])
def test_a_sealed_choice(each: dict[str, Any]) -> None:
    choice = Choice(each["roll"], tuple(each["roll_inside"]), tuple(each["roll_outside"]), tuple(each["outside"]))
    found = choices.seal(choice, hexed(each["key"]), hexed(each["S"]), each["cup"], each["slot"])
    assert found.hex() == each["choice"]


def chi_square(counts: Counter[Any], cells: int) -> float:
    expected = counts.total() / cells
    return sum((counts[cell] - expected) ** 2 for cell in counts) / expected + expected * (cells - len(counts))


def test_faces_and_pairs_of_faces_are_even() -> None:
    # 30,000 dice of one deal; the bounds are the 99.9th percentiles for 5 and 35 degrees of freedom.
    dealer = OpenDeal(0, Deal(b"k" * 32, b"c" * 32, ()), b"m" * 32)
    faces = [dealer.value(1, roll, slot, 6) for roll in range(6_000) for slot in range(5)]
    assert chi_square(Counter(faces), 6) < 20.52
    assert chi_square(Counter(list(pairwise(faces))[::2]), 36) < 66.62
