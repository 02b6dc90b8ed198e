"""Addresses where nothing is: a page for those who read pages, a problem document for programs."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import pytest

from services.http.bounds import Bounds
from tests.api.conftest import Service, served

ID = UUID(int=0)


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with served(Bounds()) as running:
        yield running


@pytest.mark.parametrize(
    "path",
    [
        *("/nowhere", "/m", f"/m/{ID}/nowhere", "/matches", f"/matches/{ID}", f"/matches/{ID}/nowhere/else"),
        *("/problems", "/problems/broken/nowhere", "/rules/finska/nowhere", "/tables", "/tables/live/nowhere"),
        *("/embed", "/embed/nowhere", "/embed/matches", f"/embed/matches/{ID}/nowhere"),
        *("/overlay", "/overlay/nowhere", "/overlay/matches", f"/overlay/matches/{ID}/nowhere"),
    ],
)
def test_who_reads_pages_is_told_on_one_that_nothing_is_there(service: Service, path: str) -> None:
    page = service.client.get(path, headers={"Accept": "text/html,*/*;q=0.8"})
    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    program = service.client.get(path, headers={"Accept": "application/json"})
    assert (program.status_code, program.json()["code"]) == (404, "not_found")
