"""Layer 3 of the audit: the rules, replayed (CUP/1 section 4.10).

A record is a sequence of commands and what they led to. Given the secrets that a finished match has published, deciding
is a pure function, so the referee does again what the server did: it takes each command from the first event it left,
decides it anew, and asks that the record says the same, event by event. A roll the rules did not call for, a die opened
early or not at all, a posting that is wrong, a winner who did not win: each is a line that differs.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain import commands, events
from domain.ceremony import Keeper
from domain.deciding import Decision, decide
from domain.errors import Refused
from domain.fairness.records import Line
from domain.games import GAMES
from domain.match import Match, created

Seat = int
NOTHING: Final = bytes(32)
"""Stands for a secret that is not in the record; what would follow from it is not there either, and so differs."""


class Ruling(Struct, frozen=True):
    """What layer 3 found.

    Attributes:
        judged: Whether the rules of this record are known here.
        line: The first line the rules do not allow, from 1; None if all are as they should be.
        upto: The last line that could be judged; earlier than the last one where secrets are not published yet.
        why: What is wrong, or why nothing was judged, in a sentence.
    """

    judged: bool
    line: int | None = None
    upto: int = 0
    why: str = ""


class _Foul(Exception):  # noqa: N818 - never leaves this file
    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line
        self.why = why


class _Unpublished(Exception):  # noqa: N818 - never leaves this file
    """The secret of a deal is not in the record yet."""


def rule(lines: list[Line]) -> Ruling:
    """Return what the rules say to a record that has passed layers 1 and 2.

    Cost: about what playing the match cost the server.
    """
    rules = lines[0].data["rules"]
    game = rules.get("game") if isinstance(rules, dict) else None
    if not isinstance(game, str) or game not in GAMES:
        return Ruling(judged=False, why="no engine here knows these rules, so who won was not checked")
    record = _Record(lines)
    try:
        return record.replayed()
    except _Foul as foul:
        return Ruling(judged=True, line=foul.line, upto=foul.line, why=foul.why)
    except _Unpublished:
        upto = record.lines[record.next - 1].number
        return Ruling(judged=True, upto=upto, why=f"the deal after line {upto} is not closed yet")


class _Record:
    """A record on its way through the referee."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.events: list[events.Event] = []
        self.next = 1
        self.timed = False
        self.secrets = {
            line.data["deal"]: bytes.fromhex(line.data["secret"])
            for line in lines
            if line.kind == "deal.closed" and line.data["secret"] is not None
        }
        self.seeds: dict[int, dict[Seat, bytes]] = {}
        for line in lines:
            if line.kind == "seed.opened":
                self.seeds.setdefault(line.data["deal"], {})[line.data["seat"]] = bytes.fromhex(line.data["seed"])

    def replayed(self) -> Ruling:
        self.events = [_decoded(line) for line in self.lines]
        first = self.events[0]
        assert isinstance(first, events.MatchCreated), "layer 2 has seen to it"
        match, keeper = self._created(first), None
        while self.next < len(self.lines):
            made = self._decided(match, keeper)
            self._compare(made)
            match, keeper = made.match, made.keeper
        return Ruling(judged=True, upto=self.lines[-1].number, why="every event follows from the rules")

    def _created(self, first: events.MatchCreated) -> Match:
        try:
            match = created(first, self.lines[0].at)
        except Refused as refused:
            raise _Foul(self.lines[0].number, f"these are no rules of this game: {refused}") from refused
        if msgspec.to_builtins(match.settings) != first.rules:
            raise _Foul(self.lines[0].number, "the rules object does not spell every option out")
        if first.policy != "all":
            raise _Foul(self.lines[0].number, "a deal of this game publishes all its dice in the end")
        # Times are for show (CUP/1 section 4.4), unless the match has clocks: then they decide who is out of time.
        self.timed = match.settings.clock is not None
        return match

    def _decided(self, match: Match, keeper: Keeper | None) -> Decision:
        line, event = self.lines[self.next], self.events[self.next]
        if self.timed and line.at < match.at:
            raise _Foul(line.number, "time runs backwards")
        try:
            command = _COMMANDS.get(type(event), _no_command)(self, match, event)
            return decide(match, command, line.at, keeper)
        except Refused as refused:
            raise _Foul(line.number, f"{line.kind} is refused: {refused}") from refused

    def _compare(self, made: Decision) -> None:
        for expected in made.events:
            if self.next == len(self.lines):
                raise _Foul(self.lines[-1].number, f"{events.type_of(expected)} is missing at the end")
            line = self.lines[self.next]
            if self.events[self.next] != expected:
                wanted = events.type_of(expected)
                raise _Foul(line.number, f"the rules call for another event here: {wanted}")
            if self.timed and line.at != made.match.at:
                raise _Foul(line.number, f"{line.kind} follows of itself, and so at the same time as what it follows")
            self.next += 1

    def shown_next(self, cup: int) -> list[events.Revealed]:
        """Return the openings of this cup that follow at once."""
        lifted = [event if isinstance(event, events.Revealed) else None for event in self.events[self.next + 1 :]]
        return [shown for shown in takewhile(lambda shown: shown is not None and shown.cup == cup, lifted) if shown]

    def chance(self, match: Match) -> commands.Chance:
        """Return the chance the server drew for the next deal, now that it is published.

        Raises:
            _Unpublished: It is not.
        """
        if match.deals not in self.secrets:
            raise _Unpublished
        return self._drawn(match, match.deals)

    def late_chance(self, match: Match) -> commands.Chance:
        """Return the seeds the server drew for seats that gave none in time, in the deal that is already committed."""
        return self._drawn(match, match.deals - 1)

    def _drawn(self, match: Match, deal: int) -> commands.Chance:
        seeds, secret = self.seeds.get(deal, {}), self.secrets.get(deal, NOTHING)
        return commands.Chance(secret, {seat: seeds.get(seat, NOTHING) for seat in match.seated})


def _decoded(line: Line) -> events.Event:
    if "type" in line.data:
        raise _Foul(line.number, f"{line.kind} has no member of this name: type")
    try:
        return events.decode(line.kind, line.data)
    except (msgspec.ValidationError, KeyError) as error:
        raise _Foul(line.number, f"{line.kind} is no event of this game") from error


# ---- the command behind an event ----------------------------------------------------------------


def _no_command(record: _Record, _match: Match, event: events.Event) -> commands.MatchCommand:
    raise _Foul(record.lines[record.next].number, f"nobody asked for {events.type_of(event)}")


def _join(record: _Record, _match: Match, event: events.SeatJoined) -> commands.MatchCommand:
    after = record.events[record.next + 1] if record.next + 1 < len(record.events) else None
    server = isinstance(after, events.SeedCustody) and after.seat == event.seat
    return commands.Join(event.player, "server" if server else "client")


def _start(record: _Record, match: Match, _event: events.Started) -> commands.MatchCommand:
    if match.table is not None:
        raise _Foul(record.lines[record.next].number, "the match had started before")
    return commands.Start(record.chance(match))


def _advance(record: _Record, match: Match, event: events.Event) -> commands.MatchCommand:
    begins = isinstance(event, events.DealCommitted | events.DealClosed)
    return commands.Advance(record.chance(match) if begins else record.late_chance(match))


def _arrange(record: _Record, match: Match, event: events.Arranged) -> commands.MatchCommand:
    """Return the push whose shown dice are those the lines after it open; all other hidden dice were rolled again."""
    if match.table is None or event.seat not in match.table.places:
        raise _Foul(record.lines[record.next].number, "nobody here has dice to handle")
    opened = {(shown.roll, slot) for shown in record.shown_next(event.seat) for slot, _ in shown.values}
    place = match.table.places[event.seat]
    shown = tuple(i for i in place.hidden if (place.dice[i].roll, place.dice[i].slot) in opened)
    rolled = tuple(i for i in place.hidden if i not in shown)
    return commands.Arrange(event.seat, outside=shown, roll_inside=rolled)


def _give_back(_record: _Record, match: Match, event: events.ClockSet) -> commands.MatchCommand:
    due = None if match.clocks is None else match.clocks.due_at
    return commands.GiveBack(0 if due is None or event.due_at is None else event.due_at - due)


_COMMANDS: Final[dict[type[events.Event], Callable[[_Record, Match, Any], commands.MatchCommand]]] = {
    events.SeatJoined: _join,
    events.SeatLeft: lambda _r, _m, e: commands.Leave(e.seat),
    events.Started: _start,
    events.SeedCommitted: lambda _r, _m, e: commands.CommitSeed(e.seat, e.deal, e.commit),
    events.DealLogged: lambda _r, _m, e: commands.LogDeal(e.deal, e.index, e.path, e.checkpoint),
    events.SeedOpened: lambda _r, _m, e: commands.OpenSeed(e.seat, e.deal, e.seed),
    events.Bid: lambda _r, _m, e: commands.Bid(e.seat, e.quantity, e.face),
    events.Challenged: lambda _r, _m, e: commands.Challenge(e.seat),
    events.SpotOnCalled: lambda _r, _m, e: commands.SpotOn(e.seat),
    events.Passed: lambda _r, _m, e: commands.Pass(e.seat),
    events.Arranged: _arrange,
    events.Forfeited: lambda _r, _m, e: commands.Forfeit(e.seat),
    events.SessionClosed: lambda _r, _m, _e: commands.CloseSession(),
    events.ClockSet: _give_back,
    events.SeedCustody: _advance,
    events.DealVoided: _advance,
    events.DealCommitted: _advance,
    events.DealClosed: _advance,
    events.Rolled: _advance,
    events.RoundOpened: _advance,
    events.TimedOut: _advance,
    events.Posted: _advance,
}
