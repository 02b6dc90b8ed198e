"""Policies: `/policies`, the files by which the house plays, reads and analyses."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from litestar import Request, Response, get
from litestar.params import FromPath
from msgspec import Struct

from domain.strategy.policies.headers import PolicyHeader
from services.http.documents import Documents
from services.http.injected import Injected
from services.http.problems import HttpProblem
from services.policies.shelf import NotFound, Shelf

_FOR_EVER: Final = "public, max-age=31536000, immutable"
_AN_HOUR: Final = "public, max-age=3600"


class ProvedBounds(Struct, frozen=True):
    """What a policy guarantees of the value of its round to who opens it, +1 won and -1 lost.

    Attributes:
        lower: What the opener has at least by its own table, as a fraction.
        upper: What the opener has at most by the table of the other seat, as a fraction.
    """

    lower: str
    upper: str


class PolicyCard(Struct, frozen=True):
    """A policy that is shipped.

    Attributes:
        id: Its name and its hash, with `@` between.
        hash: The SHA-256 of its file, in hex: `/policies/{hash}` is the file.
        kind: `level`, how a seat plays and is read; `rounds`, who loses a round; `solved`, the table of a round;
            `blueprint`, how a round is played that nobody has solved.
        bytes: How long the file is.
        applies: The facts of a round that it is for, compared member by member; an empty object fits all.
        certificate: What it guarantees; null where it guarantees nothing.
    """

    id: str
    hash: str
    kind: str
    bytes: int
    applies: dict[str, Any]
    certificate: ProvedBounds | None


@get(
    "/policies",
    operation_id="list_policies",
    summary="The policies that are shipped",
    opt={"answers": list[PolicyCard], "unchanged": True},
)
async def list_policies(
    request: Request[Any, Any, Any], documents: Injected[Documents], shelf: Injected[Shelf]
) -> Response[bytes]:
    """Return what is shipped, by name: level 1, models of who loses a round, tables of rounds of two seats."""
    # The first to ask has the first lines of all of them read, and their bytes held against their hashes.
    found = await asyncio.to_thread(lambda: list(shelf.shipped()))
    return documents.answer(request, lambda: [_card(one) for one in found], _AN_HOUR)


@get(
    "/policies/{digest:str}",
    operation_id="policy_file",
    summary="A policy, by its hash",
    opt={"media_types": ("application/octet-stream",), "problems": ("unknown_policy",)},
)
async def policy_file(digest: FromPath[str], shelf: Injected[Shelf]) -> Response[bytes]:
    """Return the file of a policy, a line of JSON and perhaps a table: what is at such an address never changes."""
    try:
        found = await asyncio.to_thread(shelf.file, digest)
    except NotFound as error:
        raise HttpProblem("unknown_policy") from error
    return Response(found, media_type="application/octet-stream", headers={"Cache-Control": _FOR_EVER})


def _card(policy: PolicyHeader) -> PolicyCard:
    bounds = policy.certificate
    proved = None if bounds is None else ProvedBounds(str(bounds.lower), str(bounds.upper))
    return PolicyCard(policy.id, policy.digest, policy.kind, policy.size, policy.applies, proved)
