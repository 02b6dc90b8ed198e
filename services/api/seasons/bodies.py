"""Bodies of requests on seasons and players."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from services.api.bodies import Body


class BeginSeason(Body, frozen=True):
    """Begin a season; the answer holds the token of its host, with which tournaments are announced for it.

    Attributes:
        game: Which game is played, by its name.
        rules: The rules object: without a `league` the season holds ratings only.
        title: What people shall call it, under the law of names. It is kept beside the season, in no record.
    """

    game: Annotated[str, Meta(min_length=1, max_length=40, examples=["common_hand"])]
    rules: Annotated[dict[str, Any], Meta(max_length=8)] = {}
    title: Annotated[str, Meta(min_length=1, max_length=120, examples=["Autumn league"])] | None = None


class MakePlayer(Body, frozen=True):
    """Become a player, who is known beyond one tournament; the answer holds the token, with which one enters.

    Attributes:
        name: What people shall call the player, under the law of names. It stands in no record, and can be erased.
    """

    name: Annotated[str, Meta(min_length=1, max_length=120, examples=["Ada"])]
