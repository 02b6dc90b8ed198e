"""Response bodies, beyond what the domain and the projections have structs for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec
from litestar import Request, Response
from litestar.types import Receive, Scope, Send
from msgspec import UNSET, Meta, Struct, UnsetType

from domain.analysis.report import ToldSentence
from projections.casting.caster import CasterFrame
from projections.view import View
from services.api.bodies import Phrase
from services.http.etags import etag
from services.matches.requests import Answer


class Frame(Struct, frozen=True):
    """What one viewer sees of one version: what happened, and the match after it.

    Attributes:
        more: Whether the command that led to the event led to the next one, too: act on the view of the first frame
            without.
    """

    version: int
    at: int
    head: str
    event: dict[str, Any]
    view: View
    more: bool = False


class Frames(Struct, frozen=True):
    """A replay: every frame of one viewer, in order."""

    frames: tuple[Frame, ...]


class WatchCount(Struct, frozen=True):
    """Who watches a match.

    Attributes:
        watching: How many: browsers that follow it and hold no seat, each of a network counted once.
    """

    watching: int


class HostChoices(Struct, frozen=True):
    """What the host of a match chose that no rule of it depends on.

    Attributes:
        delay_ms: How long those who hold no seat wait for what happens, in milliseconds.
        phrases: Whether seats may say one of the quick phrases.
        hints: Whether people are shown how likely claims are.
        bots: How long house bots take for a turn: the usual second, or no more than they need to think.
        live_reads: Whether whoever watches is told how likely claims are by what everybody's moves say.
        private: Whether the table is in no list and no statistics; it is so from its beginning, or never.
    """

    delay_ms: int
    phrases: bool
    hints: bool
    bots: Literal["usual", "instant"]
    live_reads: bool
    private: bool = False


class ErasedName(Struct, frozen=True):
    """A seat that has no name any more.

    Attributes:
        erased: Whether it had one; it is gone in any case.
    """

    match: str
    seat: int
    erased: bool


class Opening(Struct, frozen=True):
    """The members of a `cup.revealed` (CUP/1 section 4.6), as `truecup prove` takes them."""

    deal: int
    cup: int
    roll: int
    com: tuple[str, ...]
    path: tuple[str, ...]
    keys: tuple[tuple[int, str], ...]
    values: tuple[tuple[int, int], ...]


class LobbySeat(Struct, frozen=True):
    """A taken seat in the lobby."""

    seat: int
    name: str
    bot: bool


class LobbyRow(Struct, frozen=True):
    """A match in the lobby.

    Attributes:
        title: What the table is called, or whose it is.
        name: What its host called it, if anything.
        expires_at: When a table that has not started is closed if nobody comes or goes, in Unix milliseconds.
        clock_ms: What each seat's clock begins with; null without clocks.
        turn_ms: After how long the table acts for a seat where there are no clocks; null where it never does.
        locked: Whether its host lets nobody else sit down.
        start: `full` if the match starts by itself once its last seat is taken.
        starts_at: When a table that has not started starts, in Unix milliseconds, if its rules name a time.
        delay_ms: How long whoever holds no seat waits for what happens there; the row is as late.
        deals_drawn: In how many deals that were played the house drew the seed of a seat that none of its bots has;
            null where that is not counted.
        watching: How many follow it and hold no seat.
        turn: The seat to act, null while the table or everybody does.
    """

    match: str
    title: str
    game: str
    phase: str
    seats: tuple[LobbySeat, ...]
    seats_max: int
    version: int
    round: int
    at: int
    expires_at: int | None = None
    clock_ms: int | None = None
    turn_ms: int | None = None
    name: str | None = None
    locked: bool = False
    start: Literal["full"] | None = None
    starts_at: int | None = None
    delay_ms: int = 0
    deals_drawn: int | None = None
    watching: int = 0
    turn: int | None = None
    winner: int | None = None


class Report(Struct, frozen=True):
    """What the audit of a record found; further members say more.

    Attributes:
        status: `OK`, `FAULT` or `INCOMPLETE`.
        code: What is wrong, absent when nothing is.
        line: Where, from 1.
        anchored: Whether the transparency log vouches for the record.
        head: The hash of its last line.
        deals: What is proved of each deal, by its number.
    """

    status: Literal["OK", "FAULT", "INCOMPLETE"]
    code: str | UnsetType = UNSET
    line: int | UnsetType = UNSET
    anchored: bool | UnsetType = UNSET
    head: str | UnsetType | None = UNSET
    deals: dict[str, Any] | UnsetType = UNSET


class Saying(Struct, frozen=True):
    """A quick phrase, as readers of the match are told it.

    Attributes:
        phrase: Which of the phrases it is.
        seat: Who says it.
    """

    phrase: Phrase
    seat: int


class SnapshotItem(Struct, frozen=True):
    """What a stream begins with: the match as it is."""

    snapshot: View


class EndedItem(Struct, frozen=True):
    """What a stream says last of a match that is over."""

    ended: int


class ByeItem(Struct, frozen=True):
    """What it says last where there may be more: come again with `after`."""

    bye: int


class SpokenSentence(ToldSentence, frozen=True):
    """A sentence by its key, and where in the frame each of its arguments stands.

    Attributes:
        words: What it comes to, in the language that was asked for.
    """

    words: str | UnsetType = UNSET


class CasterItem(CasterFrame, frozen=True):
    """What is said of one version of a match while it is played."""

    text: tuple[SpokenSentence, ...]


class CasterSnapshotItem(Struct, frozen=True):
    """What is said of the version that the match is shown at, with which a stream of channels begins."""

    snapshot: CasterItem


STREAMED: Final = (SnapshotItem, Frame, Saying, EndedItem, ByeItem)
"""What the items of a stream are: the bodies of server-sent events, or lines."""


class Alive(Struct, frozen=True):
    """The process runs."""

    status: Literal["live"] = "live"


class Readiness(Struct, frozen=True):
    """Whether requests are welcome, and why not, by the name of what is missing.

    When they are, the reasons say what is amiss nevertheless: sealed deals may wait for witnesses of the log.
    """

    status: Literal["ready", "not_ready"]
    reasons: Annotated[Mapping[str, str], Meta(max_length=64)]


class AcceptedResponse:
    """The response to a command that was accepted, which is sent as it is."""

    __slots__ = ("_body", "_head")

    def __init__(self, version: int, body: bytes) -> None:
        """Answer with this body; the version it produced is its entity tag."""
        self._head = [
            (b"etag", etag(version).encode()),
            (b"cache-control", b"no-store"),
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
        ]
        self._body = body

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Send it."""
        await send({"type": "http.response.start", "status": 200, "headers": self._head})
        await send({"type": "http.response.body", "body": self._body, "more_body": False})


def accepted_response(answer: Answer) -> AcceptedResponse:
    """Return what `response_of` says with 200, ready to be sent."""
    return AcceptedResponse(answer.version, msgspec.json.encode(answer))


def response_of(answer: Answer, status: int) -> Response[bytes]:
    """Return the response to an accepted command; the version it produced is its entity tag."""
    headers = {"ETag": etag(answer.version), "Cache-Control": "no-store"}
    return json_of(answer, status, headers)


def json_of(content: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response[bytes]:
    """Return content as a JSON response."""
    return Response(
        msgspec.json.encode(content), status_code=status, media_type="application/json", headers=dict(headers or {})
    )


def record_response(request: Request[Any, Any, Any], record: bytes, filename: str) -> Response[bytes]:
    """Return a record file as text to read, or of its own kind where that is asked for."""
    return Response(
        record,
        media_type=request.accept.best_match(["text/plain", "application/x-cup"], "text/plain"),
        headers={
            "Content-Disposition": f'attachment; filename="{filename}"',
            "Cache-Control": "no-cache",
            "Vary": "Accept",
        },
    )
