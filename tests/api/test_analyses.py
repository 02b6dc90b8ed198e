"""Analyses over HTTP: made once, named by what they follow from, and never before a match is over for whoever asks."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast
from uuid import UUID, uuid4

import httpx
import msgspec
import pytest

from domain.fairness.records import split
from domain.log import canonical
from infra.store.memory import MemoryStore
from projections.commentary.comments import CommentView
from services.analysis.desk import AskedTooMuch, DeskFull, Failed, Underway
from services.analysis.jobs import name_of
from services.api.analysing.analyses import RECORD_MAX, SAMPLES_ASKED_MAX
from services.api.reference.examples import answers
from services.audit.verdict import Evidence
from services.http.bounds import Bounds
from services.matches.reads.queries import UnknownMatch
from tests.api.analysed import TOO_LARGE, AnalysedPages, AnalysedRecords
from tests.api.conftest import Service, served
from tests.api.house import House
from tests.director.house import EventHouse

RECORD = (Path(__file__).parents[1] / "analysis/vectors/records/one-die-each.cup").read_bytes()
NAME = name_of(canonical.head(split(RECORD).lines[-1]), 512)
MADE = msgspec.json.encode(answers()["analysis_of_match"])
TEXT = {"Content-Type": "text/plain"}
MATCH = UUID(split(RECORD).lines[0].partition(b'"match":"')[2][:36].decode())
BOARD = RECORD.replace(b'"rules":{', b'"rules":{"board":{"id":"018f3a70-0000-7000-8000-000000000001"},', 1)


class RecordedHouse(House):
    """A house with one match, whose record is shown as far as its embargo lets."""

    def __init__(self) -> None:
        super().__init__()
        self.shown = RECORD

    async def evidence(self, match_id: UUID) -> tuple[bytes, Evidence]:
        """Return what is shown of the record."""
        if match_id != MATCH:
            raise UnknownMatch(str(match_id))
        return self.shown, Evidence()


class Commentators:
    """Comments of which a test says which there are."""

    def __init__(self) -> None:
        self.said: list[CommentView] = []

    async def comments(self, _match: UUID) -> list[CommentView]:
        """Return what is said by now."""
        return self.said


class QuietEvents(EventHouse):
    """Events at whose tables nobody says anything but what a test does."""

    def parts(self) -> dict[str, Any]:
        """Return what answers for them."""
        return {**super().parts(), "comments": Commentators()}


@pytest.fixture(scope="module")
def running() -> Iterator[Service]:
    """Return a service over such a house."""
    house = RecordedHouse()
    with served(Bounds(writes_per_s=100_000), matches=house, events=QuietEvents(MemoryStore())) as service:
        yield service


@pytest.fixture
def service(running: Service) -> Service:
    """Return it with nothing asked for yet."""
    analysed(running).says = Underway(0, 0)
    analysed(running).jobs.clear()
    shown(running, RECORD)
    return running


def analysed(service: Service) -> AnalysedRecords:
    return cast("AnalysedRecords", service.parts.analyses)


def shown(service: Service, record: bytes) -> None:
    cast("RecordedHouse", service.parts.matches).shown = record


def of_match(service: Service, more: str = "", **headers: str) -> httpx.Response:
    return service.client.get(f"/api/v1/matches/{MATCH}/analysis{more}", headers=headers)


def sent(service: Service, record: bytes, headers: dict[str, str] = TEXT) -> httpx.Response:
    return service.client.post("/api/v1/analyses", content=record, headers=headers)


def test_whoever_asks_is_told_how_far_it_is_then_has_it_and_then_not_again(service: Service) -> None:
    analysed(service).says = Underway(3, 25)
    waiting = of_match(service)
    assert (waiting.status_code, waiting.json()) == (202, {"done": 3, "of": 25})
    assert int(waiting.headers["retry-after"]) > 0
    assert waiting.headers["cache-control"] == "no-store"
    assert "etag" not in waiting.headers
    analysed(service).says = MADE
    made = of_match(service)
    assert (made.status_code, made.content) == (200, MADE)
    assert made.headers["etag"].removeprefix("W/") == f'"{NAME}"'
    assert made.headers["cache-control"].startswith("public, max-age=")
    again = of_match(service, **{"If-None-Match": made.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = of_match(service, "?samples=64", **{"If-None-Match": made.headers["etag"]})
    assert other.status_code == 200
    assert other.headers["etag"] != made.headers["etag"]
    assert [job.samples for job in analysed(service).jobs.values()] == [512, 64]
    assert {job.record for job in analysed(service).jobs.values()} == {RECORD}


def test_who_has_it_is_told_so_though_it_was_thrown_away(service: Service) -> None:
    assert of_match(service, **{"If-None-Match": f'"{NAME}"'}).status_code == 304
    assert service.client.get(f"/api/v1/analyses/{NAME}", headers={"If-None-Match": f'"{NAME}"'}).status_code == 304
    assert analysed(service).jobs == {}


def test_a_match_is_saved_as_one_page_once_there_is_an_analysis(service: Service) -> None:
    analysed(service).says = Underway(1, 3)
    assert of_match(service, "/page").json() == {"done": 1, "of": 3}
    analysed(service).says = MADE
    made = of_match(service, "/page?lang=es")
    assert (made.status_code, made.content) == (200, b"\n".join((b"es", b"0", MADE, RECORD)))
    assert made.headers["content-type"].startswith("text/html")
    assert made.headers["content-disposition"] == f'attachment; filename="{MATCH}.html"'
    assert "default-src 'none'" in made.headers["content-security-policy"]
    assert of_match(service, "/page").content.startswith(b"en")
    assert of_match(service, "/page?lang=fr").json()["code"] == "malformed"
    assert of_match(service, "/page", **{"If-None-Match": "*"}).status_code == 304
    analysed(service).says = TOO_LARGE
    refused = of_match(service, "/page")
    assert (refused.status_code, refused.json()["code"]) == (422, "cannot_analyse")


def test_who_has_a_page_has_it_until_somebody_says_something_more_or_takes_it_back(service: Service) -> None:
    analysed(service).says = MADE
    commentators = cast("Commentators", service.parts.comments)
    one = CommentView("01", 5, None, None, "p_1", "player", "Ada", "en", "brave", 1, None, erased=False, withdrawn=None)
    two = msgspec.structs.replace(one, comment="02")
    tags: set[str] = set()
    for said in ([], [one], [msgspec.structs.replace(one, text=None, erased=True)], [one, two], [two]):
        commentators.said = said
        made = of_match(service, "/page")
        assert made.status_code == 200
        assert made.headers["cache-control"] == "no-cache"
        tag = made.headers["etag"]
        unchanged = of_match(service, "/page", **{"If-None-Match": tag})
        assert (unchanged.status_code, unchanged.headers["etag"].removeprefix("W/")) == (304, tag.removeprefix("W/"))
        assert of_match(service, "/page?lang=de", **{"If-None-Match": tag}).status_code == 200
        assert all(of_match(service, "/page", **{"If-None-Match": old}).status_code == 200 for old in tags)
        tags.add(tag)
    commentators.said = []


def test_who_has_a_page_of_another_release_is_given_that_of_this_one(service: Service) -> None:
    analysed(service).says = MADE
    pages = cast(AnalysedPages, service.parts.pages)
    old = of_match(service, "/page").headers["etag"]
    pages.release = "second"
    new = of_match(service, "/page", **{"If-None-Match": old})
    assert new.status_code == 200
    assert new.headers["etag"] != old
    assert of_match(service, "/page", **{"If-None-Match": new.headers["etag"]}).status_code == 304
    pages.release = "first"


def test_moments_are_told_without_what_happened_unless_somebody_asks_for_that(service: Service) -> None:
    analysed(service).says = MADE
    told = of_match(service, "/moments?spoilers=no")
    moments = answers()["analysis_of_match"]["moments"]
    assert told.json() == [{"version": each["version"], "kind": "moment"} for each in moments]
    assert of_match(service, "/moments").content == told.content
    all_of_it = of_match(service, "/moments?spoilers=yes")
    assert all_of_it.json() == moments
    assert len({each.headers["etag"] for each in (told, all_of_it, of_match(service))}) == 3
    assert of_match(service, "/moments", **{"If-None-Match": told.headers["etag"]}).status_code == 304
    assert of_match(service, "/moments", **{"If-None-Match": all_of_it.headers["etag"]}).status_code == 200
    analysed(service).says = Underway(1, 2)
    assert of_match(service, "/moments").status_code == 202


@pytest.mark.parametrize(("record", "waits_for"), [(RECORD, "match"), (BOARD, "board")])
def test_there_is_none_before_the_match_is_over_for_whoever_asks(
    service: Service, record: bytes, waits_for: str
) -> None:
    lines = split(record).lines
    analysed(service).says = MADE
    for shown_lines in (lines[:1], lines[:-1]):
        shown(service, b"".join(line + b"\n" for line in shown_lines))
        for more in ("", "/moments"):
            refused = of_match(service, more)
            assert (refused.status_code, refused.json()["code"]) == (404, "analysis_waits")
            assert refused.json()["waits_for"] == waits_for
    assert analysed(service).jobs == {}


def test_nobodys_match_has_none(service: Service) -> None:
    for more in ("", "/moments"):
        refused = service.client.get(f"/api/v1/matches/{uuid4()}/analysis{more}")
        assert (refused.status_code, refused.json()["code"]) == (404, "unknown_match")


@pytest.mark.parametrize("samples", [0, 63, SAMPLES_ASKED_MAX + 1, "many"])
def test_samples_have_bounds(service: Service, samples: object) -> None:
    assert of_match(service, f"?samples={samples}").status_code == 400
    assert of_match(service, "/moments?spoilers=perhaps").status_code == 400


def test_a_record_that_is_sent_has_its_analysis_where_the_answer_says(service: Service) -> None:
    first = sent(service, RECORD)
    assert (first.status_code, first.json()) == (202, {"done": 0, "of": 0})
    place = first.headers["location"]
    assert place != f"/api/v1/analyses/{NAME}", "a record that is sent is named by all its bytes"
    waiting = service.client.get(place)
    assert (waiting.status_code, waiting.json()) == (202, {"done": 0, "of": 0})
    analysed(service).says = MADE
    made = service.client.get(place)
    assert (made.status_code, made.content) == (200, MADE)
    assert "immutable" in made.headers["cache-control"]
    assert place.endswith(made.headers["etag"].removeprefix("W/").strip('"'))
    again = sent(service, RECORD, {"Content-Type": "application/x-cup"})
    assert (again.status_code, again.content, again.headers["location"]) == (200, MADE, place)
    assert sent(service, b"".join(line + b"\n" for line in split(RECORD).lines)).headers["location"] != place
    for unknown in ("none", "0" * 64, "%2e%2e", "a.progress"):
        refused = service.client.get(f"/api/v1/analyses/{unknown}")
        assert (refused.status_code, refused.json()["code"]) == (404, "unknown_analysis")
    assert service.client.get(place, headers={"If-None-Match": "*"}).status_code == 304
    for none in ("none", "0" * 64, "\u0661", "0" * 63 + "\u0661"):
        refused = service.client.get(f"/api/v1/analyses/{none}", headers={"If-None-Match": "*"})
        assert (refused.status_code, refused.json()["code"]) == (404, "unknown_analysis")


def test_what_is_sent_is_text_of_at_most_four_mebibytes(service: Service) -> None:
    for nothing in (b"", b"no record\n", bytes(RECORD_MAX), RECORD.replace(b"match.created", b"board.created")):
        refused = sent(service, nothing)
        assert (refused.status_code, refused.json()["code"]) == (422, "cannot_analyse")
    assert analysed(service).jobs == {}
    assert status_of_long(service, RECORD_MAX + 1) == 413
    other = sent(service, RECORD, {"Content-Type": "application/json"})
    assert (other.status_code, other.json()["code"]) == (415, "bad_media_type")


def status_of_long(service: Service, length: int) -> int:
    """Return the status for a record that is announced to be so long; nothing of it is sent."""
    asked = http.client.HTTPConnection("127.0.0.1", service.server.port, timeout=60)
    asked.request("POST", "/api/v1/analyses", headers={**TEXT, "Content-Length": str(length)})
    try:
        return asked.getresponse().status
    finally:
        asked.close()


def test_a_fault_is_told_with_its_code_and_line(service: Service) -> None:
    analysed(service).says = Failed("E_HASH", 17, "a line does not follow")
    for ask in (of_match(service), sent(service, RECORD)):
        assert (ask.status_code, ask.json()["code"]) == (422, "record_faulty")
        assert (ask.json()["fault"], ask.json()["line"]) == ("E_HASH", 17)
    for code in ("cannot_analyse", "takes_too_much"):
        analysed(service).says = Failed(code, 0, "no round is over")
        refused = sent(service, RECORD).json()
        assert (refused["status"], refused["code"], refused["why"]) == (422, "cannot_analyse", "no round is over")


@pytest.mark.parametrize(
    ("trouble", "status", "code"),
    [
        (DeskFull(), 503, "unavailable"),
        (AskedTooMuch(), 429, "too_many_requests"),
        (Failed("died", 0, "the process has ended"), 503, "unavailable"),
        (Failed("broken_here", 0, "a fault of ours"), 503, "unavailable"),
    ],
)
@pytest.mark.parametrize("ask", [of_match, lambda service: sent(service, RECORD)])
def test_whoever_asks_too_much_or_comes_to_a_full_desk_is_told_when_to_come_back(
    service: Service, ask: Callable[[Service], httpx.Response], trouble: Any, status: int, code: str
) -> None:
    analysed(service).says = trouble
    refused = ask(service)
    assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert int(refused.headers["retry-after"]) > 0


def test_a_fault_of_ours_is_told_as_such_and_nobody_is_to_ask_again_soon(service: Service) -> None:
    analysed(service).says = Failed("broken_here", 0, "this program has a fault")
    for ask in (of_match(service), sent(service, RECORD)):
        assert ask.json()["detail"] == "this program has a fault"
        assert int(ask.headers["retry-after"]) >= 3_600
