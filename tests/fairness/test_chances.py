"""The dice are even: not because a hash could be uneven, but because whoever maps its bytes to faces could be wrong.

All keys are fixed, so a result is the same for ever. The battery is asked of our mapping, which passes, and of mappings
with one mistake each, which do not.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain, groupby, pairwise, permutations
from pathlib import Path

import pytest

from domain.fairness import sampling
from domain.fairness.deal import Deal, address
from tests.fairness.chances import evenness, fit, upper_tail
from tests.sizes import cases

Mapping = Callable[[bytes, bytes, bytes, int], int]
"""From the key of a die, the mix of its deal, its address and its modulus to its value."""
UNLIKELY = 1e-5
"""What none of about 80 p-values is below by chance, nor nearer to 1."""
DEALS, ROLLS, SLOTS = cases(700, 2_100), 29, 5
"""As many rolls as a deal of six seats has for each: over 100,000 dice in the line, or 300,000."""
FEWER = cases(100, 300)
"""Deals that are enough to find a mistake."""
CUP = 1
VECTORS = Path(__file__).parent / "vectors"


def made(number: int) -> tuple[Deal, bytes]:
    """Return a deal and the mix of its seeds; both follow from its number."""
    secret, ctx, mix = (hashlib.sha256(f"{what} {number}".encode()).digest() for what in ("secret", "ctx", "mix"))
    return Deal(secret, ctx, ()), mix


def rolled(mapping: Mapping, deals: int = DEALS) -> list[list[list[int]]]:
    """Return the dice of so many deals: of each its rolls, of each roll its slots."""
    found = []
    for deal, mix in map(made, range(deals)):
        rolls = []
        for roll in range(ROLLS):
            at = [(address(CUP, roll, slot), deal.key(CUP, roll, slot)) for slot in range(SLOTS)]
            rolls.append([mapping(key, mix, where, 6) for where, key in at])
        found.append(rolls)
    return found


@cache
def ours() -> dict[str, float]:
    """Return what the battery says of our mapping."""
    dice = rolled(sampling.value)
    assert sum(len(roll) for rolls in dice for roll in rolls) >= cases(100_000, 300_000)
    return dict(battery(sampling.value, dice))


# ---- the battery ------------------------------------------------------------------------------------


def faces(dice: list[list[list[int]]]) -> Iterator[tuple[str, float]]:
    """Yield how even faces are: all, of each slot, of each roll number, and of one after the other."""
    yield "faces", evenness(chain.from_iterable(chain.from_iterable(dice)), 6)
    for slot in range(SLOTS):
        yield f"slot {slot}", evenness((roll[slot] for rolls in dice for roll in rolls), 6)
    for number in range(ROLLS):
        yield f"roll {number}", evenness((value for rolls in dice for value in rolls[number]), 6)


def pairs(dice: list[list[list[int]]]) -> Iterator[tuple[str, float]]:
    """Yield how even pairs are: side by side in a roll, of one slot in rolls so far apart, and of two deals."""
    for one in range(SLOTS):
        for other in range(one):
            yield f"slots {other} and {one}", evenness(((r[other], r[one]) for rolls in dice for r in rolls), 36)
    for apart in (1, 2, 3, 5, 8, 13):
        for slot in (0, 4):
            couples = (
                (rolls[at][slot], rolls[at + apart][slot])
                for rolls in dice
                for first in range(0, ROLLS - apart, 2 * apart)
                for at in range(first, min(first + apart, ROLLS - apart))
            )
            yield f"slot {slot}, {apart} rolls apart", evenness(couples, 36)
    couples = (
        (one[roll][0], other[roll][0])
        for one, other in zip(dice[::2], dice[1::2], strict=True)
        for roll in range(ROLLS)
    )
    yield "deals", evenness(couples, 36)
    yield "triples", evenness((tuple(roll[:3]) for rolls in dice for roll in rolls), 216)


def runs(dice: list[list[list[int]]]) -> Iterator[tuple[str, float]]:
    """Yield how well runs of one face, in the order of play, have the lengths they have by chance."""
    row = list(chain.from_iterable(chain.from_iterable(dice)))
    lengths = Counter(min(sum(1 for _ in run), 6) for _, run in groupby(row))
    chances = {length: (5 / 6) * (1 / 6) ** (length - 1) for length in range(1, 6)}
    yield "runs", fit(lengths, {**chances, 6: (1 / 6) ** 5})
    rising = Counter(sum(one < other for one, other in pairwise(roll)) for rolls in dice for roll in rolls)
    yield "rising", fit(rising, RISING)


RISING = {
    rises: count / 6**SLOTS
    for rises, count in Counter(
        sum((number // 6**at) % 6 < (number // 6 ** (at + 1)) % 6 for at in range(SLOTS - 1))
        for number in range(6**SLOTS)
    ).items()
}
"""How often so many dice of five are greater than the one before: counted in all 7,776 rolls."""


def orders(mapping: Mapping, shuffles: int = 21_600) -> float:
    """Return how even the orders of six seats are, drawn as CUP/1 section 4.2 draws the order of play."""
    deal, mix = made(-1)
    seen = []
    for roll in range(shuffles):
        pool = list(range(6))
        for j in range(SLOTS):
            other = j + mapping(deal.key(0, roll, j), mix, address(0, roll, j), 6 - j)
            pool[j], pool[other] = pool[other], pool[j]
        seen.append(tuple(pool))
    assert set(seen) <= set(permutations(range(6)))
    return evenness(seen, math.factorial(6))


MODULI = {**dict.fromkeys(range(2, 21), 3_000), 100: 10_000, 129: 10_000, 171: 10_000, 255: 10_000, 256: 10_000}
"""How many values are drawn of each modulus; bytes that are not passed over show most at 100 and 171."""


def moduli(mapping: Mapping) -> Iterator[tuple[str, float]]:
    """Yield how even the values of every modulus in use are, and of those that reject most, least and nothing."""
    for m, count in MODULI.items():
        deal, mix = made(-m)
        values = (mapping(deal.key(2, roll, 0), mix, address(2, roll, 0), m) for roll in range(count))
        yield f"m = {m}", evenness(values, m)


def battery(mapping: Mapping, dice: list[list[list[int]]]) -> Iterator[tuple[str, float]]:
    """Yield the p-value of every test."""
    yield from chain(faces(dice), pairs(dice), runs(dice), moduli(mapping))
    yield "orders", orders(mapping)


# ---- our mapping ------------------------------------------------------------------------------------


def test_hundreds_of_thousands_of_dice_are_even_in_every_way() -> None:
    assert len(ours()) > 80
    assert {name: p for name, p in ours().items() if not UNLIKELY < p < 1 - UNLIKELY} == {}


def test_the_p_values_themselves_are_as_chance_has_them() -> None:
    assert evenness((int(p * 5) for p in ours().values()), 5) > UNLIKELY


# ---- mappings with a mistake ------------------------------------------------------------------------


def block(key: bytes, mix: bytes, at: bytes, m: int) -> bytes:
    """Return the first block of a die, as our mapping has it."""
    return hmac.digest(key, b"CUP1.die" + mix + at + m.to_bytes(2, "big") + bytes(4), "sha256")


def first_below(limit: int, found: bytes) -> int:
    return next(byte for byte in found if byte < limit)


MISTAKES: dict[str, Mapping] = {
    "no byte is passed over": lambda key, mix, at, m: block(key, mix, at, m)[0] % m,
    "one byte too many is taken": lambda key, mix, at, m: first_below(256 - 256 % m + 1, block(key, mix, at, m)) % m,
    "the modulus is one too small": lambda key, mix, at, m: block(key, mix, at, m)[0] % max(1, m - 1),
    "the byte is scaled": lambda key, mix, at, m: block(key, mix, at, m)[0] * m // 256,
    "the slot is forgotten": lambda _, mix, at, m: sampling.value(mix, mix, at[:3], m),
    "the roll is forgotten": lambda _, mix, at, m: sampling.value(mix, mix, at[:1] + at[3:], m),
    "all deals are one": lambda _key, _mix, at, m: sampling.value(bytes(32), bytes(32), at, m),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mapping_with_a_mistake_fails_the_same_tests(mistake: Mapping) -> None:
    assert any(p < UNLIKELY for _, p in battery(mistake, rolled(mistake, FEWER)))


def test_a_shuffle_that_swaps_with_any_place_is_uneven() -> None:
    def any_place(key: bytes, mix: bytes, at: bytes, m: int) -> int:
        """Return how far from the present place any of the six is."""
        return sampling.value(key, mix, at, 6) - (6 - m)

    assert orders(any_place) < UNLIKELY


def test_words_in_place_of_bytes_are_as_even_and_are_another_protocol() -> None:
    """No statistic can tell; the published values can."""

    def word(key: bytes, mix: bytes, at: bytes, m: int) -> int:
        found = block(key, mix, at, m)
        words = (int.from_bytes(found[place : place + 2], "big") for place in range(0, 32, 2))
        return next(each for each in words if each < 65_536 - 65_536 % m) % m

    assert all(p > UNLIKELY for _, p in battery(word, rolled(word, FEWER)))
    published = json.loads((VECTORS / "primitives.json").read_text(encoding="utf-8"))["die"]
    told = [
        (
            bytes.fromhex(each["key"]),
            bytes.fromhex(each["mix"]),
            address(each["cup"], each["roll"], each["slot"]),
            each["m"],
        )
        for each in published
    ]
    assert [sampling.value(*each) for each in told] == [each["value"] for each in published]
    assert [word(*each) for each in told] != [each["value"] for each in published]


# ---- the measure ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chi_square", "freedom", "p"),
    [
        (3.841, 1, 0.05), (6.635, 1, 0.01), (11.070, 5, 0.05), (15.086, 5, 0.01), (20.515, 5, 0.001),
        (18.307, 10, 0.05), (43.773, 30, 0.05), (124.342, 100, 0.05), (149.449, 100, 0.001), (0.554, 5, 0.99),
    ],
)  # fmt: skip
def test_the_tail_of_chi_square_is_that_of_the_tables(chi_square: float, freedom: int, p: float) -> None:
    """Source: Abramowitz and Stegun, table 26.8."""
    assert upper_tail(chi_square, freedom) == pytest.approx(p, rel=2e-3)


def test_nothing_uneven_is_certain_and_all_too_uneven_is_impossible() -> None:
    assert upper_tail(0, 5) == 1.0
    assert upper_tail(1e5, 5) == 0.0
    assert evenness([0] * 60, 6) < 1e-50
    assert evenness([0, 1, 2, 3, 4, 5] * 10, 6) == 1.0
