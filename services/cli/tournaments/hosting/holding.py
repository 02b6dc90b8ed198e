"""`truecup tournament new`, `add`, `check-in`, `start`, `pair`, `rule`, `finish`: a tournament, held from here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number

from domain.tournaments.events import Reason
from services.cli.asking import asked_house
from services.cli.auditing.sources import Unread, small
from services.cli.exits import FINE
from services.cli.kept import kept, place_of
from services.cli.screen import say, say_json
from services.cli.tournaments.hosting.desk import HostDesk, announce, desk, place_of_token
from services.client.house import CannotDo, match_id, read_reply
from services.words.catalogue import message
from services.words.catalogue import say as put

Many = Annotated[int, Parameter(validator=Number(gte=1, lte=64))]
Which = Annotated[int | None, Parameter(validator=Number(gte=1))]
SEASONS: Final = "seasons"
"""Of what kind the tokens of hosts of seasons are, among those that are kept."""


def _words(key: str, **facts: object) -> str:
    return put(message(f"terminal.holding.{key}"), {name: str(value) for name, value in facts.items()})


@dataclass(frozen=True)
class OfSeason:
    """For which season a tournament is held.

    Attributes:
        season: Its id, or the address of its page; its matches are rated.
        season_token: The token of its host; the kept one if nothing is said.
        rated: Whether its matches are rated there.
    """

    season: str | None = None
    season_token: str | None = None
    rated: bool = True

    @property
    def rules(self) -> dict[str, Any]:
        """What of the rules object says so; nothing where it is held for none.

        Raises:
            CannotDo: It is neither the id of a season nor an address with one.
        """
        return {} if self.season is None else {"season": match_id(self.season), "rated": self.rated}

    def token(self, base: str) -> str | None:
        """Return the token that is shown to this house; None where it is held for no season.

        Raises:
            CannotDo: There is none, or another house gave it.
        """
        if self.season is None or self.season_token is not None:
            return self.season_token
        return kept(place_of(SEASONS, match_id(self.season)), base, "--season-token")


def new(
    title: str,
    /,
    *,
    preset: str = "pods",
    rules: Path | None = None,
    private: bool = False,
    season: Annotated[OfSeason | None, Parameter(name="*")] = None,
    url: str | None = None,
    json: bool = False,
) -> int:
    """Announce a tournament.

    Args:
        title: What people shall call it.
        preset: Rules of a whole tournament by a name.
        rules: A file of JSON with members of the rules that differ.
        private: Whether it stands in no list.
        season: For which season it is held, if for one.
        url: Where the service is; the `truecup up` of this machine if nothing is said.
        json: Print the service's answer, with the token of the host.
    """
    held = season or OfSeason()
    body = {"title": title, "preset": preset, "rules": held.rules | _rules(rules), "private": private}
    with asked_house(url) as at:
        answer = announce(at, body, held.token(at.base))
    if json:
        say_json(answer)
        return FINE
    page = f"{at.base}/t/{answer['tournament']}"
    say(_words("new", id=answer["tournament"], page=page))
    say(_words("kept", file=place_of_token(answer["tournament"])))
    return FINE


def _rules(file: Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        return msgspec.json.decode(small(file), type=dict[str, Any])
    except (Unread, msgspec.MsgspecError, UnicodeDecodeError) as trouble:
        raise CannotDo(f"the rules {file} cannot be read: {trouble}") from trouble


def add(
    tournament: str,
    /,
    *names: str,
    club: str | None = None,
    own_seeds: bool = True,
    bots: Many | None = None,
    token: str | None = None,
    url: str | None = None,
    json: bool = False,
) -> int:
    """Enter people by their names, and bots of the house; entry is opened if it is not.

    Args:
        tournament: Its id, or the address of its page.
        names: What they are called.
        club: Their club.
        own_seeds: Whoever plays as one of them draws the seeds of the own dice; otherwise the server does.
        bots: How many bots enter besides.
        token: The token of a host; the kept one if nothing is said.
        url: Where the service is.
        json: Print the service's answers, one a line, each with the token of an entrant.
    """
    with desk(tournament, url, token) as at:
        if at.view()["phase"] == "announced":
            at.ask("open_entry")
        more = {"custody": "client" if own_seeds else "server"} | ({} if club is None else {"club": club})
        for name in names:
            answer = at.post("/entrants", {"name": name} | more)
            if json:
                say_json(answer)
            else:
                say(_words("added", number=answer["number"], name=name, token=answer["token"]))
        if bots is not None:
            answer = at.post("/bots", {"count": bots})
            say_json(answer) if json else say(_words("bots", bots=bots))
    return FINE


def check_in(
    tournament: str, /, *numbers: int, token: str | None = None, url: str | None = None, json: bool = False
) -> int:
    """Open the check-in, or say that entrants are there.

    Args:
        tournament: Its id, or the address of its page.
        numbers: Entrants who are there, by their numbers; with none, the check-in is opened, and it is told who is
            missing.
        token: The token of an official; the kept one if nothing is said.
        url: Where the service is.
        json: Print JSON: the service's answers, and who is missing.
    """
    with desk(tournament, url, token) as at:
        if at.view()["phase"] == "entry":
            _told(at.ask("open_check_in"), json=json)
        for number in numbers:
            _told(at.ask("check_in", number=number), json=json)
        with read_reply():
            missing = [(row["number"], row["name"]) for row in at.entrants() if row["status"] == "entered"]
    if json:
        say_json({"missing": [number for number, _ in missing]})
    else:
        people = ", ".join(_words("person", number=number, name=name) for number, name in missing)
        say(_words("missing", people=people) if missing else _words("complete"))
    return FINE


def _told(answer: dict[str, Any], *, json: bool) -> None:
    if json:
        say_json(answer)


def start(tournament: str, /, *, token: str | None = None, url: str | None = None, json: bool = False) -> int:
    """End the check-in, draw the lots and begin; or go on after a pause.

    Args:
        tournament: Its id, or the address of its page.
        token: The token of an official; the kept one if nothing is said.
        url: Where the service is.
        json: Print the service's answer.
    """
    with desk(tournament, url, token) as at:
        view = at.view()
        if view["phase"] not in {"check_in", "running"} or (view["phase"] == "running" and not view["paused"]):
            raise CannotDo(f"{tournament} is not in its check-in, and is not paused: there is nothing to start")
        return _moved(at, "resume" if view["paused"] else "proceed", "started", json=json)


def pair(tournament: str, /, *, token: str | None = None, url: str | None = None, json: bool = False) -> int:
    """Pair the next round now, without waiting for its time.

    Args:
        tournament: Its id, or the address of its page.
        token: The token of an official; the kept one if nothing is said.
        url: Where the service is.
        json: Print the service's answer.
    """
    with desk(tournament, url, token) as at:
        return _moved(at, "pair", "paired", json=json)


def finish(tournament: str, /, *, token: str | None = None, url: str | None = None, json: bool = False) -> int:
    """Hear no more appeals, and close, once all that were filed are decided.

    Args:
        tournament: Its id, or the address of its page.
        token: The token of an official; the kept one if nothing is said.
        url: Where the service is.
        json: Print the service's answer.
    """
    with desk(tournament, url, token) as at:
        return _moved(at, "finish", "closed", json=json)


def _moved(at: HostDesk, kind: str, key: str, *, json: bool) -> int:
    answer = at.ask(kind)
    say_json(answer) if json else say(_words(key))
    return FINE


RANKING: Final = re.compile(r"[1-9]\d*(=[1-9]\d*)*(,[1-9]\d*(=[1-9]\d*)*)*", re.ASCII)
"""Numbers of entrants from the first to the last; those who share a place are joined by =."""


@dataclass(frozen=True)
class RulingAsked:
    """What a table is to count as.

    Attributes:
        table: Which table.
        ranking: Numbers of entrants from the first to the last, such as 3,1=2,4 where two share the second place.
        absent: Who was not there; it may be given more than once.
        round: Of which round; the last that is paired if nothing is said.
        stage: Of which stage; the one that is played if nothing is said.
        reason: Why.
        text: The same in words; needed where the reason is other.
    """

    table: Annotated[int, Parameter(validator=Number(gte=1))]
    ranking: str
    absent: Annotated[tuple[int, ...], Parameter(negative="")] = ()
    round: Which = None
    stage: Which = None
    reason: Reason = "wrong_result"
    text: str | None = None

    @property
    def levels(self) -> list[list[int]]:
        """The ranking, level by level.

        Raises:
            CannotDo: It is none.
        """
        if RANKING.fullmatch(self.ranking) is None:
            raise CannotDo(f"--ranking {self.ranking}: numbers from the first to the last, such as 3,1=2,4")
        return [[int(number) for number in level.split("=")] for level in self.ranking.split(",")]


def rule(
    tournament: str,
    /,
    *,
    ruling: Annotated[RulingAsked, Parameter(name="*")],
    token: str | None = None,
    url: str | None = None,
    json: bool = False,
) -> int:
    """Say what a table counts as.

    Args:
        tournament: Its id, or the address of its page.
        ruling: What it counts as.
        token: The token of an official; the kept one if nothing is said.
        url: Where the service is.
        json: Print the service's answer.
    """
    said: dict[str, Any] = {"ranking": ruling.levels, "absent": list(ruling.absent), "reason": ruling.reason}
    with desk(tournament, url, token) as at:
        played = at.view()["round"]
        if played is None:
            raise CannotDo(f"{tournament} has no round yet")
        place = {"stage": ruling.stage or played["stage"], "round": ruling.round or played["round"]}
        answer = at.ask("rule", **place, table=ruling.table, **said, text=ruling.text)
    say_json(answer) if json else say(_words("ruled", **place, table=ruling.table, line=answer["version"] - 1))
    return FINE
