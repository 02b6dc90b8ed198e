"""Picture cards: a moment of a match as a picture that anybody may show to others.

A card shows what a replay shows through the same eyes, and nothing that is not published: the same moment of the same
match is the same picture for whoever asks, and no token changes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final
from uuid import UUID

from litestar import Response, get
from litestar.params import FromPath, QueryParameter
from msgspec import Struct

from projections.glass import ALL
from projections.view import DieView, View
from services.http.injected import Injected
from services.http.problems import HttpProblem
from services.web.invitations import spectator_view
from services.web.sites import Site
from services.web.watching.stages import Paper, title_in
from services.words.catalogue import CATALOGUE, say

SVG: Final = "image/svg+xml"
WIDE: Final = 1_200
"""Pixels, with 630 in height: what those who show links to others make room for."""
NAME_MAX: Final = 16
ACROSS: Final = 4
"""Plates side by side."""
_LOW, _MIDDLE, _HIGH = 11.5, 20.0, 28.5
_CORNERS: Final = ((_LOW, _LOW), (_HIGH, _HIGH), (_HIGH, _LOW), (_LOW, _HIGH))
_SIDES: Final = ((_LOW, _MIDDLE), (_HIGH, _MIDDLE))
_LETTERS: Final = {11: "J", 12: "Q", 13: "K", 14: "A"}


class DrawnDie(Struct, frozen=True):
    """A die on a card: where it lies, its pips, or its sign in place of them."""

    x: float
    scale: float
    hidden: bool
    pips: tuple[tuple[float, float], ...] = ()
    sign: str = ""


class Plate(Struct, frozen=True):
    """A seat on a card."""

    x: int
    y: int
    name: str
    marked: bool
    dice: tuple[DrawnDie, ...]


@get("/matches/{match:str}/card.svg", opt={"dear": True}, include_in_schema=False)
async def card(
    match: FromPath[str],
    site: Injected[Site],
    paper: Injected[Paper],
    version: Annotated[int | None, QueryParameter(ge=1, le=2**53)] = None,
) -> Response[str]:
    """Return the picture of a moment, or of the last one, with every cup of glass that may be.

    Raises:
        HttpProblem: `unknown_match`, `version_in_the_future`.
    """
    now = await spectator_view(site, match)
    if now is None:
        raise HttpProblem("unknown_match")
    view = await site.moment(UUID(now.match), now.version if version is None else version, ALL)
    if view is None:
        raise HttpProblem("version_in_the_future", version=now.version)
    return _picture(paper, await title_in(site, view), view)


def _picture(paper: Paper, title: str, view: View) -> Response[str]:
    round_ = say(CATALOGUE["watch"]["round"], {"round": str(view.round)})
    drawn = paper.page("card.svg", title=title, view=view, round=round_, plates=tuple(plates_of(view)))
    return Response(drawn.content, media_type=SVG, headers={"Cache-Control": "no-cache"})


def plates_of(view: View) -> Iterator[Plate]:
    """Yield the seats of a view as they lie on a card, in rows."""
    rows = -(-len(view.seats) // ACROSS)
    for place, seat in enumerate(view.seats):
        row, column = divmod(place, ACROSS)
        here = min(ACROSS, len(view.seats) - row * ACROSS)
        left = (WIDE - here * 280 + 20) // 2
        name = seat.name if len(seat.name) <= NAME_MAX else f"{seat.name[: NAME_MAX - 1]}\N{HORIZONTAL ELLIPSIS}"
        marked = seat.seat in {view.turn, view.winner}
        y = 606 - rows * 126 + row * 126
        yield Plate(left + column * 280, y, name, marked, tuple(_dice(seat.dice, view.faces)))


def _dice(dice: tuple[DieView, ...], faces: tuple[int, int]) -> Iterator[DrawnDie]:
    scale = min(1.0, 230 / max(1, 44 * len(dice)))
    for place, die in enumerate(dice):
        x = 15 + 44 * scale * place
        if die.face is None:
            yield DrawnDie(x, scale, hidden=True, sign="?")
        elif faces[0] == 1 and die.face in range(1, 7):
            yield DrawnDie(x, scale, hidden=False, pips=tuple(_pips(die.face)))
        else:
            yield DrawnDie(x, scale, hidden=False, sign=_LETTERS.get(die.face, str(die.face)))


def _pips(face: int) -> Iterator[tuple[float, float]]:
    if face % 2:
        yield _MIDDLE, _MIDDLE
    yield from _CORNERS[: face - face % 2]
    if face == max(range(1, 7)):
        yield from _SIDES
