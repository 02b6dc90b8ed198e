"""A record followed: its lines folded once, split into rounds, each event with what everybody knew at it.

The law of the file: nothing is judged here. What happened, who asked for it, and who could know what, for all that does
judge. A record that ends in the middle of a round is followed to the last one that is closed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final

from msgspec import Struct

from domain import events
from domain.analysis.record.dice import RecordDice
from domain.analysis.record.viewpoints import Viewpoints, viewpoints_after
from domain.ids import RoundNumber, Seat, Version
from domain.match.evolve import Match
from domain.match.record import MatchAtHead, fold
from domain.strategy.reading.asking import ASKED
from domain.table.interlude import InterludeEvent
from domain.table.moves import legal_moves, moves_of
from domain.table.offers import ArrangeMove, Move
from domain.table.state import PASSED_CUP, State

OVER: Final = (events.RoundClosed, events.Won, events.Lost, events.SessionClosed, events.MatchEnded)
"""Events after which no dice decide anything more in a round."""
CLAIMS: Final = (events.Bid, events.HandClaimed)
TESTS: Final[dict[str, tuple[type[events.Event], ...]]] = {
    "challenge": CLAIMS,
    "auto_challenge": CLAIMS,
    "count": CLAIMS,
    "pass": (events.Passed,),
}
"""By verdict, what the dice decided on because somebody doubted it."""
ALTERNATIVES: Final = 2
"""So many ways to go on make a decision."""


class Step(Struct, frozen=True):
    """One event of a round.

    Attributes:
        version: The line's number, from 1.
        event: What it says.
        before: The match before it.
        after: The match after it.
        views: What everybody knows of hidden dice after it.
        seat: Who asked for it in play; None for what follows of itself, and what the table does.
        clock: Whether the table did it for a seat out of time.
    """

    version: Version
    event: events.Event
    before: Match
    after: Match
    views: Viewpoints
    seat: Seat | None = None
    clock: bool = False

    @property
    def old(self) -> State:
        """The game before it."""
        assert self.before.table is not None, "a round is played at a table"
        return self.before.table

    @property
    def new(self) -> State:
        """The game after it."""
        assert self.after.table is not None, "a round is played at a table"
        return self.after.table

    @property
    def forced(self) -> bool:
        """Whether its seat had nothing else to ask for; whoever doubts out of turn could have waited."""
        seat, state = self.seat, self.old
        if seat is None or seat != state.turn:
            return False
        return sum([_ways(state, move) for move in moves_of(state, seat)]) < ALTERNATIVES


class FollowedRound(Struct, frozen=True, dict=True):
    """A round of a record, from its opening to the line before the next one.

    Attributes:
        number: Its number in the match.
        starter: Who opened it.
        steps: Its events.
    """

    number: RoundNumber
    starter: Seat
    steps: tuple[Step, ...]

    @property
    def is_over(self) -> bool:
        """Whether it is closed."""
        return any(isinstance(step.event, OVER) for step in self.steps)

    @cached_property
    def verdict(self) -> Step | None:
        """The event that judged it; None if none did."""
        return next((step for step in self.steps if isinstance(step.event, events.Judged)), None)

    @cached_property
    def tested(self) -> Step | None:
        """The claim, or the pass, that the dice decided on because somebody doubted it; None if there was none."""
        verdict = self.verdict
        if verdict is None:
            return None
        assert isinstance(verdict.event, events.Judged)
        doubted = TESTS.get(verdict.event.kind, ())
        before = [step for step in self.steps if step.version < verdict.version and isinstance(step.event, doubted)]
        return before[-1] if before else None

    @cached_property
    def dealt(self) -> Step | None:
        """The event with which its dice lie, before anybody acts."""
        found = None
        for step in self.steps:
            if isinstance(step.event, events.Rolled):
                found = step
            elif found is not None:
                break
        return found

    @property
    def as_dealt(self) -> Step:
        """The same of a round that is judged: one without dice is not."""
        assert self.dealt is not None, "a round that is judged was dealt"
        return self.dealt


class FollowedRecord(Struct, frozen=True):
    """A record.

    Attributes:
        match: The match after its last line.
        head: The hash of that line.
        first: What its first line says.
        rounds: Those that are closed.
    """

    match: Match
    head: str
    first: events.MatchCreated
    rounds: tuple[FollowedRound, ...]

    @property
    def is_complete(self) -> bool:
        """Whether the match is over."""
        return self.match.ended


def follow(lines: Iterable[bytes]) -> FollowedRecord:
    """Return what the lines of a record come to, which have passed an audit.

    Cost: that of folding them, and a little for each die that moves.
    """
    folded = list(fold(lines))
    _, first = folded[0]
    assert isinstance(first, events.MatchCreated), "the first line makes the match"
    written = folded[-1][0]
    rounds = tuple([each for each in rounds_of(folded) if each.is_over])
    return FollowedRecord(written.match, written.head, first, rounds)


def rounds_of(folded: Sequence[tuple[MatchAtHead, events.Event]]) -> tuple[FollowedRound, ...]:
    """Return the rounds that open among some lines of a match, with no more of their dice than these lines open.

    Args:
        folded: The match after each of these lines, and what the line says; the first is what was before.
    """
    rounds: list[FollowedRound] = []
    steps: list[Step] = []
    for step in _steps(folded):
        if isinstance(step.event, events.RoundOpened) and steps:
            rounds.append(_round(steps))
            steps = []
        if steps or isinstance(step.event, events.RoundOpened):
            steps.append(step)
    if steps:
        rounds.append(_round(steps))
    return tuple(rounds)


def _round(steps: list[Step]) -> FollowedRound:
    opened = steps[0].event
    assert isinstance(opened, events.RoundOpened)
    return FollowedRound(opened.round, opened.starter, tuple(steps))


def _steps(folded: Sequence[tuple[MatchAtHead, events.Event]]) -> Iterator[Step]:
    record = RecordDice(event for _, event in folded)
    before, views, late = folded[0][0].match, Viewpoints(), None
    for written, event in folded[1:]:
        after = written.match
        views = viewpoints_after(views, before, event, after, record)
        seat = asked_by(before, event)
        yield Step(after.version, event, before, after, views, seat, seat is not None and seat == late)
        # The table acts once for whoever is out of time, and says so before.
        late = event.seat if isinstance(event, events.TimedOut) else None if seat is not None else late
        before = after


def asked_by(before: Match, event: events.Event) -> Seat | None:
    """Return the seat that asked for this in play, or for which the table did; None where nobody did."""
    if type(event) in ASKED:
        seat: Seat | None = getattr(event, "seat", None)
        return seat
    if isinstance(event, InterludeEvent):
        command = None if event.of_table else event.command()
        return getattr(command, "seat", None)
    # A roll that follows the opening of a round, or a choice of dice, was asked for with it.
    state = before.table
    if isinstance(event, events.Rolled) and event.cup == PASSED_CUP and state is not None:
        place = state.places.get(PASSED_CUP)
        return state.turn if place is None or place.rolling is None else None
    return None


def _ways(state: State, move: Move) -> int:
    """Return in how many ways a seat may do what it is offered; two stand for any number of handlings."""
    return ALTERNATIVES if isinstance(move, ArrangeMove) else legal_moves(state, move)
