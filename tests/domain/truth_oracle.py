"""The truth of a record, asked of the server and not of the referee.

A record is the truth if there is a course of play that leaves it, line for line. So a lie is followed from the last
moment at which it still says what happened: whatever anybody could say there is tried, and what the server would write
then is held against the lie. Nothing is a lie by name, and nothing is excused by name: another legal bid which nobody
could tell from the one that was made is a truth, and a posting one chip too high is not.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from typing import Any

from msgspec import Struct

from domain import commands, events
from domain.audit.replay import replay
from domain.audit.rulings import ReplayResult
from domain.commands import Chance
from domain.errors import Refused
from domain.fairness.chain import ChainedEvent
from domain.fairness.dealing import Dealing
from domain.fairness.faults import Fault
from domain.fairness.openings import DealSecrets
from domain.fairness.records import RecordLine
from domain.fairness.shapes import members_of
from domain.match.decide import Decision, decide
from domain.match.dues import due_at
from domain.match.evolve import Match
from domain.table import offers
from domain.table.interludes.chase import Chase
from domain.table.judging import values_of
from domain.table.moves import moves
from tests.domain.playing import Played, commands_for

Record = list[dict[str, Any]]
NOTHING = Chance(bytes(32), dict.fromkeys(range(256), bytes(32)))


def judged(record: Record) -> ReplayResult:
    """Return what layer 3 says to a record."""
    return replay([RecordLine(n, one["type"], one["data"], one["at"]) for n, one in enumerate(record, start=1)])


def is_taken_for_true(record: Record) -> bool:
    """Report whether the referee takes a record for fair, to its last line."""
    found = judged(record)
    return found.judged and found.line is None and found.upto == len(record)


def is_proved(record: Record) -> bool:
    """Report whether layer 2 finds nothing wrong with a record; else layer 3 is never asked."""
    dealing, stream = Dealing(), f"match/{record[0]['data']['match']}"
    try:
        for seq, one in enumerate(record):
            dealing.step(ChainedEvent(seq, stream, "", members_of(one["type"], one["data"])))
    except Fault:
        return False
    return True


# ---- a fair match ---------------------------------------------------------------------------------

STAYS_AWAY = 0.4
"""How often the seat in turn lets the table act, where people may stop."""


class Moment(Struct, frozen=True):
    """What the server knew before a command: how many lines there were, the match, its secrets."""

    lines: int
    match: Match
    keeper: DealSecrets | None


class Course(Played):
    """A fair match, with every moment of it."""

    def __init__(self, *arguments: Any, **rules: Any) -> None:
        self.moments: list[Moment] = []
        super().__init__(*arguments, **rules)

    def do(self, command: commands.MatchCommand, after_ms: int = 10) -> Decision:
        moment = Moment(len(self.lines), self.match, self.keeper)
        made = super().do(command, after_ms)
        self.moments.append(moment)
        return made

    @property
    def due(self) -> int | None:
        """When the seat in turn is out of time, for a match in which nobody ever acts, or not always."""
        if self.match.clocks is not None:
            return self.match.clocks.due_at
        return due_at(self.match) if self.match.absence is not None else None

    @property
    def record(self) -> Record:
        return [json.loads(line) for line in self.lines]

    @property
    def secrets(self) -> dict[int, Chance]:
        """What the server drew for each deal."""
        keepers = [moment.keeper for moment in self.moments if moment.keeper is not None]
        return {each.number: Chance(each.secret, {**NOTHING.seeds, **each.seeds}) for each in keepers}

    @property
    def doings(self) -> set[int]:
        """The lines, from 0, that somebody asked for; all others follow of themselves."""
        return {moment.lines for moment in self.moments}


def played_out(course: Course, seed: int, lines: int = 70, last: tuple[type, ...] = ()) -> Course:
    """Play a match to its end by whatever was done least so far, so that a short match has something of everything.

    Args:
        course: The match, begun.
        seed: What chooses among the rest.
        lines: After so many the match is brought to an end.
        last: The commands that are put off as long as anything else can be done.
    """
    drawn, done = random.Random(seed), dict.fromkeys(last, lines)
    while not course.match.ended:
        if course.due and (course.match.clocks is not None or drawn.random() < STAYS_AWAY):
            course.do(commands.Advance(course.chance()), max(0, course.due - course.at))
        else:
            possible = [command for seat, move in course.offers() for command in _tried(course, seat, move)]
            possible.sort(key=lambda command: (done.get(type(command), 0) + drawn.random() * 2, drawn.random()))
            first = next(command for command in possible if _is_done(course, command))
            done[type(first)] = done.get(type(first), 0) + 1
        _demand(course)
        if len(course.lines) > lines:
            _close(course)
        course.go_on()
    return course


def _tried(course: Course, seat: int, move: offers.Move) -> list[commands.Play]:
    """Return what a seat may try; in a chase of five aces it keeps the aces, or no short match would see them."""
    table = course.match.table
    assert table is not None
    if not isinstance(move, offers.ArrangeMove) or table.interlude(Chase) is None:
        return commands_for(seat, move)
    place, keeper, ceremony = table.place_of(seat), course.keeper, course.match.ceremony
    assert place is not None
    assert keeper is not None
    assert ceremony is not None
    assert ceremony.mix is not None
    values = values_of(place, table, keeper.open_deal(ceremony.mix))
    top = table.ladder.hands[-1].faces[0] - table.rules.tokens.faces.first
    return [commands.Arrange(seat, roll_inside=tuple(at for at, value in enumerate(values) if value != top))]


def _demand(course: Course) -> None:
    """Ask to see what may be seen, before the table deals again."""
    for seat, move in course.offers():
        if isinstance(move, offers.DemandBillsMove):
            course.do(commands.DemandBills(seat))


def _is_done(course: Course, command: commands.MatchCommand) -> bool:
    try:
        course.do(command)
    except Refused:
        return False
    return True


def _close(course: Course) -> None:
    """End a session; in other games a seat resigns, or the host ends a match at which people may stop."""
    table = course.match.table
    assert table is not None
    ends = table.rules.match.open_ended
    if course.match.absence is not None:
        _is_done(course, commands.EndMatch())
    else:
        _is_done(course, commands.CloseSession() if ends else commands.Forfeit(table.remaining[-1]))


# ---- what could have happened instead --------------------------------------------------------------


def first_difference(record: Record, lie: Record) -> int | None:
    """Return the first line, from 0, that is not what happened; None where all are, were they only the first."""
    for at, one in enumerate(lie):
        if at == len(record) or not _is_same(record[at], one):
            return at
    return None


def first_impossible(course: Course, lie: Record) -> int | None:
    """Return the first line, from 1, with which no course of play goes on; None where the record may be the truth.

    A record may end in the middle of what a command led to: whoever holds the beginning of the truth holds no lie.
    """
    record = course.record
    differs = first_difference(record, lie)
    if differs is None:
        return None
    if differs < course.moments[0].lines:
        return differs + 1
    now = next(moment for moment in reversed(course.moments) if moment.lines <= differs)
    secrets = course.secrets
    while now.lines < len(lie):
        match = now.match
        chance = secrets.get(match.deals, NOTHING)
        told, made = _best(now, lie, _sayable(match, lie[now.lines], chance))
        if made is None:
            return told + 1 if told < len(lie) else None
        now = Moment(told, made.match, made.keeper)
    return None


def _is_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    # As JSON: to Python a truth value is a number.
    return bool(
        one["type"] == other["type"]
        and json.dumps(one["data"], sort_keys=True) == json.dumps(other["data"], sort_keys=True)
    )


def _best(now: Moment, lie: Record, sayable: Iterable[commands.MatchCommand]) -> tuple[int, Decision | None]:
    """Return how many lines are told as they may be, and what was decided where a command accounts for all of them."""
    told, found = now.lines, None
    for command in sayable:
        if now.match.ended:
            break
        try:
            made = decide(now.match, command, lie[now.lines]["at"], now.keeper)
        except Refused:
            continue
        upto = _agreed(made.events, lie, now.lines)
        whole = upto - now.lines == len(made.events)
        if whole and (found is None or upto > told):
            told, found = upto, made
        elif found is None:
            told = max(told, upto)
    return told, found


def _agreed(happened: tuple[events.Event, ...], lie: Record, start: int) -> int:
    at = start
    for event in happened:
        said = {"type": events.type_of(event), "data": events.data_of(event)}
        if at == len(lie) or not _is_same(said, lie[at]):
            break
        at += 1
    return at


# ---- everything anybody could say --------------------------------------------------------------------


def _sayable(match: Match, line: dict[str, Any], chance: Chance) -> Iterator[commands.MatchCommand]:
    """Yield every command that can lead to this line. What names a free value is taken from the line itself."""
    data = line["data"]
    yield from (commands.Start(chance), commands.Advance(chance))
    yield from (commands.CloseSession(), commands.EndMatch(), commands.CloseUnattended())
    for seat in match.seated:
        yield from (commands.Leave(seat), commands.Forfeit(seat))
    for kind, make in _FREE.items():
        if kind == line["type"]:
            yield from make(data)
    for seat, offered in moves(match.table).items() if match.table is not None else ():
        for move in offered:
            yield from _asked(seat, move, data)


_FREE: dict[str, Callable[[dict[str, Any]], list[commands.MatchCommand]]] = {
    "seat.joined": lambda d: [commands.Join(d["player"], "server"), commands.Join(d["player"], "client")],
    "seed.committed": lambda d: [commands.CommitSeed(d["seat"], d["deal"], d["commit"])],
    "seed.opened": lambda d: [commands.OpenSeed(d["seat"], d["deal"], d["seed"])],
    "deal.logged": lambda d: [commands.LogDeal(d["deal"], d["index"], tuple(d["path"]), d["checkpoint"])],
}


def _asked(seat: int, move: offers.Move, data: dict[str, Any]) -> Iterator[commands.MatchCommand]:
    if isinstance(move, offers.BidMove):
        if _is_number(data.get("quantity")) and _is_number(data.get("face")):
            yield commands.Bid(seat, data["quantity"], data["face"])
    elif isinstance(move, offers.CallMove):
        faces = data.get("faces")
        if isinstance(data.get("shape"), str) and isinstance(faces, list) and all(map(_is_number, faces)):
            yield commands.ClaimHand(seat, data["shape"], tuple(data["faces"]))
    elif isinstance(move, offers.ArrangeMove):
        if "roll_inside" in data:
            yield from _handlings(seat, move, data)
    else:
        yield from commands_for(seat, move)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _handlings(seat: int, move: offers.ArrangeMove, data: dict[str, Any]) -> Iterator[commands.Arrange]:
    """Yield every handling that rolls and shows as many dice as the line says."""
    every = (*move.inside, *move.outside)
    inside, outside = data["roll_inside"], data["roll_outside"]
    shown = len(data["outside"]) if isinstance(data["outside"], list) else 0
    if not all(_is_number(count) and 0 <= count <= len(every) for count in (inside, outside)):
        return
    for rolled in combinations(every, inside + outside):
        left = [position for position in every if position not in rolled]
        for indoors in combinations(rolled, inside):
            outdoors = tuple(position for position in rolled if position not in indoors)
            for shows in combinations([position for position in left if position in move.inside], shown):
                for hides in _subsets([position for position in left if position in move.outside]):
                    yield commands.Arrange(seat, shows, hides, indoors, outdoors)


def _subsets(positions: list[int]) -> Iterator[tuple[int, ...]]:
    for count in range(len(positions) + 1):
        yield from combinations(positions, count)
