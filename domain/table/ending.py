"""Endings of rounds: who opens the next one, or the end of the match."""

from __future__ import annotations

from collections.abc import Iterator

from domain import events
from domain.events import Judged
from domain.ids import Seat
from domain.table import bouts
from domain.table.phases import BETWEEN_ROUNDS, TO_ROLL
from domain.table.state import State, next_seat


def closing_events(state: State, judged: Judged, *, first_fall: bool) -> Iterator[events.TableEvent]:
    """Yield the end of the round or of the match; `first_fall` says that a seat is down to one die as never before."""
    champion = _champion(state)
    if champion is None:
        yield _round_end(state, judged, first_fall=first_fall)
    elif state.pairing is None:
        yield events.Won(champion)
    else:
        # In a chouette or a knockout the champion has won a bout, and others may still wait for theirs.
        yield from bouts.bout_end_events(state, champion)


def _round_end(state: State, judged: Judged, *, first_fall: bool) -> events.TableEvent:
    match = state.rules.match
    if match.first_out_ends and state.out:
        return events.Lost(state.out[0])
    if state.phase == BETWEEN_ROUNDS or (state.phase == TO_ROLL and state.round.standing is None):
        # A seat that leaves between two rounds changes nothing of the next one, but that it cannot open it.
        return events.RoundClosed(_seat_or_next(state, state.next_starter), state.flags)
    # "The first time a player drops to exactly one die" (Perudo): who regains a die and falls again brings no second
    # such round, since `State.fallen` does not forget.
    flags = ("palifico",) if match.palifico and first_fall else ()
    return events.RoundClosed(_seat_or_next(state, _next_starter(state, judged)), flags)


def _champion(state: State) -> Seat | None:
    match = state.rules.match
    # The first out has lost and pays for all, so nobody has won yet. Of two seats the other one has.
    if match.first_out_ends and len(state.seats) > len(state.remaining) > 1:
        return None
    if match.wins is not None:
        for seat in state.remaining:
            if state.balance("win", seat) >= match.wins:
                return seat
    return state.remaining[0] if len(state.remaining) == 1 else None


def _next_starter(state: State, judged: Judged) -> Seat | None:
    start = state.rules.match.next_start
    # "Lowest letters each round" (the Wizard): with nobody named, the table draws.
    if start == "letters":
        return None
    # "After a special all previous rolls are void and the same player rolls to open" (Mexican).
    if judged.kind in {"social", "reverse", "impose"}:
        return judged.claimant
    # "The catcher rolls fresh", and rolls too after a catch that was wrong (Mexican).
    if judged.kind == "catch":
        return judged.doubters[0]
    # Five aces on both sides: "deal void, replayed with the same caller" (the German game).
    if judged.kind == "five_aces" and not judged.winners:
        return state.round.starter
    if start == "winner" and judged.winners:
        return judged.winners[0]
    if start == "claimant" and judged.claimant is not None:
        return judged.claimant
    # "Whoever lifted starts the next round" (Finska), right or wrong.
    if start == "doubter" and judged.doubters:
        return judged.doubters[0]
    # After a right spot on "the bidder who was called" opens (common hand), also where all others have lost a die by
    # it. The rule that winners open has been asked before: the winner is then the caller.
    if judged.kind == "spot_on" and judged.holds and judged.claimant is not None:
        return judged.claimant
    # Of several doubters who lose together the first after the claimant opens.
    first = judged.doubters[:1] if judged.doubters and judged.doubters[0] in judged.losers else judged.losers[:1]
    return first[0] if first else state.round.starter


def _seat_or_next(state: State, seat: Seat | None) -> Seat | None:
    # "Or next player still in if that one is out" (common hand).
    return seat if seat is None or seat in state.remaining else next_seat(state, seat)
