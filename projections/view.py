"""What one viewer sees of a match: the public fold, plus the dice that viewer may know.

Every seat and every spectator sees the same version numbers; content is redacted, numbering is not, so a gap tells
nothing. Nothing here reads a die but through the openings the rules give this viewer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct

from domain import events
from domain.ceremony import Keeper
from domain.games import GAMES
from domain.match import Match, due_at
from domain.moves import Move, moves
from domain.places import Die
from domain.record import Written
from domain.state import State

Seat = int
PIPS = 6
Phase = Literal["lobby", "dealing", "between_rounds", "claiming", "responding", "finished"]


class DieView(Struct, frozen=True):
    """One die. `face` (1 to 6) is null for a viewer who does not know it; `shown` says that everybody does."""

    face: int | None
    shown: bool


class SeatView(Struct, frozen=True):
    """One seat.

    Attributes:
        player: The opaque id that stands in the log.
        name: What people call the player.
        bot: Whether the house plays this seat.
        custody: Who draws the seat's seeds.
        out: Whether the seat is out of the match.
        balances: What the seat has or owes, by unit (`die`, `chip`, `drink`).
        dice: Its dice of this round, in the owner's numbering.
        bank_ms: What its clock had left when it last stopped; null without clocks.
    """

    seat: Seat
    player: str
    name: str
    bot: bool
    custody: Literal["client", "server"]
    out: bool
    balances: dict[str, int]
    dice: tuple[DieView, ...]
    bank_ms: int | None


class ClaimView(Struct, frozen=True):
    """The standing claim and who made it."""

    seat: Seat
    quantity: int
    face: int


class DealView(Struct, frozen=True):
    """Where the deal ceremony stands.

    Attributes:
        number: The deal's number in the match.
        stage: `committed`, `sealed`, `logged`, `ready`, `voided` or `closed`.
        waiting_for: The seats whose seed is awaited now.
        cups: (id, owner, rolls, width) of every cup, and the root over all dice: what a seat commits its seed to.
    """

    number: int
    stage: str
    waiting_for: tuple[Seat, ...]
    cups: tuple[tuple[int, int, int, int], ...]
    root: str


class View(Struct, frozen=True):
    """A match as one viewer sees it at one version.

    Attributes:
        version: How many events it shows.
        at: The time of the last of them, in Unix milliseconds.
        head: The hash of the last event line, in hex: keep it, and nobody can rewrite what you have seen.
        rules: The rules object of the match.
        viewer: The viewer's seat, null for a spectator.
        turn: The seat to act, null while the table or everybody does.
        standing: The claim to beat.
        pass_by: The seat whose pass is waiting to be believed.
        dice_in_play: The dice of this round, the highest quantity that can be claimed.
        last: The last verdict, as in the event.
        flags: What holds in this round, such as `palifico`, or `plain_ones` when ones are not wild.
        out: Seats out of the match, in the order they went.
        due_at: When the seat in turn runs out of time, or the table deals; Unix milliseconds.
        moves: What the viewer may do now, with bounds; empty for a spectator.
    """

    match: str
    version: int
    at: int
    head: str
    game: str
    title: str
    rules: dict[str, Any]
    viewer: Seat | None
    phase: Phase
    round: int
    turn: Seat | None
    seats: tuple[SeatView, ...]
    standing: ClaimView | None
    pass_by: Seat | None
    dice_in_play: int
    last: dict[str, Any] | None
    flags: tuple[str, ...]
    next_starter: Seat | None
    out: tuple[Seat, ...]
    winner: Seat | None
    pot: int
    deal: DealView | None
    due_at: int | None
    moves: tuple[Move, ...]


def view_of(written: Written, viewer: Seat | None, keeper: Keeper | None, names: Mapping[str, str]) -> View:
    """Return what this viewer sees.

    Args:
        written: The match and the hash its stream ends in.
        viewer: A seat, or None for a spectator.
        keeper: The secrets of the current deal; without them a seat sees no more than a spectator.
        names: What people call each player, by player id.
    """
    match, state = written.match, written.match.table
    return View(
        match=str(match.id),
        version=match.version,
        at=match.at,
        head=written.head,
        game=match.settings.game,
        title=GAMES[match.settings.game].title,
        rules=msgspec.to_builtins(match.settings),
        viewer=viewer,
        phase=_phase(match),
        round=0 if state is None else state.round,
        turn=None if state is None else state.turn,
        seats=tuple(
            _seat_view(match, seat, _known(match, seat, viewer, keeper), names) for seat in sorted(match.seated)
        ),
        standing=None if state is None else _standing(state),
        pass_by=None if state is None else state.passer,
        dice_in_play=0 if state is None else state.dice_in_play,
        last=None if state is None or state.last is None else events.data_of(state.last),
        flags=() if state is None else _flags(state),
        next_starter=None if state is None else state.next_starter,
        out=() if state is None else state.out,
        winner=None if state is None else state.winner,
        pot=0 if state is None else state.balance("chip", "pot"),
        deal=_deal_view(match),
        due_at=due_at(match),
        moves=() if state is None or viewer is None else moves(state).get(viewer, ()),
    )


def _phase(match: Match) -> Phase:
    if match.table is None:
        return "lobby"
    dealing = match.ceremony is not None and match.ceremony.stage not in {"ready", "closed"}
    return "dealing" if dealing else match.table.phase


def _known(match: Match, seat: Seat, viewer: Seat | None, keeper: Keeper | None) -> Keeper | None:
    """Return the keeper if the viewer may know this seat's dice: only the owner of a cup does."""
    current = keeper is not None and match.ceremony is not None and keeper.number == match.ceremony.deal
    return keeper if seat == viewer and current else None


def _seat_view(match: Match, seat: Seat, keeper: Keeper | None, names: Mapping[str, str]) -> SeatView:
    who, state = match.seated[seat], match.table
    place = None if state is None else state.places.get(seat)
    return SeatView(
        seat=seat,
        player=who.player,
        name=names.get(who.player, who.player),
        bot=who.player.startswith("bot/"),
        custody="server" if who.custody else "client",
        out=state is not None and seat in state.out,
        balances={} if state is None else {unit: held.get(seat, 0) for unit, held in sorted(state.balances.items())},
        dice=() if place is None else tuple(_die_view(match, place.cup, die, keeper) for die in place.dice),
        bank_ms=None if match.clocks is None else match.clocks.banks.get(seat),
    )


def _die_view(match: Match, cup: int, die: Die, keeper: Keeper | None) -> DieView:
    if die.value is not None:
        return DieView(die.value + 1, shown=True)
    if keeper is None or match.ceremony is None or match.ceremony.mix is None:
        return DieView(None, shown=False)
    return DieView(keeper.dealer(match.ceremony.mix).value(cup, die.roll, die.slot, PIPS) + 1, shown=False)


def _standing(state: State) -> ClaimView | None:
    if state.standing is None or state.claimant is None:
        return None
    return ClaimView(state.claimant, state.standing.quantity, state.standing.face)


def _flags(state: State) -> tuple[str, ...]:
    plain = () if state.auction.wild else ("plain_ones",)
    return (*state.flags, *plain)


def _deal_view(match: Match) -> DealView | None:
    deal = match.ceremony
    if deal is None:
        return None
    rows = tuple((cup.id, cup.owner, cup.rolls, cup.width) for cup in deal.cups)
    return DealView(deal.deal, deal.stage, deal.waiting_for, rows, deal.root.hex())
