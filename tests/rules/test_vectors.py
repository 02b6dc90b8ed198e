"""Every vector of a folder. A game or a kind nobody here knows fails; it is not passed over."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from domain import claims
from domain.claims import Auction
from domain.games import GAMES, rules_of
from domain.orders import Count

# The adapter lies beside the runner, which may be collected where nothing else of the tests can be imported.
sys.path.insert(0, str(Path(__file__).parent))
from adapter import Play

Vector = dict[str, Any]


def test_vector(vector: Vector) -> None:
    assert vector["game"] in GAMES, f"no game here is called {vector['game']}"
    assert vector["kind"] in KINDS, f"nothing here runs vectors of the kind {vector['kind']}"
    KINDS[vector["kind"]](vector)


def run_play(vector: Vector) -> None:
    play = Play(vector["setup"], vector["game"])
    for number, action in enumerate(vector["actions"]):
        before = play.state
        refused = play.act(action)
        assert refused == action.get("error"), f"action {number}: {action}"
        if refused is not None:
            assert play.state == before, f"action {number} was refused and changed something"
        assert_partly(action.get("then", {}), play.summary(), f"after action {number}")
    assert_partly(vector["expect"], play.summary(), "in the end")


def assert_partly(expected: object, actual: object, where: str) -> None:
    """Objects match member by member, lists and scalars exactly."""
    if isinstance(expected, dict):
        assert isinstance(actual, dict), where
        for key, value in expected.items():
            assert key in actual, f"{where}: nothing here tells {key}"
            assert_partly(value, actual[key], f"{where}, {key}")
    else:
        assert expected == actual, where


def run_raise(vector: Vector) -> None:
    auction, standing = auction_of(vector), standing_of(vector)
    bids = [Count(action["count"], action["face"]) for action in vector["actions"]]
    results = [claims.refusal(auction, standing, bid) or "ok" for bid in bids]
    assert vector["expect"]["results"] == results


def run_minimum_raises(vector: Vector) -> None:
    standing = standing_of(vector)
    assert standing is not None
    found = claims.minimum_raises(auction_of(vector), standing)
    assert vector["expect"]["raises"] == sorted([c.quantity, c.face] for c in found)


def run_raise_counts(vector: Vector) -> None:
    auction = auction_of(vector)
    for text, count in vector["expect"]["legal_next"].items():
        quantity, face = map(int, text.split("x"))
        assert count == len(claims.legal(auction, Count(quantity, face))), text


def auction_of(vector: Vector) -> Auction:
    setup = vector["setup"]
    rules = rules_of(vector["game"], setup.get("options", {}))
    counting = rules.claims
    if "faces" in setup and counting.aces != "half_double":
        # These vectors say themselves which faces may be named; a one among them is a face like any other.
        counting = replace(counting, aces="as_ones" if 1 in setup["faces"] else "no")
    dice = setup.get("dice_in_play") or setup["player_count"] * rules.tokens.dice
    return Auction(counting, dice, rules.tokens.faces, None, setup.get("palifico", False))


def standing_of(vector: Vector) -> Count | None:
    standing = vector["setup"].get("standing")
    return None if standing is None else Count(standing["count"], standing["face"])


KINDS: dict[str, Callable[[Vector], None]] = {
    "play": run_play,
    "raise": run_raise,
    "minimum_raises": run_minimum_raises,
    "raise_counts": run_raise_counts,
}


def test_an_unknown_game_fails() -> None:
    with pytest.raises(AssertionError, match="no game here"):
        test_vector({"game": "snakes", "kind": "play"})


def test_an_unknown_kind_fails() -> None:
    with pytest.raises(AssertionError, match="nothing here runs"):
        test_vector({"game": "common_hand", "kind": "guess"})
