"""The page that announces a tournament: what is played, who may enter, and when; all but the title is set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from litestar import Response, get
from msgspec import Struct

from domain.tournaments.presets import PRESETS
from domain.tournaments.rules import Entry, RoundTimes
from services.http.injected import Injected
from services.web.options import forms_of
from services.web.sites import Json, Site
from services.web.tournaments.entry import PUBLIC
from services.web.writing.renderer import PageRenderer

ORDER: Final = ("pods", "club_night", "duel_swiss", "knockout", "single", "last_longer", "arena", "round_robin")
"""The presets that are shown first: what people ask for most."""


class PresetChoice(Struct, frozen=True):
    """Rules of a whole tournament to choose.

    Attributes:
        rules: Those members of the rules object that it fills.
    """

    name: str
    rules: dict[str, Any]


@get("/tournaments/new", opt=PUBLIC)
async def announcement(site: Injected[Site], paper: Injected[PageRenderer]) -> Response[str]:
    """Return the form that holds a tournament, whose script sends it."""
    cards, beacon = await site.games(), await site.beacon()
    form = paper.part("tournament_form.html", (cards, beacon), lambda: _form(cards, beacon))
    return paper.page("tournament_new.html", form=form)


def _form(cards: Sequence[Json], beacon: str | None) -> Json:
    usual: Json = {"entry": Entry(), "time": RoundTimes(), "beacon": beacon}
    return {**forms_of(cards), **usual, "presets": list(_presets())}


def _presets() -> Iterator[PresetChoice]:
    """Yield the presets, those that are asked for most first."""
    for name in (*ORDER, *(name for name in PRESETS if name not in ORDER)):
        yield PresetChoice(name, PRESETS[name])
