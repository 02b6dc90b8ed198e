"""Streams run out in an order: people who watch go before seats, and those of one network before those of others."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.http.front.drain import STREAMS_OF_SEAT, DoorPlace, Drain
from services.http.problems import HttpProblem

MATCH = UUID(int=0)
STREAMS, OF_NETWORK = 8, 4


def enter(doors: Drain, network: str, seat: int | None = None) -> DoorPlace | None:
    """Come to the doors; None is who was refused."""
    try:
        return doors.enter(network, None if seat is None else (MATCH, seat), STREAMS, OF_NETWORK)
    except HttpProblem:
        return None


async def test_a_quarter_is_for_seats_alone():
    doors = Drain()
    watching = [enter(doors, f"192.0.2.{one}") for one in range(8)]
    assert [place is not None for place in watching] == [True] * 6 + [False] * 2
    assert all(enter(doors, "192.0.2.9", seat) for seat in (1, 2))
    assert not any(place.over.done() for place in watching if place)


async def test_a_seat_takes_the_place_of_whoever_came_last_from_where_most_watch():
    doors = Drain()
    crowd = [enter(doors, "192.0.2.1") for _ in range(4)]
    alone = enter(doors, "192.0.2.2")
    seats = [enter(doors, "192.0.2.3", seat) for seat in (1, 2, 3, 4)]
    assert all(seats)
    assert [place.over.done() for place in crowd if place] == [False, False, False, True]
    assert alone is not None
    assert not alone.over.done()
    assert doors.streams == STREAMS
    assert doors.turned_away == {"gave_way": 1}


async def test_no_seat_gives_way_to_another():
    doors = Drain()
    seats = [enter(doors, f"192.0.2.{seat // 4}", seat) for seat in range(8)]
    assert all(seats)
    assert enter(doors, "192.0.2.9", 9) is None
    assert doors.turned_away == {"streams": 1}


async def test_whoever_comes_from_where_few_watch_is_let_in_before_those_who_are_many():
    doors = Drain()
    for network in ("192.0.2.1", "192.0.2.2"):
        assert all(enter(doors, network) for _ in range(3))
    assert enter(doors, "192.0.2.1") is None
    assert [enter(doors, "192.0.2.3") is not None for _ in range(3)] == [True, True, False]


async def test_one_token_does_not_make_every_stream_a_seats():
    doors = Drain()
    places = [enter(doors, f"192.0.2.{one}", 1) for one in range(STREAMS_OF_SEAT + 1)]
    assert [place.seat is not None for place in places if place] == [True] * STREAMS_OF_SEAT + [False]


async def test_a_place_that_is_given_up_twice_is_given_up_once():
    doors = Drain()
    place = enter(doors, "192.0.2.1")
    assert place is not None
    place.leave()
    place.leave()
    assert doors.streams == 0
    assert all(enter(doors, "192.0.2.1") for _ in range(OF_NETWORK))


@given(st.lists(st.tuples(st.integers(0, 3), st.one_of(st.none(), st.integers(1, 9)), st.booleans()), max_size=60))
async def test_whatever_comes_and_goes_no_bound_is_passed_and_no_seat_is_asked_to_leave(story):
    doors, inside = Drain(), []
    for where, seat, leaves in story:
        place = enter(doors, f"192.0.2.{where}", seat)
        inside += [place] if place else []
        if leaves and inside:
            inside.pop(0).leave()
        inside = [place for place in inside if not place.over.done() or place.seat is not None]
        assert doors.streams == len(inside) <= STREAMS
        assert all(not place.over.done() for place in inside)
        assert max(sum(place.network == f"192.0.2.{one}" for place in inside) for one in range(4)) <= OF_NETWORK


async def test_closed_doors_let_nobody_in_and_ask_everybody_to_leave():
    doors = Drain()
    place = enter(doors, "192.0.2.1")
    doors.close()
    assert place is not None
    assert place.over.done()
    with pytest.raises(HttpProblem) as caught:
        doors.enter("192.0.2.1", None, STREAMS, OF_NETWORK)
    assert caught.value.code == "closing"
