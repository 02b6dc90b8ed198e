"""`truecup replay`: a match from its beginning."""

from __future__ import annotations

from threading import Event
from typing import Annotated, Any, Final

import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number
from msgspec import Struct

from services.cli.exits import FINE
from services.cli.house import answer_or_fail, house, match_id, read_reply
from services.cli.playing.words import sentence_of
from services.cli.screen import say, say_json

STILL_MAX_S: Final = 10.0
"""The longest silence of a replay: nobody wants to watch somebody think for a day."""


class _Frames(Struct):
    frames: list[dict[str, Any]]


def replay(
    match: str,
    /,
    *,
    speed: Annotated[float | None, Parameter(validator=Number(gt=0))] = None,
    url: str | None = None,
    json: bool = False,
) -> int:
    """Tell a match.

    Args:
        match: The match's id, or the address of its page.
        speed: How many times as fast as it was played; all at once if nothing is said.
        url: Where the service is; the `truecup up` of this machine if nothing is said.
        json: Print every frame, one JSON document a line.
    """
    with house(url) as client:
        answer = answer_or_fail(client.get(f"/matches/{match_id(match)}/replay"))
    with read_reply():
        frames = msgspec.json.decode(answer.content, type=_Frames).frames
    at: int | None = None
    earlier: dict[str, Any] | None = None
    for frame in frames:
        with read_reply():
            moment, text, earlier = int(frame["at"]), sentence_of(frame, earlier), frame["view"]
        if speed is not None and at is not None:
            _wait((moment - at) / 1_000 / speed)
        at = moment
        if json:
            say_json(frame)
        elif text:
            say(text)
    return FINE


def _wait(seconds: float) -> None:
    Event().wait(min(STILL_MAX_S, max(0.0, seconds)))
