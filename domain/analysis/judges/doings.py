"""Doings: what seats did in a round, each with all that followed of itself, and the command that does the same.

Which dice a seat chose to roll is sealed; but what it kept lies in the cup when they have been rolled, and where the
record opens that, so is the choice.
"""

from __future__ import annotations

from collections import Counter

from msgspec import Struct
from msgspec.structs import replace

from domain import commands, events
from domain.analysis import claims
from domain.analysis.record.following import FollowedRound, Step
from domain.analysis.record.viewpoints import Viewpoints
from domain.ids import Face
from domain.strategy.level_one.arrangements import Arranger, DiceAfter
from domain.strategy.reading.asking import asked
from domain.strategy.reading.thoughts import Deed
from domain.strategy.sight import open_faces
from domain.table.places import Place


class Doing(Struct, frozen=True):
    """Something that was done, with all that followed of itself.

    Attributes:
        steps: The event that began it, and the others.
        before: What everybody knew of hidden dice before it.
    """

    steps: tuple[Step, ...]
    before: Viewpoints

    @property
    def first(self) -> Step:
        """The event that began it."""
        return self.steps[0]

    @property
    def last(self) -> Step:
        """The last that belongs to it."""
        return self.steps[-1]

    @property
    def rolled(self) -> Step | None:
        """The roll that it led to."""
        return next((step for step in self.steps if isinstance(step.event, events.Rolled)), None)


def doings_of(played: FollowedRound) -> list[Doing]:
    """Return the events of a round, each that is told with those that followed of itself; from the verdict on apart."""
    groups: list[list[Step]] = []
    for step in played.steps:
        if not groups or step is played.verdict or claims.is_told(step, played):
            groups.append([])
        groups[-1].append(step)
    before = [Viewpoints(), *[group[-1].views for group in groups]]
    return [Doing(tuple(group), views) for group, views in zip(groups, before, strict=False)]


def last_asked(played: FollowedRound) -> Step | None:
    """Return the last event before the verdict that a seat asked for: what it led to is settled."""
    until = played.steps[-1].version + 1 if played.verdict is None else played.verdict.version
    return next((step for step in reversed(played.steps) if step.seat is not None and step.version < until), None)


# ---- what was asked for -------------------------------------------------------------------------


def command_of(doing: Doing) -> commands.Play | None:
    """Return what a seat asked for, as one that does the same; None where it cannot be told."""
    step = doing.first
    assert step.seat is not None
    match step.event:
        case events.Arranged():
            return _arrange_of(doing, step.event)
        case events.Rolled():
            return commands.Roll(step.seat)
        case _:
            return asked(step.event)


def deed_of(doing: Doing) -> Deed | None:
    """Return what a seat did, dice that were handled by what came of them; None where it cannot be told."""
    step = doing.first
    if isinstance(step.event, events.Arranged):
        place, hidden = step.old.places[step.event.cup], doing.before.dice.get(step.event.cup, ())
        return _result_of(doing, step.event, place, hidden)
    return command_of(doing)


def _arrange_of(doing: Doing, event: events.Arranged) -> commands.Play | None:
    place, hidden = doing.first.old.places[event.cup], doing.before.dice.get(event.cup, ())
    result = _result_of(doing, event, place, hidden)
    every = Arranger(doing.first.old, event.seat).arrangements(hidden)
    return next((each.command for each in every if each.result == result), None)


def _result_of(doing: Doing, event: events.Arranged, place: Place, hidden: tuple[Face, ...]) -> DiceAfter:
    """Return what came of a handling, as far as the record opens what was kept."""
    first = doing.first.old.rules.tokens.faces.first
    values = {
        (step.event.roll, slot): value + first
        for step in doing.steps
        if isinstance(step.event, events.Revealed) and step.event.cup == event.cup
        for slot, value in step.event.values
    }
    shown = [values[at] for at in event.outside]
    stay = [die for die in place.outside if die.at not in event.taken]
    open_after = sorted([*shown, *open_faces(replace(place, outside=tuple(stay)), first)])
    rolled, roll = event.roll_inside + event.roll_outside, doing.rolled
    if roll is None:
        taken = [die.value + first for die in place.outside if die.at in event.taken and die.value is not None]
        kept = list((Counter([*hidden, *taken]) - Counter(shown)).elements())
    else:
        count = len(hidden) + len(event.taken) - len(shown) - rolled
        kept = list(roll.views.dice.get(event.cup, ())[:count])
    return DiceAfter(tuple(sorted(kept)), tuple(open_after), event.roll_inside, event.roll_outside)
