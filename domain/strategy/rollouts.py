"""Rollouts: what a position of any game is worth, by playing it to the verdict with a policy for every seat.

The rules are those of the table: `decide` and `evolve`, with a dealer whose dice are written down. Hidden dice are a
profile, drawn from what is believed; dice still to be rolled follow from a seed and their address, and so do the words
that moves are drawn by, so that the alternatives of one decision share all chance. Nothing here knows a game: one that
is written tomorrow is rolled out as well. Source: section 9.2 of the specification.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from typing import Final

from msgspec.structs import replace

from domain import commands, events
from domain.ids import CupId, Face, Modulus, RollNumber, Seat, Slot
from domain.strategy.chance import WORD_BITS, Lot, Words
from domain.strategy.sight import Sight
from domain.table.decide import decide, is_between_rounds, timeout_command
from domain.table.evolve import evolve_all
from domain.table.interludes.cocked import is_cocked, lookers
from domain.table.judging import values_of
from domain.table.moves import moves
from domain.table.phases import FINISHED
from domain.table.places import Die, Place
from domain.table.state import State

Profile = Mapping[CupId, tuple[Face, ...]]
"""The faces of all hidden dice, by cup, in the holder's numbering."""
Worths = tuple[Fraction, ...]
"""What a state is worth, one per seat, in seat order."""
STEPS_MAX: Final = 400
"""Moves after which a round is brought to its verdict: by then hardly any goes on."""


Policy = Callable[[Sight, int], commands.Play | None]
"""What every seat plays by: the move that a word of 64 bits draws, None where it does nothing."""


# ---- the dealer ---------------------------------------------------------------------------------


class ScriptedDealer:
    """A dealer whose dice are written down; what is not follows from a seed and its address."""

    number = 0

    def __init__(self, script: Mapping[tuple[CupId, RollNumber, Slot], int], seed: bytes) -> None:
        """Know these values, from 0."""
        self._script = script
        self._seed = seed
        self._choices: dict[str, events.Choice] = {}
        self._faces: dict[tuple[int, ...], tuple[Place, tuple[Face, ...]]] = {}

    def faces(self, state: State, place: Place) -> tuple[Face, ...]:
        """Return what the hidden dice of a place show, in the holder's numbering; remembered until they are handled."""
        key = (place.cup, id(place.laid), id(place.handled), len(place.inside))
        found = self._faces.get(key)
        if found is None:
            first = state.rules.tokens.faces.first
            values = values_of(place, state, self)[: len(place.inside)]
            found = self._faces[key] = (place, tuple([value + first for value in values]))
        return found[1]

    def value(self, cup: CupId, roll: RollNumber, slot: Slot, m: Modulus) -> int:
        """Return the value at an address, 0 to m - 1."""
        found = self._script.get((cup, roll, slot))
        if found is None:
            word = sha256(self._seed + f"{cup}/{roll}/{slot}".encode()).digest()[: WORD_BITS // 8]
            found = int.from_bytes(word, "big") * m >> WORD_BITS
        return found

    def open(self, cup: CupId, roll: RollNumber, slots: Sequence[Slot], m: Sequence[Modulus]) -> events.Revealed:
        """Return the event that shows these dice; nobody asks for a proof of it."""
        values = tuple([(slot, self.value(cup, roll, slot, n)) for slot, n in zip(slots, m, strict=True)])
        return events.Revealed(self.number, cup, roll, (), (), (), values)

    def seal_of(self, choice: events.Choice, cup: CupId, slot: Slot) -> str:
        """Return what stands for a choice, which is remembered."""
        seal = f"{cup}/{slot}/{choice.roll}"
        self._choices[seal] = choice
        return seal

    def unseal(self, seal: str, _cup: CupId, _slot: Slot, _candidates: Iterable[events.Choice]) -> events.Choice | None:
        """Return the choice that was remembered."""
        return self._choices[seal]


def relaid(state: State, profile: Profile) -> tuple[State, dict[tuple[CupId, RollNumber, Slot], int]]:
    """Return a game with these dice under its cups, and which values they are at which address.

    What was sealed before stays sealed: the dice lie as if they had just been laid, and those that everybody sees had
    been shown at once. What is rolled from now on comes from later rolls.
    """
    first = state.rules.tokens.faces.first
    script: dict[tuple[CupId, RollNumber, Slot], int] = {}
    places: dict[CupId, Place] = {}
    rolls = dict(state.rolls)
    for cup, place in state.places.items():
        roll = rolls.get(cup, 0)
        rolls[cup] = roll + 1
        laid = tuple([(roll, slot) for slot in range(len(place.dice))])
        hidden = len(place.inside)
        values = [face - first for face in profile.get(cup, ())] + [die.value or 0 for die in place.outside]
        script |= {(cup, roll, slot): value for slot, value in enumerate(values)}
        # Whether dice lie cocked is seen before anybody claims: who goes on has seen that they do not.
        script |= {(cup, roll, place.size + slot): 1 for slot in range(place.size)}
        places[cup] = replace(
            place,
            inside=tuple([Die(at) for at in laid[:hidden]]),
            outside=tuple([Die(at, die.value) for at, die in zip(laid[hidden:], place.outside, strict=True)]),
            laid=laid,
            handled=(events.Arranged(0, cup, laid[hidden:], (), 0, 0, None, None),) if place.outside else (),
        )
    return replace(state, places=places, rolls=rolls, in_step=False), script


# ---- playing on ---------------------------------------------------------------------------------


class Rollout:
    """One profile of a position, played on from there as often as one likes with the same chance."""

    def __init__(self, state: State, profile: Profile, seed: bytes) -> None:
        """Put these dice under the cups; the seed is all chance there is."""
        self.state, self._script = relaid(state, profile)
        self._seed = seed

    def play(self, policy: Policy, first: commands.Play | None = None) -> State:
        """Return the state in which the round ends if everybody plays by a policy, after a first move if one is given.

        Only the seat in turn is foreseen to act where several may. Cost: a weighing a move.
        """
        dealer, words, state = ScriptedDealer(self._script, self._seed), Words(self._seed), self.state
        if first is not None:
            state = evolve_all(state, decide(state, first, dealer))
        steps = 0
        while not _is_over(state):
            word, steps = words.word(), steps + 1
            drawn = _drawn(state, dealer, policy, word) if steps <= STEPS_MAX else timeout_command(state, dealer)
            state = evolve_all(state, decide(state, drawn, dealer))
        return state


def _is_over(state: State) -> bool:
    return state.phase == FINISHED or is_between_rounds(state)


def _drawn(state: State, dealer: ScriptedDealer, policy: Policy, word: int) -> commands.Play:
    found = None if state.turn is None else policy(sight_of(state, state.turn, dealer), word)
    if found is not None:
        return found
    # What several may do is worked out only where whoever is in turn does nothing.
    others = [seat for seat in sorted(moves(state)) if seat != state.turn]
    thoughts = (policy(sight_of(state, seat, dealer), word) for seat in others)
    return next((drawn for drawn in thoughts if drawn is not None), None) or timeout_command(state, dealer)


def sight_of(state: State, seat: Seat, dealer: ScriptedDealer) -> Sight:
    """Return what a seat sees of a game whose dice are written down."""
    dice = {
        cup: dealer.faces(state, place) for cup, place in state.places.items() if place.inside and seat in place.knowers
    }
    return Sight(state, seat, dice, seat in lookers(state) and is_cocked(state, seat, dealer))


# ---- estimates ----------------------------------------------------------------------------------


def profiles(
    lists: Mapping[CupId, Mapping[tuple[Face, ...], int]], words: Words, count: int
) -> list[dict[CupId, tuple[Face, ...]]]:
    """Return profiles drawn from what is believed of each cup, independent of each other.

    Args:
        lists: By cup, in the order in which they are drawn, how likely each hand is; a hand that is known stands alone,
            in the holder's numbering.
        words: What they are drawn by.
        count: How many.
    """
    lots = {cup: (tuple(hands), Lot(tuple(hands.values()))) for cup, hands in lists.items()}
    return [{cup: hands[lot.draw(words)] for cup, (hands, lot) in lots.items()} for _ in range(count)]


def rolled_out(
    state: State,
    drawn: Sequence[Profile],
    alternatives: Sequence[commands.Play | None],
    policy: Policy,
    worth: Callable[[State], Worths],
    words: Words,
) -> list[list[Worths]]:
    """Return what each alternative comes to with each profile: one row per alternative, one entry per profile.

    Args:
        state: The position.
        drawn: The profiles.
        alternatives: First moves; None for none, where the policy moves first as well.
        policy: What everybody plays by.
        worth: What the state that a verdict leads to is worth.
        words: The chance of all that is still to happen.
    """
    rows: list[list[Worths]] = [[] for _ in alternatives]
    for profile in drawn:
        rollout = Rollout(state, profile, words.word().to_bytes(WORD_BITS // 8, "big"))
        for row, first in zip(rows, alternatives, strict=True):
            row.append(worth(rollout.play(policy, first)))
    return rows
