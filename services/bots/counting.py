"""Strategy where claims count tokens over the whole table: bids, doubts and handling."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from domain import commands
from domain.rules import claims
from domain.rules.claims import count_of
from domain.rules.orders import Count
from domain.rules.rules import PayEach
from domain.table.offers import ArrangeMove, BidMove, ChallengeMove, CountMove, PassMove, SpotOnMove
from services.bots.handling import Way, ways
from services.bots.odds import DiceInView, all_differ, chance_of, chance_of_exactly
from services.bots.sight import Option, Sight, belief_worth

STEPS_MAX: Final = 3
"""How far above the lowest legal quantity of a face a bot looks."""
TAMENESS: Final = 0.08
"""What a bid is worth less that says nothing of the dice one sees: the turn comes round again."""


def bids(sight: Sight, _move: BidMove) -> Iterator[Option]:
    """Yield what may be bid."""
    yield from _bids(sight, _faces_in_view(sight), _public(sight))


def challenge(sight: Sight, _move: ChallengeMove) -> Iterator[Option]:
    """Yield a doubt: it is right as often as the claim, or the pass behind it, is false."""
    passer = next((seat for seat in sight.view.seats if seat.seat == sight.view.pass_by), None)
    doubtful = _doubtful(sight, _faces_in_view(sight)) if passer is None else 1 - all_differ(len(passer.dice))
    yield Option(commands.Challenge(sight.seat), doubtful)


def count(sight: Sight, _move: CountMove) -> Iterator[Option]:
    """Yield having one's own claim counted, which all others doubt."""
    yield Option(commands.AskCount(sight.seat), _stake_worth(sight, 1 - _doubtful(sight, _faces_in_view(sight))))


def spot_on(sight: Sight, _move: SpotOnMove) -> Iterator[Option]:
    """Yield saying that the claim is exactly right."""
    assert sight.bid is not None
    yield Option(commands.SpotOn(sight.seat), chance_of_exactly(sight.auction, sight.bid, _faces_in_view(sight)))


def pass_on(sight: Sight, _move: PassMove) -> Iterator[Option]:
    """Yield saying that one's own dice all differ."""
    own = sight.own.dice
    honest = 1.0 if len({die.face for die in own}) == len(own) else 0.0
    worth = belief_worth(honest, all_differ(len(own), sight.rules.tokens.faces.count), sight.manner)
    yield Option(commands.Pass(sight.seat), worth)


def arrange(sight: Sight, move: ArrangeMove) -> Iterator[Option]:
    """Yield what may be shown and rolled: each is worth what can be bid after it, or doubted where that may be."""
    shows = sight.rules.handling.show_to_claim
    may_show = not shows or _has_to_show(sight)
    faces = tuple(die.face for die in sight.own.dice)
    tried: set[tuple[object, ...]] = set()
    for way in ways(move):
        shown, rolled = ([faces[position] for position in some] for some in (way.shows, way.rolls))
        looks_like = (tuple(sorted(map(str, shown))), tuple(sorted(map(str, rolled))))
        # Dice that are pushed are equal; where one is shown there is only one.
        if looks_like not in tried and len(set(shown)) <= 1 and (may_show or not shown):
            tried.add(looks_like)
            yield Option(way.command(sight.seat), _worth_after(sight, way))


def _has_to_show(sight: Sight) -> bool:
    """Report whether a die has to be shown before the next bid: there are bids, and none is on offer."""
    on_offer = any(isinstance(move, BidMove) for move in sight.view.moves)
    return not on_offer and bool(claims.legal_claims(sight.auction, sight.bid))


def _worth_after(sight: Sight, way: Way) -> float:
    seen, public = _faces_in_view(sight, without=way.rolls), _public(sight, shown=way.shows)
    worths = [option.worth for option in _bids(sight, seen, public)]
    if not sight.rules.handling.binds and sight.bid is not None:
        worths.append(_doubtful(sight, seen))
    return max(worths, default=0.0)


def _bids(sight: Sight, seen: DiceInView, public: DiceInView) -> Iterator[Option]:
    auction = sight.auction
    pretended = seen if sight.bluffed is None else DiceInView((*seen.faces, sight.bluffed), seen.unknown)
    for claim in _lowest(claims.legal_claims(auction, sight.bid)):
        plausible = chance_of(auction, claim, public)
        worth = belief_worth(chance_of(auction, claim, pretended), plausible, sight.manner)
        command = commands.Bid(sight.seat, claim.quantity, claim.face)
        yield Option(command, _stake_worth(sight, worth) - _tameness(claim, count_of(auction, claim.face, seen.faces)))


def _lowest(legal: Iterable[Count]) -> Iterator[Count]:
    """Yield the lowest claims on each face."""
    found: defaultdict[int, int] = defaultdict(int)
    for claim in legal:
        found[claim.face] += 1
        if found[claim.face] <= STEPS_MAX:
            yield claim


def _tameness(claim: Count, known: int) -> float:
    return TAMENESS * max(0, known - claim.quantity) / max(1, known)


def _stake_worth(sight: Sight, worth: float) -> float:
    """Return the worth of a claim where the claimant is paid by each other seat, or pays each."""
    pays = any(isinstance(settler, PayEach) for settler in sight.rules.settlers)
    return 0.5 + (sight.in_play - 1 if pays else 1) * (worth - 0.5)


def _doubtful(sight: Sight, seen: DiceInView) -> float:
    assert sight.bid is not None
    return 1 - chance_of(sight.auction, sight.bid, seen)


def _faces_in_view(sight: Sight, without: tuple[int, ...] = ()) -> DiceInView:
    """Return what the bot sees; without dice of its own, by position, it sees as much as before they are rolled."""
    dice = [
        None if each.seat == sight.seat and position in without else die.face
        for each in sight.view.seats
        for position, die in enumerate(each.dice)
    ]
    known = tuple(face for face in dice if face is not None)
    return DiceInView(known, len(dice) - len(known))


def _public(sight: Sight, shown: tuple[int, ...] = ()) -> DiceInView:
    """Return what everybody sees, once the bot has shown these of its dice."""
    dice = [
        die.face if die.shown or (each.seat == sight.seat and position in shown) else None
        for each in sight.view.seats
        for position, die in enumerate(each.dice)
    ]
    known = tuple(face for face in dice if face is not None)
    return DiceInView(known, len(dice) - len(known))
