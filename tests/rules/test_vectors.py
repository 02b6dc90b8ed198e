"""Every vector of a folder. A game or a kind nobody here knows fails; it is not passed over."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from domain.games import GAMES, rules_of
from domain.rules import claims, schedules
from domain.rules.claims import Auction
from domain.rules.ladders import OF_A_KIND, Hand, Ladder, ladder_of
from domain.rules.orders import Count
from domain.rules.rules import PIPS, Counting, Faces, PayEach, Rungs
from domain.table.interludes.slips import next_position
from domain.table.settling import multiplier
from domain.table.state import is_wild

# The adapter lies beside the runner, which may be collected where nothing else of the tests can be imported.
sys.path.insert(0, str(Path(__file__).parent))
import odds_kinds
from adapter import Play, face

Vector = dict[str, Any]


def test_vector(vector: Vector) -> None:
    assert vector["game"] in {*GAMES, "odds"}, f"no game here is called {vector['game']}"
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
        assert count == len(claims.legal_claims(auction, Count(quantity, face))), text


def auction_of(vector: Vector) -> Auction:
    setup = vector["setup"]
    options = dict(setup.get("options", {}))
    system = options.pop("system", None) if vector["game"] != "common_hand" else None
    rules = rules_of(vector["game"], options)
    counting = rules.claims
    assert isinstance(counting, Counting)
    # A vector may name the order of a game that leaves no choice.
    assert system in {None, counting.order}
    if "faces" in setup and counting.aces != "half_double":
        # These vectors say themselves which faces may be named; a one among them is a face like any other.
        counting = replace(counting, aces="as_ones" if 1 in setup["faces"] else "no")
    tokens = setup.get("dice_in_play") or setup["player_count"] * rules.tokens.dice
    palifico = setup.get("palifico", False)
    return Auction(counting, tokens, rules.tokens.faces, is_wild(counting, None) and not palifico, palifico)


def standing_of(vector: Vector) -> Count | None:
    standing = vector["setup"].get("standing")
    return None if standing is None else Count(standing["count"], standing["face"])


def run_rank(vector: Vector) -> None:
    ladder, hands = ladder_for(vector), vector["actions"]
    rungs = [ladder.measure(values_of(vector, hand["dice"])) for hand in hands]
    assert [hand_of(claim) for claim in vector["expect"]["claims"]] == [ladder.hands[rung] for rung in rungs]
    assert rungs == sorted(set(rungs), reverse=True)


def run_ladder(vector: Vector) -> None:
    ladder = ladder_for(vector)
    assert vector["expect"]["length"] == len(ladder.hands)
    assert [hand_of(claim) for claim in vector["expect"]["low_to_high"]] == list(ladder.hands)


def run_holds(vector: Vector) -> None:
    ladder = ladder_for(vector)
    rungs = [
        (ladder.measure(values_of(vector, each["dice"])), ladder.rungs[hand_of(each)]) for each in vector["actions"]
    ]
    assert vector["expect"]["holds"] == [reached >= claimed for reached, claimed in rungs]


def run_kinds(vector: Vector) -> None:
    ladder = ladder_for(vector)
    best = [ladder.hands[ladder.measure(values_of(vector, each["dice"]))] for each in vector["actions"]]
    assert vector["expect"]["best"] == [[OF_A_KIND.index(hand.shape), hand.faces[0]] for hand in best]


def run_shorthand(vector: Vector) -> None:
    ladder = ladder_for(vector)
    for short, dice in zip(vector["actions"], vector["expect"]["minimum_hands"], strict=True):
        assert ladder.rung_of(hand_of(short)) == ladder.measure(values_of(vector, dice)), short


def ladder_for(vector: Vector) -> Ladder:
    setup = vector["setup"]
    rules = rules_of(vector["game"], {"order": "numeric"} if setup.get("ranking") == "numeric" else {})
    assert isinstance(rules.claims, Rungs)
    rungs = replace(rules.claims, ace_high=setup.get("ace_high", rules.claims.ace_high))
    return ladder_of(rungs, setup.get("dice", rules.tokens.dice), faces_of(vector), wild=setup.get("wild", False))


def faces_of(vector: Vector) -> Faces:
    # The vectors of the German game on spotted dice say so only by ranking ones high.
    return PIPS if vector["setup"].get("ace_high") else rules_of(vector["game"], {}).tokens.faces


def values_of(vector: Vector, dice: list[Any]) -> list[int]:
    return [face(each) - faces_of(vector).first for each in dice]


def hand_of(claim: dict[str, Any]) -> Hand:
    if "score" in claim:
        return Hand("score", tuple(map(int, claim["score"])))
    return Hand(claim.get("shape", "score"), tuple(map(face, claim["faces"])))


def run_multiplier(vector: Vector) -> None:
    settler = next(each for each in rules_of(vector["game"], {}).settlers if isinstance(each, PayEach))
    options = vector["setup"].get("options", {})
    settler = replace(settler, **{name: options[name] for name in ("n_plus_three", "sixes", "hero") if name in options})
    found = [
        multiplier(settler, each["players"], Count(each["count"], each["face"]), each["bidder_has"])
        for each in vector["actions"]
    ]
    assert vector["expect"]["multipliers"] == found


def run_slip_next(vector: Vector) -> None:
    length = vector["setup"]["slip_length"]
    found = [next_position(length, each["current"], each["played"], each["odd_count"]) for each in vector["actions"]]
    assert vector["expect"]["next"] == found


def run_schedule(vector: Vector) -> None:
    SCHEDULES[vector["setup"]["format"]](vector)


def run_chouette(vector: Vector) -> None:
    now, found = schedules.chouette(vector["setup"]["order"]), []
    for match in vector["actions"]:
        now = schedules.chouette_after(now, match["winner"])
        found.append({"seats": list(now.seats), "queue": list(now.queue)})
    assert vector["expect"]["after_each"] == found


def run_knockout(vector: Vector) -> None:
    order, found = tuple(vector["setup"]["order"]), []
    winners = [match["winner"] for match in vector["actions"]]
    while len(order) > 1:
        played = schedules.knockout(order)
        found.append({"pairs": [list(pair) for pair in played.pairs], "bye": played.bye})
        won, winners = winners[: len(played.pairs)], winners[len(played.pairs) :]
        order = schedules.order_after(played, won)
    assert (vector["expect"]["rounds"], vector["expect"]["champion"]) == (found, order[0])


def run_draw_first(vector: Vector) -> None:
    for draw in vector["actions"]:
        tied = schedules.highest_players({player: face(each) for player, each in draw["rolled"].items()})
    assert (vector["expect"]["first"],) == tied


SCHEDULES: dict[str, Callable[[Vector], None]] = {
    "chouette": run_chouette,
    "knockout": run_knockout,
    "draw_first": run_draw_first,
}
KINDS: dict[str, Callable[[Vector], None]] = {
    "play": run_play,
    "raise": run_raise,
    "minimum_raises": run_minimum_raises,
    "raise_counts": run_raise_counts,
    "rank": run_rank,
    "ladder": run_ladder,
    "holds": run_holds,
    "kinds": run_kinds,
    "shorthand": run_shorthand,
    "multiplier": run_multiplier,
    "slip_next": run_slip_next,
    "schedule": run_schedule,
    **odds_kinds.KINDS,
}


def test_an_unknown_game_fails() -> None:
    with pytest.raises(AssertionError, match="no game here"):
        test_vector({"game": "snakes", "kind": "play"})


def test_an_unknown_kind_fails() -> None:
    with pytest.raises(AssertionError, match="nothing here runs"):
        test_vector({"game": "common_hand", "kind": "guess"})
