"""`truecup replay`: a match from its beginning."""

from __future__ import annotations

from threading import Event
from typing import Annotated, Any, Final

import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number
from msgspec import Struct

from services.cli.exits import FINE
from services.cli.house import checked, house, match_id
from services.cli.screen import say
from services.cli.words import told

STILL_MAX_S: Final = 10.0
"""The longest silence of a replay: nobody wants to watch somebody think for a day."""


class _Frames(Struct):
    frames: list[msgspec.Raw]


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
        answer = checked(client.get(f"/matches/{match_id(match)}/replay"))
    at: int | None = None
    for raw in msgspec.json.decode(answer.content, type=_Frames).frames:
        frame: dict[str, Any] = msgspec.json.decode(raw)
        if speed is not None and at is not None:
            _wait((frame["at"] - at) / 1_000 / speed)
        at = frame["at"]
        text = bytes(raw).decode() if json else told(frame)
        if text is not None:
            say(text)
    return FINE


def _wait(seconds: float) -> None:
    Event().wait(min(STILL_MAX_S, max(0.0, seconds)))
