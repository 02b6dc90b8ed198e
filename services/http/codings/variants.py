"""Documents that are compressed once for all who ask: the same bytes for everybody, each coding with its own tag.

An entity tag is of the bytes that are sent (RFC 9110 section 8.8.3), so `"5f"` is a document as it is, and `"5f-gzip"`
the same in gzip.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from litestar import Request, Response
from msgspec import Struct

from services.http.codings.coders import CODERS, whole
from services.http.codings.negotiation import accepted_by, coding_for
from services.http.etags import has

BODY_MIN: Final = 1_024
"""Shorter bodies are sent as they are: they fit into one packet either way."""
VARY: Final = "Accept-Encoding"
DIGEST_HEX: Final = 32
"""128 bits of the hash of a document: it tells versions apart, it proves nothing."""


class Variant(Struct, frozen=True):
    """A document as it is sent in one coding; None is as it is."""

    body: bytes
    etag: str
    coding: str | None

    @property
    def headers(self) -> Mapping[str, str]:
        """What an answer says of it."""
        named = {"ETag": self.etag, "Vary": VARY}
        return named if self.coding is None else {**named, "Content-Encoding": self.coding}


class Variants:
    """A document in every coding, each made when somebody takes it first.

    Attributes:
        digest: Changes whenever the document does.
    """

    def __init__(self, body: bytes) -> None:
        """Begin with the document as it is."""
        self.digest = hashlib.sha256(body).hexdigest()[:DIGEST_HEX]
        self._plain = Variant(body, f'"{self.digest}"', None)
        self._made: dict[str | None, Variant] = {None: self._plain}

    @property
    def body(self) -> bytes:
        """The document as it is."""
        return self._plain.body

    def accepted(self, accept_encoding: str | None) -> Variant:
        """Return the document as whoever takes these codings should have it. Cost: nothing after the first time."""
        coding = coding_for(accept_encoding, CODERS) if len(self.body) >= BODY_MIN else None
        if coding not in self._made:
            self._made[coding] = Variant(whole(str(coding), self.body), f'"{self.digest}-{coding}"', coding)
        return self._made[coding]


def answer(request: Request[Any, Any, Any], document: Variants, media_type: str, caching: str) -> Response[bytes]:
    """Return the document in the best coding that the request takes, or 304 to whoever has that already."""
    found = document.accepted(accepted_by(request.headers))
    headers = {**found.headers, "Cache-Control": caching}
    if has(request.headers.get("if-none-match"), found.etag):
        headers.pop("Content-Encoding", None)
        return Response(b"", status_code=304, media_type=media_type, headers=headers)
    return Response(found.body, media_type=media_type, headers=headers)
