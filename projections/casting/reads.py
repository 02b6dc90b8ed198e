"""Public reads: how likely a claim is by what everybody's moves say, as whoever watches may believe it.

The law of the file: only lines that everybody has are read, and seats are doubted as they have shown themselves in this
match. It is a model's word, that of `level1`, and help to whoever plays, so it is said only where a host has opened it
(`live_reads`), and at no table of a tournament.

Claims of counts are read where each seat has a cup that nobody handles, and hands that can be gone through. What the
match is worth to each seat is worked out elsewhere, of a `PublicMoment`: all that everybody knows of a bidding, and
nothing more. The deals it is worked out from are drawn by a hash of the same, and never by a head.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from fractions import Fraction
from math import comb
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from domain import events
from domain.analysis.figures import Figure, exact, model, ppm_of
from domain.analysis.report import Stands
from domain.ids import RoundNumber, Seat, Version
from domain.match.evolve import Match
from domain.rules.orders import Count
from domain.rules.rules import Rules
from domain.strategy.folding.bidding import folds, folds_in_a_moment
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.reading.learning import Learning
from domain.strategy.reading.reader import Beliefs, is_read_by_face
from domain.table.checks import is_to_be_tested
from domain.table.phases import BETWEEN_ROUNDS, FINISHED
from domain.table.state import State
from projections.casting.public_odds import claim_members

HANDS_MAX: Final = 4_096
"""Hands of a seat that are gone through for each of its moves, some 15 microseconds each."""


class StandingRead(Struct, frozen=True):
    """The standing claim.

    Attributes:
        before: The chance that it holds by all that was done up to it.
        after: The same by its having been made as well, and by all that was done since.
    """

    seat: Seat
    claim: dict[str, Any]
    before: Figure
    after: Figure


class TableEquity(Struct, frozen=True):
    """What a position is worth to each seat of the round.

    Attributes:
        public: As everybody sees it.
        deals: How many deals it was worked out from: all there may be, where a figure is `model`, else drawn ones.
        worth: What it is counted in.
    """

    public: dict[Seat, Figure]
    deals: int
    worth: Stands


class TableReads(Struct, frozen=True, omit_defaults=True):
    """What the moves of a round say to everybody.

    Attributes:
        policy: Who everybody is taken to play like.
        doubt: How much each seat is doubted to do so, by what this match has shown.
        standing: The claim to beat; left out where none stands.
        equity: What the match is worth to each seat now; left out unless all dice lie and the bidding goes on.
    """

    round: RoundNumber
    policy: Literal["level1"]
    doubt: dict[Seat, Figure]
    standing: StandingRead | UnsetType = UNSET
    equity: TableEquity | UnsetType = UNSET


class PublicReading(Struct, frozen=True):
    """What is read of a match so far.

    Attributes:
        learning: What its rounds have shown of each seat.
        doubts: How much each is doubted in this round.
        beliefs: What is believed of its dice.
        before: How likely the standing claim was before it was made.
        begun: The game before the round; None before the first one.
        dealt: The round as its dice lay before anybody acted; None where no bidding goes on.
    """

    learning: Learning = Learning(LEVEL_ONE)
    doubts: Mapping[Seat, Fraction] = {}
    beliefs: Beliefs = Beliefs(LEVEL_ONE, {})
    before: Fraction = Fraction(0)
    begun: State | None = None
    dealt: State | None = None


class PublicMoment(Struct, frozen=True):
    """All that everybody knows of a bidding that goes on.

    Attributes:
        version: Of the line after which it is as it is.
        begun: The game before the round.
        dealt: The round as its dice lay before anybody acted.
        state: The round now.
        chances: What is believed of the dice of each seat: how likely each hand is, as `Belief` has them.
    """

    version: Version
    begun: State
    dealt: State
    state: State
    chances: dict[Seat, tuple[int, ...]]

    @property
    def digest(self) -> str:
        """What names this moment wherever the same was played before the same open dice, whatever the log's bytes are.

        It is SHA-256 over the version, the round, how many dice each seat has, the claim that stands, whose it is, who
        doubts it, and what is believed of all dice.
        """
        now = self.state.round
        dice = [(seat, len(self.state.places[seat].inside)) for seat in self.state.remaining]
        told = (self.version, self.state.round_number, dice, now.standing, now.claimant, now.doubters)
        believed = sorted(self.chances.items())
        return hashlib.sha256(msgspec.json.encode((told, believed))).hexdigest()


def is_read(rules: Rules) -> bool:
    """Report whether the moves of a game are read while it is played."""
    tokens = rules.tokens
    return is_read_by_face(rules) and comb(tokens.faces.count + tokens.dice - 1, tokens.dice) <= HANDS_MAX


def reading_after(reading: PublicReading, old: State, event: events.Event, new: State) -> PublicReading:
    """Return what is read after an event, given the game before and after it.

    Cost: for a move the hands of its seat; for the end of a round those moves of it whose dice were shown.
    """
    learning = reading.learning.after(old, event)
    if isinstance(event, events.RoundOpened):
        doubts = {seat: learning.doubt(seat) for seat in new.seats}
        return PublicReading(learning, doubts, Beliefs(LEVEL_ONE, doubts), begun=old)
    before = reading.before
    if isinstance(event, events.Bid):
        before = _chance(reading, new, Count(event.quantity, event.face))
    beliefs, dealt = reading.beliefs.after(old, event), _dealt(reading, event, new)
    return replace(reading, learning=learning, beliefs=beliefs, before=before, dealt=dealt)


def _dealt(reading: PublicReading, event: events.Event, new: State) -> State | None:
    match event:
        case events.Rolled():
            return new
        case events.SpotOnCalled() | events.Revealed():
            return None
        case _:
            return reading.dealt


def moment_of(reading: PublicReading, match: Match) -> PublicMoment | None:
    """Return what everybody knows of a bidding that folds back and goes on; None where none does.

    Args:
        reading: What was read of the match.
        match: The match then.
    """
    state, begun, dealt = match.table, reading.begun, reading.dealt
    if state is None or begun is None or dealt is None or state.remaining != dealt.remaining:
        return None
    if not (folds_in_a_moment(dealt) and folds(state)):
        return None
    if is_to_be_tested(state) or not all(state.places[seat].inside for seat in state.remaining):
        return None
    chances = {seat: reading.beliefs.beliefs[seat].chances for seat in state.remaining}
    return PublicMoment(match.version, begun, dealt, state, chances)


def reads_of(reading: PublicReading, state: State) -> TableReads | UnsetType:
    """Return what moves say of a table; nothing where no round is played."""
    if not is_read(state.rules) or not state.places or state.phase in {BETWEEN_ROUNDS, FINISHED}:
        return UNSET
    doubt = {seat: exact(reading.doubts[seat]) for seat in state.remaining}
    claim, seat = state.round.standing, state.round.claimant
    if not isinstance(claim, Count) or seat is None:
        return TableReads(state.round_number, "level1", doubt)
    figures = [model(ppm_of(chance)) for chance in (reading.before, _chance(reading, state, claim))]
    return TableReads(state.round_number, "level1", doubt, StandingRead(seat, claim_members(claim), *figures))


def _chance(reading: PublicReading, state: State, claim: Count) -> Fraction:
    # Fixed point may come to a last place more than all.
    return min(reading.beliefs.chance_of(state, claim), Fraction(1))
