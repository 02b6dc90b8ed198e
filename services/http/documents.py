"""Documents that stay as they are while the program runs: written once, and not sent again to whoever has them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, Final

import msgspec
from litestar import Request, Response
from msgspec import Struct

from services.http.etags import has

DIGEST_HEX: Final = 32
"""128 bits of the hash of a document: it tells versions apart, it proves nothing."""


class Document(Struct, frozen=True):
    """A JSON document as it is sent, and its entity tag."""

    body: bytes
    etag: str


class Documents:
    """The documents of one application, each written when somebody asks for it first."""

    def __init__(self) -> None:
        """Begin with none."""
        self._written: dict[str, Document] = {}

    def answer(self, request: Request[Any, Any, Any], content: Callable[[], object], caching: str) -> Response[bytes]:
        """Return the document that has this content and stands where the request is answered, or 304.

        Cost: nothing after the first time; content is never asked for again.
        """
        path = request.scope["path_template"]
        if path not in self._written:
            body = msgspec.json.encode(content())
            self._written[path] = Document(body, f'"{hashlib.sha256(body).hexdigest()[:DIGEST_HEX]}"')
        found = self._written[path]
        headers = {"ETag": found.etag, "Cache-Control": caching}
        if has(request.headers.get("if-none-match"), found.etag):
            return Response(b"", status_code=304, headers=headers)
        return Response(found.body, media_type="application/json", headers=headers)
