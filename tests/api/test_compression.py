"""Compressed answers: whoever takes a coding gets it where anybody may see what is answered, and nowhere else."""

from __future__ import annotations

import threading
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any
from uuid import UUID

import brotli
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from litestar.routes import HTTPRoute

from infra.sealing import Sealing
from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from services.http.codings.coders import INLINE_MAX, Brotli, Coder, CoderPool, Gzip
from services.http.codings.negotiation import HEADER_MAX, coding_for
from services.http.codings.variants import BODY_MIN
from services.matches.handler import CommandHandler
from services.matches.reads.queries import MatchQueries
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from services.web.assets import Assets
from tests.api.conftest import Service, Table, served
from tests.relay.playing import Played

BOTH = ("br", "gzip")
READERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda body: zlib.decompress(body, 31),
    "br": brotli.decompress,
}
VOUCHED_FOR = {
    *("/api/v1/matches", "/api/v1/statistics", "/api/v1/statistics/matches"),
    *(
        f"/api/v1/matches/{{match_id:uuid}}/{what}"
        for what in ("replay", "record", "lines", "names", "policy", "access", "audit")
    ),
    "/api/v1/matches/{match_id:uuid}/comments/export",
    "/api/v1/tournaments",
    *(
        f"/api/v1/tournaments/{{tournament_id:uuid}}/{what}"
        for what in ("entrants", "standings", "bracket", "luck", "export", "lines")
    ),
    *(f"/api/v1/tournaments/{{tournament_id:uuid}}/{what}" for what in ("why", "certificate", "entrants/{number:int}")),
    *(f"/api/v1/tournaments/{{tournament_id:uuid}}/{what}" for what in ("pairings.csv", "results.csv", "event.trf")),
    "/api/v1/tournaments/{tournament_id:uuid}/calendar.ics",
    "/api/v1/boards/{board_id:uuid}/record",
    "/api/v1/seasons/{season_id:uuid}/export",
    "/seasons/{season:str}",
    "/seasons/new",
    "/players/new",
    "/api/v1/tournaments/{tournament_id:uuid}/rounds/{stage:int}/{round:int}/tables/{table:int}",
    "/api/v1/tournaments/{tournament_id:uuid}/rounds/{stage:int}/{round:int}",
    *("/", "/tables/{which:str}", "/statistics", "/audit", "/problems/{code:str}"),
    *("/m/{match:str}", "/m/{match:str}/rules", "/m/{match:str}/replay", "/m/{match:str}/audit"),
    *("/rules", "/rules/{game:str}", "/learn", "/docs", "/docs/first-bot"),
    *(
        f"/t/{{tournament:str}}{path}"
        for path in ("", "/pairings", "/why", "/standings", "/luck", "/bracket", "/me", "/host", "/screen", "/print")
    ),
    *(f"/t/{{tournament:str}}/{what}" for what in ("tables", "print/tables", "print/slips", "standings.csv")),
    "/t/{tournament:str}/entrants/{number:str}/certificate",
    *("/tournaments", "/tournaments/new", "/t/{tournament:str}/entrants/{number:str}"),
    *("/embed/matches/{match:str}", "/overlay/matches/{match:str}", "/tv"),
    "/api/v1/matches/{match_id:uuid}/analysis",
    "/api/v1/matches/{match_id:uuid}/analysis/moments",
    "/api/v1/matches/{match_id:uuid}/analysis/page",
    "/api/v1/analyses/{name:str}",
}
"""Every answer that is compressed as it is made. Who adds one has looked at what is in it: nothing that is a seat's."""
API_FOR_ALL = ("games", "ladder", "odds", "policies")
SAME_FOR_ALL = {"/openapi.json", "/asyncapi.json", *(f"/api/v1/{path}" for path in API_FOR_ALL)}
"""Documents that are compressed once, while nobody asks: the same bytes whoever does."""
REPLAY_BYTES_MAX = 50_000
ROUNDS = 16


def sent(client: httpx.Client, path: str, accepted: str | None, **headers: str) -> tuple[httpx.Response, bytes]:
    """Return an answer, and its body as it came over the wire."""
    request = client.build_request("GET", path, headers=headers)
    request.headers.pop("accept-encoding")
    if accepted is not None:
        request.headers["accept-encoding"] = accepted
    with httpx.Client(timeout=client.timeout) as bare:  # without the hook that reads answers before they are looked at
        answer = bare.send(request, stream=True)
        return answer, b"".join(answer.iter_raw())


def plain(answer: httpx.Response, body: bytes) -> bytes:
    """Return a body as it was before it was compressed, if it was."""
    coding = answer.headers.get("content-encoding")
    return body if coding is None else READERS[coding](body)


# ---- which coding -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        (None, None),
        ("", None),
        ("identity", None),
        ("deflate, zstd", None),
        ("gzip", "gzip"),
        ("GZIP", "gzip"),
        ("x-gzip", "gzip"),
        ("gzip, deflate, br, zstd", "br"),
        ("br;q=0.5, gzip", "gzip"),
        ("gzip;q=0", None),
        ("gzip; q=0.000, br", "br"),
        ("br;q=0, gzip;q=0.001", "gzip"),
        ("*", "br"),
        ("*;q=0", None),
        ("*, br;q=0", "gzip"),
        ("gzip;q=0.5, identity", None),
        ("gzip;q=0.5, identity;q=0.5", "gzip"),
        ("gzip;q=2", None),
        ("gzip;q=0.1234", None),
        ("gzip;level=9, br", "br"),
        (", ,gzip,", "gzip"),
        ("\xff", None),
        ("gzip," + " " * HEADER_MAX, None),
    ],
)
def test_the_coding_is_the_one_the_reader_likes_best(accepted: str | None, coding: str | None) -> None:
    assert coding_for(accepted, BOTH) == coding


def test_without_the_wheel_of_brotli_there_is_gzip() -> None:
    assert coding_for("br, gzip;q=0.1", ["gzip"]) == "gzip"
    assert coding_for("br", ["gzip"]) is None


@given(st.text(max_size=60))
def test_whatever_is_accepted_the_coding_is_one_of_those_offered(accepted: str) -> None:
    assert coding_for(accepted, BOTH) in {None, *BOTH}


@given(st.lists(st.binary(max_size=3 * INLINE_MAX), max_size=4))
async def test_a_body_comes_out_of_its_coding_as_it_went_in(pieces: list[bytes]) -> None:
    pool = CoderPool(1)
    begun: dict[str, Coder] = {"gzip": Gzip(), "br": Brotli(brotli)}
    for coding, coder in begun.items():
        parts = list(enumerate([*pieces, b""]))
        packed = [await pool.compress(coder, part, first=at == 0, last=at == len(pieces)) for at, part in parts]
        assert READERS[coding](b"".join(packed)) == b"".join(pieces)


class Noting(Gzip):
    """Notes on which threads it is at work."""

    def __init__(self) -> None:
        super().__init__()
        self.threads: list[int] = []

    def compress(self, piece: bytes) -> bytes:
        self.threads.append(threading.get_ident())
        return super().compress(piece)


async def test_only_a_short_body_is_compressed_on_the_thread_that_serves_everybody() -> None:
    pool, short, long, streamed = CoderPool(1), Noting(), Noting(), Noting()
    await pool.compress(short, bytes(INLINE_MAX), first=True, last=True)
    await pool.compress(long, bytes(INLINE_MAX + 1), first=True, last=True)
    await pool.compress(streamed, b"", first=False, last=True)
    assert short.threads == [threading.get_ident()]
    assert threading.get_ident() not in long.threads + streamed.threads


# ---- documents and files, compressed once -------------------------------------------------------


@pytest.mark.parametrize("path", ["/openapi.json", "/api/v1/games", Assets().url("felt.css"), Assets().url("cup1.js")])
def test_a_document_has_a_tag_for_each_coding(service: Service, path: str) -> None:
    answers = {coding: sent(service.client, path, coding) for coding in ("identity", *BOTH)}
    whole = answers["identity"][1]
    tags = {answer.headers["etag"] for answer, _ in answers.values()}

    assert len(tags) == len(answers), "a strong tag is of the bytes that are sent"
    for coding in BOTH:
        answer, body = answers[coding]
        assert answer.headers["content-encoding"] == coding
        assert answer.headers["content-length"] == str(len(body))
        assert len(body) < len(whole) / 2
        assert plain(answer, body) == whole
    for coding, (answer, _) in answers.items():
        tag = answer.headers["etag"]
        assert answer.headers["vary"] == "Accept-Encoding"
        again, body = sent(service.client, path, coding, **{"If-None-Match": tag})
        assert (again.status_code, body, again.headers["etag"], again.headers["vary"]) == (
            *(304, b"", tag),
            "Accept-Encoding",
        )
        assert "content-encoding" not in again.headers
        other, _ = sent(service.client, path, coding, **{"If-None-Match": (tags - {tag}).pop()})
        assert other.status_code == 200


def test_a_short_file_is_sent_as_it_is(service: Service) -> None:
    answer, body = sent(service.client, Assets().url("rules/games/kinds.js"), "gzip, br")
    assert "content-encoding" not in answer.headers
    assert answer.headers["content-length"] == str(len(body))
    assert answer.headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize("path", ["/openapi.json", "/", "/api/v1/matches"])
def test_head_says_what_get_would(service: Service, path: str) -> None:
    for coding in ("identity", *BOTH):
        got, _ = sent(service.client, path, coding)
        head = service.client.head(path, headers={"Accept-Encoding": coding})
        assert head.content == b""
        for name in ("content-encoding", "content-length", "vary", "etag", "content-type"):
            assert head.headers.get(name) == got.headers.get(name), (coding, name)


def test_a_range_is_no_reason_to_send_a_part(service: Service) -> None:
    whole, packed = sent(service.client, "/openapi.json", "gzip")
    answer, body = sent(service.client, "/openapi.json", "gzip", Range="bytes=0-9")
    assert (answer.status_code, body) == (200, packed)
    assert "accept-ranges" not in whole.headers


def test_a_body_that_comes_compressed_is_refused_as_before(service: Service) -> None:
    packed = zlib.compress(b'{"rules": {"game": "common_hand"}}', wbits=31)
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    assert service.client.post("/api/v1/matches", content=packed, headers=headers).status_code == 400


# ---- what is made for one request ---------------------------------------------------------------


class Long:
    """A match of many rounds, as the service shows it."""

    def __init__(self, service: Service, played: Played) -> None:
        self.client = service.client
        self.played = played
        self.path = f"/api/v1/matches/{played.id}"


async def _played(store: MemoryStore) -> Played:
    """Play a match of six at common hand to the end of its sixteenth round."""
    played = Played(store, 1)
    await played.seat("Ada", "Bob", "Cem", "Dee", "Eve", "Fay")
    await played.deal()
    while (table := played.match.table) and (table.round_number < ROUNDS or table.phase != "between_rounds"):
        await played.step()
    return played


@pytest.fixture(scope="module")
async def long() -> AsyncIterator[Long]:
    """Return a service with such a match."""
    store = MemoryStore()
    played = await _played(store)
    with served(Bounds(), MatchQueries(store, None)) as service:
        yield Long(service, played)


def test_a_replay_of_sixteen_rounds_is_small_on_the_wire(long: Long) -> None:
    _, whole = sent(long.client, f"{long.path}/replay", None)
    assert len(whole) > 20 * REPLAY_BYTES_MAX
    for coding in BOTH:
        answer, body = sent(long.client, f"{long.path}/replay", coding)
        assert answer.headers["content-encoding"] == coding
        assert len(body) <= REPLAY_BYTES_MAX
        assert plain(answer, body) == whole
        assert answer.headers["vary"] == "Authorization, Accept-Encoding"


def test_a_record_is_compressed_whole(long: Long) -> None:
    _, whole = sent(long.client, f"{long.path}/record", "identity")
    answer, body = sent(long.client, f"{long.path}/record", "gzip")
    assert plain(answer, body) == whole
    assert int(answer.headers["content-length"]) == len(body) < len(whole) / 2


def test_a_problem_is_told_as_it_is(long: Long) -> None:
    answer, body = sent(long.client, f"/api/v1/matches/{UUID(int=1)}/replay", "gzip")
    assert (answer.status_code, answer.headers.get("content-encoding")) == (404, None)
    assert b"unknown_match" in body


def test_the_tag_of_a_version_stays_what_a_command_may_name(long: Long) -> None:
    answer, _ = sent(long.client, long.path, "gzip, br")
    assert answer.headers["etag"] == f'"v{long.played.match.version}"'


# ---- what is a seat's ---------------------------------------------------------------------------


def paths(service: Service) -> Iterator[tuple[str, Any]]:
    """Yield every path of the application with each of its handlers."""
    for route in service.app.routes:
        if isinstance(route, HTTPRoute):
            yield from ((route.path, handler) for handler in route.route_handlers)


def test_only_what_was_looked_at_is_vouched_for(service: Service) -> None:
    vouched = {path for path, handler in paths(service) if handler.opt.get("public")}
    assert vouched == VOUCHED_FOR


def test_nothing_is_vouched_for_that_only_a_token_opens_or_that_changes_anything(service: Service) -> None:
    for path, handler in paths(service):
        if handler.opt.get("public"):
            assert {} in (handler.security or [{}]), path
            assert handler.http_methods <= {"GET", "OPTIONS"}, path


def reads(service: Service, match: str) -> Iterator[str]:
    """Yield the address of everything that can be read about a match and beside it, but for its stream."""
    for path, handler in paths(service):
        if "GET" in handler.http_methods and not path.endswith("/stream"):
            yield path.replace("{match_id:uuid}", match).replace("{match:str}", match)


def test_no_answer_to_whoever_shows_a_token_is_compressed() -> None:
    store = MemoryStore()
    matches = CommandHandler(store, Vault(store, Sealing(bytes(32))), TokenIssuer(bytes(32)))
    answers: list[httpx.Response] = []
    with served(Bounds(), matches) as service:
        service.client.headers["Accept-Encoding"] = "gzip, br"
        service.client.event_hooks["response"].append(answers.append)
        table = Table(service)
        seat = table.join("Ada")
        table.join("Bob")
        table.start()
        for path in reads(service, table.id):
            for headers in (seat, table.host, {"Cookie": "a=b"}, {"Authorization": "Basic Og=="}):
                service.client.get(path, headers=headers)
    sizes = {answer.url.path: len(answer.content) for answer in answers if answer.status_code < 300}
    long = {path for path, size in sizes.items() if size >= BODY_MIN}
    assert {table.path, f"{table.path}/replay", f"{table.path}/record", f"/m/{table.id}"} <= long
    packed = {answer.url.path for answer in answers if "content-encoding" in answer.headers}
    assert packed == SAME_FOR_ALL, "these hold nothing of any match"


def test_a_stream_is_sent_as_it_comes(table: Table) -> None:
    for accepted in BOTH:
        headers = {"Accept-Encoding": accepted, "Accept": "application/x-ndjson"}
        with table.client.stream("GET", f"{table.path}/stream", headers=headers) as answer:
            assert "content-encoding" not in answer.headers
            assert next(answer.iter_raw()).startswith(b'{"snapshot":')
