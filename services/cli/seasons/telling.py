"""Seasons and players in words: the table of a league, ratings, tournaments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from domain.games import GAMES
from projections.seasons.players import PlayerView
from projections.seasons.table import LeagueLine, RatingView, SeasonView
from projections.tournaments.numbers import ExactNumber
from services.cli.tournaments.explaining import columns
from services.web.seasons.wording import league_words, member_name, rating_text
from services.words.catalogue import CATALOGUE, message, say, term


def words(key: str, **facts: object) -> str:
    """Return a sentence of seasons and players in a terminal."""
    return say(message(f"terminal.beyond.{key}"), {name: str(value) for name, value in facts.items()})


def season_lines(view: SeasonView) -> Iterator[str]:
    """Yield a season as it stands: its rules, its table, how strong everybody is, and what is held for it."""
    said = CATALOGUE["seasons"]
    title = view.title or say(said["untitled"], {"game": _game(view.game)})
    yield words("season", title=title, state=said["states"][view.state])
    yield from league_words(view)
    for table, head in ((view.table, "table"), (view.bots, "of_bots")):
        if table:
            yield ""
            yield f"{said[head]}:"
            yield from _table(table)
    for ratings, head in ((view.ratings, "ratings"), (view.bot_ratings, "of_bots")):
        if ratings:
            yield ""
            yield words("rated", list=said["ratings"], whose="none" if head == "ratings" else said[head])
            yield from _ratings(ratings)
    if view.ratings or view.bot_ratings:
        yield said["scale"]
    yield ""
    yield f"{said['tournaments']}: {len(view.tournaments)}"
    for each in view.tournaments:
        yield "  ".join(
            ("", each.tournament, said["counted" if each.counted else "awaited"], each.title or "")
        ).rstrip()


def _table(lines: Sequence[LeagueLine]) -> list[str]:
    said = CATALOGUE["seasons"]
    return columns(
        [
            [
                *(f"  {line.place}.", member_name(line.who), line.points.written),
                *("" if line.moves is None else said["moves"][line.moves], _results(line)),
            ]
            for line in lines
        ]
    )


def _results(line: LeagueLine) -> str:
    """Return all results; in brackets those that do not count."""
    return " ".join(_result(each.points, counts=each.counts) for each in line.results)


def _result(points: ExactNumber, *, counts: bool) -> str:
    return points.written if counts else f"({points.written})"


def _ratings(lines: Sequence[RatingView]) -> list[str]:
    return columns([["  " + member_name(line.who), *_rating(line)] for line in lines])


def _rating(line: RatingView) -> list[str]:
    said = CATALOGUE["seasons"]
    mean = f"{rating_text(line.mu)} \N{PLUS-MINUS SIGN} {rating_text(line.sigma)}"
    matches = words("matches", matches=line.matches)
    return [rating_text(line.shown), mean, matches, said["provisional"] if line.provisional else ""]


def player_lines(view: PlayerView) -> Iterator[str]:
    """Yield a player: what the player is called, how strong in which season, and the tournaments entered."""
    said = CATALOGUE["seasons"]
    yield view.name or say(said["nameless"], {"id": view.player[:9]})
    if view.name is None:
        yield said["erased"]
    yield f"{said['id']} {view.player}"
    if view.ratings:
        yield ""
        yield f"{said['ratings']}:"
        yield from columns([[f"  {_game(each.game)}", each.season, *_rating(each.rating)] for each in view.ratings])
    if view.events:
        yield ""
        yield f"{said['tournaments']}:"
        yield from columns([_event(each.title, each.tournament, each.place) for each in view.events])


def _event(title: str | None, tournament: str, place: int | None) -> list[str]:
    where = "" if place is None else words("place", place=place)
    return ["  " + (title or CATALOGUE["seasons"]["unnamed"]), tournament, where]


def _game(name: str) -> str:
    return term(GAMES[name].title) if name in GAMES else name
