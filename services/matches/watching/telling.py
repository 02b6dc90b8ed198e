"""Telling: what may be said of a match while it is played, for every version that its spectators are shown.

It comes version by version as the spectators' stream does, in the place of their frame. So it is as late, as closed and
as silent as that, and takes up and ends where that does.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Protocol
from uuid import UUID

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.analysis.report import ToldSentence
from domain.ids import Version
from domain.match.evolve import Match
from infra.store import Choices
from projections.casting.caster import CasterFrame, Channel, encode_caster_frame
from services.matches.watching.casting import Cast, Item
from services.words.catalogue import speaking
from services.words.sentences import sentence_words


class Telling(Struct, frozen=True):
    """What a reader wants to be told.

    Attributes:
        channels: Of which channels.
        language: In which language sentences are to be written out; None where keys and pointers will do.
    """

    channels: frozenset[Channel]
    language: str | None = None


def allowed(telling: Telling, choices: Choices, match: Match) -> Telling:
    """Return what of it may be told of a match: what moves say only where its host has opened that.

    At a table of a tournament nobody has, for there it would be help.
    """
    opened = choices.live_reads and match.settings.event is None
    return telling if opened else replace(telling, channels=telling.channels - {"reads"})


class ToldSource(Protocol):
    """The matches of the house, as they may be spoken of while they are played."""

    async def told(self, match_id: UUID, after: Version, limit: int, telling: Telling) -> list[bytes]:
        """Return at most `limit` frames of what is said, above version `after`, up to what spectators are shown."""


def written(frame: CasterFrame, telling: Telling) -> bytes:
    """Return a frame as JSON, with the sentences written out where a language is asked for."""
    body = encode_caster_frame(frame, telling.channels)
    if telling.language is None:
        return body
    document: dict[str, Any] = msgspec.json.decode(body)
    with speaking(telling.language):
        for said in document["text"]:
            said["words"] = sentence_words(document, msgspec.convert(said, ToldSentence))
    return msgspec.json.encode(document)


async def tell(
    items: AsyncGenerator[Item, None], matches: ToldSource, match_id: UUID, telling: Telling
) -> AsyncGenerator[Item, None]:
    """Yield what is said of each version in the place of the spectators' frame of it.

    Args:
        items: What a spectator is told of the match from now on.
        matches: Where what is said is made.
        match_id: The match.
        telling: What is wanted of it.

    It begins with the version that the match is shown at, as `snapshot`, and ends as the spectators' stream does. A
    reader that stops leaves nothing behind: `items` are closed with this.
    """
    async with aclosing(items):
        async for item in items:
            if item.version is None or item.kind not in {"snapshot", "frame"}:
                yield item
                continue
            (body,) = await matches.told(match_id, item.version - 1, 1, telling)
            yield Cast(item.kind, item.version, body if item.kind == "frame" else b'{"snapshot":' + body + b"}")
