"""Sets: the process that does what, and the share of it all that each may let in."""

from __future__ import annotations

import pytest

from infra.config import BadConfig, Config, config_of
from services.http.bounds import Bounds
from services.http.front.sockets import Terms
from services.program.roles import roles_of
from services.program.sets import (
    ALONE,
    HOUSE,
    PROCESSES_MAX,
    Part,
    parts_of,
    processes_of,
    share_of_bounds,
    share_of_terms,
)


@pytest.mark.parametrize(
    ("roles", "each", "beside"),
    [
        ("api,relay,dealer,bots", {"api", "dealer"}, {"relay", "dealer", "bots"}),
        ("api,dealer", {"api", "dealer"}, {"dealer"}),
        ("api,relay", {"api"}, {"relay"}),
        ("api", {"api"}, None),
    ],
)
def test_those_who_answer_do_the_same_and_one_beside_them_the_rest(
    roles: str, each: set[str], beside: set[str] | None
) -> None:
    parts = parts_of(Config(roles=roles, processes=3))
    answering = [roles_of(config) for part, config in parts if part.answers]
    others = [(part.name, set(roles_of(config))) for part, config in parts if not part.answers]
    assert answering == [each] * 3
    assert others == ([] if beside is None else [(HOUSE, beside)])
    assert [part.keeps for part, _ in parts].count(True) == 1
    assert len({part.name for part, _ in parts}) == len(parts)


@pytest.mark.parametrize("roles", ["relay", "dealer,bots", "relay,dealer"])
def test_without_api_a_program_is_one_process(roles: str) -> None:
    assert parts_of(Config(roles=roles)) == [(ALONE, Config(roles=roles))]
    with pytest.raises(BadConfig, match="PROCESSES"):
        config_of({"TRUECUP_ROLES": roles, "TRUECUP_PROCESSES": "2"})


def test_one_process_is_the_whole_program() -> None:
    assert parts_of(Config(processes=1)) == [(ALONE, Config(processes=1))]


def test_if_nothing_is_said_there_are_no_more_than_are_of_use() -> None:
    assert 1 <= processes_of(Config()) <= PROCESSES_MAX
    assert processes_of(Config(processes=64)) == 64


@pytest.mark.parametrize("text", ["0", "65", "two"])
def test_a_number_of_processes_that_cannot_be_meant_is_refused(text: str) -> None:
    with pytest.raises(BadConfig, match="PROCESSES"):
        config_of({"TRUECUP_PROCESSES": text})


@pytest.mark.parametrize("count", [2, 3, 8])
def test_together_they_let_in_what_one_would_and_no_more_than_a_rest_besides(count: int) -> None:
    part, terms, bounds = Part("api-1", answering=count), Terms(), Bounds()
    share, bounded = share_of_terms(terms, part), share_of_bounds(bounds, part)
    for whole, one in [
        (terms.sockets_max, share.sockets_max),
        (terms.sockets_of_network_max, share.sockets_of_network_max),
        (terms.requests.burst, share.requests.burst),
        (bounds.streams_max, bounded.streams_max),
        (bounds.streams_of_network_max, bounded.streams_of_network_max),
        (bounds.dear.burst, bounded.dear.burst),
    ]:
        assert whole <= count * one < whole + count
    assert (share_of_terms(terms, ALONE), share_of_bounds(bounds, ALONE)) == (terms, bounds)
