"""The rota: always the same is asked about one thing while he is there, and everybody about as much."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from infra.handoff.rota import BEAT_S, GIVEN_UP_S, LEFT_OUT_S, MEMBERS_MAX, DealerBeat, Rota, chosen

NAMES = st.sets(st.text("abc0123", min_size=1, max_size=8), min_size=1, max_size=6)
THINGS = [f"match {number}" for number in range(1_000)]


@given(NAMES, st.text(max_size=20))
def test_when_one_goes_only_what_was_his_goes_to_others(names: set[str], about: str) -> None:
    asked = chosen(names, about)
    assert asked in names
    for name in names - {asked}:
        assert chosen(names - {name}, about) == asked


def test_where_nobody_is_there_nobody_is_asked() -> None:
    assert chosen((), "anything") is None
    assert Rota().chosen("anything", 0.0) is None


def test_things_are_spread_evenly() -> None:
    for count in (2, 3, 5):
        names = [f"dealer {number}" for number in range(count)]
        asked = [chosen(names, about) for about in THINGS]
        mean = len(THINGS) / count
        # Of a fair draw, one in ten thousand is further off than four standard deviations.
        assert all(abs(asked.count(name) - mean) < 4 * (mean * (1 - 1 / count)) ** 0.5 for name in names)


def test_who_has_not_been_heard_of_late_is_left_out_and_then_given_up() -> None:
    rota, first = Rota(), DealerBeat("a", 0, 10.0)
    rota.hear(first)
    assert rota.chosen("x", 10.0 + LEFT_OUT_S) == first
    assert rota.chosen("x", 10.01 + LEFT_OUT_S) is None
    assert not rota.is_lost(first, 10.0 + GIVEN_UP_S)
    assert rota.is_lost(first, 10.01 + GIVEN_UP_S)
    rota.hear(DealerBeat("b", 0, 11.0 + GIVEN_UP_S))
    assert rota.is_lost(first, 10.0), "he is forgotten"


def test_who_has_lost_the_bus_meanwhile_has_lost_what_he_was_asked() -> None:
    rota, before = Rota(), DealerBeat("a", 3, 0.0)
    rota.hear(before)
    rota.hear(DealerBeat("a", 3, 0.5))
    assert not rota.is_lost(before, 0.5)
    rota.hear(DealerBeat("a", 4, 0.75))
    assert rota.is_lost(before, 0.75)


def test_whoever_beats_under_any_number_of_names_drives_out_nobody() -> None:
    rota, known = Rota(), DealerBeat("known", 0, 10.0)
    rota.hear(known)
    for number in range(3 * MEMBERS_MAX):
        rota.hear(DealerBeat(f"made up {number}", 0, 10.0 + BEAT_S))
    assert not rota.is_lost(known, 10.0 + BEAT_S)
    rota.hear(DealerBeat("known", 1, 10.0 + BEAT_S))
    assert rota.is_lost(known, 10.0 + BEAT_S), "what he says of himself is still heard"
    there = {one.name for number in range(2_000) if (one := rota.chosen(f"match {number}", 10.0 + BEAT_S))}
    assert len(there) <= MEMBERS_MAX
    late = 10.0 + 2 * BEAT_S + GIVEN_UP_S
    rota.hear(DealerBeat("new", 0, late))
    assert {rota.chosen(f"match {number}", late) for number in range(50)} == {DealerBeat("new", 0, late)}
