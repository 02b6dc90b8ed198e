"""Reads a request's body: strictly, unlike the framework, which takes `"1"` for a number."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import msgspec
from litestar import Request
from litestar.di import Provide

from services.api.problems import Trouble

T = TypeVar("T")


def asked(kind: type[T]) -> dict[str, Provide]:
    """Return the dependency `asked`: the body as a struct of this kind, or of one of a union of them."""
    return {"asked": Provide(_reader(msgspec.json.Decoder(kind)))}


def _reader(decoder: msgspec.json.Decoder[T]) -> Callable[[Request[Any, Any, Any]], Coroutine[Any, Any, T]]:
    async def read(request: Request[Any, Any, Any]) -> Any:  # noqa: ANN401 - the framework cannot know a type variable
        if request.content_type[0] != "application/json":
            raise Trouble("bad_media_type")
        return _read(decoder, await request.body())

    return read


def _read(decoder: msgspec.json.Decoder[T], body: bytes) -> T:
    """Return what a body says.

    Raises:
        Trouble: `malformed`, with where and why.
    """
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        why, _, where = str(error).partition(" - at `")
        raise Trouble("malformed", faults=[{"where": where.rstrip("`") or "$", "why": why}]) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Trouble("malformed", faults=[{"where": "$", "why": "this is not JSON"}]) from error
