"""Sockets run out in an order, too: what rests goes first, then what was never heard, then who watches."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from ipaddress import ip_network
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from services.http.bounds import Bounds
from services.http.front.drain import Drain
from services.http.front.proxies import Proxies
from services.http.front.sockets import MEANWHILE, Sockets, Terms, terms_within
from tests.api.conftest import Service, Table, served
from tests.door.sending import GET, Client, connected

TERMS = Terms(sockets_max=8, sockets_of_network_max=4)


class Held:
    """A socket that does what it is told."""

    def __init__(self, sockets: Sockets, network: str | None) -> None:
        self.network = network
        self.is_open = True
        self.sockets = sockets
        self.refused = sockets.admit(self)

    def hang_up(self) -> None:
        self.is_open = False

    def look(self, _now: float) -> None:
        self.is_open = False


def busy(sockets: Sockets, network: str | None = None) -> Held:
    """Return a socket with a request under way."""
    held = Held(sockets, network)
    sockets.busy(held)
    return held


def test_a_network_has_so_many_and_others_have_theirs():
    doors = Drain()
    sockets = Sockets(doors, TERMS)
    held = [busy(sockets, "192.0.2.1") for _ in range(5)]
    assert [one.refused for one in held] == [None] * 4 + ["sockets_of_network"]
    assert busy(sockets, "192.0.2.2").refused is None
    assert doors.sockets == 5


def test_within_a_network_what_rests_longest_gives_way():
    sockets = Sockets(Drain(), TERMS)
    held = [busy(sockets, "192.0.2.1") for _ in range(4)]
    sockets.rests(held[2])
    sockets.rests(held[0])
    assert busy(sockets, "192.0.2.1").refused is None
    assert [one.is_open for one in held] == [True, True, False, True]


def test_a_proxy_has_no_bound_but_that_of_all():
    sockets = Sockets(Drain(), TERMS)
    assert [busy(sockets).refused for _ in range(9)] == [None] * 8 + ["sockets"]


def test_when_all_are_taken_what_rests_goes_before_what_was_never_heard():
    doors = Drain()
    sockets = Sockets(doors, TERMS)
    silent = Held(sockets, "192.0.2.1")
    held = [busy(sockets) for _ in range(7)]
    sockets.rests(held[0])
    assert [busy(sockets).refused for _ in range(3)] == [None, None, "sockets"]
    assert (held[0].is_open, silent.is_open) == (False, False)
    assert all(one.is_open for one in held[1:])
    assert doors.turned_away == {"gave_way": 2, "sockets": 1}


async def test_when_nobody_rests_a_watcher_is_asked_to_leave_and_there_is_room_meanwhile():
    doors = Drain()
    sockets = Sockets(doors, TERMS)
    held = [busy(sockets) for _ in range(8)]
    seat, watcher, another = (doors.enter("192.0.2.1", seat, 9, 9) for seat in ((UUID(int=0), 1), None, None))
    assert [busy(sockets).refused for _ in range(2)] == [None, "sockets"]
    assert [place.over.done() for place in (seat, watcher, another)] == [False, False, True]
    assert all(one.is_open for one in held)


@given(
    st.lists(st.tuples(st.sampled_from(["come", "busy", "rest", "unheard", "leave"]), st.integers(0, 9)), max_size=80)
)
def test_whatever_sockets_do_no_bound_is_passed_and_nothing_is_forgotten(story):
    doors, networks = Drain(), ("192.0.2.1", "192.0.2.2", None)
    sockets, held = Sockets(doors, TERMS), []
    for deed, number in story:
        if deed == "come":
            one = Held(sockets, networks[number % 3])
            held += [one] if one.refused is None else []
        elif held:
            one = held[number % len(held)]
            {"busy": sockets.busy, "rest": sockets.rests, "unheard": sockets.unheard, "leave": sockets.leave}[deed](one)
            one.is_open = one.is_open and deed != "leave"
        held = [one for one in held if one.is_open]
        assert doors.sockets == len(held) <= TERMS.sockets_max
        assert all(sum(one.network == network for one in held) <= 4 for network in networks[:2])
    sockets.look(0.0)
    assert not any(one.is_open for one in held)


def test_as_many_sockets_as_files_allow():
    for files in (300, 1_024, 4_096, 20_000, 65_536):
        terms = terms_within(files)
        assert 0 < terms.sockets_max + terms.sockets_max // MEANWHILE <= files - 200
        assert 0 < terms.sockets_of_network_max <= terms.sockets_max
    assert terms_within(65_536) == Terms()


# ---- over the wire ----------------------------------------------------------------------------


def test_whoever_takes_all_he_may_shuts_out_himself_alone() -> None:
    with served(Bounds(), terms=Terms(sockets_of_network_max=20)) as service, ExitStack() as stack:
        port = service.server.port
        crowd = [stack.enter_context(connected(port, "127.0.0.3")) for _ in range(40)]
        for client in crowd:
            client.send(GET[:-2])
        assert _becomes(service, 20)

        with connected(port, "127.0.0.3") as one_more:
            refused = one_more.problem()
        assert (refused["status"], refused["code"]) == (503, "too_many_connections")
        with connected(port, "127.0.0.2") as another:
            another.send(GET)
            assert another.answer()[0] == 200
        assert service.parts.doors.turned_away["sockets_of_network"] == 21


def test_browsers_at_rest_give_way_to_whoever_comes_from_the_same_house() -> None:
    with served(Bounds(), terms=Terms(sockets_of_network_max=4)) as service, ExitStack() as stack:
        for _ in range(20):
            client = stack.enter_context(connected(service.server.port))
            client.send(GET)
            assert client.answer()[0] == 200


def test_when_sockets_run_out_a_seat_comes_in_and_a_watcher_goes() -> None:
    with served(Bounds(), terms=Terms(sockets_max=8)) as service, ExitStack() as stack:
        table = Table(service)
        seat = table.join("Ada")["Authorization"]
        service.client.close()
        watchers = [_watching(stack, service, table, f"127.0.0.{number}") for number in (2, 2, 3, 4, 5, 6, 7, 8)]
        _watching(stack, service, table, "127.0.0.99", seat)

        assert watchers[1].until(b'{"bye":2}')
        assert service.parts.doors.streams == 8
        assert service.parts.doors.turned_away["gave_way"] == 1


def test_a_proxy_that_is_named_may_hold_more_than_a_network() -> None:
    named = Proxies([ip_network("127.0.0.1")])
    with served(Bounds(), terms=Terms(sockets_of_network_max=4), proxies=named) as service, ExitStack() as stack:
        crowd = [stack.enter_context(connected(service.server.port)) for _ in range(20)]
        for client in crowd:
            client.send(GET[:-2])
        for client in crowd:
            client.send(GET[-2:])
            assert client.answer()[0] == 200


def _watching(stack: ExitStack, service: Service, table: Table, source: str, seat: str | None = None) -> Client:
    """Open a stream from this address, and read how it begins."""
    client = stack.enter_context(connected(service.server.port, source))
    shown = "" if seat is None else f"Authorization: {seat}\r\n"
    client.send(f"GET {table.path}/stream HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n{shown}\r\n".encode())
    assert client.answer()[0] == 200
    return client


def _becomes(service: Service, sockets: int) -> bool:
    """Report whether so many sockets are open before long, and no more."""
    for _ in range(6_000):
        if service.parts.doors.sockets == sockets:
            return True
        threading.Event().wait(0.01)
    return False
