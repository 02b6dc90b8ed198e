r"""Layer 2: the order of events in a match, and its dice held against what was fixed before the seeds were shown.

The law of the file: an event is refused as out of turn (`E_ORDER`) before any hash in it is worked out, and what is
worked out comes from earlier lines alone. Seats, deals and dice are looked at; no game is known here.

    committed --> sealed --> logged --> (fixed) --> ready --> closed
         \----------\----------\--> voided --> closed

Source: CUP/1 sections 4.1, 4.5 and 4.8.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from msgspec import UNSET, Struct, field

from domain.events import Revealed
from domain.fairness import beacons, sampling, shapes
from domain.fairness.chain import ChainedEvent
from domain.fairness.deal import (
    SLOTS_MAX,
    BeaconAnswer,
    Cup,
    Deal,
    Policy,
    address,
    context,
    mix,
    rules_hash,
    seed_commitment,
)
from domain.fairness.faults import Fault
from domain.fairness.openings import verify_opening
from domain.ids import CupId, RollNumber, Seat

Stage = Literal["committed", "sealed", "logged", "fixed", "ready", "voided", "closed"]


class SharedDice(Struct, frozen=True):
    """The deal of a board, which became ready there.

    Attributes:
        board: The board.
        number: The number of the deal in its stream.
        head: The hash of the line that says that it is ready.
    """

    board: str
    number: int
    cups: tuple[Cup, ...]
    ctx: bytes
    root: bytes
    mix: bytes
    head: str


class Open(Struct):
    """A deal as far as the record has come.

    Attributes:
        number: Its number in the match.
        cups: Its cups, ascending by id.
        ctx: Its context.
        root: The root of the tree over all its commitments.
        stage: Where it stands.
        commits: What fixes each seat's seed.
        beacon: The beacon it waits for, if it does.
        seeds: The seeds that are open.
        mix: What they came to.
        rolled: The moduli by slot, of each roll of each cup.
        values: The values that follow, by cup, roll and slot.
        shared: Whether it is that of a board; whose record is not there, its cups are not known.
    """

    number: int
    cups: tuple[Cup, ...]
    ctx: bytes
    root: bytes
    stage: Stage = "committed"
    commits: dict[Seat, str] = field(default_factory=dict)
    beacon: shapes.BeaconRound | None = None
    seeds: dict[Seat, bytes] = field(default_factory=dict)
    mix: bytes | None = None
    rolled: dict[int, list[dict[int, int]]] = field(default_factory=dict)
    values: dict[tuple[int, int, int], tuple[int, int]] = field(default_factory=dict)
    shared: bool = False

    @property
    def is_unknown(self) -> bool:
        """Whether it is that of a board whose record is not there."""
        return not self.cups

    @property
    def missing(self) -> tuple[Seat, ...]:
        """The seats that have not opened their seeds, ascending."""
        return tuple(seat for seat in sorted(self.commits) if seat not in self.seeds)

    def moduli(self, cup: CupId, roll: RollNumber) -> dict[int, int] | None:
        """Return the moduli of a roll by slot; None if there was no such roll."""
        rolls = self.rolled.get(cup, [])
        return rolls[roll] if 0 <= roll < len(rolls) else None


class Dealing:
    """A match as far as the record has come: its seats and its deals."""

    def __init__(self, shared: SharedDice | None = None) -> None:
        """Begin before the first line, with the deal of the board whose dice it shares, where that is known."""
        self.shared = shared
        self.created: shapes.Created | None = None
        self.rules = b""
        self.seated: set[Seat] = set()
        self.keyed: set[Seat] = set()
        self.barred: set[Seat] = set()
        self.deals: list[Open] = []
        self.ended = False

    def step(self, event: ChainedEvent) -> None:
        """Check an event and take it in.

        Raises:
            Fault: Any but `E_CHAIN`, `E_LOG` and `E_RULES`.
        """
        members = event.members
        if self.ended:
            raise Fault("E_ORDER", "something follows the end of the match")
        if (self.created is None) is not isinstance(members, shapes.Created):
            raise Fault("E_ORDER", "what creates the match, or what else it is, is the first line and no other")
        match members:
            case shapes.MatchCreated() | shapes.TournamentCreated() | shapes.SeasonCreated() | shapes.BoardCreated():
                self._on_created(event.stream, members)
            case shapes.SeatJoined() | shapes.SeatLeft() | shapes.SeatKeyed():
                self._seat_step(members)
            case shapes.MatchEnded():
                self._on_match_ended()
            case shapes.DealCommitted():
                self._on_deal_committed(members)
            case shapes.DealShared():
                self._on_deal_shared(members)
            # What a game says is layer 3's to judge: this layer knows no game, so that it can read those of tomorrow.
            case shapes.Played():
                pass
            case _:
                self._deal_step(members)

    def _seat_step(self, members: shapes.SeatJoined | shapes.SeatLeft | shapes.SeatKeyed) -> None:
        match members:
            case shapes.SeatJoined():
                self._on_seat_joined(members)
            case shapes.SeatLeft():
                self._on_seat_left(members)
            case _:
                self._on_seat_keyed(members)

    def _deal_step(self, members: shapes.DealMembers) -> None:
        match members:
            case shapes.SeedCommitted():
                self._on_seed_committed(self._deal_at(members.deal, "committed"), members)
            case shapes.DealSealed():
                self._on_deal_sealed(self._deal_at(members.deal, "committed"), members)
            case shapes.SeedOpened():
                _on_seed_opened(self._deal_at(members.deal, "logged"), members)
            case shapes.DealFixed():
                _on_deal_fixed(self._deal_at(members.deal, "logged"))
            case shapes.DealLogged():
                self._deal_at(members.deal, "sealed").stage = "logged"
            case shapes.DealReady():
                _on_deal_ready(self._deal_at(members.deal, "logged", "fixed"), members)
            case _:
                self._dice_step(members)

    def _dice_step(self, members: shapes.DiceMembers) -> None:
        if self._shares_dice and isinstance(members, shapes.DealVoided | shapes.DealClosed):
            raise Fault("E_ORDER", "a deal that is shared ends in the stream of its board")
        match members:
            case shapes.Rolled():
                _on_rolled(self._deal_at(members.deal, "ready"), members)
            case shapes.Revealed():
                _on_revealed(self._deal_at(members.deal, "ready"), members)
            case shapes.DealVoided():
                self._on_deal_voided(
                    self._deal_at(members.deal, "committed", "sealed", "logged", "fixed", "ready"), members
                )
            case _:
                self._on_deal_closed(self._deal_at(members.deal, "ready", "voided"), members)

    def _deal_at(self, number: int, *stages: Stage) -> Open:
        """Return the current deal, which has to be this one and at one of these stages."""
        if not self.deals or number != self.deals[-1].number or self.deals[-1].stage not in stages:
            raise Fault("E_ORDER", f"this is not what deal {number} was waiting for")
        return self.deals[-1]

    # ---- the match ------------------------------------------------------------------------------

    def _on_created(self, stream: str, members: shapes.Created) -> None:
        if stream != members.stream:
            raise Fault("E_FORMAT", "the stream is not named after the match")
        self.created = members
        self.rules = rules_hash(members.rules)

    def _on_seat_joined(self, members: shapes.SeatJoined) -> None:
        if members.seat in self.seated:
            raise Fault("E_ORDER", f"seat {members.seat} is taken")
        self.seated.add(members.seat)
        if members.key is not UNSET:
            self.keyed.add(members.seat)

    def _on_seat_left(self, members: shapes.SeatLeft) -> None:
        if members.seat not in self.seated:
            raise Fault("E_ORDER", f"nobody has seat {members.seat}")
        self.seated.remove(members.seat)
        self.keyed.discard(members.seat)

    def _on_seat_keyed(self, members: shapes.SeatKeyed) -> None:
        if members.seat not in self.keyed:
            raise Fault("E_ORDER", f"nobody has seat {members.seat} and a key for it, which could change")

    def _on_match_ended(self) -> None:
        # A deal that was begun and left is how dice would be thrown away in silence; so a lost secret looks the same as
        # a hidden one, on purpose (CUP/1 section 4.8).
        if self._has_open_deal:
            raise Fault("E_WITHHELD", f"deal {self.deals[-1].number} was never closed")
        self.ended = True

    @property
    def _has_open_deal(self) -> bool:
        return bool(self.deals) and not self.deals[-1].shared and self.deals[-1].stage != "closed"

    # ---- a deal ---------------------------------------------------------------------------------

    def _on_deal_committed(self, members: shapes.DealCommitted) -> None:
        assert isinstance(self.created, shapes.Drawn), "streams of other kinds have no line of a deal"
        cups = tuple(Cup(*row) for row in members.cups)
        # The order of the cups goes into the context, so two orders would be two deals; the bound keeps the work of an
        # auditor linear in what the file says (CUP/1 section 4.1).
        if not _is_ascending([cup.id for cup in cups]) or sum(cup.rolls * cup.width for cup in cups) > SLOTS_MAX:
            raise Fault("E_FORMAT", f"cups ascend by id and have at most {SLOTS_MAX} slots together")
        if self._has_open_deal or members.deal != len(self.deals) or self._shares_dice:
            raise Fault("E_ORDER", "deals follow each other, and are numbered from 0")
        policy: Policy = "all" if self.created.policy == "all" else "shown"
        ctx = context(self.created.id, members.deal, self.rules, policy, cups)
        self.deals.append(Open(members.deal, cups, ctx, bytes.fromhex(members.root)))

    @property
    def _shares_dice(self) -> bool:
        return bool(self.deals) and self.deals[-1].shared

    def _on_deal_shared(self, members: shapes.DealShared) -> None:
        # Whoever could change over from one deal to another could choose between their dice.
        if self.deals:
            raise Fault("E_ORDER", "a match has deals of its own, or shares one")
        root, mixed, known = bytes.fromhex(members.root), bytes.fromhex(members.mix), self.shared
        if known is None:
            self.deals.append(Open(members.deal, (), b"", root, stage="ready", mix=mixed, shared=True))
            return
        if (members.board, members.deal) != (known.board, known.number):
            raise Fault("E_ORDER", "the board has no such deal")
        if (root, mixed, members.head) != (known.root, known.mix, known.head):
            raise Fault("E_MIX", "these are not the dice of the board")
        self.deals.append(Open(members.deal, known.cups, known.ctx, root, stage="ready", mix=mixed, shared=True))

    def _on_seed_committed(self, deal: Open, members: shapes.SeedCommitted) -> None:
        if members.seat not in self.seated or members.seat in deal.commits:
            raise Fault("E_ORDER", f"seat {members.seat} is not there, or has fixed a seed already")
        deal.commits[members.seat] = members.commit

    def _on_deal_sealed(self, deal: Open, members: shapes.DealSealed) -> None:
        # A seat that fixed a seed and is left out has no say: k confederates would choose among 2^k sets of seeds.
        if not members.seats or members.seats != tuple(sorted(deal.commits)):
            raise Fault("E_ORDER", "a deal is sealed with all seats that fixed a seed, and at least one")
        # Whoever withheld once could do so again in the deal that replaces it, and throw dice away until they please.
        if not self.barred.isdisjoint(members.seats):
            raise Fault("E_ORDER", "a seat takes part that withheld its seed before")
        deal.beacon = members.beacon
        deal.stage = "sealed"

    def _on_deal_voided(self, deal: Open, members: shapes.DealVoided) -> None:
        # With all seeds open the dice are there: who could still void them could choose.
        if deal.stage in {"fixed", "ready"}:
            raise Fault("E_ABORT", "all seeds were open: nothing can be thrown away any more")
        # Before the log had it nobody could know the dice, so a void may name anybody or nobody; afterwards it has to
        # name exactly those whose seeds are missing, or one confederate would answer for another.
        if deal.stage == "logged" and (not deal.missing or members.seats != deal.missing):
            raise Fault("E_ABORT", "a void names exactly the seats that have not opened their seeds")
        self.barred.update(members.seats)
        deal.stage = "voided"

    def _on_deal_closed(self, deal: Open, members: shapes.DealClosed) -> None:
        assert isinstance(self.created, shapes.Drawn), "streams of other kinds have no line of a deal"
        # A deal that was thrown away publishes its secret under either policy: its dice are nobody's, and everybody can
        # see what was thrown away.
        published = self.created.policy == "all" or deal.stage == "voided"
        if members.secret is None and published:
            raise Fault("E_WITHHELD", "the secret of this deal has to be published")
        if members.secret is not None:
            # Under `shown` a folded hand stays its owner's for ever; a secret would show it.
            if not published:
                raise Fault("E_ORDER", "the secret of this deal was to stay unpublished")
            _check_secret(deal, bytes.fromhex(members.secret))
        deal.stage = "closed"


def _is_ascending(numbers: Sequence[int]) -> bool:
    return all(one < other for one, other in pairwise(numbers))


def _on_seed_opened(deal: Open, members: shapes.SeedOpened) -> None:
    if members.seat not in deal.missing:
        raise Fault("E_ORDER", f"no seed of seat {members.seat} is waited for")
    seed = bytes.fromhex(members.seed)
    if seed_commitment(seed, deal.ctx, deal.root, members.seat).hex() != deal.commits[members.seat]:
        raise Fault("E_COMMIT", f"this is not the seed that seat {members.seat} had fixed")
    deal.seeds[members.seat] = seed


def _on_deal_fixed(deal: Open) -> None:
    if deal.beacon is None or deal.missing:
        raise Fault("E_ORDER", "only a deal with a beacon is fixed, and with all seeds open")
    deal.stage = "fixed"


def _on_deal_ready(deal: Open, members: shapes.DealReady) -> None:
    # Without the beacon the last opening makes the dice; with it, they wait until the log has that opening.
    if deal.missing or (deal.beacon is None) is not (deal.stage == "logged"):
        raise Fault("E_ORDER", "a deal is ready with all seeds open, and fixed if it waits for a beacon")
    beacons.check_answer(deal.beacon, members.beacon)
    heard = None if members.beacon is None else _answer_of(members.beacon)
    deal.mix = mix(deal.ctx, deal.root, deal.seeds, heard)
    if deal.mix.hex() != members.mix:
        raise Fault("E_MIX", "this is not what the seeds come to")
    deal.stage = "ready"


def _answer_of(answer: shapes.BeaconValue) -> BeaconAnswer:
    return BeaconAnswer(bytes.fromhex(answer.chain), answer.round, bytes.fromhex(answer.randomness))


def _on_rolled(deal: Open, members: shapes.Rolled) -> None:
    cup = next((cup for cup in deal.cups if cup.id == members.cup), None)
    before = deal.rolled.setdefault(members.cup, [])
    # Rolls without gaps: a roll that may be skipped is a roll that may be chosen (CUP/1 section 4.2). Cups of a board
    # that is not known may have any size.
    known = (0, 0) if cup is None else (cup.rolls, cup.width)
    rolls, width = (members.roll + 1, sampling.MODULUS_MAX) if deal.is_unknown else known
    if members.roll != len(before) or members.roll >= rolls:
        raise Fault("E_SLOT", "this cup has no such roll now")
    slots = members.slots
    if not slots or not _is_ascending(slots) or slots[0] < 0 or slots[-1] >= width:
        raise Fault("E_SLOT", "slots ascend within the width of the cup")
    if len(members.m) != len(slots) or not all(1 <= m <= sampling.MODULUS_MAX for m in members.m):
        raise Fault("E_SLOT", "each slot has a modulus from 1 to 256")
    before.append(dict(zip(slots, members.m, strict=True)))


def _on_revealed(deal: Open, members: shapes.Revealed) -> None:
    assert deal.mix is not None, "the deal is ready"
    if deal.is_unknown:
        _check_rolled(deal, members)
        return
    shown = Revealed(members.deal, members.cup, members.roll, members.com, members.path, members.keys, members.values)
    verify_opening(shown, deal.ctx, deal.root, deal.cups, deal.mix, deal.moduli(shown.cup, shown.roll))
    moduli = deal.rolled[members.cup][members.roll]
    deal.values.update(((members.cup, members.roll, slot), (moduli[slot], value)) for slot, value in members.values)


def _check_rolled(deal: Open, members: shapes.Revealed) -> None:
    """Check what can be told of an opening without knowing what fixed it: that the dice were rolled."""
    moduli, slots = deal.moduli(members.cup, members.roll), {slot for slot, _ in members.keys}
    if moduli is None or not slots or len(slots) < len(members.keys) or not moduli.keys() >= slots:
        raise Fault("E_SLOT", "dice are shown that were not rolled")


def _check_secret(deal: Open, secret: bytes) -> None:
    """Check that the secret rebuilds the root, which fixes every key, and work out every die that was rolled."""
    made = Deal(secret, deal.ctx, deal.cups)
    if made.root != deal.root:
        raise Fault("E_SECRET", "the secret does not rebuild the root of the deal")
    for cup, rolls in deal.rolled.items():
        for roll, moduli in enumerate(rolls):
            for slot, m in moduli.items():
                assert deal.mix is not None, "dice were rolled"
                value = sampling.value(made.key(cup, roll, slot), deal.mix, address(cup, roll, slot), m)
                deal.values[cup, roll, slot] = (m, value)
