"""Usual means: what a round is judged by where nobody names policies, as an analysis of its record will judge it."""

from __future__ import annotations

from domain.analysis.means import RoundMeans
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


def usual_table(begun: State, dealt: State) -> MatchTable:
    """Return what states from such a round on are worth."""
    means = usual_means(begun, dealt)
    model = EVEN if means.table is None else means.table.content
    assert isinstance(model, RoundModel), "a table is a round model"
    return MatchTable(begun, with_values(model, means.ahead))
