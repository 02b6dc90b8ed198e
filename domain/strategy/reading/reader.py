"""The reader: beliefs of everybody's hidden dice, event by event of a round, where each seat has a cup.

It is fed with what everybody knows, so that it reads the same from the log and from the frames of any seat. Whoever
looks from a seat puts in its own dice afterwards, when a chance is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from domain import commands, events
from domain.events.base import BaseEvent
from domain.ids import CupId, Face, Seat
from domain.rules.claims import count_of
from domain.rules.orders import Count
from domain.rules.rules import Counting, Faces, OwnCups, Rules, Serials
from domain.strategy.hands import Hand, Hands, all_hands
from domain.strategy.level_one.count_table import COLUMNS, Answer, CountTable, table_of
from domain.strategy.level_one.counts import position_of
from domain.strategy.level_one.thinking import weigh
from domain.strategy.level_params import LevelParams, fraction_of
from domain.strategy.reading.asking import asked
from domain.strategy.reading.beliefs import ONE, Belief, Spread, likelihoods, prior_of, read, scaled, together
from domain.strategy.sight import Sight, shown_faces
from domain.strategy.weighing import Share
from domain.table.checks import seat_of
from domain.table.state import State


def is_read_by_face(rules: Rules) -> bool:
    """Report whether hands are read by how many of their dice count: claims are counts, and nobody handles dice."""
    own = isinstance(rules.tokens, OwnCups | Serials)
    return own and isinstance(rules.claims, Counting) and rules.handling.law == "frozen"


def every_hand(_cup: CupId, dice: int, faces: Faces) -> Hands:
    """Return all hands of so many dice."""
    return all_hands(dice, faces)


class Beliefs(Struct, frozen=True):
    """What is believed of everybody's hidden dice at one moment of a round.

    Attributes:
        params: The policy that everybody is read by.
        doubts: How much each seat is doubted in this round.
        beliefs: By cup, the hands its hidden dice may be.
        out_of_time: The seat for which the table acts: what follows is not its own doing.
        hands_of: The hands that so many dice of a cup are gone through with.
    """

    params: LevelParams
    doubts: Mapping[Seat, Fraction]
    beliefs: Mapping[CupId, Belief] = {}
    out_of_time: Seat | None = None
    hands_of: Callable[[CupId, int, Faces], Hands] = every_hand

    def after(self, state: State, event: BaseEvent) -> Beliefs:
        """Return what is believed after an event.

        Args:
            state: The game before it.
            event: What happened: a line of the log, or of a seat's frames.
        """
        if isinstance(event, events.TimedOut):
            return replace(self, out_of_time=event.seat)
        if isinstance(event, events.RoundOpened):
            return replace(self, beliefs={}, out_of_time=None)
        if isinstance(event, events.Revealed):
            # A cup that is opened is opened as a whole: what lay in it is seen, and nothing is left to be believed.
            return replace(self, beliefs={cup: each for cup, each in self.beliefs.items() if cup != event.cup})
        if isinstance(event, events.Rolled):
            return self._after_rolling(state, event)
        command = asked(event)
        return self if command is None else self._after_acting(state, command)

    def _after_rolling(self, state: State, event: events.Rolled) -> Beliefs:
        place = state.places.get(event.cup)
        if place is None:
            return self
        dice = len([slot for slot in event.slots if slot < place.size])
        prior = prior_of(self.hands_of(event.cup, dice, state.rules.tokens.faces))
        return replace(self, beliefs={**self.beliefs, event.cup: prior})

    def _after_acting(self, state: State, command: commands.Play) -> Beliefs:
        seat = seat_of(command)
        if seat == self.out_of_time:
            return replace(self, out_of_time=None)
        belief, place = self.beliefs.get(seat), state.places.get(seat)
        if belief is None or place is None or seat not in place.knowers:
            return self
        likely = likelihoods_of(state, command, belief.hands, self.doubts[seat], self.params)
        return replace(self, beliefs={**self.beliefs, seat: read(belief, likely)})

    def chance_of(self, state: State, claim: Count, seat: Seat | None = None, own: Sequence[Face] = ()) -> Fraction:
        """Return the chance that a claim of a count holds.

        Args:
            state: The game in which it is made.
            claim: The claim, which stands or is thought of.
            seat: Whose viewpoint it is; None for what the public believes.
            own: The hidden dice of that seat.
        """
        auction, known = state.auction, (*shown_faces(state), *own)
        spread = self.spread_of_others(state, claim.face, seat)
        need = claim.quantity - count_of(auction, claim.face, known)
        return Fraction(spread.holds(need, natural=claim.face in known), ONE)

    def spread_of_others(self, state: State, face: Face, *but: Seat | None) -> Spread:
        """Return how many hidden dice are likely to count for a face, in all cups but those of these seats."""
        auction = state.auction
        hidden = [belief for cup, belief in self.beliefs.items() if cup not in but]
        return together([belief.spread(auction, face) for belief in hidden], auction, face)


# ---- how likely a move is ------------------------------------------------------------------------


def share_of(sight: Sight, command: commands.Play, params: LevelParams) -> Share:
    """Return the share of a move by the dice a seat held; it has been made, or may be."""
    table, answer = _table_of(sight, params), answer_of(command)
    if table is None or answer is None:
        return weigh(sight, params).share(command)
    known = sight.known
    return _share(table, table.weight(answer, known), table.total(known))


def likelihoods_of(
    state: State, command: commands.Play, hands: Hands, doubt: Fraction, params: LevelParams
) -> list[int]:
    """Return how likely each of these hands of a seat's own cup was to make its move, in 2^-48.

    Cost: 0.1 ms for 252 hands where level 1 has a table of the position, else a weighing of all moves for each hand.
    """
    seat = seat_of(command)
    table, answer = _table_of(_imagined(state, seat, hands.hands[0]), params), answer_of(command)
    if table is not None and answer is not None:
        share = _share(table, 1 if answer in table.columns else 0, 1)
        return likelihoods(table.weights(answer, hands), table.totals(hands), share, doubt)
    found = [share_of(_imagined(state, seat, hand), command, params) for hand in hands.hands]
    return [scaled(share.likelihood(doubt)) for share in found]


def _imagined(state: State, seat: Seat, hand: Hand) -> Sight:
    return Sight(state, seat, {seat: hand})


def _table_of(sight: Sight, params: LevelParams) -> CountTable | None:
    """Return the table of a position, if every move that is on offer has a column in it."""
    if not isinstance(sight.state.rules.claims, Counting):
        return None
    table = table_of(position_of(sight), params)
    return table if table.complete else None


def _share(table: CountTable, weight: int, total: int) -> Share:
    return Share(weight, total, len(table.columns), table.legal, fraction_of(table.params.odd))


def answer_of(command: commands.Play) -> Answer | None:
    """Return the move of a count table that a command makes; None where there is none."""
    if isinstance(command, commands.Bid):
        return Count(command.quantity, command.face)
    tag = str(command.__struct_config__.tag)
    return next((kind for kind in COLUMNS if kind == tag), None)
