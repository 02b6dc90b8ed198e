"""The log over HTTP: what may be kept for ever, and what not."""

from __future__ import annotations

from uuid import UUID

import httpx
import pytest

from tests.api.conftest import Service, Table


@pytest.mark.parametrize("path", ["0/000.p/1", "entries/000"])
def test_what_a_tile_holds_never_changes_so_it_may_be_kept(service: Service, path: str) -> None:
    answer = service.client.get(f"/log/tile/{path}")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"


def test_entries_are_packed_for_those_who_ask_so(service: Service) -> None:
    plain = service.client.get("/log/tile/entries/000", headers={"Accept-Encoding": "identity"})
    packed = service.client.get("/log/tile/entries/000", headers={"Accept-Encoding": "gzip"})
    assert (plain.headers.get("content-encoding"), packed.headers["content-encoding"]) == (None, "gzip")
    assert plain.content == packed.content
    assert int(packed.headers["content-length"]) < len(packed.content)
    assert plain.headers["vary"] == packed.headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize("path", ["0/000", "entries/001", "0/000.p/01", "0/%30%30%30", "..%2f..%2fx"])
def test_where_no_tile_is_a_problem_says_so_and_is_not_kept(service: Service, path: str) -> None:
    answer = service.client.get(f"/log/tile/{path}")
    assert (answer.status_code, answer.json()["code"]) == (404, "no_tile")
    assert answer.headers["cache-control"] == "no-store"


BESIDE = (
    "/log/tile{}/",
    "/log/tile{}//",
    "/log//tile{}",
    "/log/tile/{}",
    "/log/tile%2F{}",
    "/log/%74ile{}",
)
"""Where the framework would look for what is at `/log/tile{}`."""


@pytest.mark.parametrize("path", ["/0/000.p/1", "/entries/000"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_tile_has_one_address_and_no_slash_behind_it(service: Service, method: str, path: str) -> None:
    assert service.client.request(method, f"/log/tile{path}").status_code == 200
    asked = [beside.format(path) for beside in BESIDE] + ["/log/tile" + path.replace("/0", "%2F0")]
    answers = [service.client.request(method, each) for each in asked]
    assert {(answer.status_code, answer.headers["cache-control"]) for answer in answers} == {(404, "no-store")}


def test_the_checkpoint_of_the_log_has_no_slash_behind_it(service: Service) -> None:
    service.house.signed = b"a note"
    for path in ("/log/checkpoint/", "/log//checkpoint"):
        answer = service.client.get(path)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("packing", ["identity", "gzip"])
@pytest.mark.parametrize(
    "path",
    [
        *("/log/checkpoint", "/log/tile/0/000.p/1", "/log/tile/entries/000", "/log/tile/0/000", "/log/tile/0/000.p/1/"),
        *("/api/v1/log/checkpoint", "/api/v1/log/policy"),
    ],
)
def test_head_says_of_the_log_what_get_would_say_and_sends_none_of_it(
    service: Service, path: str, packing: str
) -> None:
    service.house.signed = b"a note"
    answers = [service.client.request(method, path, headers={"Accept-Encoding": packing}) for method in ("GET", "HEAD")]
    got, head = ({name: value for name, value in each.headers.items() if name != "date"} for each in answers)
    assert (answers[1].status_code, answers[1].content, head) == (answers[0].status_code, b"", got)
    assert int(head["content-length"]) > 0


def test_the_checkpoint_is_where_both_look_for_it(service: Service) -> None:
    service.house.signed = None
    for path in ("/log/checkpoint", "/api/v1/log/checkpoint"):
        assert service.client.get(path).json()["code"] == "no_checkpoint"
    service.house.signed = b"a note"
    found = [service.client.get(path) for path in ("/log/checkpoint", "/api/v1/log/checkpoint")]
    assert [(one.content, one.headers["cache-control"]) for one in found] == [(b"a note", "no-cache")] * 2
    assert found[0].headers["content-type"] == "text/plain; charset=utf-8"


def test_a_word_beside_readiness_keeps_nobody_out(service: Service) -> None:
    service.house.notice = "two sealed deals wait"
    answer: httpx.Response = service.client.get("/health/ready")
    service.house.notice = None
    assert (answer.status_code, answer.json()) == (
        200,
        {"status": "ready", "reasons": {"log": "two sealed deals wait"}},
    )
    assert service.client.get("/health/ready").json() == {"status": "ready", "reasons": {}}


def test_the_policy_a_match_was_logged_under_is_had_by_the_match(service: Service, table: Table) -> None:
    answer = service.client.get(f"{table.path}/policy")
    assert answer.text == service.client.get("/api/v1/log/policy").text
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["cache-control"] == "public, max-age=300"
    unknown = service.client.get(f"/api/v1/matches/{UUID(int=0)}/policy")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown_match")
