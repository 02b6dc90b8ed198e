"""Examples: a round of each game with fixed dice, played by the engine at the moment it is told.

`examples.json` has what the dice show, by cup and roll, and what is typed, turn by turn. All that is told of it, the
verdict among it, is what the rules make of that, in the words of the terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Final

import msgspec
from msgspec import Struct

from domain import events
from domain.commands import Continue, TableCommand
from domain.games import GAMES, rules_of
from domain.ids import CupId, Modulus, RollNumber, Seat, Slot
from domain.rules.rules import Rules
from domain.table.decide import decide, evolve, initial_state, next_deal
from domain.table.judging import values_of
from domain.table.phases import BETWEEN_ROUNDS
from domain.table.places import Place
from domain.table.state import PASSED_CUP, State
from projections.frames import public_event
from projections.saying import parse_command
from projections.view import DieView, SeatView, View
from services.words.catalogue import CATALOGUE
from services.words.events import sentence_of

_UNTOLD: Final = {"cup.revealed", "game.choices_revealed"}
"""What the dice beside a step show."""
_AGAIN: Final = {"game.arranged", "cup.revealed"}
"""After these a roll belongs to what was told before it."""


class Script(Struct, frozen=True, forbid_unknown_fields=True):
    """A round as it was thought out.

    Attributes:
        seats: How many play; the first of them opens.
        dice: The faces of each roll, by cup: a seat, or `cup` where one is passed on.
        typed: What is typed, each by whoever is in turn.
    """

    seats: int
    dice: dict[str, list[list[int]]]
    typed: list[str]


class Lying(Struct, frozen=True):
    """The dice of a place as they lie, for whoever may see all of them."""

    whose: str
    dice: tuple[int, ...]


class ExampleStep(Struct, frozen=True):
    """A step of an example.

    Attributes:
        told: What happened, in sentences.
        lying: The dice that lie otherwise than before.
    """

    told: tuple[str, ...]
    lying: tuple[Lying, ...]


def example_of(game: str) -> tuple[ExampleStep, ...]:
    """Return the example round of a game under its usual rules, in the language that is spoken.

    Cost: a round of the engine, a millisecond or two.
    """
    return tuple(_played(game, scripts()[game]))


@cache
def scripts() -> Mapping[str, Script]:
    """Return the script of each game, by its name."""
    file = resources.files("services").joinpath("web", "teaching", "examples.json")
    return msgspec.json.decode(file.read_bytes(), type=dict[str, Script])


class ExampleDealer:
    """A dealer whose dice are written down; what no script has, such as the blind slot of a roll, shows the first."""

    number = 0

    def __init__(self, script: Script, first: int) -> None:
        self._dice = {PASSED_CUP if cup == "cup" else int(cup): rolls for cup, rolls in script.dice.items()}
        self._first = first

    def value(self, cup: CupId, roll: RollNumber, slot: Slot, m: int) -> int:
        """Return what a die shows, from 0."""
        rolls = self._dice.get(cup, [])
        dice = rolls[roll] if roll < len(rolls) else []
        return (dice[slot] - self._first if slot < len(dice) else 0) % m

    def open(self, cup: CupId, roll: RollNumber, slots: Sequence[Slot], m: Sequence[Modulus]) -> events.Revealed:
        """Show dice."""
        values = tuple((slot, self.value(cup, roll, slot, each)) for slot, each in zip(slots, m, strict=True))
        return events.Revealed(0, cup, roll, (), (), tuple((slot, "") for slot in slots), values)

    def seal_of(self, choice: events.Choice, cup: CupId, slot: Slot) -> str:
        """Seal a choice, for nobody who could be deceived."""
        return f"{choice} {cup} {slot}"

    def unseal(self, seal: str, cup: CupId, slot: Slot, candidates: Iterable[events.Choice]) -> events.Choice | None:
        """Return the choice that a seal was made of."""
        return next((choice for choice in candidates if self.seal_of(choice, cup, slot) == seal), None)


def _played(game: str, script: Script) -> Iterator[ExampleStep]:
    rules = rules_of(game, {})
    dealer = ExampleDealer(script, rules.tokens.faces.first)
    state = initial_state(rules, tuple(range(1, script.seats + 1)), starter=1)
    before: dict[int, tuple[int, ...]] = {}
    typed = iter(script.typed)
    while True:
        if state.phase == BETWEEN_ROUNDS and state.last is None:
            command: TableCommand = next_deal(state)
        else:
            text = next(typed, None)
            if text is None:
                return
            assert state.turn is not None, "an example ends where nobody is in turn"
            asked = parse_command(_view(game, state, dealer, state.turn), text)
            assert not isinstance(asked, Continue), "there are no pauses in an example"
            command = asked
        state, told = _done(game, state, command, dealer)
        lying = {cup: _faces(place, state, dealer) for cup, place in state.places.items()}
        # How dice lie when they are shown is no news; what they show is.
        changed = tuple(
            Lying(_whose(cup), dice)
            for cup, dice in lying.items()
            if dice and sorted(before.get(cup, ())) != sorted(dice)
        )
        before |= lying
        yield ExampleStep(told, changed)


def _done(game: str, state: State, command: TableCommand, dealer: ExampleDealer) -> tuple[State, tuple[str, ...]]:
    """Return the game after a command, and what it led to in sentences."""
    told, previous = [], ""
    for event in decide(state, command, dealer):
        state = evolve(state, event)
        said = public_event(event)
        again = said["type"] == "cup.rolled" and (said["cup"] != PASSED_CUP or previous in _AGAIN)
        previous = said["type"]
        if previous not in _UNTOLD and not again:
            told.append(sentence_of(said, msgspec.to_builtins(_view(game, state, dealer, None))))
    return state, tuple(filter(None, told))


def _whose(cup: CupId) -> str:
    names = CATALOGUE["rulebook"]["example"]
    return str(names["cup"] if cup == PASSED_CUP else names["names"][cup - 1])


def _faces(place: Place, state: State, dealer: ExampleDealer) -> tuple[int, ...]:
    return tuple(state.rules.tokens.faces.first + value for value in values_of(place, state, dealer))


def _view(game: str, state: State, dealer: ExampleDealer, viewer: Seat | None) -> View:
    """Return as much of a view as sentences and what is typed go by: dice as everybody sees them."""
    rules: Rules = state.rules
    seats = tuple(
        SeatView(
            seat=seat,
            player="",
            name=_whose(seat),
            bot=False,
            custody="server",
            out=seat in state.out,
            balances={},
            dice=_seen(state.places.get(seat), state, dealer),
            bank_ms=None,
        )
        for seat in state.seats
    )
    return View(
        match="",
        version=0,
        at=0,
        head="",
        game=game,
        title=GAMES[game].title,
        rules={"options": msgspec.to_builtins(GAMES[game].options())},
        policy="all",
        viewer=viewer,
        phase=state.phase,
        seats=seats,
        faces=(rules.tokens.faces.first, rules.tokens.faces.count),
        deal=None,
        due_at=None,
        turn=state.turn,
        cup=_seen(state.places.get(PASSED_CUP), state, dealer),
    )


def _seen(place: Place | None, state: State, dealer: ExampleDealer) -> tuple[DieView, ...]:
    if place is None:
        return ()
    faces, hidden = _faces(place, state, dealer), len(place.inside)
    return tuple(DieView(None if at < hidden else face, shown=at >= hidden) for at, face in enumerate(faces))
