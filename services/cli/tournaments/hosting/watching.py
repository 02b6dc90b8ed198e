"""`truecup tournament watch`: a tournament as it is held."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import httpx
import msgspec

from domain.tournaments import events
from domain.tournaments.events import event_of
from domain.tournaments.evolve import evolve, new_tournament
from domain.tournaments.field import result_of
from domain.tournaments.tournament import Tournament
from projections.tournaments.people import name_of
from projections.tournaments.standings import standings_view
from services.cli.exits import FINE
from services.cli.house import address
from services.cli.screen import say, say_aside, say_json
from services.cli.tournaments.explaining import labelled, standings_lines
from services.client.house import ANSWER_S, CONNECT_S, CannotDo, answer_or_fail, match_id, read_reply
from services.words.catalogue import join_names, message
from services.words.catalogue import say as put

SILENCE_S: Final = 60.0
"""A stream that says nothing for so long, not even a beat, is broken."""
TRIES_MAX: Final = 5
"""How often in a row a stream is taken up again that breaks before it says anything."""


def watch(tournament: str, /, *, url: str | None = None, json: bool = False) -> int:
    """Follow a tournament until it is closed.

    Args:
        tournament: Its id, or the address of its page.
        url: Where the service is; the `truecup up` of this machine if nothing is said.
        json: Print what the stream says, one JSON document a line.
    """
    named, base = match_id(tournament), address(url)
    told = _Told(base, named)
    for item in _items(base, named):
        if json:
            say_json(item)
        else:
            told.tell(item)
    return FINE


def _items(base: str, tournament: str) -> Iterator[dict[str, Any]]:
    """Yield what the stream says, from the first line on, taken up again wherever it breaks.

    Raises:
        CannotDo: Nobody answers, or what is answered is no stream of a tournament.
    """
    version, tries = 0, 0
    while tries < TRIES_MAX:
        tries += 1
        try:
            for item in _stream(base, tournament, version):
                with read_reply():
                    version = int(item.get("version", version))
                yield item
                tries = 0
                if "ended" in item:
                    return
        except httpx.TransportError as trouble:
            say_aside(f"truecup: the connection broke behind version {version} ({type(trouble).__name__})")
    raise CannotDo(f"nobody answers at {base}: is `truecup up` running?")


def _stream(base: str, tournament: str, after: int) -> Iterator[dict[str, Any]]:
    address_of = f"{base}/api/v1/tournaments/{tournament}/stream"
    timeout = httpx.Timeout(ANSWER_S, connect=CONNECT_S, read=SILENCE_S)
    headers = {"Accept": "application/x-ndjson"}
    with httpx.stream("GET", address_of, params={"after": after}, headers=headers, timeout=timeout) as answer:
        for line in answer_or_fail(answer).iter_lines():
            if line.strip():
                with read_reply():
                    yield msgspec.json.decode(line, type=dict[str, Any])


class _Told:
    """What was told of a tournament, which is folded from its lines here: so standings are worked out, not believed."""

    def __init__(self, base: str, tournament: str) -> None:
        self._people = f"{base}/api/v1/tournaments/{tournament}/entrants"
        self._tournament: Tournament | None = None
        self._names: dict[int, str] = {}

    def tell(self, item: dict[str, Any]) -> None:
        """Tell what a line of the stream is worth to people."""
        if "event" not in item:
            return
        with read_reply():
            said = dict(item["event"])
            at, kind = int(item["at"]), str(said.pop("type"))
            event = event_of(kind, said)
            before = self._tournament
            if isinstance(event, events.TournamentCreated):
                self._tournament = new_tournament(event, at)
            elif before is not None:
                self._tournament = evolve(before, event, at)
        if self._tournament is not None:
            self._say(self._tournament, event)

    def _say(self, tournament: Tournament, event: events.TournamentEvent) -> None:
        match event:
            case events.TablesPaired():
                self._look_up()
                say(_words("round", round=event.round, law=event.law))
                for number, seats in event.tables:
                    say("  " + _words("table", table=number, who=self._joined(seats)))
                if event.byes:
                    say("  " + _words("rest", who=self._joined(event.byes)))
            case events.ResultRecorded() | events.ResultRuled():
                table = tournament.stages[event.stage - 1].rounds[event.round].tables[event.table]
                counts = result_of(table)
                came = () if counts is None else counts.ranking
                levels = " > ".join(" = ".join(self._name(n) for n in level) for level in came)
                key = "ruling" if isinstance(event, events.ResultRuled) else "result"
                say(_words(key, table=event.table, came=levels or _words("nobody")))
            case events.TournamentRoundClosed() | events.TournamentFinished():
                view = standings_view(tournament, self._names, explained=False)
                say(*standings_lines([view], self._names, tournament))
            case events.TournamentCancelled():
                say(_words("cancelled"))
            case _:
                return

    def _joined(self, numbers: tuple[int, ...]) -> str:
        return join_names([self._name(number) for number in numbers])

    def _name(self, number: int) -> str:
        return _words("person", number=number, name=name_of(self._names, number))

    def _look_up(self) -> None:
        """Ask what entrants are called; with nobody to ask, numbers do."""
        answer = answer_or_fail(httpx.get(self._people, timeout=ANSWER_S))
        with read_reply():
            rows = msgspec.json.decode(answer.content, type=list[dict[str, Any]])
            self._names = {int(row["number"]): labelled(str(row["name"]), bot=row["bot"] is True) for row in rows}


def _words(key: str, **facts: object) -> str:
    return put(message(f"terminal.holding.{key}"), {name: str(value) for name, value in facts.items()})
