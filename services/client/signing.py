"""A seat that signs what it asks for, and holds what stands of it against what it has signed.

The law of the file: it signs over lines that it holds itself, keeps what it signs before it is sent, and goes on only
when it has seen its line. What is refused, or not answered, leaves the number of the next command as it was.

Source: CUP/1 sections 4.14.2, 4.14.3 and 4.14.8.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, Literal
from uuid import UUID

import msgspec
from msgspec import to_builtins
from msgspec.structs import replace

from domain import commands
from domain.audit.signing.kept import KeptCommand
from domain.events import Choice
from domain.fairness import choices
from domain.fairness.shapes import Signed
from domain.fairness.signing.forms import FORMS
from domain.fairness.signing.messages import seal_positions
from domain.ids import CupId, RollNumber, Slot
from domain.log.receipts import AnotherHistory
from domain.match.ceremony import Ceremony
from domain.match.signing import SigningSeat, key_of, message_for
from domain.table.handling import as_thrown, public_addresses
from domain.table.places import handful, plan_of
from infra.entropy import draw
from infra.keys import Ed25519Signer, ed25519_verify
from projections.saying import NotUnderstood, parse_command
from projections.view import View
from services.client.house import CannotDo
from services.client.keys.held import HeldRecord
from services.client.keys.seat_keys import SALT_BYTES, KeptKey, KeyFile, SignedLast
from services.client.records import Untrue
from services.client.seating import Sitting, evidence_file, signing_file, signing_key_of

Json = dict[str, Any]
Shield = Literal["none", "refused", "signed", "lost", "waits"]
"""Whether a seat signs: it has no key, or the house took none; it has, and we sign; somebody else has its key; ours is
yet to hold."""
TRIES: Final = 10
AGAIN_S: Final = 0.1
"""How often the record is asked for lines that the server has told of, and how long to wait in between."""
TOO_OFTEN: Final = "too_many_requests"
CALM_S: Final = 1.0
UNSAID: Final[Mapping[str, Any]] = {"faces": [], "to": None}
"""What a command means by a member that it leaves out."""
SAY: Final = "say"
ARRANGE: Final = "arrange"


class SeatSigner:
    """Signs what one seat asks for."""

    def __init__(
        self,
        sitting: Sitting,
        lines: Callable[[int], Awaitable[bytes]],
        openings: Callable[[], Awaitable[list[Json]]],
    ) -> None:
        """Sign for this seat, asking for lines of its match behind a version and for its openings where it has to."""
        self.shield: Shield = "none"
        self._file = KeyFile(signing_file(sitting))
        self._key = self._file.read()
        self._has_key = self._key is not None
        self._held = HeldRecord(sitting.match, evidence_file(sitting))
        self._match = UUID(sitting.match).bytes
        self._sitting = sitting
        self._seat = sitting.seat
        self._lines = lines
        self._openings = openings
        self._own_join_seen = False
        self._asking = asyncio.Lock()
        self._reading = asyncio.Lock()
        self._seen = 0
        self._signs: tuple[str, Ed25519Signer] | None = None

    @property
    def public(self) -> str | None:
        """The public key that we have for this seat, as hex."""
        return None if self._key is None else self._key.public

    def hear(self, item: Json) -> bool:
        """Take notice of an item of the stream that shows a match; report whether lines are wanted that it leaves out.

        They are when it is the seat's turn, when something is said of it, and at the end.

        Raises:
            Untrue: The frame tells of a line that nobody may have written.
        """
        view = item["snapshot"] if "snapshot" in item else item["view"]
        if view["viewer"] is not None:
            self._seat = view["viewer"]
        self._has_key = self._has_key or any(
            one["seat"] == self._seat and one.get("key") is not None for one in view["seats"]
        )
        if not self._has_key or self._seat is None:
            return False
        if "snapshot" in item:
            return True
        if self._held.hear(item, [None, *self._as_signed()]):
            self._look()
            return False
        ours = item["event"].get("seat") == self._seat
        return ours or bool(view["moves"]) or view["phase"] == "finished"

    async def reach(self, version: int) -> None:
        """Hold all lines up to a version that the server has told of, and look at those of the own seat.

        Raises:
            Untrue: A line does not follow, or is not signed.
            AnotherHistory: The record does not hold what was signed, or shown.
            CannotDo: Nobody answers, or the record does not come to this version.
        """
        if self._has_key:
            await self._reach(version)

    async def record(self, version: int) -> bytes:
        """Return the lines of the match, at least up to a version that the server has told of; each is asked for once.

        A seat that signs nothing holds them for this alone, and looks whether those who sign have signed theirs.

        Raises:
            Untrue: A line does not follow, or is not signed.
            AnotherHistory: The record does not hold what was signed, or shown.
            CannotDo: Nobody answers, or the record does not come to this version.
        """
        await self._reach(version)
        return self._held.record

    async def _reach(self, version: int) -> None:
        async with self._reading:
            tries = 0
            while self._held.version < version:
                tries = 0 if await self._read() else tries + 1
                if tries == TRIES:
                    raise CannotDo("the record does not come as far as the table")

    async def _read(self) -> bool:
        """Take what lines there are now, as many as come at once; report whether some were new.

        It waits a little where none are, or where they are asked for too often.
        """
        held, after = self._held.version, self._held.before_last
        try:
            self._held.take(await self._lines(after), after)
        except CannotDo as trouble:
            if trouble.code != TOO_OFTEN:
                raise
            await asyncio.sleep(CALM_S)
            return False
        self._look()
        if self._held.version == held:
            await asyncio.sleep(AGAIN_S)
        return self._held.version > held

    def answered(self, version: int) -> None:
        """Take notice of what an accepted command led to: its player has seen that."""
        self._seen = max(self._seen, version)

    @asynccontextmanager
    async def signed(self, command: Json, view: Json | None, *, newest: bool = False) -> AsyncIterator[Json]:
        """Lend a command as it is to be sent: signed, where the seat has a key; nothing else is signed meanwhile.

        Args:
            command: What is asked for.
            view: What its player sees.
            newest: Whether it is signed over all that is held, since no player has to see what it hangs on.

        Raises:
            Untrue: The record does not hold.
            AnotherHistory: It does not hold what was signed, or shown.
            CannotDo: The key is not here, nor is room to keep what it signs, the table has gone on meanwhile, or nobody
                answers.
        """
        if not self._has_key:
            yield command
            return
        asked = spoken(command, view)
        if asked["type"] not in FORMS:
            yield asked
            return
        async with self._asking:
            shown = 0 if view is None else int(view["version"])
            await self.reach(max(shown, self._seen))
            signed = await self._sign(asked, self._held.version if newest else max(shown, self._seen))
            try:
                yield signed
            except CannotDo as no:
                self._keep_refusal(no)
                raise

    # ---- what is signed ----------------------------------------------------------------------------

    async def _sign(self, command: Json, version: int) -> Json:
        own, key = self._own(), self._key
        if own is None or self._seat is None:
            return command
        if key is None or self.shield == "lost":
            raise CannotDo("this device does not have the key of the seat", "lost_key")
        signing = self._held.signing
        if not signing.has_seen_enough(version):
            raise CannotDo("the table has gone on meanwhile", "version_passed")
        public, body, more = await self._public(command)
        n = own.n + 1
        message = message_for(signing, self._match, self._seat, n, version, public)
        sig = self._signer(key).sign(message).hex()
        # A crash behind this line leaves a command that was signed and may never be sent: the next has its number.
        signed = replace(key, last=SignedLast(n, version, public, message.hex(), sig, more))
        self._file.keep(signed)
        self._key = signed
        return {**body, "signed": {"n": n, "version": version, "sig": sig, **more}}

    def _keep_refusal(self, no: CannotDo) -> None:
        """Keep what the log has signed of a command that was refused, beside the command."""
        for last in self._as_signed() if no.refusal is not None else ():
            command = KeptCommand(f"match/{self._sitting.match}", msgspec.convert(last, Signed))
            # Where a disk is full they are kept with the next receipt.
            with suppress(OSError):
                self._sitting.kept.keep_refusal(str(command), no.refusal or "")

    def _signer(self, key: KeptKey) -> Ed25519Signer:
        if self._signs is None or self._signs[0] != key.secret:
            self._signs = (key.secret, key.signer())
        return self._signs[1]

    async def _public(self, command: Json) -> tuple[Json, Json, Json]:
        """Return a command in its public form, as it is sent, and what goes with its signature."""
        kind = command["type"]
        if kind == ARRANGE:
            return await self._public_handling(command)
        form = FORMS[kind]
        public = {name: command.get(name, UNSAID.get(name)) for name in (*form.same, *form.own)}
        return {"type": kind, **public}, command, {}

    async def _public_handling(self, command: Json) -> tuple[Json, Json, Json]:
        """Return a handling of dice: how many is said, and of which dice what everybody knows; the rest is sealed."""
        held = self._held.match()
        state = None if held is None else held.match.table
        place = None if state is None else state.place_of(self._seat or 0)
        if held is None or state is None or place is None:
            raise CannotDo("there are no dice to handle", "bad_dice")
        asked = as_thrown(state, msgspec.convert({**command, "seat": self._seat}, commands.Arrange))
        tally = plan_of(place, asked)
        if tally is None:
            raise CannotDo("these are not positions of dice", "bad_dice")
        deal = held.match.ceremony
        seals = any(one.choice is not None for one in place.handled)
        opened = OpenedSeals(await self._openings() if seals else [], deal)
        outside, taken = public_addresses(handful(place, opened), tally)
        positions = {
            "inside": list(tally.hides),
            "outside": list(tally.shows),
            "roll_inside": list(tally.rolls_inside),
            "roll_outside": list(tally.rolls_outside),
        }
        salt = draw(SALT_BYTES)
        public = {
            "type": ARRANGE,
            "cup": place.cup,
            "outside": to_builtins(outside),
            "taken": to_builtins(taken),
            "roll_inside": len(tally.rolls_inside),
            "roll_outside": len(tally.rolls_outside),
            "sealed": seal_positions(salt, positions),
        }
        return public, {"type": ARRANGE, **positions}, {"salt": salt.hex()}

    # ---- what stands of the seat -------------------------------------------------------------------

    def _own(self) -> SigningSeat | None:
        return None if self._seat is None else self._held.signing.seats.get(self._seat)

    def _as_signed(self) -> list[Json]:
        """Return the last command that was signed, as its line has it."""
        last = None if self._key is None else self._key.last
        if last is None:
            return []
        return [{"command": last.command, "n": last.n, "seat": self._seat, "sig": last.sig, "version": last.version}]

    def _look(self) -> None:
        """Hold what the record says of the seat against what we have signed."""
        own, key = self._own(), self._key
        if key is not None and self._seat in self._held.joined and not self._own_join_seen:
            self._own_join_seen = True
            self._check_join(key, self._held.joined[self._seat])
        if own is None:
            self.shield = "none"
            return
        if key is None:
            self._key = key = signing_key_of(self._sitting)
        self.shield = shield_of(own, key)
        if self.shield == "signed":
            self._go_on(own, key)

    def _check_join(self, key: KeptKey, data: Json) -> None:
        if key.joined is None:
            return
        if (data.get("key"), data.get("name")) != (key.joined, key.committed_name):
            raise Untrue("join", seat=str(self._seat))

    def _go_on(self, own: SigningSeat, key: KeptKey) -> None:
        """Take the number and the message of the newest of our lines; there can be no fewer of them than before."""
        if own.n < key.n or (own.n == key.n and own.before.hex() != key.before):
            raise AnotherHistory(f"the record lacks what seat {self._seat} had signed; {self._file.file} says what")
        if own.n > key.n:
            self._key = replace(key, n=own.n, before=own.before.hex())
            # Where a disk is full it is found in the record again.
            with suppress(CannotDo):
                self._file.keep(self._key)


class OpenedSeals:
    """Opens the sealed choices of a seat, given the openings of its dice: the keys of their blind slots are in them."""

    def __init__(self, openings: list[Json], deal: Ceremony | None) -> None:
        """Open what was sealed in this deal with these openings."""
        self._mix = b"" if deal is None or deal.mix is None else deal.mix
        self._keys: dict[tuple[CupId, RollNumber, Slot], bytes] = {
            (one["cup"], one["roll"], slot): bytes.fromhex(key)
            for one in openings
            if deal is not None and one.get("deal") == deal.deal
            for slot, key in one["keys"]
        }

    def seal_of(self, choice: Choice, cup: CupId, slot: Slot) -> str:
        """Return the hex of what fixes a choice; of nothing, where its key is not among the openings."""
        key = self._keys.get((cup, choice.roll, slot))
        return "" if key is None else choices.seal(choice, key, self._mix, cup, slot).hex()

    def unseal(self, seal: str, cup: CupId, slot: Slot, candidates: Iterable[Choice]) -> Choice | None:
        """Return the one of these choices that has this seal."""
        return next((choice for choice in candidates if self.seal_of(choice, cup, slot) == seal), None)


def shield_of(own: SigningSeat, key: KeptKey) -> Shield:
    """Return whether a seat that has a key is signed for with ours."""
    if key_of(own, ed25519_verify) == key.public:
        return "signed"
    named = next((each.key for each in own.named if each.decided_by is None), None)
    return "waits" if named == key.public else "lost"


def spoken(command: Json, view: Json | None) -> Json:
    """Return what words ask for, as the house would read them; all else as it is.

    Raises:
        CannotDo: Nobody can tell what they ask for.
    """
    if command["type"] != SAY or view is None:
        return command
    try:
        # What is offered is not read: words say what somebody wants, and the rules whether it may be.
        asked = parse_command(msgspec.convert({**view, "moves": (), "hosting": None}, View), command["text"])
    except NotUnderstood as unsaid:
        raise CannotDo(f"the table does not understand this; {unsaid}", "not_understood") from unsaid
    found: Json = to_builtins(asked)
    return {name: said for name, said in found.items() if name != "seat"}
