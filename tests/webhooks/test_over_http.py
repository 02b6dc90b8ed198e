"""Webhooks over HTTP: for hosts alone, with a code for every no, and a secret that is shown once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from uuid import uuid4

import pytest

from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from tests.api.conftest import bearer, served
from tests.director.house import EventHouse
from tests.director.test_refusals import Served, check_refused, entered

URL = "https://hooks.club.org/in/secret-part"


@pytest.fixture(scope="module")
def event() -> Iterator[Served]:
    house = EventHouse(MemoryStore())
    tokens = asyncio.run(entered(house))
    with served(Bounds(writes_per_s=100_000), events=house) as service:
        yield Served(service, house, tokens)


def test_a_host_makes_a_hook_sees_it_and_removes_it(event: Served) -> None:
    path, host = f"{event.path}/webhooks", event.tokens["host"]
    key = {**host, "Idempotency-Key": uuid4().hex}
    made = event.client.post(path, json={"url": URL, "events": ["round.paired"]}, headers=key)
    assert made.status_code == 201
    told = made.json()
    assert told["secret"].startswith("whsec_")
    assert told["made"]["url"] == "https://hooks.club.org/…part"
    assert event.client.post(path, json={"url": URL, "events": ["round.paired"]}, headers=key).json() == told
    check_refused(event.client.post(path, json={"url": URL}, headers=key), 422, "key_reused")
    listed = event.client.get(path, headers=host).json()
    assert listed == [told["made"]]
    gone = event.client.delete(f"{path}/{told['made']['hook']}", headers=host)
    assert (gone.status_code, gone.json()) == (200, [])
    check_refused(event.client.delete(f"{path}/{told['made']['hook']}", headers=host), 404, "unknown_webhook")


@pytest.mark.parametrize("url", ["https://127.0.0.1/", "http://hooks.club.org/", "https://localhost/x", "no address"])
def test_an_address_that_nobody_may_be_told_at_is_refused(event: Served, url: str) -> None:
    host = event.tokens["host"]
    answer = event.client.post(f"{event.path}/webhooks", json={"url": url}, headers=host)
    check_refused(answer, 422, "bad_url")
    assert event.client.get(f"{event.path}/webhooks", headers=host).json() == []


def test_nobody_but_a_host_has_to_do_with_hooks(event: Served) -> None:
    path, hook = f"{event.path}/webhooks", uuid4()
    for who, code in (("arbiter", "not_the_host"), ("Ana", "not_an_official")):
        token = event.tokens[who]
        check_refused(event.client.get(path, headers=token), 403, code)
        check_refused(event.client.post(path, json={"url": URL}, headers=token), 403, code)
        check_refused(event.client.delete(f"{path}/{hook}", headers=token), 403, code)
        check_refused(event.client.post(f"{path}/{hook}/test", headers=token), 403, code)
    check_refused(event.client.get(path), 401, "no_token")
    check_refused(event.client.post(path, json={"url": URL}), 401, "no_token")
    check_refused(
        event.client.get(f"/api/v1/tournaments/{uuid4()}/webhooks", headers=event.tokens["host"]),
        404,
        "unknown_tournament",
    )


def test_a_dismissed_host_has_no_hooks_any_more(event: Served) -> None:
    second = event.client.post(f"{event.path}/officials", json={"role": "host"}, headers=event.tokens["host"]).json()
    dismissed = f"{event.path}/officials/{second['by']}"
    assert event.client.delete(dismissed, headers=event.tokens["host"]).status_code == 200
    check_refused(event.client.get(f"{event.path}/webhooks", headers=bearer(second["token"])), 403, "not_an_official")


def test_more_hooks_than_there_may_be_and_more_tries_than_there_may_be_are_refused(event: Served) -> None:
    path, host = f"{event.path}/webhooks", event.tokens["host"]
    for _ in range(10):
        made = event.client.post(
            path, json={"url": "https://hooks.club.example.invalid/x", "kind": "slack"}, headers=host
        )
        check_refused(made, 422, "bad_url")
        assert event.client.post(path, json={"url": URL, "kind": "slack"}, headers=host).json()["secret"] is None
    check_refused(event.client.post(path, json={"url": URL}, headers=host), 409, "too_many_webhooks")
    for _ in range(5):
        check_refused(event.client.post(f"{path}/{uuid4()}/test", headers=host), 404, "unknown_webhook")
    check_refused(event.client.post(f"{path}/{uuid4()}/test", headers=host), 429, "too_many_requests")


def test_a_network_tries_so_many_hooks_and_no_more_of_however_many_tournaments() -> None:
    house = EventHouse(MemoryStore())
    paths = []
    for _ in range(3):
        tokens = asyncio.run(entered(house))
        paths.append((f"/api/v1/tournaments/{house.id}/webhooks/{uuid4()}/test", bearer(tokens["host"])))
    with served(Bounds(writes_per_s=100_000), events=house) as service:
        answers = [service.client.post(path, headers=host) for path, host in paths for _ in range(4)]
    assert [one.status_code for one in answers] == [*[404] * 10, 429, 429]
