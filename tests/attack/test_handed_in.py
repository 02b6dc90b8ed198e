"""Signed commands that others hand in: no answer to one hangs on hidden dice, but that it was taken."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import get_args

import pytest

from domain import commands
from domain.commands.play import Special
from domain.errors import Refused
from domain.fairness.openings import DealSecrets
from domain.match.decide import decide
from domain.match.evolve import Match
from domain.rules.rules import Rungs
from domain.table.interludes import COMMANDS
from services.matches.tables.handed_in import hangs_on_dice
from tests.domain.swapped_dice import OtherDealer, OtherKeeper
from tests.domain.test_lies_of_every_game import OPEN, course_of

PLAIN = tuple(kind for kind in (*get_args(commands.Play), *COMMANDS) if kind.__struct_fields__ == ("seat",))
FIRST = {told.game: number for number, told in reversed([*enumerate(OPEN)])}
COCKED = tuple(number for number, told in enumerate(OPEN) if told.options.get("cocked"))
GAMES = (*FIRST.values(), *COCKED)


def told(match: Match, command: commands.MatchCommand, keeper: DealSecrets | None) -> object:
    """Return what a stranger is told of a command: that it was taken, or why it was not."""
    try:
        decide(match, command, match.at + 5, keeper)
    except Refused as no:
        return no.code, no.facts
    return "taken"


def asked(match: Match, seat: int) -> Iterator[commands.MatchCommand]:
    """Yield commands of all kinds that can be handed in, lawful and not."""
    state = match.table
    assert state is not None
    yield commands.Forfeit(seat)
    yield from (kind(seat) for kind in PLAIN)
    yield from (commands.Bid(seat, quantity, face) for quantity, face in ((1, 2), (2, 3), (99, 1)))
    yield from (commands.ChooseFirst(seat, who) for who in (1, 9))
    yield from (commands.Declare(seat, special, to) for special in get_args(Special) for to in (None, 2))
    hands = (state.ladder.hands[0], state.ladder.hands[-1]) if isinstance(state.rules.claims, Rungs) else ()
    yield from (commands.ClaimHand(seat, hand.shape, hand.faces) for hand in hands)


@pytest.mark.parametrize("number", GAMES, ids=[OPEN[number].name for number in GAMES])
def test_no_other_refusal_hangs_on_dice_than_those_that_are_not_told(number: int) -> None:
    for moment in course_of(number).moments:
        match, keeper = moment.match, moment.keeper
        if match.table is None or keeper is None:
            continue
        other = OtherKeeper(keeper, lambda real: OtherDealer(real, lambda _where, m, shown: (shown + 1) % m))
        for command in chain.from_iterable(asked(match, seat) for seat in sorted(match.seated)):
            if not hangs_on_dice(match, command):
                assert told(match, command, keeper) == told(match, command, other), command
