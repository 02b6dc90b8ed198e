"""Bodies of requests, read strictly, unlike by the framework, which takes `"1"` for a number.

Handlers read them by themselves: of two dependencies the framework makes a task each, which costs more than reading.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
from litestar import Request

from services.http.problems import HttpProblem

T = TypeVar("T")


async def read(request: Request[Any, Any, Any], decoder: msgspec.json.Decoder[T]) -> T:
    """Return what a body says.

    Raises:
        HttpProblem: `bad_media_type`; `malformed`, with where and why.
    """
    if request.content_type[0] != "application/json":
        raise HttpProblem("bad_media_type")
    return read_json(decoder, await request.body())


def read_json(decoder: msgspec.json.Decoder[T], text: bytes) -> T:
    """Return what a body or a message says.

    Raises:
        HttpProblem: `malformed`, with where and why.
    """
    try:
        return decoder.decode(text)
    except msgspec.ValidationError as error:
        why, _, where = str(error).partition(" - at `")
        raise HttpProblem("malformed", faults=[{"where": where.rstrip("`") or "$", "why": why}]) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise HttpProblem("malformed", faults=[{"where": "$", "why": "this is not JSON"}]) from error
