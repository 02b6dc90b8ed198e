"""Comments over HTTP: who may write, what is told to whom and when, what is replaced, withdrawn and erased.

All of it is asked of a house that decides itself, and of a node that hands over what it is asked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any, Final
from uuid import UUID

import pytest

from domain.commentary.record import stream_of_commentary
from services.matches.requests import CommandMetadata
from tests.commentary.commented import Elsewhere, Front, Here, Table, commented, refused

NOWHERE: Final = "6f1de1ce-0000-4000-8000-00000000000f"


@pytest.fixture(scope="module", params=[Here, Elsewhere], ids=["here", "elsewhere"])
def front(request: pytest.FixtureRequest) -> Iterator[Front]:
    with commented(request.param) as found:
        yield found


# ---- who may write ----------------------------------------------------------------------------------


def test_the_host_writes_and_everybody_reads(front: Front) -> None:
    table = Table(front)
    answer = table.say(table.host, "A hard  choice\u0301.", seat=2)
    assert answer.status_code == 201
    comment = answer.json()["comment"]
    assert (UUID(comment).version, answer.json()["version"]) == (7, 2)
    assert answer.headers["location"] == f"/api/v1{table.path}/comments/{comment}"
    (seen,) = table.read()
    assert (seen["comment"], seen["text"], seen["version"], seen["seat"]) == (comment, "A hard  choicé.", 1, 2)
    assert (seen["office"], seen["name"], seen["lang"], seen["erased"]) == ("host", None, "en", False)


def test_a_caster_writes_at_once_and_any_other_player_never_unless_the_host_lets_everybody(front: Front) -> None:
    table = Table(front)
    (caster, casts), (_, other) = front.player("Caster"), front.player("Other")
    refused(table.say(casts), 403, "may_not_comment")
    named = table.let(caster)
    assert named.json() == {"casters": [{"player": caster, "name": "Caster"}], "everybody": False}
    table.said(casts, "by a caster")
    assert table.read()[0]["name"] == "Caster"
    refused(table.say(other), 403, "may_not_comment")
    table.let(everybody=True)
    refused(table.say(other), 403, "may_not_comment")
    refused(table.say(casts), 403, "may_not_comment")
    table.end()
    table.said(other, "afterwards")
    table.let()
    refused(table.say(other), 403, "may_not_comment")
    assert front.ask("GET", f"{table.path}/comments/writers").json() == {"casters": [], "everybody": False}


def test_tokens_that_let_nobody_write(front: Front) -> None:
    table, other = Table(front), Table(front)
    refused(table.say(None), 401, "no_token")
    refused(table.say("truecup_player_" + "A" * 43), 401, "bad_token")
    for token in (table.seats[1], other.host, other.seats[1]):
        refused(table.say(token), 403, "may_not_comment")
        refused(table.let(token=token), 403, "not_the_host")
    refused(front.ask("GET", f"{table.path}/comments", token="truecup_host_" + "A" * 43), 401, "bad_token")
    refused(front.ask("POST", f"/matches/{NOWHERE}/comments", {}, table.host), 404, "unknown_match")
    for read in ("", "/writers", "/export"):
        refused(front.ask("GET", f"/matches/{NOWHERE}/comments{read}"), 404, "unknown_match")
    _, player = front.player("Ada")
    refused(table.let(token=player), 403, "not_the_host")
    assert table.read() == []


def test_casters_are_players_of_the_house(front: Front) -> None:
    table = Table(front)
    refused(table.let("u" + "0" * 24), 404, "unknown_person")
    refused(table.let("somebody"), 400, "malformed")
    refused(table.let(*[f"u{number:024x}" for number in range(21)]), 400, "malformed")
    caster, _ = front.player("Twice")
    assert len(table.let(caster, caster).json()["casters"]) == 1


def test_whose_name_is_erased_stays_an_author_without_one(front: Front) -> None:
    table = Table(front)
    caster, casts = front.player("Shy")
    table.let(caster)
    table.said(casts)
    front.ask("DELETE", f"/players/{caster}/name", token=casts)
    assert [(one["author"], one["name"]) for one in table.read()] == [(caster, None)]
    assert front.ask("GET", f"{table.path}/comments/writers").json()["casters"] == [{"player": caster, "name": None}]


# ---- bad input --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("members", "field"),
    [
        ({"text": ""}, "text"),
        ({"text": "x" * 1_001}, "text"),
        ({"text": "bell\u0007"}, "text"),
        ({"text": "a\u202eb"}, "text"),
        ({"text": "a\u2067b"}, "text"),
        ({"lang": "english, please"}, "lang"),
        ({"lang": ""}, "lang"),
        ({"version": 0}, "version"),
        ({"version": -1}, "version"),
        ({"version": 2, "until": 1}, "until"),
        ({"version": 1, "until": 1}, "until"),
        ({"seat": 3}, "seat"),
        ({"seat": 0}, "seat"),
    ],
)
def test_what_is_wrong_with_a_comment_is_told_by_its_field(front: Front, members: dict[str, Any], field: str) -> None:
    table = Table(front)
    facts = refused(table.say(table.host, **{"text": "fine", **members}), 422, "bad_comment")
    assert facts["field"] == field
    assert facts["why"]
    assert table.read(table.host) == []


def test_nothing_is_said_about_what_has_not_been(front: Front) -> None:
    table = Table(front)
    there = table.version
    table.said(table.host, version=there)
    wrong: list[dict[str, Any]] = [{"version": there + 1}, {"version": 1, "until": there + 1}, {"version": 2**53}]
    for members in wrong:
        facts = refused(table.say(table.host, **members), 409, "ahead_of_match")
        assert facts["version"] == there


@pytest.mark.parametrize(
    "body", [{}, {"version": "1"}, {"version": 1.5}, {"version": True}, {"version": 2**80}, {"words": "x"}, [], None]
)
def test_a_body_of_another_shape_is_malformed(front: Front, body: object) -> None:
    table = Table(front)
    asked = {"version": 1, "lang": "en", "text": "x", **body} if isinstance(body, dict) and body else body
    answer = front.ask("POST", f"{table.path}/comments", asked, table.host)
    assert (answer.status_code, answer.json()["code"]) in {(400, "malformed"), (415, "bad_media_type")}
    refused(front.ask("GET", f"{table.path}/comments?limit=0"), 400, "malformed")
    refused(front.ask("GET", f"{table.path}/comments?after=x"), 400, "malformed")


# ---- an open round ----------------------------------------------------------------------------------


def test_what_is_said_about_an_open_round_is_told_when_it_is_over(front: Front) -> None:
    table = Table(front)
    caster, casts = front.player("Caster")
    table.let(caster)
    table.act("bid", quantity=1, face=2)
    comment = table.said(casts, "seat 2 should doubt", version=table.version)
    for token in (None, table.host, *table.seats.values()):
        assert table.read(token) == []
    assert [one["comment"] for one in table.read(casts)] == [comment]
    assert "doubt" not in front.ask("GET", f"{table.path}/comments/export").text
    table.act("challenge")
    assert table.read() == []
    table.end()
    assert [one["comment"] for one in table.read()] == [comment]


def test_a_comment_up_to_an_open_round_waits_as_well(front: Front) -> None:
    table = Table(front)
    table.act("bid", quantity=1, face=2)
    comment = table.said(table.host, version=1, until=table.version)
    earlier = table.said(table.host, version=1)
    assert [one["comment"] for one in table.read()] == [earlier]
    assert front.ask("GET", f"{table.path}/comments/export").text.count("\n") == 1
    table.next_round()
    assert {one["comment"] for one in table.read()} == {comment, earlier}


def test_whoever_is_shown_the_match_late_is_told_late(front: Front) -> None:
    table = Table(front, choices={"delay_ms": 900_000})
    before = table.version
    table.act("bid", quantity=1, face=2)
    assert table.version == before
    facts = refused(table.say(table.host, version=before + 1), 409, "ahead_of_match")
    assert facts["version"] == before
    table.said(table.host, "about the lobby", version=1)
    table.end()
    assert [one["text"] for one in table.read()] == ["about the lobby"]
    table.let(everybody=True)
    _, player = front.player("Later")
    refused(table.say(player), 403, "may_not_comment")


# ---- replaced, withdrawn, erased --------------------------------------------------------------------


def test_an_author_says_something_else_instead_and_the_words_of_before_are_gone(front: Front) -> None:
    table = Table(front)
    caster, casts = front.player("Caster")
    table.let(caster)
    comment = table.said(casts, "a mistake")
    path = f"{table.path}/comments/{comment}"
    for token in (table.host, table.seats[1], front.player("Other")[1]):
        answer = front.ask("PATCH", path, {"text": "not mine"}, token)
        assert (answer.status_code, answer.json()["code"]) in {(403, "not_the_author"), (403, "may_not_comment")}
    assert refused(front.ask("PATCH", path, {"text": "\u202e"}, casts), 422, "bad_comment")["field"] == "text"
    assert front.ask("PATCH", path, {"text": "mended"}, casts).status_code == 200
    (seen,) = table.read()
    assert (seen["text"], seen["replaced_at"] is not None, seen["name"]) == ("mended", True, "Caster")
    assert "a mistake" not in front.ask("GET", f"{table.path}/comments/export").text
    nothing = f"{table.path}/comments/{NOWHERE}"
    refused(front.ask("PATCH", nothing, {"text": "x"}, casts), 404, "unknown_comment")
    refused(front.ask("DELETE", nothing, token=casts), 404, "unknown_comment")
    table.let()
    refused(front.ask("PATCH", path, {"text": "again"}, casts), 403, "may_not_comment")
    assert front.ask("DELETE", path, token=casts).status_code == 200, "what somebody wrote they may take back"


@pytest.mark.parametrize("by", ["author", "host"])
def test_what_is_withdrawn_is_gone_and_says_by_whom_and_why(front: Front, by: str) -> None:
    table = Table(front)
    caster, casts = front.player("Caster")
    table.let(caster)
    comment = table.said(casts, "unkind words")
    path, token = f"{table.path}/comments/{comment}", casts if by == "author" else table.host
    refused(front.ask("DELETE", path), 401, "no_token")
    refused(front.ask("DELETE", path, token=table.seats[1]), 403, "not_the_author")
    refused(front.ask("DELETE", path, token=front.player("Other")[1]), 403, "not_the_author")
    refused(front.ask("DELETE", f"{path}?reason=because", token=token), 400, "malformed")
    assert front.ask("DELETE", f"{path}?reason=rude", token=token).status_code == 200
    (seen,) = table.read()
    assert (seen["text"], seen["erased"], seen["withdrawn"]) == (None, False, {"by": by, "reason": "rude"})
    refused(front.ask("DELETE", path, token=token), 410, "comment_erased")
    refused(front.ask("PATCH", path, {"text": "x"}, casts), 410, "comment_erased")
    exported = front.ask("GET", f"{table.path}/comments/export").text
    assert "unkind" not in exported
    assert exported.count("\n") == 3


async def _erase(front: Front, table: Table) -> None:
    stream = stream_of_commentary(UUID(table.id))
    written = await front.house.comments.load(UUID(table.id))
    assert written is not None
    for each in written.commentary.comments.values():
        assert await front.house.store.erase_words(stream, each.text)


async def test_words_that_were_erased_are_said_to_be_and_the_chain_is_whole(front: Front) -> None:
    table = Table(front)
    comment = table.said(table.host, "words to be erased")
    await _erase(front, table)
    (seen,) = table.read()
    assert (seen["text"], seen["erased"], seen["withdrawn"]) == (None, True, None)
    path = f"{table.path}/comments/{comment}"
    refused(front.ask("PATCH", path, {"text": "x"}, table.host), 410, "comment_erased")
    rows = [json.loads(row) for row in front.ask("GET", f"{table.path}/comments/export").text.splitlines()]
    assert chained(rows)
    assert front.ask("DELETE", path, token=table.host).status_code == 200


async def test_the_law_withdraws_what_nobody_else_does(front: Front) -> None:
    table = Table(front)
    comment = table.said(table.host, "unlawful words")
    ask = CommandMetadata("law", "withdraw-it", b"")
    answer = await front.house.comments.withdraw_by_law(UUID(table.id), UUID(comment), "unlawful", ask)
    assert await front.house.comments.withdraw_by_law(UUID(table.id), UUID(comment), "unlawful", ask) == answer
    (seen,) = table.read()
    assert (seen["text"], seen["withdrawn"]) == (None, {"by": "law", "reason": "unlawful"})


@pytest.mark.parametrize(
    ("rest", "allowed"),
    [("", "GET, OPTIONS, POST"), (f"/{NOWHERE}", "DELETE, OPTIONS, PATCH"), ("/writers", "GET, OPTIONS, PUT")],
)
def test_an_address_says_what_it_takes(front: Front, rest: str, allowed: str) -> None:
    asked = front.ask("OPTIONS", f"/matches/{NOWHERE}/comments{rest}").headers["allow"]
    assert {each.strip() for each in asked.split(",")} - {"HEAD"} == set(allowed.split(", "))


# ---- pages, records, repeats ------------------------------------------------------------------------


def chained(rows: list[dict[str, Any]]) -> bool:
    """Report whether lines follow each other, and words have the hashes that their lines name."""
    head = "0" * 64
    for row in rows:
        line = json.loads(row["line"])
        assert line["prev"] == head
        head = hashlib.sha256(row["line"].encode()).hexdigest()
        if row["text"] is not None:
            said = bytes.fromhex(row["salt"]) + row["text"].encode()
            assert hashlib.sha256(said).hexdigest() == line["data"]["text"]
    return bool(rows)


def test_comments_are_read_page_by_page(front: Front) -> None:
    table = Table(front)
    ids = [table.said(table.host, f"number {number}") for number in range(5)]
    path, found = f"{table.path}/comments?limit=2", []
    while path:
        page = front.ask("GET", path)
        found += [one["comment"] for one in page.json()]
        link = page.headers.get("link", "")
        path = link[len("</api/v1") : link.index(">")] if link else ""
    assert found == sorted(ids)


def test_the_record_has_the_words_under_their_hashes(front: Front) -> None:
    table = Table(front)
    for number in range(3):
        table.said(table.host, f"ünlike {number}")
    answer = front.ask("GET", f"{table.path}/comments/export")
    assert answer.headers["content-type"].partition(";")[0] == "application/x-ndjson"
    rows = [json.loads(row) for row in answer.text.splitlines()]
    assert chained(rows)
    assert [row["text"] for row in rows] == [None, *(f"ünlike {number}" for number in range(3))]
    assert front.ask("GET", f"{Table(front).path}/comments/export").text == ""


def test_a_repeat_is_answered_as_before_and_nothing_is_said_twice(front: Front) -> None:
    table = Table(front)
    key = "say-it-once-under-this-key"
    first = table.say(table.host, "once", key)
    assert table.say(table.host, "once", key).json() == first.json()
    refused(table.say(table.host, "twice", key), 422, "key_reused")
    path, again = f"{table.path}/comments/{first.json()['comment']}", "replace-it-under-this-key"
    answers = [front.ask("PATCH", path, {"text": "other"}, table.host, again).json() for _ in range(2)]
    assert answers[0] == answers[1]
    gone = "withdraw-it-under-this-key"
    answers = [front.ask("DELETE", path, None, table.host, gone).json() for _ in range(2)]
    assert answers[0] == answers[1]
    assert front.ask("PATCH", path, {"text": "other"}, table.host, again).status_code == 200
    assert table.say(table.host, "once", key).json() == first.json()
    assert [one["text"] for one in table.read()] == [None]


def test_a_caster_of_before_gets_the_answer_of_before(front: Front) -> None:
    table = Table(front)
    caster, casts = front.player("Caster")
    table.let(caster)
    key = "said-while-it-was-allowed"
    first = table.say(casts, "then", key)
    table.let()
    assert table.say(casts, "then", key).json() == first.json()
    refused(table.say(casts, "now"), 403, "may_not_comment")


def test_the_twenty_first_thing_in_a_minute_waits(front: Front) -> None:
    table = Table(front)
    for number in range(20):
        table.said(table.host, f"number {number}")
    assert refused(table.say(table.host), 429, "too_many_comments")["again_at"]
    assert len(table.read()) == 20
