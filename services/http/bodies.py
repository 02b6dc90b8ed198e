"""Reads a request's body: strictly, unlike the framework, which takes `"1"` for a number."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
from litestar import Request
from litestar.di import Provide

from services.http.problems import HttpProblem

T = TypeVar("T")


def body_of(decoder: msgspec.json.Decoder[Any]) -> dict[str, Provide]:
    """Return the dependency `body_of`: the body as what this decoder reads."""

    async def read(request: Request[Any, Any, Any]) -> Any:  # noqa: ANN401 - what it is, the decoder says
        if request.content_type[0] != "application/json":
            raise HttpProblem("bad_media_type")
        return _read(decoder, await request.body())

    return {"asked": Provide(read)}


def _read(decoder: msgspec.json.Decoder[T], body: bytes) -> T:
    """Return what a body says.

    Raises:
        HttpProblem: `malformed`, with where and why.
    """
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        why, _, where = str(error).partition(" - at `")
        raise HttpProblem("malformed", faults=[{"where": where.rstrip("`") or "$", "why": why}]) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise HttpProblem("malformed", faults=[{"where": "$", "why": "this is not JSON"}]) from error
