"""A player as people see one: how strong in which season, and which tournaments entered."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from domain.ids import UnixMs
from domain.seasons.season import Season
from domain.tournaments.tournament import Phase, Tournament
from projections.seasons.table import RatingView, rating_view


class PlayerRating(Struct, frozen=True):
    """How strong a player is in a season of a game.

    Attributes:
        season: Which season.
        game: The game that it is of.
        rating: How strong, and of how many matches that is known.
    """

    season: str
    game: str
    rating: RatingView


class PlayerEvent(Struct, frozen=True):
    """A tournament that a player has entered.

    Attributes:
        tournament: Which one.
        title: What its host calls it; null where nobody said.
        number: The number of the player in it.
        phase: How far it has come.
        place: The place in the end; null before, and for who has none.
        at: When it last moved, in Unix milliseconds.
    """

    tournament: str
    title: str | None
    number: int
    phase: Phase
    place: int | None
    at: UnixMs


class PlayerView(Struct, frozen=True):
    """A player.

    Attributes:
        player: The id, which records have.
        name: What people call the player; null where that was erased.
        ratings: How strong in which season, of those whose tournaments are in `events`.
        events: Tournaments entered that stand in a list, those that moved last first.
    """

    player: str
    name: str | None
    ratings: tuple[PlayerRating, ...]
    events: tuple[PlayerEvent, ...]


def player_view(
    player: str, name: str | None, entered: Iterable[tuple[Tournament, str | None]], seasons: Iterable[Season]
) -> PlayerView:
    """Return a player who may have entered these tournaments, each with its title."""
    names = {} if name is None else {player: name}
    found = [each for event, title in entered if (each := _event(player, event, title)) is not None]
    rated = [(season, season.ratings[player]) for season in seasons if player in season.ratings]
    return PlayerView(
        player,
        name,
        tuple(PlayerRating(str(season.id), season.game, rating_view(player, each, names)) for season, each in rated),
        tuple(sorted(found, key=lambda each: each.at, reverse=True)),
    )


def _event(player: str, event: Tournament, title: str | None) -> PlayerEvent | None:
    """Return a tournament as its player sees it; None for one that was not entered after all."""
    number = next((each.number for each in event.entrants.values() if each.player == player), None)
    if number is None:
        return None
    return PlayerEvent(str(event.id), title, number, event.phase, place_of(event, number), event.at)


def place_of(event: Tournament, number: int) -> int | None:
    """Return the place of an entrant in the end, from 1; None before, and for who has none."""
    place = 1
    for level in event.ranking:
        if number in level:
            return place
        place += len(level)
    return None
