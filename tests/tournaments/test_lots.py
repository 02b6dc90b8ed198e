"""Lots decide among equals, the same for everybody; ids follow from a place and are told apart."""

from __future__ import annotations

from uuid import RFC_4122, UUID

from hypothesis import given
from hypothesis import strategies as st

from domain.tournaments.pairing.lots import Lots, board_id, match_id

ROLLS = st.binary(min_size=32, max_size=32)
TOURNAMENT = "2999d197-5933-49e2-a2e8-e9e91af65b3b"
PLACES = st.tuples(st.integers(1, 65_535), st.integers(0, 2**32 - 1), st.integers(1, 65_535))


@given(ROLLS, st.sets(st.integers(1, 5000), max_size=20), st.randoms())
def test_the_order_of_lots_does_not_depend_on_the_order_of_asking(roll, numbers, chance) -> None:
    lots = Lots(roll, 1, 1)
    shuffled = chance.sample(sorted(numbers), len(numbers))
    assert lots.order(shuffled) == lots.order(sorted(numbers))
    assert sorted(lots.order(numbers)) == sorted(numbers)
    assert [lots.ranks(shuffled)[number] for number in lots.order(numbers)] == list(range(len(numbers)))


@given(ROLLS)
def test_every_stage_round_and_use_has_lots_of_its_own(roll) -> None:
    drawn = [Lots(roll, stage, round_) for stage in (1, 2) for round_ in (0, 1, 2)]
    assert len({lots.lot(7) for lots in drawn} | {lots.kick(7) for lots in drawn}) == 12


@given(PLACES, st.integers(1, 65_535))
def test_an_id_is_a_uuid_of_version_8_and_of_one_place(place: tuple[int, int, int], attempt: int) -> None:
    ids = {
        match_id(TOURNAMENT, *place, attempt),
        match_id(TOURNAMENT, *place, attempt - 1),
        board_id(TOURNAMENT, *place),
    }
    assert len(ids) == 3
    assert {(UUID(each).version, UUID(each).variant) for each in ids} == {(8, RFC_4122)}
