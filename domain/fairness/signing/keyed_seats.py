"""The seats with keys, line by line: every command of theirs is signed, over all that its player had to have seen.

The law of the file: it looks at a line after everything else has. A signature is not verified as it comes but where its
key ends, at the end of the record and at a fault, since each message holds the hash of the one before (`eras`). What a
player had to have seen are the loud lines: a command dies with the next one. Source: CUP/1 sections 4.14.2 to 4.14.6.
"""

from __future__ import annotations

import hashlib
from typing import Final

from msgspec import UNSET, Struct, field

from domain.fairness import shapes
from domain.fairness.chain import ChainedEvent, Link
from domain.fairness.faults import Fault
from domain.fairness.signing.eras import Era, SignedLine
from domain.fairness.signing.forms import ARRANGED, JOIN, OF_A_SEAT, fits
from domain.fairness.signing.handling import DealAtHand, handling_of
from domain.fairness.signing.messages import NO_SEAT, NOTHING_BEFORE, message_of
from domain.ids import Seat, UnixMs
from domain.log.notes import Verify

RECOVERY_MS: Final = 120_000
"""How long the old key has to be silent after a host has named a new one."""
CUSTODY: Final = "game.seed_custody"
TIMED_OUT: Final = "game.timed_out"
FORFEITED: Final = "game.forfeited"
LEFT: Final = "seat.left"
KEYED: Final = "seat.keyed"
SEEDS: Final = frozenset(["seed.committed", "seed.opened"])
QUIET: Final = frozenset(
    ["seat.joined", KEYED, "seed.committed", "seed.opened", CUSTODY, "game.clock_set", "game.looked"]
)
"""The types of lines that change nothing a command could depend on."""


class Recovery(Struct, frozen=True):
    """A key that a host has named for a seat, and where: the place of the line, and its time in Unix milliseconds."""

    key: str
    seq: int
    at: UnixMs


class KeyedSeat(Struct):
    """A seat with a key, as far as the record has come.

    Attributes:
        key: Its present key, as hex.
        eras: The lines it signed, by key.
        n: Which command it signed last; -1 before its join.
        before: The hash of the message of that.
        joined: The hash of the message of its join.
        server_may_draw: Whether its player signed that the server draws its seeds.
        server_draws: Whether the server draws its seeds now.
        server_drew: Whether it ever did.
        pending: A recovery that the seat's next command decides.
        recovered: The places of the lines by which its key was recovered.
        clock: How often its time ran out.
        blamed: Whether a void after the log has named it.
        left: Whether its player has left.
    """

    key: str
    eras: list[Era]
    n: int = -1
    before: bytes = NOTHING_BEFORE
    joined: bytes = NOTHING_BEFORE
    server_may_draw: bool = False
    server_draws: bool = False
    server_drew: bool = False
    pending: Recovery | None = None
    recovered: list[int] = field(default_factory=list)
    clock: int = 0
    blamed: bool = False
    left: bool = False


class SeatReport(Struct, frozen=True):
    """What is proved of a seat with a key.

    Attributes:
        key: The present key, as hex.
        signed: How many lines it signed.
        clock: How often the clock acted for it.
        custody: Whether the server drew its seeds.
        recovered: The places of the lines, from 0, by which a host had its key replaced.
    """

    key: str
    signed: int
    clock: int
    custody: bool
    recovered: list[int]


class KeyedSeats:
    """All seats with keys of one stream."""

    def __init__(self, verify: Verify) -> None:
        """Begin before the first line; `verify` checks Ed25519."""
        self.seats: dict[Seat, KeyedSeat] = {}
        self._verify = verify
        self._eras: list[Era] = []
        self._match = b""
        self._heads: list[bytes] = []
        self._loud = 0
        self._last: Link | None = None
        self._deal = DealAtHand()

    def step(self, event: ChainedEvent) -> None:
        """Check an event of which everything else has been looked at, and take it in.

        Raises:
            Fault: `E_UNSIGNED`, `E_SIGNED`, and of dice that were handled under a seal `E_ORDER` and `E_WITHHELD`.
        """
        link = event.link
        assert link is not None, "it was a line"
        if isinstance(event.members, shapes.Drawn):
            self._match = event.members.id
        if isinstance(event.members, shapes.SeatJoined):
            self._begin_seat(link, event.members)
        if link.signed is None:
            self._step_unsigned(link)
        else:
            self._step_signed(link, link.signed)
        self._step_after(link, event.members)
        self._deal.step(event.members)
        if link.kind not in QUIET:
            self._loud = link.seq
        self._heads.append(bytes.fromhex(link.head))
        self._last = link

    def first_not_borne_out(self) -> int | None:
        """Return the place of the first line, from 0, that is signed and no signature bears out; None if there is none.

        Cost: a verification for each key.
        """
        unborne = [era.first_not_borne_out(self._verify) for era in self._eras]
        return min([seq for seq in unborne if seq is not None], default=None)

    def report(self) -> dict[str, SeatReport]:
        """Return what is proved of each seat that has or had a key, by its number."""
        return {
            str(number): SeatReport(
                seat.key, sum([len(era.lines) for era in seat.eras]), seat.clock, seat.server_drew, seat.recovered
            )
            for number, seat in sorted(self.seats.items())
        }

    # ---- who has a key -------------------------------------------------------------------------

    def _begin_seat(self, link: Link, members: shapes.SeatJoined) -> None:
        if members.key is UNSET:
            self.seats.pop(members.seat, None)
            return
        if link.signed is None:
            raise Fault("E_UNSIGNED", f"seat {members.seat} is said to have a key, and has signed nothing")
        self._check_free(members.key)
        self.seats[members.seat] = KeyedSeat(members.key, [self._new_era(members.key)])

    def _check_free(self, key: str) -> None:
        """Check that no seat of the match holds a key, or is to have it."""
        for seat in self.seats.values():
            if not seat.left and key in {seat.key, None if seat.pending is None else seat.pending.key}:
                raise Fault("E_SIGNED", "this key is that of another seat")

    def _new_era(self, key: str) -> Era:
        self._eras.append(Era(bytes.fromhex(key)))
        return self._eras[-1]

    # ---- lines that are signed -----------------------------------------------------------------

    def _step_signed(self, link: Link, signed: shapes.Signed) -> None:
        seat = self.seats.get(signed.seat)
        if seat is None or seat.left:
            raise Fault("E_SIGNED", f"seat {signed.seat} has no key, and nothing to sign with")
        if "seat" in link.data and not _is_same(link.data["seat"], signed.seat):
            raise Fault("E_SIGNED", "the line is of another seat than the signature")
        if not fits(link.kind, link.data, signed.command):
            raise Fault("E_SIGNED", "the line does not say what the signed command asks for")
        if signed.n != seat.n + 1:
            raise Fault(
                "E_SIGNED", f"seat {signed.seat} signs its commands one after the other, and this is out of turn"
            )
        if not self._loud < signed.version <= link.seq:
            raise Fault("E_SIGNED", "the player had not seen all that this command could depend on")
        at = NO_SEAT if signed.command["type"] == JOIN else signed.seat
        head = self._heads[signed.version - 1]
        message = message_of(self._match, at, signed.n, signed.version, head, seat.before, signed.command)
        line, digest = SignedLine(link.seq, message, bytes.fromhex(signed.sig)), hashlib.sha256(message).digest()
        if signed.command["type"] == JOIN:
            self._join(seat, digest, signed)
        self._decide_recovery(seat, line, link.at)
        seat.eras[-1].lines.append(line)
        seat.n, seat.before = signed.n, digest
        if link.kind == ARRANGED:
            self._deal.handled.append(handling_of(link.seq, signed.command))

    def _join(self, seat: KeyedSeat, digest: bytes, signed: shapes.Signed) -> None:
        """Take in a join, which seats its player once: behind a change of key its own would be free for it again."""
        if any(digest == other.joined for other in self.seats.values()):
            raise Fault("E_SIGNED", "this join has seated its player already")
        seat.joined, seat.server_may_draw = digest, signed.command["custody"] == "server"

    def _decide_recovery(self, seat: KeyedSeat, line: SignedLine, at: UnixMs) -> None:
        """Let a command decide a recovery: signed with the old key it is off, with the new one in due time it holds."""
        recovery, seat.pending = seat.pending, None
        if recovery is None or self._verify(bytes.fromhex(seat.key), line.message, line.signature):
            return
        if at - recovery.at < RECOVERY_MS or not self._verify(
            bytes.fromhex(recovery.key), line.message, line.signature
        ):
            raise Fault(
                "E_SIGNED", "a key was to be replaced, and the next command is not signed with either in its time"
            )
        self._change_key(seat, recovery.key)
        seat.recovered.append(recovery.seq)

    def _change_key(self, seat: KeyedSeat, key: str) -> None:
        seat.key = key
        seat.eras.append(self._new_era(key))

    # ---- lines that are not signed -------------------------------------------------------------

    def _step_unsigned(self, link: Link) -> None:
        number = link.data.get("seat")
        seat = self.seats.get(number) if type(number) is int else None
        if seat is None:
            return
        if link.kind == TIMED_OUT:
            seat.clock += 1
        if link.kind == CUSTODY:
            self._check_custody(link, seat)
        elif self._has_to_sign(link) and not self._may_go_unsigned(link, seat):
            raise Fault("E_UNSIGNED", f"seat {number} has a key, and has not signed this")

    def _check_custody(self, link: Link, seat: KeyedSeat) -> None:
        # Whoever gives the seeds back to the seat takes nothing from it.
        seat.server_draws = link.data.get("by") != "client"
        if not seat.server_draws:
            return
        if not (seat.server_may_draw or self._deal.waits_for(link.data["seat"])):
            raise Fault("E_UNSIGNED", "the seat draws its own seeds, and none was due")
        seat.server_drew = True

    def _has_to_sign(self, link: Link) -> bool:
        if link.kind == KEYED:
            return bool(link.data["by"] == "seat")
        return link.kind in OF_A_SEAT or link.kind in SEEDS or link.kind == LEFT

    def _may_go_unsigned(self, link: Link, seat: KeyedSeat) -> bool:
        if link.kind in SEEDS:
            return seat.server_draws
        if seat.blamed and link.kind in {FORFEITED, LEFT}:
            return True
        last = self._last
        assert last is not None, "the seat sat down before"
        return link.kind != KEYED and last.kind == TIMED_OUT and _is_same(last.data.get("seat"), link.data["seat"])

    # ---- what follows of a line ----------------------------------------------------------------

    def _step_after(self, link: Link, members: shapes.Members) -> None:
        match members:
            case shapes.SeatKeyed():
                seat = self.seats[members.seat]
                self._check_free(members.key)
                if members.by == "seat":
                    self._change_key(seat, members.key)
                else:
                    seat.pending = Recovery(members.key, link.seq, link.at)
            case shapes.SeatLeft(seat=number) if number in self.seats:
                self.seats[number].left = True
            case shapes.DealVoided() if self._deal.stage == "logged":
                for number in self.seats.keys() & set(members.seats):
                    self.seats[number].blamed = True
            case shapes.DealClosed():
                self._deal.check_opened(members)
            case _:
                pass


def _is_same(named: object, seat: Seat) -> bool:
    """Report whether a member that is free names this seat: 1 is not true to any other reader."""
    return type(named) is int and named == seat
