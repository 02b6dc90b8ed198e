"""Rules of a league, and ratings, in the language that is spoken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from domain.seasons.rules import League, season_rules
from domain.tournaments.points import points_of
from projections.seasons.table import SeasonMember, SeasonView
from projections.tournaments.numbers import MINUS, mixed_text
from services.words.catalogue import join_names, message, say
from services.words.figures import figure

MILLION: Final = 1_000_000
NAMED_MAX: Final = 12
"""So many places are written out with what each is worth."""


def _said(key: str, **facts: object) -> str:
    return say(message(f"seasons.{key}"), {name: str(value) for name, value in facts.items()})


def rating_text(millionths: int) -> str:
    """Return a rating to two digits, such as `27.64`, with a minus sign below nought."""
    sign = MINUS if millionths < 0 else ""
    return sign + figure(abs(millionths) / MILLION, 2)


def member_name(who: SeasonMember) -> str:
    """Return what to call somebody: by the beginning of the id where the name was erased, a bot by how it plays."""
    if who.bot:
        return _said(f"manners.{who.player.rpartition('/')[2]}")
    return who.name or _said("nameless", id=who.player[:9])


def league_words(view: SeasonView) -> Iterator[str]:
    """Yield how tournaments count for a league; of a season without one, that it has ratings only."""
    league = season_rules(view.rules).league
    if league is None:
        yield _said("rules.ratings")
        return
    yield _worth(league)
    yield _said("rules.all") if league.best is None else _said("rules.best", best=league.best)
    if league.up or league.down:
        yield _said("rules.moves", up=league.up, down=league.down)


def _worth(league: League) -> str:
    if league.points == "score":
        return _said("rules.score")
    listed = [mixed_text(points_of(text)) for text in league.places[:NAMED_MAX]]
    more = len(league.places) - len(listed)
    return _said("rules.places", points=join_names(listed), more=more)
