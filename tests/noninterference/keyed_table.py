"""A table in an observed house at which seats have keys: they sign what they ask for, and bring seeds of their own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, Final
from uuid import UUID

from msgspec import convert
from msgspec.structs import replace

from domain import commands, events
from domain.errors import Refused
from domain.fairness.deal import seed_commitment
from domain.fairness.signing.forms import FORMS
from domain.fairness.signing.messages import name_commitment
from domain.match.decide import decide
from domain.match.evolve import Match
from domain.match.record import MatchAtHead
from domain.match.signed_commands import SeatSignature, public_form
from tests.attack.watched_house import Told
from tests.noninterference.course import Act, Table, made
from tests.noninterference.dice import keeper_among
from tests.signed.hands import Hand

SALT: Final = "5a" * 32


class KeyedTable(Table):
    """A match in which every second seat has a key, and brings its own seeds.

    Attributes:
        hands: The hand of each seat that signs.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.hands: dict[int, Hand] = {}
        self._given: dict[tuple[str, str], Told] = {}

    async def _join(self, told: dict[str, Any], number: int) -> dict[str, Any]:
        if number % 2:
            return await super()._join(told, number)
        hand, name = Hand(UUID(self.match), number), name_commitment(bytes.fromhex(SALT), told["name"])
        signed = hand.sign_join(self._at_head().signing, "client", name)
        keyed = {"custody": "client", "key": hand.key, "salt": SALT, "signed": signed}
        joined = await super()._join({**told, **keyed}, number)
        hand.seat = joined["seat"]
        self.hands[joined["seat"]] = hand
        return joined

    def _at_head(self) -> MatchAtHead:
        self._read_on()
        assert self._written is not None
        return self._written

    # ---- playing --------------------------------------------------------------------------------

    async def _do(self, act: Act, answers: dict[tuple[str, str], Told]) -> None:
        answers |= self._given
        self._given.clear()
        await super()._do(self._signed(act), answers)

    def _signed(self, act: Act) -> Act:
        """Return what is asked for with its signature, where it takes one and is what can be signed."""
        command, hand = act.command, self.hands.get(act.who) if isinstance(act.who, int) else None
        if command is None or hand is None:
            return act
        tag = str(type(command).__struct_config__.tag)
        if tag not in FORMS and not isinstance(command, commands.Forfeit):
            return act
        salted = {}
        first: events.Event | None = None
        if isinstance(command, commands.Arrange):
            salted = {"salt": hashlib.sha256(f"salt {self._number}".encode()).hexdigest()}
            first = self._first_event(command)
        written = self._at_head()
        unsigned = convert({"n": 0, "version": 1, "sig": "0" * 128, **salted}, SeatSignature)
        public = public_form(command, unsigned, first)
        if public is None:
            return act
        return replace(act, body={**act.body, "signed": {**hand.sign(written.signing, public), **salted}})

    def _first_event(self, command: commands.Arrange) -> events.Event | None:
        """Return what a command would lead to, as its seat knows it from its own dice; None where it is refused."""
        match = self._at_head().match
        try:
            return decide(match, command, match.at, keeper_among(self._house.dice.keepers, match)).events[0]
        except Refused:
            return None

    async def _meanwhile(self, match: Match) -> None:
        """Let every seat that draws its own seeds give what is waited for."""
        deal = match.ceremony
        for seat in () if deal is None else [each for each in deal.waiting_for if each in self.hands]:
            assert deal is not None
            seed = hashlib.sha256(f"seed {self.plan.seed} {deal.deal} {seat}".encode()).digest()
            command: commands.CommitSeed | commands.OpenSeed = commands.OpenSeed(seat, deal.deal, seed.hex())
            if deal.stage == "committed":
                commit = seed_commitment(seed, deal.ctx, deal.root, seat).hex()
                command = commands.CommitSeed(seat, deal.deal, commit)
            told = await self._post(f"{self.path}/commands", self._signed(Act.of(command)).body, seat)
            self._given[f"{deal.deal} {deal.stage}", str(seat)] = told
            assert made(told)

    # ---- looking --------------------------------------------------------------------------------

    def _glances(self, *, is_last: bool) -> Iterator[tuple[int | str, str, str]]:
        yield from super()._glances(is_last=is_last)
        seat = self.people[(len(self.moments) + 1) % len(self.people)]
        # As a seat's own program does, which holds its dice against what was fixed.
        yield seat, "openings", f"{self.path}/openings"
        yield seat, "folded", f"{self.path}/openings/folded"
        yield from (("outsider", what, f"{self.path}/{what}") for what in ("lines", "names"))
