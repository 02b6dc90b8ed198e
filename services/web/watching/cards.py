"""Picture cards: a moment of a match as a picture that anybody may show to others.

A card shows what a replay shows through the same eyes, and nothing that is not published: the same moment of the same
match is the same picture for whoever asks, and no token changes it. Drawn (SVG) it is sharp at any size; painted (PNG)
it is what messengers show beside a link.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from cachetools import LRUCache
from litestar import Request, Response, get
from litestar.params import FromPath, QueryParameter
from msgspec.structs import replace

from projections.glass import ALL
from projections.view import View
from services.http.codings.variants import Variant, Variants
from services.http.etags import has
from services.http.injected import Injected
from services.http.problems import HttpProblem
from services.web.invitations import spectator_view
from services.web.people import called
from services.web.sites import Site
from services.web.watching.painting import paint
from services.web.watching.plates import PictureCard, cup_of, plates_of
from services.web.watching.stages import Paper, title_in
from services.web.writing.renderer import claim_words
from services.words.catalogue import CATALOGUE, message, say, term
from services.work.single_flight import Once

SVG: Final = "image/svg+xml"
PNG: Final = "image/png"
KEPT_MAX: Final = 64
"""Painted cards that are kept, of some 25 kB each; to paint one takes a thread a tenth of a second."""
PAINTED_AT_ONCE: Final = 1
"""Cards in work, of some ten megabytes each while they are."""
_CACHING: Final = {"Cache-Control": "no-cache", "Cross-Origin-Resource-Policy": "cross-origin"}
Moment = Annotated[int | None, QueryParameter(ge=1, le=2**53)]
Spoilers = Annotated[Literal["yes", "no"], QueryParameter()]
"""Whether the picture may say what came of it; else who plays, and which round."""


class Easel:
    """Where cards are painted, and the last of them stand."""

    def __init__(self) -> None:
        """Have painted none."""
        self._kept: LRUCache[PictureCard, Variant] = LRUCache(KEPT_MAX)
        self._once = Once()
        self._working = asyncio.Semaphore(PAINTED_AT_ONCE)

    async def painted(self, card: PictureCard) -> Variant:
        """Return a card as PNG. Cost: nothing for one that is kept; for any other a thread, one after the other."""
        found = self._kept.get(card)
        if found is None:
            found = self._kept[card] = await self._once.get(card, lambda: self._paint(card))
        return found

    async def _paint(self, card: PictureCard) -> Variant:
        async with self._working:
            return Variants(await asyncio.to_thread(paint, card)).accepted(None)


@get("/matches/{match:str}/card.svg", opt={"dear": True}, include_in_schema=False)
async def card(
    match: FromPath[str],
    site: Injected[Site],
    paper: Injected[Paper],
    version: Moment = None,
    spoilers: Spoilers = "yes",
) -> Response[str]:
    """Return the picture of a moment, or of the last one, with every cup of glass that may be.

    Raises:
        HttpProblem: `unknown_match`, `version_in_the_future`.
    """
    drawn = paper.page("card.svg", card=await _card(site, match, version, spoils=spoilers == "yes"))
    return Response(drawn.content, media_type=SVG, headers=_CACHING)


@get("/matches/{match:str}/card.png", opt={"dear": True}, include_in_schema=False)
async def painted_card(
    request: Request[Any, Any, Any],
    match: FromPath[str],
    site: Injected[Site],
    easel: Injected[Easel],
    version: Moment = None,
    spoilers: Spoilers = "yes",
) -> Response[bytes]:
    """Return the same picture as PNG.

    Raises:
        HttpProblem: `unknown_match`, `version_in_the_future`.
    """
    picture = await easel.painted(await _card(site, match, version, spoils=spoilers == "yes"))
    headers = {**_CACHING, "ETag": picture.etag}
    if has(request.headers.get("if-none-match"), picture.etag):
        return Response(b"", status_code=304, media_type=PNG, headers=headers)
    return Response(picture.body, media_type=PNG, headers=headers)


async def _card(site: Site, match: str, version: int | None, *, spoils: bool) -> PictureCard:
    now = await spectator_view(site, match)
    if now is None:
        raise HttpProblem("unknown_match")
    view = await site.moment(UUID(now.match), now.version if version is None else version, ALL)
    if view is None:
        raise HttpProblem("version_in_the_future", version=now.version)
    round_ = f" · {say(CATALOGUE['watch']['round'], {'round': str(view.round)})}" if view.round else ""
    line = f"{term(view.title)}{round_}"
    if not spoils:
        seats = tuple(replace(seat, dice=()) for seat in view.seats)
        view = replace(view, seats=seats, turn=None, winner=None, standing=None, cup=())
        return PictureCard(await title_in(site, view), line, "", tuple(plates_of(view)))
    return PictureCard(await title_in(site, view), line, _told(view), tuple(plates_of(view)), cup_of(view))


def _told(view: View) -> str:
    """Return the claim to beat; else what people wait for, or who has won."""
    if view.standing is not None:
        return claim_words(view.standing)
    if view.phase == "lobby":
        facts = {"taken": str(len(view.seats)), "seats": str(view.rules["seats"])}
        return say(message("pages.match.waiting"), facts)
    winner = next((called(seat) for seat in view.seats if seat.seat == view.winner), None)
    return "" if winner is None else say(message("pages.match.won"), {"winner": winner})
