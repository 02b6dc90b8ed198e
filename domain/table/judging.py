"""Judging a doubt: the dice, the verdict, the postings, who is out, the end of the round, in this order.

Only here, and where a seat shows dice itself, do the rules look at dice that nobody has seen.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from domain import events
from domain.commands import Special
from domain.events import Judged
from domain.ids import CupId, Face, Seat
from domain.rules import claims
from domain.rules.ladders import Hand
from domain.rules.orders import Count
from domain.rules.rules import Serials, SharedCup
from domain.table import ending, places
from domain.table.dealer import Dealer
from domain.table.evolve import evolve, evolve_all
from domain.table.interlude import interludes_of
from domain.table.places import Place
from domain.table.settling import claim_worth, first_postings, later_postings, losers_of_spot_on, next_basic_stake
from domain.table.state import PASSED_CUP, Claim, State, next_seat


def new_verdict(kind: events.VerdictKind, claimant: Seat | None, claim: Claim | None) -> Judged:
    """Return a verdict of this kind on a claim, with nothing judged yet."""
    count = claim if isinstance(claim, Count) else None
    hand = claim if isinstance(claim, Hand) else None
    return Judged(
        kind=kind,
        claimant=claimant,
        quantity=None if count is None else count.quantity,
        face=None if count is None else count.face,
        shape=None if hand is None else hand.shape,
        faces=None if hand is None else hand.faces,
        doubters=(),
        holds=None,
        count=None,
        out_of_turn=False,
        winners=(),
        losers=(),
    )


# ---- doubts -------------------------------------------------------------------------------------


def challenge_events(state: State, doubter: Seat, dealer: Dealer) -> Iterator[events.TableEvent]:
    """Yield what follows a challenge, of the pass that waits or else of the standing claim."""
    if state.round.passer is None:
        return test_events(state, (doubter,), dealer, kind="challenge")
    return _pass_challenge_events(state, state.round.passer, doubter, dealer)


def test_events(
    state: State, doubters: tuple[Seat, ...], dealer: Dealer, *, kind: events.VerdictKind
) -> Iterator[events.TableEvent]:
    """Yield what follows when the dice are to decide between the claimant and these doubters."""
    standing, claimant = _standing_claim(state)
    # Where losers may muck, no cup is lifted yet: who shows depends on who has won, and "the service counts" the hidden
    # dice (bar Liars).
    lifted = yield from _lift_cups(state, _cups_to_lift(state, kind), dealer)
    holds, count = _outcome(lifted, standing, claimant, dealer)
    judged = test_verdict(state, doubters, kind, holds=holds, count=count)
    # Only the winners' cups are lifted, after the count and still before the verdict that it leads to.
    if state.rules.reveal.muck:
        lifted = yield from _lift_cups(
            lifted, tuple(seat for seat in state.remaining if seat in judged.winners), dealer
        )
    yield from verdict_events(lifted, judged)


def test_verdict(
    state: State, doubters: tuple[Seat, ...], kind: events.VerdictKind, *, holds: bool, count: int | None
) -> Judged:
    """Return the verdict on the standing claim once the dice have decided between the claimant and these doubters."""
    standing, claimant = _standing_claim(state)
    return replace(
        new_verdict(kind, claimant, standing),
        doubters=doubters,
        holds=holds,
        count=count,
        out_of_turn=_is_out_of_turn(state, doubters[0]),
        winners=(claimant,) if holds else tuple(sorted(doubters)),
        losers=tuple(sorted(doubters)) if holds else (claimant,),
    )


def _is_out_of_turn(state: State, doubter: Seat) -> bool:
    # Where all others doubt in a row, the turn has come back to the claimant by now.
    return state.rules.doubt.who == "anyone" and doubter != state.turn


def _pass_challenge_events(state: State, passer: Seat, doubter: Seat, dealer: Dealer) -> Iterator[events.TableEvent]:
    # "Only the passer's cup is lifted" (common hand): a pass speaks of one seat's dice and of no others.
    lifted = yield from _lift_cups(state, (passer,), dealer)
    values = [die.value for die in lifted.places[passer].dice]
    holds = len(set(values)) == len(values)
    judged = replace(
        new_verdict("pass", passer, None),
        doubters=(doubter,),
        holds=holds,
        out_of_turn=_is_out_of_turn(state, doubter),
        winners=(passer if holds else doubter,),
        losers=(doubter if holds else passer,),
    )
    yield from verdict_events(lifted, judged)


def spot_on_events(state: State, caller: Seat, dealer: Dealer) -> Iterator[events.TableEvent]:
    """Yield what follows when a seat says spot on."""
    standing, _ = _standing_claim(state)
    assert isinstance(standing, Count)
    lifted = yield from _lift_cups(state, tuple(state.places), dealer)
    count = _count_faces(lifted, standing.face, lifted.places, dealer)
    yield from verdict_events(lifted, spot_on_verdict(lifted, caller, count))


def spot_on_verdict(state: State, caller: Seat, count: int) -> Judged:
    """Return the verdict on a spot on once it is known how many dice count for the standing claim."""
    standing, claimant = _standing_claim(state)
    assert isinstance(standing, Count)
    # Spot on is "right iff" the count is exact, so a natural die, which a claim may need to hold, is not asked for.
    holds = count == standing.quantity
    return replace(
        new_verdict("spot_on", claimant, standing),
        doubters=(caller,),
        holds=holds,
        count=count,
        # After a wrong spot on "the previous bidder is the winner", even of a claim that did not hold (common hand).
        winners=(caller if holds else claimant,),
        losers=losers_of_spot_on(state, caller, claimant) if holds else (caller,),
    )


def all_doubt_events(state: State, dealer: Dealer) -> Iterator[events.TableEvent]:
    """Yield what follows when all others have doubted: numbers are counted, dice are tested."""
    if isinstance(state.rules.tokens, Serials) and isinstance(state.round.standing, Count):
        return count_events(state, dealer)
    return test_events(state, state.round.doubters, dealer, kind="challenge")


def count_events(state: State, dealer: Dealer) -> Iterator[events.TableEvent]:
    """Yield what follows when all others have doubted: everybody says how many there are, the claimant last."""
    standing, claimant = _standing_claim(state)
    assert isinstance(standing, Count)
    seat = next_seat(state, claimant)
    for _ in state.remaining:
        told = events.Counted(seat, _count_faces(state, standing.face, {seat: state.places[seat]}, dealer))
        yield told
        state, seat = evolve(state, told), next_seat(state, seat)
    # "Bills are shown after the count" (dollar bills); elsewhere only the counts become known.
    if state.rules.reveal.shows == "all":
        state = yield from _lift_cups(state, tuple(state.places), dealer)
    count = sum(each for _, each in state.round.counts)
    own = dict(state.round.counts)[claimant]
    others = tuple(other for other in _seats_after(state, claimant) if other != claimant)
    gain = claim_worth(state, standing, own, count)
    rest = tuple(sorted(others))
    # The gain decides and not the count: with nobody having any the bidder wins "whatever was bid", and of three seats
    # "that is 0, a push", in which nobody wins or loses (Salomon 1986).
    sides = ((claimant,), rest) if gain > 0 else (rest, (claimant,)) if gain else ((), ())
    judged = replace(
        new_verdict("count", claimant, standing),
        doubters=others,
        holds=gain >= 0,
        count=count,
        winners=sides[0],
        losers=sides[1],
    )
    yield from verdict_events(state, judged, dealer)


def _seats_after(state: State, seat: Seat) -> tuple[Seat, ...]:
    """Return the seats still in, in the order of play, from the one after this."""
    found = [next_seat(state, seat)]
    while len(found) < len(state.remaining):
        found.append(next_seat(state, found[-1]))
    return tuple(found)


def catch_events(state: State, catcher: Seat) -> Iterator[events.TableEvent]:
    """Yield what follows when a seat says that the claim does not beat the one before; no cup is lifted."""
    standing, claimant = _standing_claim(state)
    weak = not state.round.beats
    judged = replace(
        new_verdict("catch", claimant, standing),
        doubters=(catcher,),
        holds=not weak,
        winners=(catcher if weak else claimant,),
        losers=(claimant if weak else catcher,),
    )
    yield from verdict_events(state, judged)


def special_events(state: State, seat: Seat, name: Special, to: Seat | None) -> Iterator[events.TableEvent]:
    """Yield what follows when a seat has shown a throw that does something: who drinks; the seat rolls again."""
    named = () if to is None else (to,)
    # "Everybody still in, roller included, takes one drink" for a social; a reverse costs nobody any (Mexican).
    drinkers = state.remaining if name == "social" else named
    yield from verdict_events(state, replace(new_verdict(name, seat, None), losers=drinkers))


def hand_forfeit_events(state: State, seat: Seat) -> Iterator[events.TableEvent]:
    """Yield what follows when a seat breaks the rules of the dice: it loses the hand."""
    standing = state.round.standing
    yield from verdict_events(state, replace(new_verdict("forfeit", state.round.claimant, standing), losers=(seat,)))


def forfeit_events(state: State, seat: Seat) -> Iterator[events.TableEvent]:
    """Yield what follows when a seat gives the match up; no cup is lifted."""
    yield from verdict_events(state, replace(new_verdict("forfeit", None, None), losers=(seat,)), leaves=seat)


# ---- the dice -----------------------------------------------------------------------------------


def _standing_claim(state: State) -> tuple[Claim, Seat]:
    assert state.round.standing is not None
    assert state.round.claimant is not None
    return state.round.standing, state.round.claimant


def _cups_to_lift(state: State, kind: events.VerdictKind) -> tuple[int, ...]:
    if state.rules.reveal.muck:
        return ()
    if state.rules.reveal.shows == "all" or kind == "auto_challenge":
        return tuple(state.places)
    # After a challenge "the doubter's stay hidden", and after the automatic one above "both are public" (individual
    # hand).
    return (PASSED_CUP if isinstance(state.rules.tokens, SharedCup) else _standing_claim(state)[1],)


def _lift_cups(state: State, cups: tuple[CupId, ...], dealer: Dealer) -> Generator[events.TableEvent, None, State]:
    """Show the hidden dice of these cups, in order; return the state with all of them shown."""
    for cup in cups:
        for shown in opening_events(state.places[cup], state, dealer):
            state = evolve(state, shown)
            yield shown
    return state


def opening_events(place: Place, state: State, dealer: Dealer) -> Iterator[events.TableEvent]:
    """Yield the openings of a place's hidden dice, and of the choices that led to them (CUP/1 section 4.12)."""
    if not place.inside:
        return
    faces = state.rules.tokens.faces.count
    hand = places.handful(place, dealer)
    shown, blind = places.slots_by_roll(hand.inside), {choice.roll for choice in hand.choices}
    # A roll of which no die is left is opened for its blind key alone: without it nobody could recompute the choice
    # that led to the dice which are (CUP/1 section 4.12).
    for roll in sorted(blind.union(shown)):
        slots = shown.get(roll, ())
        extra = (place.size,) if roll in blind else ()
        yield dealer.open(place.cup, roll, slots + extra, (faces,) * len(slots) + (1,) * len(extra))
    if hand.choices:
        yield events.ChoicesRevealed(place.cup, hand.choices)


def values_of(place: Place, state: State, dealer: Dealer) -> tuple[int, ...]:
    """Return what the dice of a place show, from 0, seen or not, in the holder's numbering."""
    m = state.rules.tokens.faces.count
    hand = places.handful(place, dealer) if place.inside else None
    hidden = () if hand is None else tuple(dealer.value(place.cup, roll, slot, m) for roll, slot in hand.inside)
    return (*hidden, *(die.value for die in place.outside if die.value is not None))


def _outcome(state: State, standing: Claim, claimant: Seat, dealer: Dealer) -> tuple[bool, int | None]:
    """Return whether the claim holds, and how many tokens count for it where it is a count."""
    # A count is of every place on the table; a hand is of the claimant's own place or of the cup that was passed.
    if isinstance(standing, Count):
        faces = _faces(state, state.places, dealer)
        return claims.holds(state.auction, standing, faces), claims.count_of(state.auction, standing.face, faces)
    place = state.place_of(claimant)
    assert place is not None
    return state.ladder.measure(values_of(place, state, dealer)) >= state.ladder.rungs[standing], None


def _count_faces(state: State, face: Face, some: dict[int, Place], dealer: Dealer) -> int:
    return claims.count_of(state.auction, face, _faces(state, some, dealer))


def _faces(state: State, some: dict[int, Place], dealer: Dealer) -> list[int]:
    first = state.rules.tokens.faces.first
    return [value + first for place in some.values() for value in values_of(place, state, dealer)]


# ---- what a verdict costs -----------------------------------------------------------------------


def verdict_events(
    state: State, judged: Judged, dealer: Dealer | None = None, leaves: Seat | None = None
) -> Iterator[events.TableEvent]:
    """Yield the verdict and all it costs.

    Args:
        state: The game, with every die shown that the verdict calls for.
        judged: The verdict.
        dealer: Who knows the last digits, where slips advance by them.
        leaves: The seat that gives the match up by it.
    """
    first = first_postings(state, judged, leaves)
    lighter = evolve_all(state, first)
    # Who is out is a test of balances, so what the verdict does to them is remembered first.
    out = _seats_going_out(lighter, leaves)
    # Who gives the match up is not asked whether it wants to stay.
    spared = None if leaves is not None else _spared(lighter, out)
    gone_now = tuple(seat for seat in out if spared is None or seat != spared.seat)
    cost: tuple[events.TableEvent, ...] = (
        *first,
        *later_postings(lighter, judged, gone_now),
        *(events.Eliminated(seat) for seat in gone_now),
    )
    yield judged
    yield from cost
    # The round ends with the seat's answer: "nothing else happens meanwhile" (bar Liars), and a crash here leaves a
    # game that waits for it.
    if spared is not None:
        yield spared.event
        return
    paid = evolve_all(lighter, cost[len(first) :])
    if dealer is not None:
        yield from _next_round_events(paid, judged, dealer)
    yield from ending.closing_events(paid, judged, first_fall=lighter.fallen != state.fallen)


def settled(state: State, judged: Judged) -> State:
    """Return the game after a verdict and all it costs that hangs on no hidden dice."""
    return evolve_all(state, verdict_events(state, judged))


def _seats_going_out(state: State, leaves: Seat | None) -> tuple[Seat, ...]:
    match = state.rules.match
    if leaves is not None:
        return (leaves,)
    if match.unit is None:
        return ()
    # No verdict passes the mark without landing on it: losses rise one by one, and nobody pays more dice or tokens than
    # there are.
    return tuple(seat for seat in state.remaining if state.balance(match.unit, seat) == match.out_at)


class _Spared(Struct, frozen=True):
    """A seat that may still save itself, and the event that asks it."""

    seat: Seat
    event: events.TableEvent


def _spared(state: State, out: tuple[Seat, ...]) -> _Spared | None:
    for each in interludes_of(state):
        seat = each.spared(state, out)
        if seat is not None:
            return _Spared(seat, each.sparing(seat))
    return None


def _next_round_events(state: State, judged: Judged, dealer: Dealer) -> Iterator[events.TableEvent]:
    """Yield what moves on after a verdict, and what the next round is played for."""
    for each in interludes_of(state):
        yield from each.after_verdict(state, dealer)
    basic = next_basic_stake(state, judged)
    if basic is not None:
        # The double of a slip's last number is in the effective stake alone: "the tenth-number doubling" does not enter
        # the basic one, which goes on to the next slips (Salomon 1986).
        yield events.StakeSet(basic, prod((basic, *(each.stake_factor(state) for each in interludes_of(state)))))


def elimination_events(state: State, seat: Seat, judged: Judged) -> Iterator[events.TableEvent]:
    """Yield a seat going out some time after the verdict that cost it the match, and the end of that round."""
    out = events.Eliminated(seat)
    # The round has been paid for before. A bare forfeit leaves what hangs on who is out: the pot, and drinks for going
    # out.
    postings = later_postings(state, new_verdict("forfeit", None, None), (seat,))
    yield out
    yield from postings
    yield from ending.closing_events(evolve_all(state, (out, *postings)), judged, first_fall=False)
