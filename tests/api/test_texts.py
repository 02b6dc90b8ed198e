"""The law of texts: every no has a title, a detail that is so, a page, its place in the document, and a test."""

from __future__ import annotations

import re

import httpx
import pytest

from domain.errors import CODES
from services.http.problems import PROBLEMS, document_of
from tests.api.conftest import Service, Table
from tests.api.documented import ANYWHERE, ON_PAGES, codes_of
from tests.test_house import texts_in

TITLE_MAX = 110
"""The longest title that is read in one go, and stands on two lines of a phone."""


@pytest.mark.parametrize("code", PROBLEMS)
def test_every_code_has_a_title_of_its_own(code: str) -> None:
    kind = PROBLEMS[code]
    assert re.fullmatch(r"[a-z_]+", code)
    assert kind.title[0].islower() or kind.title.startswith("If-Match")
    assert not kind.title.endswith(".")
    assert len(kind.title) <= TITLE_MAX
    assert kind.title.isascii()
    assert sum(other.title == kind.title for other in PROBLEMS.values()) == 1


@pytest.mark.parametrize("code", PROBLEMS)
def test_the_document_of_a_code_is_an_rfc_9457_one_with_a_detail(code: str) -> None:
    told = httpx.Response(200, content=document_of(code, "", {"status": 1, "why": "x"})).json()
    kind = PROBLEMS[code]
    assert told == {
        "type": f"/problems/{code}",
        "title": kind.title,
        "status": kind.status,
        "detail": kind.title,
        "code": code,
        "why": "x",
    }


def test_every_code_stands_in_the_document_and_none_without_its_title(service: Service) -> None:
    operations = [
        operation
        for path in service.client.get("/openapi.json").json()["paths"].values()
        for operation in path.values()
    ]
    assert {code for operation in operations for _, code in codes_of(operation)} == set(PROBLEMS) - ANYWHERE - ON_PAGES
    for operation in operations:
        for status, code in codes_of(operation):
            assert PROBLEMS[code].status == status
            assert f"`{code}`: {PROBLEMS[code].title}" in operation["responses"][str(status)]["description"]


def test_every_code_is_made_somewhere_and_provoked_by_a_test() -> None:
    assert set(PROBLEMS) - set(CODES) - texts_in("services") == set()
    assert set(PROBLEMS) - texts_in("tests") == set()


# ---- what a detail says is so -----------------------------------------------------------------


def test_who_names_a_version_that_is_still_to_come_is_not_told_that_it_has_passed(
    match: tuple[Table, dict[str, str], dict[str, str]],
) -> None:
    table, first, _ = match
    bid = {"type": "bid", "quantity": 1, "face": 2}
    for version in ('"v3"', '"v99"'):
        refused = table.play(first, bid, **{"If-Match": version}).json()
        assert (refused["code"], refused["version"]) == ("version_passed", 4)
        assert refused["detail"] == "the match is at another version than the one named"
