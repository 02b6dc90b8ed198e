"""By which names a house may be addressed, so that no other site passes for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from infra.config import BadConfig, Config, config_of
from services.http.bounds import Bounds
from services.http.layers.hosts import known_hosts, name_of
from tests.api.conftest import RULES, Service, served
from tests.api.test_problems import check

PATHS = ("/api/v1/matches", "/openapi.json", "/metrics", "/log/checkpoint")


@pytest.fixture(scope="module")
def alone() -> Iterator[Service]:
    """A house for its own machine, with nothing said about names."""
    with served(Bounds(), hosts=known_hosts(None, Config().host)) as service:
        yield service


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil.example:80", "10.0.0.1", "[::2]"])
def test_a_name_that_another_site_may_have_is_misdirected(alone: Service, host: str) -> None:
    for path in PATHS:
        check(alone.client.get(path, headers={"Host": host}), 421, "misdirected")
    before = len(alone.house.rooms)
    same = {"Host": "evil.example", "Origin": "http://evil.example"}
    check(alone.client.post("/api/v1/matches", json=RULES, headers=same), 421, "misdirected")
    assert len(alone.house.rooms) == before
    metered = alone.client.get("/metrics", headers={"Host": "localhost"}).text
    assert 'truecup_requests_total{method="POST",path="/api/v1/matches",status="421"}' in metered


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.0.0.1:9", "127.1.2.3", "localhost", "LOCALHOST.:80", "dice.localhost", "[::1]", "[::1]:8"],
)
def test_the_names_of_the_machine_itself_are_welcome(alone: Service, host: str) -> None:
    assert alone.client.get("/api/v1/matches", headers={"Host": host}).status_code == 200


def test_whoever_probes_the_health_of_a_process_may_use_any_address(alone: Service) -> None:
    for path in ("/health/live", "/health/ready"):
        assert alone.client.get(path, headers={"Host": "10.0.0.7:8000"}).status_code == 200


def test_a_house_is_known_by_the_names_its_operator_lists() -> None:
    with served(Bounds(), hosts=known_hosts("Dice.example,dice.example.org:8443", "0.0.0.0")) as service:
        for host in ("dice.example", "DICE.EXAMPLE:443", "dice.example.org", "localhost"):
            assert service.client.get("/api/v1/matches", headers={"Host": host}).status_code == 200
        for host in ("evil.example", "www.dice.example", "192.0.2.1"):
            check(service.client.get("/api/v1/matches", headers={"Host": host}), 421, "misdirected")


def test_a_house_for_others_is_known_by_any_name_until_some_are_listed() -> None:
    assert known_hosts(None, "0.0.0.0") is None
    assert known_hosts(None, "192.0.2.1") is None
    assert known_hosts("*", "127.0.0.1") is None
    assert known_hosts("dice.example,*", "127.0.0.1") is None
    assert known_hosts(None, "localhost") == frozenset({"localhost"})
    assert known_hosts("A.example", "127.0.0.1") == frozenset({"a.example"})


@pytest.mark.parametrize(
    ("host", "name"),
    [("A.b:80", "a.b"), ("[2001:DB8::1]:1", "2001:db8::1"), ("a.b.", "a.b"), ("a:b:c", ""), (":80", ""), ("[::1", "")],
)
def test_a_name_is_read_without_its_port(host: str, name: str) -> None:
    assert name_of(host) == name


def test_names_are_a_setting() -> None:
    assert config_of({"TRUECUP_HOSTS": "a.example,b.example:1"}).hosts == "a.example,b.example:1"
    for text in ("", "a b", "a,,b", "a,"):
        with pytest.raises(BadConfig, match="TRUECUP_HOSTS"):
            config_of({"TRUECUP_HOSTS": text})
