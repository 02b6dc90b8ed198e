"""A match as the frames of one seat tell it: the game folded from their events, and the dice that seat knows.

Every frame comes once, in order; what is folded is what everybody may know, and the only dice beyond it are those of
the seat's own view. So whoever plays by this can use nothing that its seat has not been shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain import events
from domain.fairness.openings import DealSecrets
from domain.ids import CupId, Face, Seat, UnixMs, Version
from domain.match.evolve import Match, evolve, new_match
from domain.match.record import decode
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.level_two.follower import BeliefKeeper
from domain.strategy.reading.reader import Beliefs
from domain.strategy.sight import Sight
from domain.table.state import PASSED_CUP, State
from projections.frames import PROOFS
from projections.view import hidden_dice, lie_cocked

REVEALED: Final = str(events.Revealed.__struct_config__.tag)


class OutOfOrder(ValueError):  # noqa: N818 - named for what happened
    """A frame is missing, came twice, or is none."""


class SeenDie(Struct, frozen=True):
    """A die as a frame shows it: its face for who knows it, whether everybody does, and whether it lies cocked."""

    face: Face | None
    shown: bool
    cocked: bool = False


class SeenSeat(Struct, frozen=True):
    """The dice of a seat's own cup."""

    seat: Seat
    dice: tuple[SeenDie, ...] = ()


class SeenView(Struct, frozen=True):
    """The dice of a view: those of every cup, and of the one that is passed on."""

    seats: tuple[SeenSeat, ...] = ()
    cup: tuple[SeenDie, ...] = ()


class SeenFrame(Struct, frozen=True):
    """As much of a frame as is folded."""

    version: Version
    at: UnixMs
    event: dict[str, Any]
    view: SeenView


class SeenStep(Struct, frozen=True):
    """One event of the round that is played.

    Attributes:
        before: What the seat saw before it.
        event: What happened.
        state: The game after it.
    """

    before: Sight
    event: events.Event
    state: State


class SeatReading(Struct, frozen=True):
    """How far a round was read.

    Attributes:
        opened: What the round began with; none before a round has.
        read: How many of its events were read.
    """

    opened: list[SeenStep]
    keeper: BeliefKeeper | None
    read: int


class SeenMatch:
    """A match, frame by frame. A copy of it has seen the same, and has read nothing yet.

    Attributes:
        match: The fold of all events; None before the first.
        course: The events of the current round, in order, each with what was seen before it.
    """

    def __init__(self, seat: Seat) -> None:
        """See it from this seat."""
        self.seat = seat
        self.match: Match | None = None
        self.course: list[SeenStep] = []
        self._dice: Mapping[CupId, tuple[Face, ...]] = {}
        self._cocked = False
        self._keeper: BeliefKeeper | None = None
        self._read = 0

    def __getstate__(self) -> dict[str, Any]:
        """Return what makes a copy, here or in another process."""
        return {**self.__dict__, "course": [*self.course], "_keeper": None, "_read": 0}

    @property
    def version(self) -> Version:
        """How much of the match was seen: the version of its last frame, 0 before the first."""
        return 0 if self.match is None else self.match.version

    @property
    def state(self) -> State | None:
        """The game, once it has started."""
        return None if self.match is None else self.match.table

    @property
    def sight(self) -> Sight | None:
        """What the seat sees of the game now."""
        return None if self.state is None else Sight(self.state, self.seat, self._dice, self._cocked)

    def beliefs(self) -> Beliefs:
        """Return what level 2 believes after all events of the round. Cost: reading those that are new."""
        assert self.state is not None, "a round was seen"
        if self._keeper is None:
            self._keeper = BeliefKeeper(self.state.rules, self.state.seats, self.seat, LEVEL_ONE)
        for place, step in enumerate(self.course[self._read :], start=self._read + 1):
            dice = self.course[place].before.dice if place < len(self.course) else self._dice
            self._keeper.take(step.before.state, step.event, step.state, dice)
        self._read = len(self.course)
        return self._keeper.beliefs(self.state)

    @property
    def reading(self) -> SeatReading:
        """How far the round was read."""
        return SeatReading(self.course[:1], self._keeper, self._read)

    def read_on(self, reading: SeatReading) -> None:
        """Go on reading where somebody stopped who has seen less of this match from this seat.

        What was read of another round is of no use, nor of more than was seen here.
        """
        if reading.opened == self.course[:1] and reading.read <= len(self.course):
            self._keeper, self._read = reading.keeper, reading.read

    def take(self, frame: bytes) -> None:
        """Take the next frame.

        Raises:
            OutOfOrder: It is not the next, or is no frame.
        """
        try:
            seen = msgspec.json.decode(frame, type=SeenFrame)
            event = event_of_frame(seen.event)
        except (msgspec.DecodeError, KeyError) as fault:
            raise OutOfOrder(f"this is no frame: {fault}") from None
        if seen.version != self.version + 1:
            raise OutOfOrder(f"frame {seen.version} is not the next")
        cocked = any(die.cocked for own in seen.view.seats if own.seat == self.seat for die in own.dice)
        self._see(event, self._after(event, seen.at), dice_known(seen.view), cocked=cocked)

    def _after(self, event: events.Event, at: UnixMs) -> Match:
        if self.match is not None:
            return evolve(self.match, event, at)
        if not isinstance(event, events.MatchCreated):
            raise OutOfOrder("the first frame of a match opens it")
        return new_match(event, at)

    def see(self, event: events.Event, match: Match, keeper: DealSecrets | None) -> None:
        """See the next event without its frame: the match after it, and who knows the dice of its deal."""
        cocked = lie_cocked(match, self.seat, keeper)
        self._see(event, match, hidden_dice(match, self.seat, keeper), cocked=cocked)

    def _see(self, event: events.Event, match: Match, dice: Mapping[CupId, tuple[Face, ...]], *, cocked: bool) -> None:
        before = self.sight
        self.match, self._dice, self._cocked = match, dice, cocked
        if isinstance(event, events.RoundOpened):
            self.course, self._keeper, self._read = [], None, 0
        if before is not None and self.state is not None:
            self.course.append(SeenStep(before, event, self.state))


def sight_of(match: Match, seat: Seat, keeper: DealSecrets | None) -> Sight:
    """Return what a seat sees of a match that has started, given who knows the dice of its deal."""
    assert match.table is not None, "it has started"
    return Sight(match.table, seat, hidden_dice(match, seat, keeper), lie_cocked(match, seat, keeper))


def event_of_frame(members: Mapping[str, Any]) -> events.Event:
    """Return the event of a frame; the proofs that only an auditor needs are not in it.

    Raises:
        KeyError: It has no type, or one that this program does not know.
        msgspec.ValidationError: Its members are not those of its type.
    """
    kind = members["type"]
    data = {name: value for name, value in members.items() if name != "type"}
    return decode(kind, {**dict.fromkeys(PROOFS, ()), **data} if kind == REVEALED else data)


def dice_known(view: SeenView) -> dict[CupId, tuple[Face, ...]]:
    """Return the faces of hidden dice that a view shows, by cup, in the order in which they lie there."""
    cups = {**{seat.seat: seat.dice for seat in view.seats}, PASSED_CUP: view.cup}
    hidden = {cup: [die.face for die in dice if not die.shown] for cup, dice in cups.items()}
    return {
        cup: tuple([face for face in faces if face is not None]) for cup, faces in hidden.items() if all_known(faces)
    }


def all_known(faces: list[Face | None]) -> bool:
    """Report whether there are dice here, and the viewer knows them all."""
    return bool(faces) and None not in faces
