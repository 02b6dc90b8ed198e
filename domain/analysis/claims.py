"""Claims as an analysis tells them: how likely by viewpoint, what by the claimant's own dice, and what became of each.

A pass is a claim about one cup: that all its dice differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, get_args

from msgspec import UNSET, Struct, to_builtins

from domain import commands, events
from domain.analysis.figures import exact
from domain.analysis.odds import chances, labels
from domain.analysis.odds.labels import Flag
from domain.analysis.record.following import FollowedRound, Step
from domain.analysis.report import ToldChance, ToldEvent
from domain.events import type_of
from domain.ids import CupId, Face, Seat
from domain.rules.ladders import Hand
from domain.rules.orders import Count
from domain.strategy.knowledge import NOTHING, Knowledge, faces_known
from domain.table.state import Claim, State

FLAGS: Final[tuple[Flag, ...]] = get_args(Flag)


def claim_of(said: events.Event | commands.Play) -> Claim | None:
    """Return the claim that an event or a command makes; None if it makes none, or says only that dice differ."""
    match said:
        case events.Bid() | commands.Bid():
            return Count(said.quantity, said.face)
        case events.HandClaimed() | commands.ClaimHand():
            return Hand(said.shape, said.faces)
        case _:
            return None


class Said(Struct, frozen=True, dict=True):
    """Something said of dice: a claim, or that all dice of a seat differ where there is none."""

    state: State
    seat: Seat
    claim: Claim | None

    @property
    def count(self) -> Count:
        """The claim, where it is a count."""
        assert isinstance(self.claim, Count)
        return self.claim

    @property
    def cups(self) -> frozenset[CupId]:
        """The cups it is about."""
        return frozenset({self.seat}) if self.claim is None else chances.cups_of(self.state, self.claim, self.seat)

    @cached_property
    def odds(self) -> chances.CountOdds:
        """The odds of counts in the game in which it is said."""
        return chances.CountOdds(self.state)

    def chance(self, knowledge: Knowledge) -> Fraction:
        """Return the chance that it is true, by what a viewer knows."""
        if isinstance(self.claim, Count):
            return self.odds.chance(self.claim, knowledge)
        if self.claim is None:
            return chances.chance_of_pass(self.state, self.seat, knowledge)
        return chances.chance_of_claim(self.state, self.claim, self.seat, knowledge)

    def is_true(self, dice: Mapping[CupId, tuple[Face, ...]]) -> bool:
        """Report whether it is true by the hidden dice of its cups."""
        if isinstance(self.claim, Count):
            return self.odds.holds(self.claim, dice)
        if self.claim is None:
            values = chances.values_of(self.state, self.seat, dice)
            return len(set(values)) == len(values)
        return chances.holds(self.state, self.claim, self.seat, dice)


def said_by(step: Step) -> Said | None:
    """Return what an event says of dice; None where it says nothing."""
    claim = claim_of(step.event)
    if step.seat is None or (claim is None and not isinstance(step.event, events.Passed)):
        return None
    return Said(step.new, step.seat, claim)


def claims_told(played: FollowedRound) -> tuple[ToldEvent, ...]:
    """Return what odds alone say of the events of a round: every chance, and no figure that hangs on a policy."""
    return tuple(
        [
            ToldEvent(step.version, played.number, type_of(step.event), seat_of(step), **told_claim(step, played))
            for step in played.steps
            if is_told(step, played)
        ]
    )


def is_told(step: Step, played: FollowedRound) -> bool:
    """Report whether an event has an entry: what a seat asked for, a seat that leaves, and the dice as they lie."""
    return step.seat is not None or isinstance(step.event, events.Forfeited) or step is played.dealt


def seat_of(step: Step) -> Seat | None:
    """Return whose event it is: who asked for it, or who left the match."""
    return step.event.seat if isinstance(step.event, events.Forfeited) else step.seat


def told_claim(step: Step, played: FollowedRound) -> dict[str, Any]:
    """Return the members of an event that speak of its claim; none where it makes none.

    Args:
        step: The event.
        played: The round it belongs to, which tells what became of it.
    """
    said = said_by(step)
    if said is None:
        return {}
    cups = said.cups
    public, seats = said.chance(NOTHING), _chances(said, step, cups)
    dice = step.views.all(cups, said.state)
    is_true = None if dice is None else said.is_true(dice)
    held = _held_by_verdict(step, played) if is_true is None else is_true
    found: dict[str, Any] = {"chance": _told_chance(said, public, seats, is_true)}
    if said.claim is not None:
        found["claim"] = to_builtins(said.claim)
    if held is not None:
        found["outcome"] = labels.outcome_of(held=held, challenged=step is played.tested)
    own, knowledge = seats[said.seat], step.views.of(said.seat, cups)
    if own is None or knowledge is None:
        return {**found, "flags": _flags(said, step)}
    found["label"] = labels.label_of(own, public)
    if held is not None:
        found["after"] = labels.label_after(found["label"], held=held)
    return found | _told_own(said, step, knowledge)


def _told_own(said: Said, step: Step, own: Knowledge) -> dict[str, Any]:
    """Return what else hangs on the dice that the claimant knew."""
    found: dict[str, Any] = {}
    flags = set(_flags(said, step))
    if isinstance(said.claim, Count):
        found["own"], found["need"] = said.odds.own_and_need(said.claim, _faces(own))
        flags |= set() if found["own"] else {"empty"}
    slack = _slack(said, own)
    if slack > 0:
        found["slack"] = slack
        flags.add("modest")
    if said.claim is not None and labels.is_cornered(
        step.old, said.seat, own, said.odds if isinstance(said.claim, Count) else None
    ):
        flags.add("cornered")
    return {**found, "flags": tuple([flag for flag in FLAGS if flag in flags])}


def _flags(said: Said, step: Step) -> tuple[Flag, ...]:
    """Return the flags that everybody could raise."""
    found: dict[Flag, bool] = {
        "blind": labels.is_blind(step.new, said.seat),
        "jump": said.claim is not None and labels.is_jump(step.old, said.claim),
    }
    return tuple([flag for flag, holds in found.items() if holds])


def _faces(own: Knowledge) -> Mapping[CupId, tuple[Face, ...]]:
    """Return the hidden dice that a claimant knows, which it has seen or not, but never guesses at."""
    return next(faces for faces, _ in faces_known(own))


def _slack(said: Said, own: Knowledge) -> int:
    """Return how many rungs lower than its dice a hand was claimed; 0 or less where it was not."""
    if not isinstance(said.claim, Hand) or chances.cup_of(said.state, said.seat) not in own:
        return 0
    made = chances.rung_made(said.state, said.claim, said.seat, _faces(own))
    return made - said.state.ladder.rungs[said.claim]


# ---- chances by viewpoint -------------------------------------------------------------------------


def _chances(said: Said, step: Step, cups: frozenset[CupId]) -> dict[Seat, Fraction | None]:
    """Return the chance that each seat still in gives it; None where the record does not open what it knew."""
    known = {seat: step.views.of(seat, cups) for seat in said.state.remaining}
    return {seat: None if knowledge is None else said.chance(knowledge) for seat, knowledge in known.items()}


def _told_chance(
    said: Said,
    public: Fraction,
    seats: Mapping[Seat, Fraction | None],
    is_true: bool | None,  # noqa: FBT001 - a figure
) -> ToldChance:
    claim = said.claim
    exactly = exact(said.odds.exactly(claim, NOTHING)) if isinstance(claim, Count) else UNSET
    return ToldChance(
        public=exact(public),
        seat={seat: "not_shown" if chance is None else exact(chance) for seat, chance in seats.items()},
        all="not_shown" if is_true is None else exact(int(is_true)),
        exactly=exactly,
    )


# ---- what became of it ----------------------------------------------------------------------------


def _held_by_verdict(step: Step, played: FollowedRound) -> bool | None:
    """Report what a verdict said of a claim by the dice as they lay when it was made; None where it said nothing."""
    verdict = played.verdict
    if verdict is None or step is not played.tested or verdict.old.round.handled != step.new.round.handled:
        return None
    judged = verdict.event
    assert isinstance(judged, events.Judged)
    # Where numbers are counted, the gain decides who has won, and the count whether the claim was true.
    counted = judged.kind == "count" and judged.count is not None and judged.quantity is not None
    return judged.count >= judged.quantity if counted else judged.holds  # type: ignore[operator]
