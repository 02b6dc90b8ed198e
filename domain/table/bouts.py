"""Two at a time: who plays whom where more than two sit at a game for two.

The table's dice draw an order. A chouette goes on until its host closes it: the winner stays, the loser queues. A
knockout ends with its champion. Who has left the match is passed over, and whoever was to play them goes on.
"""

from __future__ import annotations

from collections.abc import Iterator

from domain import events
from domain.ids import Seat
from domain.rules.schedules import Chouette, chouette_after, knockout, order_after
from domain.table.state import State


def first_bout(order: tuple[Seat, ...]) -> events.BoutSet:
    """Return the first bout: of a chouette and of a knockout alike, the first two of the order."""
    return events.BoutSet((order[0], order[1]), order, ())


def bout_end_events(state: State, winner: Seat) -> Iterator[events.TableEvent]:
    """Yield what follows when a bout is won: it is written down, and the next one is set or the match is over."""
    assert state.pairing is not None
    bout = state.pairing.seats
    yield events.Posted("match", "box", winner, 1)
    for seat in sorted(bout):
        if won := state.balance("win", seat):
            yield events.Posted("win", seat, "box", won)
    if state.rules.match.bouts == "chouette":
        following = _next_chouette(state, bout, winner)
    else:
        following = _next_pair(state, winner)
        yield from (events.Eliminated(seat) for seat in bout if seat != winner and seat not in state.out)
    if following is None:
        yield events.Won(winner)
        return
    yield following
    yield events.RoundClosed(None, ())


def _next_chouette(state: State, bout: tuple[Seat, Seat], winner: Seat) -> events.BoutSet | None:
    then = chouette_after(Chouette(bout, state.waiting), winner)
    order = tuple(seat for seat in (*then.seats, *then.queue) if seat not in state.out)
    return None if len(order) == 1 else events.BoutSet((order[0], order[1]), order, ())


def _next_pair(state: State, winner: Seat) -> events.BoutSet | None:
    """Return the next bout of a knockout; None where the winner of this one is its champion."""
    assert state.pairing is not None
    order, through = state.pairing.order, (*state.pairing.through, winner)
    while len(order) > 1:
        played = knockout(order)
        for pair in played.pairs[len(through) :]:
            left = tuple(seat for seat in pair if seat not in state.out)
            if left == pair:
                return events.BoutSet(pair, order, through)
            # Where both have left, either stands for both, and is passed over again in the next round.
            through = (*through, (left or pair)[0])
        order, through = order_after(played, through), ()
    return None
