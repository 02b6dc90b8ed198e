"""Places of dice: where they lie, who may know them, and what handling does to them.

A die is an address: the roll of its cup and the slot in it. Its value is nobody's here until everybody has seen it.
After a sealed choice (CUP/1 section 4.12) not even the address of a hidden die is public; whoever holds the secret of
the deal works it out again, since the public counts leave few choices and one of them alone has the sealed hash.

The holder's numbering: the hidden dice first, those kept before those rolled anew, then the dice that everybody sees.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from domain import commands, events
from domain.errors import Refused
from domain.events import Address
from domain.ids import CupId, RollNumber, Seat, Slot
from domain.rules.laws import HandlingPlan
from domain.table.dealer import Sealer


class Die(Struct, frozen=True):
    """One die: where its value comes from, if that is public, and its value once everybody has seen it."""

    at: Address | None
    value: int | None = None


class Place(Struct, frozen=True):
    """The dice of one cup in this round.

    Attributes:
        cup: The cup's id.
        size: How many dice the cup can hold; the slot of this number is the blind one.
        inside: The dice that not everybody sees, in the holder's numbering.
        outside: The dice that everybody sees.
        knowers: The seats that may know the dice inside.
        laid: The dice as they first lay there.
        handled: What has been done with them since, oldest first.
        rolling: The handling whose roll is still to come.
        seen: After how many handlings the table showed all dice, whoever held them, and where those come from; None
            where it has not.
    """

    cup: CupId
    size: int
    inside: tuple[Die, ...] = ()
    outside: tuple[Die, ...] = ()
    knowers: tuple[Seat, ...] = ()
    laid: tuple[Address, ...] = ()
    handled: tuple[events.Arranged, ...] = ()
    rolling: events.Arranged | None = None
    seen: tuple[int, tuple[Address, ...]] | None = None

    @property
    def dice(self) -> tuple[Die, ...]:
        """All dice, in the holder's numbering."""
        return self.inside + self.outside


# ---- what everybody remembers -------------------------------------------------------------------


def place_after_laying(place: Place, event: events.Rolled, knowers: tuple[Seat, ...]) -> Place:
    """Return the place after all its dice were rolled afresh, for these seats to know."""
    laid = _addresses(event.roll, event.slots, place.size)
    return Place(place.cup, place.size, _unseen(laid), (), knowers, laid)


@lru_cache(maxsize=1_024)
def _addresses(roll: RollNumber, slots: tuple[Slot, ...], size: int) -> tuple[Address, ...]:
    """Return where the dice of a roll come from; the slots behind them, which tell of other things, are no dice."""
    return tuple((roll, slot) for slot in slots if slot < size)


@lru_cache(maxsize=1_024)
def _unseen(laid: tuple[Address, ...]) -> tuple[Die, ...]:
    return tuple(map(Die, laid))


def place_after_arranging(place: Place, event: events.Arranged) -> Place:
    """Return the place after its holder began to handle it; the openings and the roll that follow do the rest."""
    rolled = event.roll_inside + event.roll_outside
    hidden, outside = place.inside, place.outside
    if event.taken:
        hidden += tuple([Die(die.at) for die in outside if die.at in event.taken])
        outside = tuple([die for die in outside if die.at not in event.taken])
    if event.choice is not None:
        kept = len(hidden) - len(event.outside) - rolled
        # Which of them stay is sealed, unless none does. Those about to be shown keep their addresses.
        hidden = (Die(None),) * kept + tuple([Die(at) for at in event.outside])
    elif rolled:
        hidden = tuple([die for die in hidden if die.at in event.outside])
    return replace(
        place,
        inside=hidden,
        outside=outside,
        # "After an `arrange` in which any hidden die was rolled, or a die entered the cup from outside, the arranger is
        # the sole knower"; where dice are only shown, the others "can subtract" and know the rest as before.
        knowers=(event.seat,) if event.taken or rolled else place.knowers,
        handled=(*place.handled, event),
        rolling=event if rolled else None,
    )


def place_after_rolling(place: Place, event: events.Rolled) -> Place:
    """Return the place after the dice its holder chose were rolled anew."""
    # Dice rolled in the open lie here for a moment as well: the opening that follows in the same append puts them
    # outside.
    fresh = _unseen(_addresses(event.roll, event.slots, place.size))
    return replace(place, inside=place.inside + fresh, rolling=None)


def place_after_showing(place: Place, event: events.Revealed) -> Place:
    """Return the place after some of its dice were shown to all."""
    hidden, shown = [die.at for die in place.inside], list(place.outside)
    for slot, value in event.values:
        at = (event.roll, slot)
        if at in hidden:
            hidden.remove(at)
        elif slot < place.size and None in hidden:
            # After a sealed choice nobody can tell by its address which of the kept dice is opened: one of the unknown
            # ones goes for it. The slots behind the dice are no dice.
            hidden.remove(None)
        else:
            continue
        shown.append(Die(at, value))
    return replace(place, inside=tuple(map(Die, hidden)) if hidden else (), outside=tuple(shown))


def place_when_all_is_seen(place: Place) -> Place:
    """Return the place after the table showed its dice, with which the round goes on in the open."""
    return replace(place, seen=(len(place.handled), _lying_open(place)))


def _lying_open(place: Place) -> tuple[Address, ...]:
    return tuple(die.at for die in place.outside if die.at is not None)


# ---- what those who hold the secret can tell -----------------------------------------------------


class Handful(Struct, frozen=True):
    """The addresses of a place's dice, for those who may know them.

    Attributes:
        inside: Of the hidden dice, in the holder's numbering.
        outside: Of the dice that everybody sees.
        choices: The choices made since the dice were laid, oldest first.
    """

    inside: tuple[Address, ...]
    outside: tuple[Address, ...]
    choices: tuple[events.Choice, ...] = ()


def handful(place: Place, sealer: Sealer) -> Handful:
    """Return where the dice of a place come from. Cost: at most 180 hashes a sealed handling."""
    # Where everything has been seen, the addresses are public and no seal has to be opened.
    if not place.inside:
        return Handful((), _lying_open(place))
    # The choices are stored nowhere: after a crash whoever holds the deal's secret finds the same hand again by going
    # through what is public.
    found = Handful(place.laid, ())
    for number, event in enumerate(place.handled):
        if place.seen is not None and place.seen[0] == number:
            # No handling of its holder says that these are outside.
            found = Handful((), place.seen[1], found.choices)
        found = _handful_after(found, event, choice_of(found, event, place, sealer))
    return found


def hidden_addresses(place: Place, sealer: Sealer) -> tuple[Address, ...]:
    """Return where the hidden dice of a place come from, in its holder's numbering.

    It holds between two lines of one command as well: what was rolled in the open or is about to be shown lies there
    for a moment, what is shown goes roll by roll, and of a roll that is still to come there is no die.
    """
    public, hand = {die.at for die in place.dice}, handful(place, sealer)
    sealed = iter([at for at in hand.inside + hand.outside if at not in public])
    return tuple([next(sealed) if die.at is None else die.at for die in place.inside])


def choice_of(before: Handful, event: events.Arranged, place: Place, sealer: Sealer) -> events.Choice:
    """Return what a seat chose, given where the dice of its place came from before.

    Raises:
        Refused: `bad_dice`, where nothing it may have chosen has the seal.
    """
    possible = candidates(before, event)
    found = (
        # Without a seal nothing is left to choose: no die is rolled, or every hidden one that is not shown, or every
        # one that was taken.
        next(possible, None) if event.choice is None else sealer.unseal(event.choice, place.cup, place.size, possible)
    )
    if found is None:
        raise Refused("bad_dice", why="nothing that could be chosen has this seal")
    return found


def candidates(before: Handful, event: events.Arranged) -> Iterator[events.Choice]:
    """Yield every choice that the public part of a handling leaves."""
    numbers = {at: position for position, at in enumerate(before.inside + before.outside)}
    outside = tuple(sorted([numbers[at] for at in event.outside]))
    # A die taken from outside may have been rolled or hidden; one that stays outside was not touched.
    free = sorted([numbers[at] for at in before.inside + event.taken if at not in event.outside])
    for rolled in combinations(free, event.roll_inside + event.roll_outside):
        for inside in combinations(rolled, event.roll_inside):
            outdoors = tuple([position for position in rolled if position not in inside])
            # A handling that rolls nothing has no roll to be named after, and nothing about it is sealed.
            yield events.Choice(-1 if event.roll is None else event.roll, inside, outdoors, outside)


def _handful_after(before: Handful, event: events.Arranged, choice: events.Choice) -> Handful:
    numbers = before.inside + before.outside
    rolled = {numbers[position] for position in choice.roll_inside + choice.roll_outside}
    fresh = tuple([(choice.roll, slot) for slot in range(event.roll_inside + event.roll_outside)])
    # "Dice kept hidden keep their order, new dice follow in slot order" (CUP/1 section 4.12): another order would give
    # the same positions other dice.
    inside = tuple([at for at in before.inside if at not in rolled and at not in event.outside])
    outside = before.outside
    if event.taken:
        inside += tuple([at for at in outside if at in event.taken and at not in rolled])
        outside = tuple([at for at in outside if at not in event.taken])
    return Handful(
        inside + fresh[: event.roll_inside],
        outside + event.outside + fresh[event.roll_inside :],
        (*before.choices, choice) if event.choice is not None else before.choices,
    )


# ---- what a holder asks for ----------------------------------------------------------------------


def plan_of(place: Place, command: commands.Arrange) -> HandlingPlan | None:
    """Return what a command does to a place; None where its positions are not the place's, or named twice."""
    named = (*command.outside, *command.inside, *command.roll_inside, *command.roll_outside)
    hidden, total = len(place.inside), len(place.dice)
    if named and (len(set(named)) < len(named) or min(named) < 0 or max(named) >= total):
        return None
    # Positions that are not named stay as they are, and naming a die to where it lies is not moving it.
    gone = {*command.outside, *command.roll_inside, *command.roll_outside}
    hides = tuple(sorted(position for position in command.inside if position >= hidden))
    return HandlingPlan(
        hidden=hidden,
        shows=tuple(sorted(position for position in command.outside if position < hidden)),
        hides=hides,
        rolls_inside=tuple(sorted(command.roll_inside)),
        rolls_outside=tuple(sorted(command.roll_outside)),
        keeps_inside=hidden - sum([position < hidden for position in gone]) + len(hides),
    )


@lru_cache(maxsize=4_096)
def slots_by_roll(inside: tuple[Address, ...]) -> Mapping[RollNumber, tuple[Slot, ...]]:
    """Return the slots of some dice, ascending, by roll, ascending as well."""
    rolls: dict[RollNumber, list[Slot]] = {}
    for roll, slot in inside:
        rolls.setdefault(roll, []).append(slot)
    return {roll: tuple(sorted(slots)) for roll, slots in sorted(rolls.items())}
