"""Documents that stay as they are while the program runs: written once, and not sent again to whoever has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from litestar import Request, Response

from services.http.codings.variants import Variants, answer


class Documents:
    """The documents of one application, each written when somebody asks for it first."""

    def __init__(self) -> None:
        """Begin with none."""
        self._written: dict[str, Variants] = {}

    def answer(self, request: Request[Any, Any, Any], content: Callable[[], object], caching: str) -> Response[bytes]:
        """Return the document that has this content and stands where the request is answered, or 304.

        Cost: nothing after the first time; content is never asked for again.
        """
        path = request.scope["path_template"]
        if path not in self._written:
            self._written[path] = Variants(msgspec.json.encode(content()))
        return answer(request, self._written[path], "application/json", caching)
