"""Odds against what was published, what can be counted out, and what must be true of any chance."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate, product
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.rules.ladders import NOTHING, Hand
from domain.rules.orders import Count
from domain.rules.rules import DIGITS
from domain.statistics import odds, questions
from domain.statistics.odds import THROWS, chance_of_at_least, chance_of_exactly, decimal
from domain.statistics.questions import QUESTIONS, answer
from tests.rules.odds_kinds import KINDS

PLAIN, WILD, DIGIT = Fraction(1, 6), Fraction(1, 3), Fraction(1, 10)
TOKENS = st.integers(0, 30)
CHANCES = st.fractions(0, 1, max_denominator=12)
FACES = st.integers(1, 6)

VECTORS = [
    pytest.param(vector, id=f"{file.stem}-{vector['id']}")
    for file in sorted((Path(__file__).parent.parent / "rules" / "vectors").glob("*.json"))
    for vector in json.loads(file.read_text(encoding="utf-8"))["vectors"]
    if vector["kind"] in KINDS
]


@pytest.mark.parametrize("vector", VECTORS)
def test_every_vector_about_odds_is_met(vector: dict[str, Any]) -> None:
    KINDS[vector["kind"]](vector)


def test_kinds_no_vector_here_has_are_run_all_the_same() -> None:
    KINDS["raise_threshold"]({"actions": [{"n": 2}, {"n": 5}], "expect": {"values": ["0", "3/8"]}})
    KINDS["greatest_frequency"]({"actions": [{"k": 8}], "expect": {"values": ["1/10000000"]}})


def percent(chance: Fraction, places: int = 2) -> str:
    return decimal(100 * chance, places)


# Unknown dice, the chance of at least 1 to 8 in percent, the expected quantity.
PLAIN_TABLE = """
1  16.67                                                  0
2  30.56  2.78                                            0
3  42.13  7.41  0.46                                      0
4  51.77 13.19  1.62  0.08                                0
5  59.81 19.62  3.55  0.33  0.01                          0
6  66.51 26.32  6.23  0.87  0.07  0.00                    1
8  76.74 39.53 13.48  3.07  0.46  0.04  0.00  0.00        1
10 83.85 51.55 22.48  6.97  1.55  0.24  0.03  0.00        1
12 88.78 61.87 32.26 12.52  3.64  0.79  0.13  0.02        2
15 93.51 74.04 46.78 23.15  8.98  2.74  0.66  0.13        2
18 96.24 82.72 59.73 35.21 16.82  6.53  2.06  0.53        3
20 97.39 86.96 67.13 43.35 23.13 10.18  3.71  1.13        3
25 98.95 93.71 81.13 61.84 40.63 22.80 10.92  4.47        4
30 99.58 97.05 89.72 76.04 57.57 38.36 22.35 11.37        5
"""
WILD_TABLE = """
1   33.33                                                 0
2   55.56 11.11                                           0
3   70.37 25.93  3.70                                     1
4   80.25 40.74 11.11  1.23                               1
5   86.83 53.91 20.99  4.53  0.41                         1
6   91.22 64.88 31.96 10.01  1.78  0.14                   2
8   96.10 80.49 53.18 25.86  8.79  1.97  0.26  0.02       2
10  98.27 89.60 70.09 44.07 21.31  7.66  1.97  0.34       3
12  99.23 94.60 81.89 60.69 36.85 17.77  6.64  1.88       4
15  99.77 98.06 92.06 79.08 59.59 38.16 20.30  8.82       5
18  99.93 99.32 96.74 89.83 76.89 58.78 39.15 22.33       6
20  99.97 99.67 98.24 93.96 84.85 70.28 52.07 33.85       6
25 100.00 99.95 99.65 98.51 95.38 88.80 77.85 62.97       8
30 100.00 99.99 99.93 99.67 98.78 96.45 91.62 83.32      10
"""


@pytest.mark.parametrize(("chance", "table"), [(PLAIN, PLAIN_TABLE), (WILD, WILD_TABLE)])
def test_the_basic_dice_odds_are_those_of_the_table(chance: Fraction, table: str) -> None:
    for row in table.strip().splitlines():
        number, *printed, expected = row.split()
        each = odds.chances_of_at_least(int(number), chance)[1:9]
        assert printed == [percent(one) for one in each]
        assert int(expected) == odds.expected_quantity(int(number), chance)


def test_a_hand_of_four_threes_makes_six_threes_far_likelier_than_they_are_to_an_outsider() -> None:
    six, own = Count(6, 3), (3, 3, 3, 3, 5)
    assert odds.chance_of_bid(six, own, 10, wild=True) == Fraction(17635, 19683)
    assert odds.chance_of_bid(six, own, 10, wild=False) == Fraction(10389767, 20155392)
    assert percent(odds.chance_of_bid(six, (), 15, wild=True)) == "38.16"
    assert percent(odds.chance_of_bid(six, (), 15, wild=False)) == "2.74"


@pytest.mark.parametrize(("chance", "tie", "least"), [(PLAIN, 6, "55.36"), (WILD, 3, "54.84")])
def test_the_expected_quantity_is_likely_and_the_likeliest(chance: Fraction, tie: int, least: str) -> None:
    reached = []
    for tokens in range(1, 61):
        expected, likeliest = odds.expected_quantity(tokens, chance), odds.likeliest_quantities(tokens, chance)
        ties = (expected, expected + 1) if tokens % tie == tie - 1 else (expected,)
        assert ties == tuple(likeliest)
        reached.append(chance_of_at_least(tokens, expected, chance))
    assert percent(min(reached)) == least


def test_doubling_after_rounding_misses_the_likeliest_count() -> None:
    for tokens in range(1, 61):
        doubled = 2 * odds.expected_quantity(tokens, PLAIN)
        assert (doubled in odds.likeliest_quantities(tokens, WILD)) == (tokens % 6 < 3)


def test_the_first_out_of_four_or_five_drinks_nineteen_or_twenty_four_at_most() -> None:
    assert odds.drinks_of_first_out(4, 5) == 19
    assert odds.drinks_of_first_out(5, 5) == 24


# High die, low die, and the chance of at least that score in percent: Mexican, doubles high, numeric.
TWO_DICE = """
4 1 88.89  83.33  75.00
4 2 83.33  77.78  69.44
4 3 77.78  72.22  63.89
5 1 72.22  66.67  55.56
5 2 66.67  61.11  50.00
5 3 61.11  55.56  44.44
5 4 55.56  50.00  38.89
6 1 50.00  44.44  30.56
6 2 44.44  38.89  25.00
6 3 38.89  33.33  19.44
6 4 33.33  27.78  13.89
6 5 27.78  22.22   8.33
1 1 22.22  16.67 100.00
2 2 19.44  13.89  91.67
3 3 16.67  11.11  77.78
4 4 13.89   8.33  58.33
5 5 11.11   5.56  33.33
6 6  8.33   2.78   2.78
2 1  5.56 100.00  97.22
"""
FIVE_DICE = {
    "runt": 480, "pair": 3600, "two_pair": 1800, "three": 1200, "low_straight": 120, "high_straight": 120,
    "full_house": 300, "four": 150, "five": 6,
}  # fmt: skip
SIX_DICE = {
    "pair": 10800, "two_pair": 16200, "three_pair": 1800, "three": 7200, "straight": 720, "full_house": 7200,
    "two_triplets": 300, "four": 1800, "four_and_pair": 450, "five": 180, "six": 6,
}  # fmt: skip
KINDS_PLAIN = {"single": 720, "pair": 5400, "three": 1500, "four": 150, "five": 6}
KINDS_WILD = {"single": 120, "pair": 2700, "three": 3500, "four": 1300, "five": 156}
SIX_SIX_SIX = {
    (1, 1, 1): "1", (4, 1, 1): "7/8", (5, 1, 1): "19/27", (5, 4, 2): "119/216", (5, 5, 1): "13/27",
    (6, 1, 1): "91/216", (6, 4, 1): "8/27", (6, 5, 1): "43/216", (6, 6, 1): "2/27", (6, 6, 6): "1/216",
}  # fmt: skip


@pytest.mark.parametrize("row", TWO_DICE.strip().splitlines())
def test_two_dice_are_worth_what_the_table_says(row: str) -> None:
    high, low, *printed = row.split()
    score = Hand("score", (int(high), int(low)))
    ladders = ("mexican", "two_dice_doubles_high", "two_dice_numeric")
    assert printed == [percent(odds.chance_of_hand_or_higher(THROWS[name], score)) for name in ladders]


@pytest.mark.parametrize(("faces", "chance"), SIX_SIX_SIX.items())
def test_three_dice_are_worth_what_the_table_says(faces: tuple[int, ...], chance: str) -> None:
    assert Fraction(chance) == odds.chance_of_hand_or_higher(THROWS["six_six_six"], Hand("score", faces))


@pytest.mark.parametrize(
    ("name", "ways"),
    [
        *((name, FIVE_DICE) for name in ("hoyle", "hoyle_ace_high", "german", "german_spotted")),
        ("finska", {"nothing" if shape == "runt" else shape: number for shape, number in FIVE_DICE.items()}),
        ("stanford", SIX_DICE),
        ("kinds", KINDS_PLAIN),
        ("kinds_wild", KINDS_WILD),
    ],
)
def test_shapes_come_as_often_as_the_table_says(name: str, ways: dict[str, int]) -> None:
    every = 6 ** THROWS[name].dice
    assert [*ways.items()] == [(shape, chance * every) for shape, chance in odds.shapes(THROWS[name]).items()]


def test_four_of_a_kind_is_five_to_one_against_with_aces_wild_and_fifty_one_to_one_without() -> None:
    for name, four, better in (("kinds_wild", "4.982", "4.341"), ("kinds", "50.840", "48.846")):
        found = odds.shapes(THROWS[name])
        both = odds.odds_against(found["four"]), odds.odds_against(found["four"] + found["five"])
        assert [four, better] == [decimal(one, 3) for one in both]


def test_specials_of_mexican_are_throws_that_count_for_nothing() -> None:
    assert odds.specials() == dict.fromkeys(("social", "reverse", "impose", "mexican"), Fraction(2, 36))
    assert odds.shapes(THROWS["mexican"])["nothing"] == Fraction(4, 36)
    assert odds.shapes(THROWS["mexican_impose"])["nothing"] == Fraction(6, 36)


# Ways out of a hundred million, in the order of the table.
WAYS = (
    10, 720, 2520, 20160, 5040, 120960, 282240, 3150, 201600, 151200, 2116800, 2116800, 201600, 1411200, 4233600,
    16934400, 8467200, 529200, 12700800, 31752000, 16934400, 1814400,
)  # fmt: skip
SERIAL_DIGITS = (43046721, 38263752, 14880348, 3306744, 459270, 40824, 2268, 72, 1)
ALIKE = (181440, 6191640, 3124800, 458955, 40824, 2268, 72, 1)


def test_a_digit_stands_in_a_serial_number_as_often_as_the_table_says() -> None:
    assert list(SERIAL_DIGITS) == [chance * 10**8 for chance in odds.chances_of_exactly(odds.SERIAL, odds.DIGIT)]


def test_patterns_come_as_often_as_the_table_says() -> None:
    assert list(WAYS) == [chance * 10**8 for chance in odds.patterns().values()]


def test_so_many_and_no_more_are_alike_as_often_as_the_table_says() -> None:
    assert list(ALIKE) == [odds.greatest_frequency(most) * 10**7 for most in range(1, 9)]


def test_a_raise_must_hold_as_often_as_the_table_says() -> None:
    expected = ["0", "1/4", "1/3", "3/8", "2/5", "4/9"]
    assert expected == [str(odds.raise_threshold(players)) for players in (2, 3, 4, 5, 6, 10)]
    assert odds.raise_threshold(5, 2) == Fraction(1, 4)


@given(st.integers(2, 20), st.integers(1, 9))
def test_at_the_threshold_a_raise_costs_on_average_what_a_challenge_costs(players: int, multiplier: int) -> None:
    x, others = odds.raise_threshold(players, multiplier), players - 1
    assert x * multiplier * others - (1 - x) * others == -1


def test_who_challenges_holds_less_than_chance_gave() -> None:
    assert odds.winners_curse(5) == Fraction(40, 17)
    assert decimal(odds.winners_curse(4, 1), 4) == "2.6824"
    assert decimal(chance_of_at_least(40, 4, DIGIT), 6) == "0.576869"
    assert decimal(odds.chance_of_bid(Count(4, 5), (5, 5, 5), 16, wild=False, faces=DIGITS), 6) == "0.814698"


@given(TOKENS, CHANCES)
def test_chances_of_all_counts_are_one_together_and_fall_and_have_their_mean(tokens: int, chance: Fraction) -> None:
    each = odds.chances_of_at_least(tokens, chance)
    assert sum(odds.chances_of_exactly(tokens, chance)) == each[0] == 1
    assert list(each) == sorted(each, reverse=True)
    assert sum(each[1:]) == odds.expected_at_most(tokens, tokens, chance) == tokens * chance
    assert all(a <= b for a, b in zip(each, odds.chances_of_at_least(tokens + 1, chance), strict=False))


@given(TOKENS, st.integers(-3, 33), CHANCES)
def test_at_least_is_exactly_or_more(tokens: int, quantity: int, chance: Fraction) -> None:
    more = chance_of_at_least(tokens, quantity + 1, chance)
    assert chance_of_at_least(tokens, quantity, chance) == more + chance_of_exactly(tokens, quantity, chance)


@given(st.integers(1, 4), st.lists(FACES, max_size=3), FACES, st.sampled_from([*product([True, False], repeat=2)]))
def test_a_bid_holds_in_as_many_throws_as_can_be_counted(
    unseen: int, seen: list[int], face: int, rules: tuple[bool, bool]
) -> None:
    wild, natural = rules
    throws = [[*seen, *throw] for throw in product(range(1, 7), repeat=unseen)]
    counts = [sum(one == face or (wild and one == 1) for one in throw) for throw in throws]
    allowed = [face in throw or not natural for throw in throws]
    for bid in (Count(quantity, face) for quantity in range(1, unseen + len(seen) + 1)):
        held = sum(count >= bid.quantity and may for count, may in zip(counts, allowed, strict=True))
        assert odds.chance_of_bid(bid, seen, unseen, wild=wild, natural=natural) == Fraction(held, len(throws))
        assert odds.chance_of_exact_bid(bid, seen, unseen, wild=wild) == Fraction(
            counts.count(bid.quantity), len(throws)
        )


@pytest.mark.parametrize("name", THROWS)
def test_hands_come_as_often_as_can_be_counted(name: str) -> None:
    throw = THROWS[name]
    last, kept = throw.faces.first + throw.faces.count - 1, max(0, throw.dice - 3)
    free = product(range(throw.faces.count), repeat=throw.dice - kept)
    rungs = Counter(throw.ladder.measure((*[throw.faces.count - 1] * kept, *values)) for values in free)
    expected = [Fraction(rungs[rung], rungs.total()) for rung in range(throw.ladder.top + 1)]
    assert expected == list(odds.chances_of_hands(throw, [last] * kept).values())
    assert tuple(rungs[rung] for rung in range(throw.ladder.top + 1)) == odds.throws_of_hands(throw, [last] * kept)
    assert sum(expected) + Fraction(rungs[NOTHING], rungs.total()) == 1
    assert list(accumulate(expected[::-1]))[::-1] == list(
        odds.chances_of_hands_or_higher(throw, [last] * kept).values()
    )


@given(st.integers(1, 5), st.integers(1, 4))
def test_patterns_come_as_often_as_can_be_counted(length: int, faces: int) -> None:
    every = ["".join(map(str, one)) for one in product(range(faces), repeat=length)]
    counted = Counter(map(odds.pattern_of, every))
    assert odds.patterns(length, faces) == {p: Fraction(counted[p], len(every)) for p in odds.patterns(length, faces)}
    assert sum(odds.greatest_frequency(most, length, faces) for most in range(1, length + 1)) == 1


def test_dice_that_are_kept_are_no_chance() -> None:
    assert odds.chance_of_hand_or_higher(THROWS["hoyle"], Hand("five", (6,)), (6, 6, 6, 6)) == PLAIN
    assert odds.chance_of_hand_or_higher(THROWS["hoyle"], Hand("five", (6,)), (6, 6, 6, 6, 6)) == 1


@given(st.fractions(0, 1_000, max_denominator=999), st.integers(1, 12))
def test_a_decimal_is_within_half_of_its_last_place(value: Fraction, places: int) -> None:
    written = decimal(value, places)
    assert abs(Fraction(written) - value) <= Fraction(1, 2 * 10**places)
    assert len(written.partition(".")[2]) == places


# ---- what may be asked --------------------------------------------------------------------------

OF_FIFTEEN: dict[str, Any] = {"tokens": "15", "chance": "1/3"}
VIEW: dict[str, Any] = {"seen": ["3"] * 4, "unseen": "10", "wild": "true"}
DRAWN = {"throw": "mexican", "kept": ["6"]}
ASKED: dict[str, tuple[dict[str, Any], questions.Answer | None]] = {
    "at_least": ({**OF_FIFTEEN, "quantity": "5"}, Fraction(8551019, 14348907)),
    "at_least_each": (OF_FIFTEEN, None),
    "exactly": ({**OF_FIFTEEN, "quantity": "5"}, Fraction(1025024, 4782969)),
    "exactly_each": ({"tokens": "1", "chance": "1/6"}, {"0": 1 - PLAIN, "1": PLAIN}),
    "expected_quantity": (OF_FIFTEEN, Fraction(5)),
    "likeliest_quantities": (OF_FIFTEEN, {"5": Fraction(1025024, 4782969)}),
    "expected_at_most": ({"tokens": "8", "chance": "1/10", "most": "1"}, Fraction(8, 17)),
    "odds_against": ({"chance": "1/6"}, Fraction(5)),
    "bid_holds": ({**VIEW, "quantity": "6", "face": "3", "natural": "true"}, Fraction(17635, 19683)),
    "bid_exact": (
        {"quantity": "4", "face": "0", "unseen": "8", "wild": "0", "token": "digit"},
        chance_of_exactly(8, 4, DIGIT),
    ),
    "drinks_of_first_out": ({"players": "4", "dice": "5"}, Fraction(19)),
    "patterns": ({"length": "2"}, {"2": DIGIT, "1+1": 1 - DIGIT}),
    "pattern_of": ({"serial": "66847680"}, {"3+2+1+1+1": Fraction(2646, 15625)}),
    "greatest_frequency": ({"most": "8"}, Fraction(1, 10**7)),
    "raise_threshold": ({"players": "4"}, Fraction(1, 3)),
    "winners_curse": ({"doubters": "5"}, Fraction(40, 17)),
    "hand_at_least": ({"throw": "stanford", "shape": "six"}, Fraction(6, 6**6)),
    "hands_at_least": (DRAWN, None),
    "hands_exactly": (DRAWN, None),
    "shapes": (DRAWN, {"score": Fraction(1)}),
    "specials": ({}, None),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_is_answered_in_numbers(name: str) -> None:
    asked, expected = ASKED[name]
    found, params = answer(name, asked), QUESTIONS[name].params
    assert expected in (found, None)
    assert found == answer(name, msgspec.convert(asked, params, strict=False))
    assert all(isinstance(one, Fraction) for one in (found.values() if isinstance(found, dict) else [found]))
    assert params.__struct_fields__ == tuple(msgspec.json.schema(params)["$defs"][name]["properties"])


def test_a_table_says_what_each_number_is_the_chance_of() -> None:
    found = answer("hands_at_least", {"throw": "finska"})
    assert isinstance(found, dict)
    assert list(found)[::47] == ["pair 9", "full_house 12-13", "five 14"]


def test_the_longest_fractions_can_be_written() -> None:
    assert len(str(answer("exactly", {"tokens": questions.MOST, "quantity": 100, "chance": "500/999"}))) > 1_000


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("moon", {}, "no question is called moon"),
    ("at_least", {"tokens": -1, "chance": "1/6", "quantity": 0}, "tokens: this is to be at least 0"),
    ("at_least", {"tokens": 1, "chance": "1/0", "quantity": 0}, "chance: this is to be written like"),
    ("at_least", {"tokens": 1, "chance": "7/6", "quantity": 0}, "a chance lies between 0 and 1, not at 7/6"),
    ("exactly", {"tokens": 1, "chance": "1/6"}, "quantity: this is needed, and is missing"),
    ("specials", {"more": 1}, "more: nothing here has this name"),
    ("odds_against", {"chance": "0"}, "a chance above 0"),
    ("expected_at_most", {"tokens": 3, "chance": "1", "most": 2}, "it cannot be that at most 2 of 3 count"),
    ("bid_holds", {"quantity": 3, "face": 6, "seen": [0], "unseen": 9, "wild": True}, "no token here shows 0: its"),
    ("bid_holds", {"quantity": 10, "face": 6, "unseen": 9, "wild": True}, "of 9 tokens in play nobody can claim 10"),
    ("greatest_frequency", {"most": 9}, "the most frequent of 8 tokens is there 1 to 8 times, not 9"),
    ("pattern_of", {"serial": "12a"}, "serial: this is to be written like"),
    ("hand_at_least", {"throw": "hoyle", "shape": "pair", "faces": [7]}, "nobody can claim pair 7 here"),
    ("shapes", {"throw": "finska", "kept": [6]}, "no token here shows 6: its faces go from 9 to 14"),
    ("shapes", {"throw": "mexican", "kept": [6, 6, 6]}, "of 2 dice nobody can keep 3"),
]


@pytest.mark.parametrize(("name", "given", "sentence"), REFUSED)
def test_what_nobody_can_ask_is_refused_in_a_sentence(name: str, given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        answer(name, given)


BAD: list[tuple[Callable[..., object], tuple[object, ...]]] = [
    (odds.chance_of, (0,)), (odds.chance_of_exactly, (-1, 0, PLAIN)), (odds.chance_of_at_least, (1, 0, -PLAIN)),
    (odds.expected_at_most, (8, -1, DIGIT)), (odds.drinks_of_first_out, (1, 5)), (odds.pattern_of, ("\u0663",)),
    (odds.pattern_chance, ((2, 0),)), (odds.patterns, (0,)), (odds.raise_threshold, (1,)), (odds.winners_curse, (-1,)),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "arguments"), BAD)
def test_bad_numbers_are_refused(ask: Callable[..., object], arguments: tuple[object, ...]) -> None:
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        ask(*arguments)
