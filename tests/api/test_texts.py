"""The law of texts: every no has a title, a detail that is so, a page, its place in the document, and a test."""

from __future__ import annotations

import re

import httpx
import pytest

from services.http.problems import PROBLEMS, document_of
from services.words.details import DETAILS, detail_of
from tests.api.conftest import Service, Table
from tests.api.documented import ANYWHERE, ON_PAGES, codes_of

TITLE_MAX = 110
"""The longest title that is read in one go, and stands on two lines of a phone."""


class Part:
    """A fact of which parts may be named."""

    def __getitem__(self, _part: object) -> Part:
        """Return a part of it, which looks the same."""
        return self

    def __str__(self) -> str:
        """Return what stands for it."""
        return "x"


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
def test_the_document_of_a_code_is_an_rfc_9457_one_whose_detail_says_more_than_its_title(code: str) -> None:
    kind = PROBLEMS[code]
    told = httpx.Response(200, content=document_of(code)).json()
    detail = told.pop("detail")
    assert told == {"type": f"/problems/{code}", "title": kind.title, "status": kind.status, "code": code}
    assert detail not in kind.title
    assert kind.title not in detail
    assert detail == detail.strip(" .") == DETAILS[code][-1]

    told = httpx.Response(200, content=document_of(code, "", {"status": 1, "why": "x"})).json()
    assert (told["status"], told["why"]) == (kind.status, "x")
    # The detail is what is wrong, once; of an option nobody knows the name of, there is no telling what is.
    # Why a signature is not taken is one word for programs, and people are told what to do about it.
    without_option = {"bad_options": DETAILS["bad_options"][-1]}
    named = {"bad_signature": DETAILS["bad_signature"][0].format(why="x")}
    assert told["detail"] == (without_option | named).get(code, "x")


@pytest.mark.parametrize(
    ("code", "facts", "detail"),
    [
        (
            "bad_options",
            {"option": "seats", "why": "this game is for 2 to 6 seats"},
            "seats: this game is for 2 to 6 seats",
        ),
        ("malformed", {"faults": [{"where": "$.id", "why": "this is no text"}]}, "$.id: this is no text"),
        ("malformed", {"faults": []}, DETAILS["malformed"][-1]),
        ("not_your_turn", {"phase": "to_claim", "turn": None}, DETAILS["not_your_turn"][-1]),
        (
            "too_many_requests",
            {"ratelimit": {"key": "writes", "seconds": 2}},
            "the limit is `writes`; ask again in 2 s",
        ),
    ],
)
def test_a_detail_is_made_of_the_facts_that_stand_in_the_problem(
    code: str, facts: dict[str, object], detail: str
) -> None:
    assert detail_of(code, facts) == detail


def test_every_sentence_about_a_code_is_said_where_its_facts_are_known() -> None:
    assert DETAILS.keys() == PROBLEMS.keys()
    for code, sentences in DETAILS.items():
        for sentence in sentences:
            # The facts that it names and no others; of `ratelimit` and `faults` a part.
            named = set(re.findall(r"\{(\w+)", sentence))
            facts = {name: Part() for name in named}
            assert detail_of(code, facts) == re.sub(r"\{.*?\}", "x", sentence)
        assert not re.search(r"\{", sentences[-1])


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


# ---- what a detail says is so -----------------------------------------------------------------


def test_who_names_a_version_that_is_still_to_come_is_not_told_that_it_has_passed(
    match: tuple[Table, dict[str, str], dict[str, str]],
) -> None:
    table, first, _ = match
    bid = {"type": "bid", "quantity": 1, "face": 2}
    for version in ('"v3"', '"v99"'):
        refused = table.play(first, bid, **{"If-Match": version}).json()
        assert (refused["code"], refused["version"]) == ("version_passed", 4)
        assert refused["title"] == "the match is at another version than the one named"
        assert refused["detail"] == "the match is at version 4; read it again, and decide again"
