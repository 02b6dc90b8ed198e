"""The chance of an analysis: words that anybody can make again, and what is drawn by them."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from domain.rules.rules import DIGITS, PIPS
from domain.strategy.chance import Lot, Words, drawn_together, words_for
from domain.strategy.hands import all_hands
from domain.strategy.reading.serials import DRAWN, hands_or_some

HEAD: Final = "ab" * 32


def test_words_are_those_of_the_specification() -> None:
    text = f"truecup-analysis/1\n{HEAD}\nlevel1@{HEAD}\n24\nseat.2\nequity"
    seed = sha256(text.encode()).digest()
    words = words_for(HEAD, f"level1@{HEAD}", 24, "seat.2", "equity")
    for block in range(3):
        digest = sha256(seed + block.to_bytes(8, "big")).digest()
        for at in range(0, 32, 8):
            assert words.word() == int.from_bytes(digest[at : at + 8], "big")


@given(st.lists(st.integers(0, 9), max_size=6))
def test_many_words_are_those_that_come_one_after_the_other(counts: list[int]) -> None:
    words, same = Words(b"seed"), Words(b"seed")
    for count in counts:
        assert words.many(count) == [same.word() for _ in range(count)]
        assert words.word() == same.word()


@given(st.integers(1, 2**64))
def test_a_draw_is_one_of_so_many(total: int) -> None:
    words, same = Words(b"seed"), Words(b"seed")
    assert words.draw(total) == same.word() * total >> 64 < total


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8).filter(any))
def test_a_lot_draws_each_as_often_as_it_is_large(weights: list[int]) -> None:
    lot, words, same = Lot(weights), Words(b"seed"), Words(b"seed")
    tickets = [index for index, weight in enumerate(weights) for _ in range(weight)]
    for _ in range(20):
        assert lot.draw(words) == tickets[same.draw(len(tickets))]


def test_lots_that_are_drawn_together_take_turns() -> None:
    lots, words, same = [Lot([1, 2, 3]), Lot([7]), Lot([0, 5, 5])], Words(b"seed"), Words(b"seed")
    one_by_one = [[lot.draw(same) for lot in lots] for _ in range(20)]
    assert list(zip(*drawn_together(lots, words, 20), strict=True)) == list(map(tuple, one_by_one))


def test_few_hands_are_all_gone_through_and_of_many_some_are_drawn() -> None:
    assert hands_or_some(5, PIPS, Words(b"")) is all_hands(5, PIPS)
    serials = hands_or_some(8, DIGITS, Words(b""))
    assert sum(serials.ways) == DRAWN
    assert list(serials.hands) == sorted({*serials.hands}) == list(serials.places)
    assert serials.hands != hands_or_some(8, DIGITS, Words(b"other")).hands


def test_hands_are_drawn_as_often_as_they_come_up() -> None:
    serials = hands_or_some(8, DIGITS, Words(b""))
    nines = sum(ways * hand.count(9) for hand, ways in zip(serials.hands, serials.ways, strict=True))
    # The mean of 4,096 numbers is 0.8 nines, give or take 0.013.
    assert abs(nines - DRAWN * 8 // 10) < 4 * 55
