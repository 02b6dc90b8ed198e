"""`truecup season new`, `show`, `end`, `export`: a season of a service, held from here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number

from infra.files.whole import write_whole
from projections.seasons.table import SeasonView
from services.cli.asking import asked_house, earned
from services.cli.auditing.export import STDOUT, print_bytes
from services.cli.exits import FINE
from services.cli.kept import keep, kept, place_of
from services.cli.screen import say, say_json
from services.cli.seasons.telling import season_lines, words
from services.cli.tournaments.hosting.holding import SEASONS
from services.client.house import CannotDo, match_id, read_reply

Many = Annotated[int | None, Parameter(validator=Number(gte=0))]
WORTH: Final = re.compile(r"[0-9/]+(,[0-9/]+)*", re.ASCII)
"""What places are worth, the first first."""


@dataclass(frozen=True)
class LeagueAsked:
    """How tournaments count.

    Attributes:
        places: What places are worth, the first first, such as 10,6,4,3; those behind the list are worth nothing.
        score: Whether a tournament gives the points that somebody has in it instead.
        best: How many results of each count, the best ones; all if nothing is said.
        up: How many go up in the end.
        down: How many go down.
    """

    places: str | None = None
    score: Annotated[bool, Parameter(negative="")] = False
    best: Many = None
    up: Many = None
    down: Many = None

    @property
    def rules(self) -> dict[str, Any]:
        """The rules object; without places or score the season holds ratings only.

        Raises:
            CannotDo: What was said does not go together.
        """
        rest = {name: value for name in ("best", "up", "down") if (value := getattr(self, name)) is not None}
        if self.places is None and not self.score:
            if rest:
                raise CannotDo("results that count are those of a league: say --places or --score")
            return {}
        if self.places is None:
            return {"league": {"points": "score", **rest}}
        if self.score:
            raise CannotDo("a tournament counts by --places or by --score")
        if WORTH.fullmatch(self.places) is None:
            raise CannotDo(f"--places {self.places}: what places are worth, the first first, such as 10,6,4,3")
        return {"league": {"points": "places", "places": self.places.split(","), **rest}}


def new(
    title: str,
    /,
    *,
    game: str = "common_hand",
    league: Annotated[LeagueAsked | None, Parameter(name="*")] = None,
    url: str | None = None,
    json: bool = False,
) -> int:
    """Begin a season.

    Args:
        title: What people shall call it.
        game: Which game is played, by its name.
        league: How tournaments count; without it the season holds ratings only.
        url: Where the service is; the `truecup up` of this machine if nothing is said.
        json: Print the service's answer, with the token of the host.
    """
    body = {"game": game, "title": title, "rules": (league or LeagueAsked()).rules}
    with asked_house(url) as at:
        answer = at.ask("POST", "/seasons", body=body)
        got = earned(answer, "season")
        place = place_of(SEASONS, match_id(got.name))
        keep(place, got.token, at.base)
        if json:
            print_bytes(answer + b"\n")
            return FINE
        say(words("begun", id=got.name, page=f"{at.base}/seasons/{got.name}"), words("kept", file=place))
    return FINE


def show(season: str, /, *, url: str | None = None, json: bool = False) -> int:
    """Show a season: its table, how strong everybody is, and what is held for it.

    Args:
        season: Its id, or the address of its page.
        url: Where the service is; the `truecup up` of this machine if nothing is said.
        json: Print the service's answer.
    """
    with asked_house(url) as at:
        answer = at.get(f"/seasons/{match_id(season)}")
    with read_reply():
        view = msgspec.json.decode(answer, type=SeasonView)
    say_json(view) if json else say(*season_lines(view))
    return FINE


def end(season: str, /, *, token: str | None = None, url: str | None = None, json: bool = False) -> int:
    """End a season, once everything that is held for it has counted.

    Args:
        season: Its id, or the address of its page.
        token: The token of its host; the kept one if nothing is said.
        url: Where the service is; the `truecup up` of this machine if nothing is said.
        json: Print the service's answer.
    """
    name = match_id(season)
    with asked_house(url) as at:
        shown = token or kept(place_of(SEASONS, name), at.base)
        answer = at.ask("POST", f"/seasons/{name}/close", token=shown)
        if json:
            print_bytes(answer + b"\n")
            return FINE
        with read_reply():
            view = msgspec.json.decode(at.get(f"/seasons/{name}"), type=SeasonView)
    say(*season_lines(view))
    return FINE


def export(
    season: str,
    /,
    *,
    out: Annotated[str, Parameter(allow_leading_hyphen=True)],
    url: str | None = None,
) -> int:
    """Save the record of a season; `truecup audit` of a folder holds it against those of its tournaments.

    Args:
        season: Its id, or the address of its page.
        out: The file to write, such as season.cup; - prints it.
        url: Where the service is; the `truecup up` of this machine if nothing is said.
    """
    with asked_house(url) as at:
        record = at.get(f"/seasons/{match_id(season)}/export")
    if out == STDOUT:
        print_bytes(record)
        return FINE
    try:
        write_whole(Path(out), record)
    except OSError as trouble:
        raise CannotDo(f"{out} cannot be written: {trouble.strerror}") from trouble
    return FINE
