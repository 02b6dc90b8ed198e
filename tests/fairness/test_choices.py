"""Sealed choices (CUP/1 section 4.12): which hidden dice were rolled anew is nobody's business, and is proved later."""

from __future__ import annotations

import hmac
import json
import struct
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from domain import commands
from domain.events import Choice
from domain.fairness.deal import Cup, Deal, context, rules_hash
from domain.fairness.openings import OpenDeal
from tests.domain.truth_oracle import Course, Record, played_out
from tests.fairness.record_files import audited, fault

CHOICES = json.loads((Path(__file__).parent / "vectors/choice.json").read_text(encoding="utf-8"))["choices"]
SEALED = ("individual_hand", "stanford", "finska", "six_six_six", "german_liar_dice")
INSIDE = ("individual_hand", "six_six_six", "german_liar_dice")
"""Games in which a choice is sealed; in some of them no die is shown before all are."""
WHOLE = ("beat_this", "two_dice_pass", "stud_liars")
"""Games in which all dice are rolled or none, so that there is nothing to seal."""


@lru_cache
def match_of(game: str) -> Record:
    """Return a match of a game in which dice were handled, and where the game lets them, kept."""
    for seed in range(40):
        course = Course({}, 2, str(seed), game, pause_ms=0)
        course.start()
        record = played_out(course, seed, last=(commands.Challenge,) if game in WHOLE else ()).record
        arranged = [one["data"] for one in record if one["type"] == "game.arranged" and one["data"]["roll_inside"]]
        pairs = [record[shown]["data"]["choices"][which] for _, shown, which in sealed_and_shown(record)]
        if arranged and game in WHOLE:
            return record
        if len(arranged) > 1 and any(0 not in choice["roll_inside"] for choice in pairs):
            return record
    pytest.fail(f"no match of {game} has what is looked for")


def seal_of(key: bytes, mix: bytes, cup: int, slot: int, choice: dict[str, Any]) -> str:
    """Return the hash as the section writes it, with nothing of ours."""
    lists = (choice[name] for name in ("roll_inside", "roll_outside", "outside"))
    said = b"".join(bytes([len(positions), *positions]) for positions in lists)
    address = struct.pack(">BHB", cup, choice["roll"], slot)
    return hmac.new(key, b"CUP1.cho" + mix + address + said, "sha256").hexdigest()


def first(record: Record, kind: str, found: Callable[[dict[str, Any]], bool] = lambda _: True, after: int = 0) -> int:
    return next(at for at in range(after, len(record)) if record[at]["type"] == kind and found(record[at]["data"]))


def is_of_cup(cup: int, data: dict[str, Any]) -> bool:
    return bool(data["cup"] == cup)


def is_roll_of(arranged: dict[str, Any], data: dict[str, Any]) -> bool:
    return (data["cup"], data["roll"]) == (arranged["cup"], arranged["roll"])


def changed(record: Record, at: int, **members: Any) -> Record:
    return [*record[:at], {**record[at], "data": {**record[at]["data"], **members}}, *record[at + 1 :]]


def dealer_of(record: Record, deal: int = 0) -> OpenDeal:
    """Return the dealer of a deal, from the secret that the record publishes."""
    created = record[0]["data"]
    data = {
        kind: record[first(record, kind, lambda d: d["deal"] == deal)]["data"]
        for kind in ("deal.committed", "deal.ready", "deal.closed")
    }
    cups = tuple(Cup(*row) for row in data["deal.committed"]["cups"])
    ctx = context(bytes.fromhex(created["match"].replace("-", "")), deal, rules_hash(created["rules"]), "all", cups)
    made = Deal(bytes.fromhex(data["deal.closed"]["secret"]), ctx, cups)
    assert made.root.hex() == data["deal.committed"]["root"]
    return OpenDeal(deal, made, bytes.fromhex(data["deal.ready"]["mix"]))


def sealed_and_shown(record: Record) -> Iterator[tuple[int, int, int]]:
    """Yield each sealed handling whose choice is shown later: its line, that of the choices, which of them it is."""
    for shown, one in enumerate(record):
        if one["type"] == "game.choices_revealed":
            for which, choice in enumerate(one["data"]["choices"]):
                made = [at for at in range(shown) if _leads_to(record[at], one["data"]["cup"], choice["roll"])]
                yield made[-1], shown, which


def _leads_to(one: dict[str, Any], cup: int, roll: int) -> bool:
    return one["type"] == "game.arranged" and (one["data"]["cup"], one["data"]["roll"]) == (cup, roll)


# ---- the formula --------------------------------------------------------------------------------------


@pytest.mark.parametrize("each", CHOICES)
def test_the_section_read_once_more_gives_the_published_hashes(each: dict[str, Any]) -> None:
    found = seal_of(bytes.fromhex(each["key"]), bytes.fromhex(each["S"]), each["cup"], each["slot"], each)
    assert found == each["choice"]


def test_a_seal_opens_to_its_choice_and_to_no_other() -> None:
    dealer = dealer_of(match_of("six_six_six"))
    some = [Choice(1, (one,), (), ()) for one in range(3)]
    seal = dealer.seal_of(some[1], 255, 3)
    fresh = dealer_of(match_of("six_six_six"))
    assert fresh.unseal(seal, 255, 3, [some[0], some[2]]) is None
    assert fresh.unseal(seal, 255, 3, iter(some)) == some[1]
    assert fresh.unseal(seal, 254, 3, some) is None
    assert fresh.unseal(seal, 255, 3, [Choice(2, (1,), (), ())]) is None
    others = (Choice(2, (1,), (), ()), Choice(1, (), (1,), ()), Choice(1, (), (), (1,)), Choice(1, (1, 2), (), ()))
    assert len({seal, *(dealer.seal_of(other, 255, 3) for other in others)}) == 5


# ---- what anybody can check without the secret --------------------------------------------------------


@pytest.mark.parametrize("game", SEALED)
def test_every_choice_shown_is_the_one_that_was_sealed(game: str) -> None:
    record = match_of(game)
    pairs = list(sealed_and_shown(record))
    assert pairs
    for made, shown, which in pairs:
        arranged, cup = record[made]["data"], record[shown]["data"]["cup"]
        choice = record[shown]["data"]["choices"][which]
        roll = record[first(record, "cup.rolled", partial(is_roll_of, arranged), made)]
        slot = roll["data"]["slots"][-1]
        assert roll["data"]["m"][-1] == 1
        assert roll["data"]["slots"][:-1] == list(range(arranged["roll_inside"] + arranged["roll_outside"]))
        opened = [one["data"] for one in record[made:shown] if one["type"] == "cup.revealed"]
        key = next(
            dict(d["keys"])[slot]
            for d in opened
            if (d["cup"], d["roll"]) == (cup, choice["roll"]) and slot in dict(d["keys"])
        )
        ready = max(at for at in range(made) if record[at]["type"] == "deal.ready")
        mix = bytes.fromhex(record[ready]["data"]["mix"])
        assert seal_of(bytes.fromhex(key), mix, cup, slot, choice) == arranged["choice"]


@pytest.mark.parametrize("game", INSIDE)
def test_the_dice_shown_are_those_the_choices_kept(game: str) -> None:
    record = match_of(game)
    for at, one in enumerate(record):
        if one["type"] == "game.choices_revealed":
            laid, cup = _laid(record, at), one["data"]["cup"]
            hand = [(laid["roll"], slot) for slot in laid["slots"]]
            for choice in one["data"]["choices"]:
                kept = [die for position, die in enumerate(hand) if position not in choice["roll_inside"]]
                hand = kept + [(choice["roll"], slot) for slot in range(len(choice["roll_inside"]))]
            shown = {(d["roll"], slot) for d in _lifted(record, at) for slot, _ in d["values"] if slot < len(hand)}
            assert (cup, shown) == (laid["cup"], set(hand))


def _laid(record: Record, shown: int) -> dict[str, Any]:
    """Return the roll with which the dice that are shown here first lay there."""
    cup = record[shown]["data"]["cup"]
    rolls = [at for at in range(shown) if record[at]["type"] == "cup.rolled" and record[at]["data"]["cup"] == cup]
    return next(record[at]["data"] for at in reversed(rolls) if record[at - 1]["type"] != "game.arranged")


def _lifted(record: Record, shown: int) -> list[dict[str, Any]]:
    start = shown
    while (
        record[start - 1]["type"] == "cup.revealed" and record[start - 1]["data"]["cup"] == record[shown]["data"]["cup"]
    ):
        start -= 1
    return [one["data"] for one in record[start:shown]]


# ---- lies ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [*SEALED, *WHOLE])
def test_the_truth_passes_all_three_layers(game: str) -> None:
    found = audited(match_of(game))
    assert (found.status, found.layers, found.anchored) == ("OK", (1, 2, 3), True)


@pytest.mark.parametrize("game", SEALED)
def test_a_hash_that_seals_nothing_is_found_where_it_stands(game: str) -> None:
    record = match_of(game)
    at = first(record, "game.arranged", lambda d: d["choice"] is not None)
    for other in ("0" * 64, "", "x", record[at]["data"]["choice"].upper()):
        assert fault(changed(record, at, choice=other)) == ("E_RULES", at + 1)


@pytest.mark.parametrize("game", SEALED)
def test_a_choice_that_is_not_sealed_is_found_where_it_is_made(game: str) -> None:
    record = match_of(game)
    at = first(record, "game.arranged", lambda d: d["choice"] is not None)
    assert fault(changed(record, at, choice=None)) == ("E_RULES", at + 1)


@pytest.mark.parametrize("game", WHOLE)
def test_where_nothing_is_left_to_choose_nothing_is_sealed(game: str) -> None:
    record = match_of(game)
    at = first(record, "game.arranged", lambda d: d["roll_inside"] > 0)
    data = record[at]["data"]
    dice = data["roll_inside"] + len(data["outside"])
    right = Choice(data["roll"], tuple(range(data["roll_inside"])), (), ())
    for seal in (dealer_of(record).seal_of(right, data["cup"], dice), "0" * 64):
        assert fault(changed(record, at, choice=seal)) == ("E_RULES", at + 1)


def test_where_nothing_is_rolled_nothing_is_sealed() -> None:
    record = match_of("stanford")
    made = first(record, "game.arranged")
    at = first(record, "game.arranged", lambda d: d["roll"] is None) if made is None else made
    assert fault(changed(record, at, choice="0" * 64)) == ("E_RULES", at + 1)


@pytest.mark.parametrize("game", INSIDE)
def test_the_seal_of_another_roll_is_found_where_it_stands(game: str) -> None:
    record = match_of(game)
    sealed = [at for at, one in enumerate(record) if one["type"] == "game.arranged" and one["data"]["choice"]]
    here, there = sealed[:2]
    lie = changed(record, there, choice=record[here]["data"]["choice"])
    assert fault(lie) == ("E_RULES", there + 1)
    lie = changed(record, here, choice=record[there]["data"]["choice"])
    assert fault(lie) == ("E_RULES", here + 1)


@pytest.mark.parametrize("roll", [-1, 0, 70_000, None, 2**53 - 1])
def test_a_seal_that_names_no_roll_the_cup_can_have_is_found_where_it_stands(roll: int | None) -> None:
    record = match_of("six_six_six")
    at = first(record, "game.arranged", lambda d: d["choice"] is not None)
    assert fault(changed(record, at, roll=roll)) == ("E_RULES", at + 1)


@pytest.mark.parametrize("counts", [(-1, 2), (2, -1), (9, 0), (0, 0), (0, 1), (2**53 - 1, 0), (1, 2**53 - 1)])
def test_counts_that_were_not_handled_so_are_found_where_they_stand(counts: tuple[int, int]) -> None:
    record = match_of("six_six_six")
    at = first(record, "game.arranged", lambda d: d["choice"] is not None)
    lie = changed(record, at, roll_inside=counts[0], roll_outside=counts[1])
    assert fault(lie) == ("E_RULES", at + 1)


@pytest.mark.parametrize("game", INSIDE)
def test_a_choice_of_other_dice_is_found_where_those_it_kept_are_not_shown(game: str) -> None:
    """The seal is right and nobody can tell at once; but the dice that come to light are not those it kept."""
    record = match_of(game)
    for made, shown, which in sealed_and_shown(record):
        arranged, choice = record[made]["data"], record[shown]["data"]["choices"][which]
        deal, size = record[made + 1]["data"]["deal"], record[made + 1]["data"]["slots"][-1]
        others = [
            [*way] for way in combinations(range(size), arranged["roll_inside"]) if [*way] != choice["roll_inside"]
        ]
        for other in others:
            told = Choice(arranged["roll"], tuple(other), (), ())
            lie = changed(record, made, choice=dealer_of(record, deal).seal_of(told, arranged["cup"], size))
            code, line = fault(lie)
            assert isinstance(line, int)
            lifted = first(record, "cup.revealed", partial(is_of_cup, arranged["cup"]), made)
            assert (code, lifted < line <= shown + 1) == ("E_RULES", True)
            choices = [*record[shown]["data"]["choices"]]
            choices[which] = {**choice, "roll_inside": other}
            said = audited(changed(lie, shown, choices=choices))
            # Where all that differs was rolled once more, the dice are those of that choice too, and it is as true.
            taken_back = line == shown + 1
            assert (said.status, said.line) == (("OK", UNSET) if taken_back else ("FAULT", line))


@pytest.mark.parametrize("game", SEALED)
def test_a_choice_shown_otherwise_than_it_was_sealed_is_found_where_it_is_shown(game: str) -> None:
    record = match_of(game)
    for _, shown, which in sealed_and_shown(record):
        choices = record[shown]["data"]["choices"]
        for name in ("roll_inside", "roll_outside", "outside"):
            other = {**choices[which], name: [*choices[which][name], 7]}
            lie = changed(record, shown, choices=[*choices[:which], other, *choices[which + 1 :]])
            assert fault(lie) == ("E_RULES", shown + 1)
        assert fault(changed(record, shown, choices=[])) == ("E_RULES", shown + 1)
        assert fault([*record[:shown], *record[shown + 1 :]]) == ("E_RULES", shown + 1)
        return


@pytest.mark.parametrize("game", SEALED)
def test_the_key_of_the_blind_slot_is_shown_with_the_dice(game: str) -> None:
    record = match_of(game)
    made, _, _ = next(sealed_and_shown(record))
    arranged = record[made]["data"]
    blind = first(record, "cup.rolled", lambda d: (d["cup"], d["roll"]) == (arranged["cup"], arranged["roll"]), made)
    slot = record[blind]["data"]["slots"][-1]
    at = first(record, "cup.revealed", lambda d: d["roll"] == arranged["roll"] and slot in dict(d["keys"]), made)
    kept = {name: [pair for pair in record[at]["data"][name] if pair[0] != slot] for name in ("keys", "values")}
    lie = changed(record, at, **kept) if kept["keys"] else [*record[:at], *record[at + 1 :]]
    assert fault(lie) == ("E_RULES", at + 1)
    without = {name: record[blind]["data"][name][:-1] for name in ("slots", "m")}
    assert fault(changed(record, blind, **without)) == ("E_SLOT", at + 1), "what was not rolled cannot be shown"
    assert fault(changed(lie, blind, **without)) == ("E_RULES", blind + 1)
