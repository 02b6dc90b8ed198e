"""Settings of schemathesis: what it is told of the interface that it cannot read in the document."""

from __future__ import annotations

from typing import Any, Final

import schemathesis
from schemathesis import Case
from schemathesis.core.parameters import ParameterLocation

CHECKS: Final = {
    # A well-formed request may still name an option the game does not have, or a name of spaces.
    "positive_data_acceptance": {"expected-statuses": ["2xx", "401", "403", "404", "409", "412", "422", "503"]},
}
STREAMS: Final = ["stream_match", "cast_match", "stream_tournament", "stream_own_card"]
"""What does not end."""


@schemathesis.serializer("text/csv", "application/x-ndjson", "text/plain", "application/x-cup")
def as_it_is(_context: object, value: Any) -> Any:
    """Return the bytes of a list, whatever is in them."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


def is_sound(case: Case[Any], where: ParameterLocation) -> bool:
    """Report whether schemathesis left this part of a request as the document wants it."""
    part = None if case.meta is None else case.meta.components.get(where)
    return part is None or part.mode.is_positive


def set_right(case: Case[Any]) -> None:
    """Take back what schemathesis makes up and calls valid, though it is not."""
    if is_sound(case, ParameterLocation.HEADER):
        # It makes up numbers for If-Match; test_problems.py looks at the header itself.
        case.headers.pop("If-Match", None)
    case.body = whole(case.body)


def whole(body: Any) -> Any:
    """Return a body with 1 for 1.0: JSON Schema takes both for an integer, the interface only the first."""
    match body:
        case float() if body.is_integer():
            return int(body)
        case dict():
            return {name: whole(value) for name, value in body.items()}
        case list():
            return [whole(value) for value in body]
        case _:
            return body
