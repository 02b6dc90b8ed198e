"""The view of a match for one viewer: the public fold, plus the dice that viewer may know.

Every seat and every spectator sees the same version numbers; content is redacted, numbering is not, so a gap tells
nothing. A hidden die is read for a viewer only whom the rules name among those who know its place (`Place.knowers`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct

from domain import events
from domain.fairness.deal import Policy
from domain.fairness.openings import DealSecrets
from domain.games import GAMES
from domain.ids import CupId, Face, Milliseconds, Quantity, RoundNumber, Seat, UnixMs, Version
from domain.match.dues import due_at, hold_left_ms
from domain.match.evolve import Match, is_dealing, is_halted
from domain.match.powers import OpenPowers, open_powers
from domain.match.record import MatchAtHead
from domain.match.settings import rules_object
from domain.match.signing import Signing
from domain.rules.ladders import Ladder
from domain.rules.orders import Count
from domain.table.checks import lowest_rung
from domain.table.dealer import Dealer
from domain.table.interludes import KINDS
from domain.table.interludes.cocked import Cocked, cocked_positions
from domain.table.interludes.slips import Slip
from domain.table.moves import moves_of
from domain.table.offers import CallMove, Move
from domain.table.phases import CORE, FINISHED
from domain.table.places import Place, hidden_addresses
from domain.table.state import PASSED_CUP, State
from projections.around import ContinueView, DealView, PauseView, continue_view, deal_view, pause_view
from projections.words import claim_words

PHASES: Final = ("lobby", "dealing", *CORE[:-1], *(phase for kind in KINDS for phase in kind.phases), FINISHED)
Phase = Annotated[str, Meta(extra_json_schema={"enum": [*PHASES]})]


class DieView(Struct, frozen=True):
    """One die or digit.

    Attributes:
        face: What it shows; null for a viewer who does not know it.
        shown: Whether everybody does.
        cocked: Whether it lies cocked, for those who know it.
    """

    face: Face | None
    shown: bool
    cocked: bool = False


HIDDEN: Final = DieView(None, shown=False)
"""What a viewer sees of every die that it does not know."""


class SeatView(Struct, frozen=True):
    """One seat.

    Attributes:
        player: The opaque id that stands in the log.
        name: What people call the player.
        bot: Whether the house plays this seat.
        custody: Who draws the seat's seeds.
        out: Whether the seat is out of the match.
        balances: What the seat has or owes, by unit (`die`, `chip`, `drink`, `loss`, `win`, `token`, `unit`).
        dice: The dice of its own cup in this round, in the owner's numbering.
        counted: How many of its digits counted for the last claim, where only counts are told.
        bank_ms: What its clock had left when it last stopped; null without clocks.
        absent: In how many of its turns one after the other the table had to act for it, 0 for a seat that is there.
        stand_in: Whether a house bot plays it for its player, who may take it back at any time.
        kicked: Whether the host has taken it out; it is `out` as soon as no dice are coming about.
        key: The key that signs what it asks for, as it named it last, as hex; null for a seat that signs nothing.
        key_named: The key that a host has named for it since: its next command says whether that one holds.
    """

    seat: Seat
    player: str
    name: str
    bot: bool
    custody: Literal["client", "server"]
    out: bool
    balances: dict[str, int]
    dice: tuple[DieView, ...]
    bank_ms: Milliseconds | None
    counted: int | None = None
    absent: int = 0
    stand_in: bool = False
    kicked: bool = False
    key: str | None = None
    key_named: str | None = None


class SigningView(Struct, frozen=True):
    """What the next signature of a seat with a key hangs on (CUP/1 section 4.14).

    Attributes:
        n: Which of its commands comes next.
        loud: The place of the last line, from 0, that it has to have seen: its version is above that.
    """

    n: int
    loud: int


class ClaimView(Struct, frozen=True):
    """The standing claim and who made it: a count of a face, or a hand with its shape and faces.

    Attributes:
        words: The claim as people say it.
    """

    seat: Seat
    words: str
    quantity: Quantity | None = None
    face: Face | None = None
    shape: str | None = None
    faces: tuple[int, ...] | None = None


class View(Struct, frozen=True):
    """A match as one viewer sees it at one version.

    Attributes:
        version: How many events it shows.
        at: The time of the last of them, in Unix milliseconds.
        head: The hash of the last event line, in hex: keep it, and nobody can rewrite what you have seen.
        rules: The rules object of the match.
        policy: What a deal publishes when it ends: `all` its dice, or only those that were `shown`.
        viewer: The viewer's seat, null for a spectator.
        turn: The seat to act, null while the table or everybody does.
        standing: The claim to beat.
        doubters: Who has doubted it so far, where all others have to.
        pass_by: The seat whose pass is waiting to be believed.
        cup: The dice of the cup that is passed on, in its holder's numbering.
        faces: What a die shows: the number of its first face, and how many there are.
        dice_in_play: The dice of this round, the highest quantity that can be claimed.
        direction: 1 while play goes up the seats, -1 while it goes down.
        stakes: What the round is played for, in units, where that changes: the basic stake, and what is paid.
        slip: The position of the slips that is played, from 1, where numbers come on slips.
        last: The last verdict, as in the event.
        flags: What holds in this round, such as `palifico`, or `plain_ones` when ones are not wild.
        waiting: Seats that do not play now, where they play two at a time, in the order in which they come to play.
        out: Seats out of the match, in the order they went.
        due_at: When the seat in turn runs out of time, the table deals, or a lobby expires; Unix milliseconds.
        ending: Why the match ends as soon as no round is under way, null if it does not: `host`, `expired` or
            `unattended`.
        host: Whose seat has the powers of the host; null while whoever opened the match has them.
        locked: Whether nobody sits down any more but bots whom the host asks for.
        paused: The pause that the host has asked for; meanwhile it is nobody's turn.
        continues: Who has asked for the next round, and who is still to; null where nobody can ask for it.
        hosting: What the host may do now, and seats with their own; null where the rules give no powers.
        hold_ms: For how many milliseconds the host may still hold the table up; null where the host has no powers.
        closed: Whether it was ended without anybody having won or lost it.
        open_ended: Whether only the host ends the match.
        moves: What the viewer may do now, with bounds; empty for a spectator.
        hands: Every hand the viewer may call now, by its shape, lowest first: the faces it names.
        signing: What the next signature of the viewer hangs on; null for a spectator, and for a seat without a key.
    """

    match: str
    version: Version
    at: UnixMs
    head: str
    game: str
    title: str
    rules: dict[str, Any]
    policy: Policy
    viewer: Seat | None
    phase: Phase
    seats: tuple[SeatView, ...]
    faces: tuple[int, int]
    deal: DealView | None
    due_at: UnixMs | None
    ending: str | None = None
    host: Seat | None = None
    locked: bool = False
    paused: PauseView | None = None
    continues: ContinueView | None = None
    hosting: OpenPowers | None = None
    hold_ms: Milliseconds | None = None
    round: RoundNumber = 0
    turn: Seat | None = None
    standing: ClaimView | None = None
    doubters: tuple[Seat, ...] = ()
    pass_by: Seat | None = None
    cup: tuple[DieView, ...] = ()
    dice_in_play: int = 0
    direction: int = 1
    stakes: tuple[int, int] | None = None
    slip: int | None = None
    last: dict[str, Any] | None = None
    flags: tuple[str, ...] = ()
    next_starter: Seat | None = None
    waiting: tuple[Seat, ...] = ()
    out: tuple[Seat, ...] = ()
    winner: Seat | None = None
    pot: int = 0
    closed: bool = False
    open_ended: bool = False
    moves: tuple[Move, ...] = ()
    hands: dict[str, tuple[tuple[int, ...], ...]] = {}
    signing: SigningView | None = None


def view_of(written: MatchAtHead, viewer: Seat | None, keeper: DealSecrets | None, names: Mapping[str, str]) -> View:
    """Return what this viewer sees.

    Args:
        written: The match and the hash its stream ends in.
        viewer: A seat, or None for a spectator.
        keeper: The secrets of the current deal; without them a seat sees no die that a spectator does not.
        names: What people call each player, by player id.
    """
    match, state = written.match, written.match.table
    seats = tuple(
        _seat_view(match, seat, _own_dice(match, seat, viewer, keeper), names) for seat in sorted(match.seated)
    )
    common: dict[str, Any] = {
        "match": str(match.id),
        "version": match.version,
        "at": match.at,
        "head": written.head,
        "game": match.settings.game,
        "title": GAMES[match.settings.game].title,
        "rules": rules_object(match.settings),
        "policy": match.policy,
        "viewer": viewer,
        "phase": _phase(match),
        "seats": seats,
        "deal": deal_view(match),
        "due_at": due_at(match),
        "ending": match.ending,
        "host": match.host,
        "locked": match.locked,
        "paused": pause_view(match),
        "continues": continue_view(match),
        "hosting": open_powers(match),
        "hold_ms": hold_left_ms(match),
        "faces": _faces(match),
        "signing": _signing_view(written.signing, viewer),
    }
    return View(**common) if state is None else View(**common, **_table_members(match, state, viewer, keeper))


def _table_members(match: Match, state: State, viewer: Seat | None, keeper: DealSecrets | None) -> dict[str, Any]:
    """Return the members of a view that are there once the game has begun."""
    slip = state.remembered(Slip)
    halted = is_halted(match)
    idle = viewer is None or halted or match.seated[viewer].stand_in
    return _offers(state, None if idle else viewer) | {
        "round": state.round_number,
        "turn": None if halted else state.turn,
        "standing": _standing_claim(state),
        "doubters": state.round.doubters,
        "pass_by": state.round.passer,
        "cup": _cup_dice(match, state, viewer, keeper),
        "dice_in_play": state.dice_in_play,
        "direction": state.direction,
        "stakes": None if state.stakes is None else (state.stakes.basic, state.stakes.effective),
        "slip": None if slip is None else slip.position,
        "last": None if state.last is None else events.data_of(state.last),
        "flags": _flags(state),
        "next_starter": state.next_starter,
        "waiting": state.waiting,
        "out": state.out,
        "winner": state.winner,
        "pot": state.balance("chip", "pot") + state.balance("token", "pot"),
        "closed": state.closed,
        "open_ended": state.rules.match.open_ended,
    }


def _offers(state: State, seat: Seat | None) -> dict[str, Any]:
    """Return what a seat may do now, as members of its view."""
    offered = () if seat is None else moves_of(state, seat)
    calls = any(isinstance(each, CallMove) for each in offered)
    return {"moves": offered, "hands": _hands(state.ladder, lowest_rung(state)) if calls else {}}


@lru_cache(maxsize=4_096)
def _hands(ladder: Ladder, lowest: int) -> dict[str, tuple[tuple[int, ...], ...]]:
    shapes: dict[str, list[tuple[int, ...]]] = {}
    for hand in ladder.hands[lowest:]:
        shapes.setdefault(hand.shape, []).append(hand.faces)
    return {shape: tuple(named) for shape, named in shapes.items()}


def _phase(match: Match) -> Phase:
    if match.table is None:
        return "finished" if match.ended else "lobby"
    voided = match.ceremony is not None and match.ceremony.stage == "voided"
    return "dealing" if voided or is_dealing(match) else match.table.phase


def _faces(match: Match) -> tuple[int, int]:
    faces = match.rules.tokens.faces
    return faces.first, faces.count


def _seat_view(match: Match, seat: Seat, dice: tuple[DieView, ...], names: Mapping[str, str]) -> SeatView:
    who, state = match.seated[seat], match.table
    return SeatView(
        seat=seat,
        player=who.player,
        name=names.get(who.player, who.player),
        bot=who.is_bot,
        custody="server" if who.custody else "client",
        out=state is not None and seat in state.out,
        balances={} if state is None else {unit: held.get(seat, 0) for unit, held in sorted(state.balances.items())},
        dice=dice,
        counted=None if state is None else dict(state.round.counts).get(seat),
        bank_ms=None if match.clocks is None else match.clocks.banks.get(seat),
        absent=0 if match.absence is None else match.absence.turns.get(seat, 0),
        stand_in=who.stand_in,
        kicked=seat in match.kicked,
        key=who.key,
        key_named=who.key_named,
    )


def _signing_view(signing: Signing, viewer: Seat | None) -> SigningView | None:
    known = None if viewer is None else signing.seats.get(viewer)
    return None if known is None else SigningView(known.n + 1, signing.loud)


def _own_dice(match: Match, seat: Seat, viewer: Seat | None, keeper: DealSecrets | None) -> tuple[DieView, ...]:
    place = None if match.table is None else match.table.places.get(seat)
    return () if match.table is None or place is None else _dice(match, match.table, place, viewer, keeper)


def _cup_dice(match: Match, state: State, viewer: Seat | None, keeper: DealSecrets | None) -> tuple[DieView, ...]:
    place = state.places.get(PASSED_CUP)
    return () if place is None else _dice(match, state, place, viewer, keeper)


def _dice(
    match: Match, state: State, place: Place, viewer: Seat | None, keeper: DealSecrets | None
) -> tuple[DieView, ...]:
    """Return the dice of a place: those outside for all, those inside for the seats that may know them."""
    first, deal = state.rules.tokens.faces.first, match.ceremony
    seen = [DieView(die.value + first, shown=True) for die in place.outside if die.value is not None]
    current = keeper is not None and deal is not None and keeper.number == deal.deal and deal.mix is not None
    if keeper is None or deal is None or deal.mix is None or not current or viewer not in place.knowers:
        return (*(HIDDEN,) * len(place.inside), *seen)
    dealer = keeper.open_deal(deal.mix)
    m = state.rules.tokens.faces.count
    values = [dealer.value(place.cup, roll, slot, m) for roll, slot in hidden_addresses(place, dealer)]
    lie = cocked_in(place, state, dealer)
    return (*(DieView(value + first, shown=False, cocked=i in lie) for i, value in enumerate(values)), *seen)


def hidden_dice(match: Match, seat: Seat, keeper: DealSecrets | None) -> dict[CupId, tuple[Face, ...]]:
    """Return the faces of hidden dice that a seat may know, by cup, in the order in which they lie there."""
    found: dict[CupId, tuple[Face, ...]] = {}
    if match.table is None:
        return found
    for cup, place in match.table.places.items():
        dice = _dice(match, match.table, place, seat, keeper)[: len(place.inside)]
        faces = tuple([die.face for die in dice if die.face is not None])
        # Of the dice of a cup a seat may know all or none.
        if faces:
            found[cup] = faces
    return found


def lie_cocked(match: Match, seat: Seat, keeper: DealSecrets | None) -> bool:
    """Report whether some of a seat's own dice lie cocked, as far as it may know."""
    return any(die.cocked for die in _own_dice(match, seat, seat, keeper))


def _standing_claim(state: State) -> ClaimView | None:
    claim, seat = state.round.standing, state.round.claimant
    if claim is None or seat is None:
        return None
    words = claim_words(claim, state.rules.tokens.faces)
    if isinstance(claim, Count):
        return ClaimView(seat, words, quantity=claim.quantity, face=claim.face)
    return ClaimView(seat, words, shape=claim.shape, faces=claim.faces)


def _flags(state: State) -> tuple[str, ...]:
    plain = () if state.wild else ("plain_ones",)
    return (*state.flags, *plain)


def cocked_in(place: Place, state: State, dealer: Dealer) -> tuple[int, ...]:
    """Return the positions of a place's dice that lie cocked, where dice can."""
    return () if state.interlude(Cocked) is None else cocked_positions(state, place, dealer)
