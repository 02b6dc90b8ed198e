"""Usual means: what a round is judged by where nobody names policies, as an analysis of its record will judge it."""

from __future__ import annotations

from domain.analysis.means import RoundMeans
from domain.strategy.folding.bidding import LevelOne, bidding_of
from domain.strategy.folding.verdicts import AtStake, stakes_by
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.policies.ahead import solved_ahead, with_values
from domain.strategy.policies.facts import facts_of
from domain.strategy.tables import EVEN, MatchTable, RoundModel
from domain.table.state import State
from services.policies.shelf import shelf


def usual_means(begun: State, dealt: State) -> RoundMeans:
    """Return what a round is judged by, given the game before it, and the round as its dice lay at first.

    Cost: a file that is needed for the first time is read and proved, in milliseconds.
    """
    facts = facts_of(dealt)
    play = shelf().default("play", facts)
    if dealt.rules.match.open_ended:
        return RoundMeans(play, None)
    return RoundMeans(play, shelf().default("rounds", facts), "", solved_ahead(begun, shelf().solved))


def usual_stakes(begun: State, dealt: State) -> AtStake:
    """Return what is at stake in a round that folds back, where everybody plays as level 1."""
    return stakes_by(bidding_of(dealt, LevelOne(LEVEL_ONE)), usual_table(begun, dealt))


def usual_table(begun: State, dealt: State) -> MatchTable:
    """Return what states from such a round on are worth."""
    means = usual_means(begun, dealt)
    model = EVEN if means.table is None else means.table.content
    assert isinstance(model, RoundModel), "a table is a round model"
    return MatchTable(begun, with_values(model, means.ahead))
