"""`truecup replay`: a match from its beginning."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator
from threading import Event
from typing import Annotated, Final

import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number
from msgspec import Struct

from services.cli.exits import FINE
from services.cli.house import house
from services.cli.playing.names import Json
from services.cli.playing.words import sentence_of
from services.cli.screen import say, say_json, takes_screens
from services.client.house import answer_or_fail, match_id, read_reply

STILL_MAX_S: Final = 10.0
"""The longest silence of a replay: nobody wants to watch somebody think for a day."""


class _Frames(Struct):
    frames: list[Json]


def replay(
    match: str,
    /,
    *,
    speed: Annotated[float | None, Parameter(validator=Number(gt=0))] = None,
    url: str | None = None,
    json: bool = False,
    plain: bool = False,
) -> int:
    """Tell a match.

    Args:
        match: The match's id, or the address of its page.
        speed: How many times as fast as it was played; all at once if nothing is said.
        url: Where the service is; the `truecup up` of this machine if nothing is said.
        json: Print every frame, one JSON document a line.
        plain: Tell it line by line, at a speed as well.
    """
    with house(url) as client:
        answer = answer_or_fail(client.get(f"/matches/{match_id(match)}/replay"))
    with read_reply():
        frames = msgspec.json.decode(answer.content, type=_Frames).frames
    if speed is not None and takes_screens() and not json and not plain:
        asyncio.run(_felt()(paced(frames, speed)))
        return FINE
    earlier: Json | None = None
    for seconds, frame in paced(frames, speed):
        Event().wait(seconds)
        with read_reply():
            text, earlier = sentence_of(frame, earlier), frame["view"]
        if json:
            say_json(frame)
        elif text:
            say(text)
    return FINE


def paced(frames: Iterable[Json], speed: float | None) -> Iterator[tuple[float, Json]]:
    """Yield frames, each with how many seconds to wait before it; none where no speed is asked for.

    Raises:
        CannotDo: They are not what this program knows.
    """
    at: int | None = None
    for frame in frames:
        with read_reply():
            moment = int(frame["at"])
        silence = 0.0 if at is None or speed is None else (moment - at) / 1_000 / speed
        at = moment
        yield min(STILL_MAX_S, max(0.0, silence)), frame


def _felt() -> Callable[[Iterable[tuple[float, Json]]], Coroutine[None, None, None]]:
    """Return how frames are shown over the whole terminal."""
    from services.cli.playing.felt.watching import replay_felt  # noqa: PLC0415 - an extra

    return replay_felt
