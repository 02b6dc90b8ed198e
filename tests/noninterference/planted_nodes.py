"""Planted leaks of a node for spectators: hidden dice that it is sent, holds, or tells of, each found by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tests.noninterference.house import ObservedHouse
from tests.noninterference.planted import Hidden, Planted
from tests.simulation.bus import SharedFeed


def _to_spectators_too(real: Any) -> Any:
    """Relay what a seat is told to whoever listens for spectators, before what they are to be told."""

    async def tell(feed: Any, match: str, seat: int, version: int, body: bytes, kind: Any = "seat") -> None:
        await real(feed, match, seat, version, body, kind)
        if kind == "seat":
            feed._say((match, None), version, body)  # noqa: SLF001 - as above

    return tell


def _at_its_door(told: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Change what a node for spectators answers, and no other one does."""

    def made(real: Any) -> Any:
        def planted(house: ObservedHouse, app: Any) -> Any:
            inner = real(house, app)
            if not house.doors:
                return inner

            async def leaky(scope: Any, receive: Any, send: Any) -> None:
                async def sending(message: Any) -> None:
                    await send(told(message))

                await inner(scope, receive, sending)

            return leaky

        return planted

    return made


def _with_a_tag(message: Any) -> Any:
    if message["type"] != "http.response.start":
        return message
    return {**message, "headers": [*message["headers"], (b"x-hand", b"%03d" % Hidden.number)]}


def _with_spaces(message: Any) -> Any:
    if not message.get("body"):
        return message
    return {**message, "body": message["body"] + b" " * Hidden.number}


LEAKS: Final = (
    Planted(
        "a seat's frame at a node for spectators",
        "node",
        "holds",
        ((SharedFeed, "tell", _to_spectators_too),),
        spectators=True,
    ),
    Planted(
        "a header of a node for spectators",
        "outsider",
        "view: headers",
        ((ObservedHouse, "planted", _at_its_door(_with_a_tag)),),
        spectators=True,
    ),
    Planted(
        "how long an answer of a node for spectators is",
        "passer-by",
        "lengths",
        ((ObservedHouse, "planted", _at_its_door(_with_spaces)),),
        spectators=True,
    ),
)
"""Each with where it shows, in a house that has such a node."""
