"""Seats with keys: players who sign what they ask for and draw their own seeds, and thieves who have all but the key.

The law of the file: whoever has a key goes by lines that he holds himself, and signs over the last of them. A thief has
the token of the seat, and whatever was ever signed for it; nothing that he asks for is taken.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final
from uuid import UUID

from msgspec import convert
from msgspec.structs import replace

from domain import commands
from domain.fairness.deal import seed_commitment
from domain.fairness.signing.forms import FORMS, OF_A_SEAT
from domain.fairness.signing.keyed_seats import CUSTODY
from domain.fairness.signing.messages import name_commitment
from domain.log import canonical
from domain.log.policies import policy_of
from domain.match.ceremony import Ceremony
from domain.match.record import stream_of
from domain.match.signed_commands import SeatSignature, public_form
from projections.view import View
from services.client.keys.held import HeldRecord
from services.client.records import deal_of
from services.matches.requests import NO_MARK, Answer, CommandMetadata, SeatMark, scope_of
from services.program.app import HouseProgram
from tests.domain.playing import commands_for
from tests.signed.hands import Hand
from tests.simulation.people import AGAIN_S, Crowd, GaveUp, Player, Reader
from tests.simulation.store import SharedStore

TRIES_MAX: Final = 20
"""How often a seat is asked for with a key, where somebody else is first."""
HANDS_IN: Final = 0.2
"""How likely a signed command is brought by somebody who has no seat."""
TWICE: Final = 0.2
"""How likely it comes once more under another key of its request, or none."""
THEFTS_MAX: Final = 3
LOOKS_S: Final = (0.0, 0.05)
OF_SEEDS: Final = ("seed.committed", "seed.opened")
NOTHING: Final = SeatSignature(0, 1, "")


class Keyed:
    """What a player has who draws the seeds of a seat, and signs for it as a rule: key, seeds, lines of the match.

    Attributes:
        signs: Whether the seat has a key.
        key: The public key, as hex.
        signed: Every signature that was made with it, and of which of the seat's commands.
        seeds: Every seed that was drawn for the seat, as hex.
        seat: The seat, once it is taken.
    """

    def __init__(self, crowd: Crowd, match_id: UUID, *, signs: bool) -> None:
        self.signs = signs
        self._crowd, self._match = crowd, match_id
        self._hand = Hand(match_id, crowd.chance.getrandbits(128))
        self._held = HeldRecord(str(match_id))
        self.key, self.signed, self.seeds = self._hand.key, dict[str, int](), set[str]()
        self.seat, self._in_custody = 0, False

    async def join(self, name: str) -> Answer | None:
        """Take a seat under this name, with the key."""
        salt = self._crowd.chance.randbytes(32)
        mark = SeatMark(self.key, salt.hex()) if self.signs else NO_MARK
        for _ in range(TRIES_MAX):
            await self.reach(self._held.version + 1)
            named = name_commitment(salt, name)
            signed = self._hand.sign_join(self._held.signing, "client", named)
            signature = self._made(signed) if self.signs else None

            async def does(program: HouseProgram, ask: CommandMetadata) -> Answer:
                return await program.matches().join(self._match, name, "client", ask, None, mark)

            seated = await self._crowd.command("join", None, does, signature=signature)
            if seated is not None:
                assert seated.seat is not None
                self.seat = self._hand.seat = seated.seat
                await self.reach(seated.version)
                return seated
        return None

    async def reach(self, version: int) -> None:
        """Hold the lines up to a version that the house has told of."""
        while self._held.version < version:
            held, after = self._held.version, self._held.before_last

            async def read(program: HouseProgram, after: int = after) -> list[bytes]:
                return await program.matches().lines(self._match, after, None)

            lines: list[bytes] = await self._crowd.ask(read)
            self._held.take(b"".join(line + b"\n" for line in lines), after)
            if self._held.version == held:
                self._crowd.check_time()
                await asyncio.sleep(self._crowd.chance.uniform(*AGAIN_S))

    def sign(self, command: commands.MatchCommand) -> SeatSignature | None:
        """Return the signature over a command; None over one that nobody signs."""
        public = _public(command)
        return None if public is None or not self.signs else self._made(self._hand.sign(self._held.signing, public))

    def _made(self, signed: dict[str, Any]) -> SeatSignature:
        self.signed[signed["sig"]] = signed["n"]
        return convert(signed, SeatSignature)

    def forge(self, command: commands.MatchCommand) -> list[SeatSignature]:
        """Return what whoever has no key may try: another key, and signatures of other commands of the seat."""
        public, other = _public(command), Hand(self._match, self._crowd.chance.getrandbits(128), self.seat)
        if public is None:
            return []
        forged = convert(other.sign(self._held.signing, public), SeatSignature)
        return [forged, *(replace(forged, sig=sig) for sig, n in self.signed.items() if n != forged.n)]

    def check(self, asked: set[bytes], store: SharedStore) -> None:
        """Hold what stands of the seat against what was done with its key: no act of others, no other seed."""
        for append in store.appended:
            if append.stream == stream_of(self._match):
                self._check_lines([canonical.decode(line) for line in append.lines], asked=append.command in asked)

    def _check_lines(self, lines: list[dict[str, Any]], *, asked: bool) -> None:
        stream, hold, own = stream_of(self._match), self._crowd.world.hold, list[str]()
        for line in (each for each in lines if each["data"].get("seat") == self.seat):
            kind = line["type"]
            self._in_custody = self._in_custody or kind == CUSTODY
            if kind in OF_A_SEAT or (kind in OF_SEEDS and not self._in_custody):
                own.append(kind)
            drawn = kind != "seed.opened" or self._in_custody or line["data"]["seed"] in self.seeds
            hold(drawn, f"{stream}: a seed of seat {self.seat} that its player has not drawn")
        signed: dict[str, Any] = (lines[0].get("signed") if lines else None) or {}
        by_key = signed.get("seat") == self.seat
        hold(not by_key or signed["sig"] in self.signed, f"{stream}: seat {self.seat} has a line that nobody signed so")
        hold(
            by_key or not self.signs or not own or not asked,
            f"{stream}: {own} of seat {self.seat}, which its key has not signed",
        )

    # ---- seeds ----------------------------------------------------------------------------------

    def awaited(self) -> Ceremony | None:
        """Return the deal that waits for something of this seat, as the lines have it; None where none does."""
        written = self._held.match()
        deal = None if written is None else written.match.ceremony
        return None if deal is None or self.seat not in deal.waiting_for else deal

    async def asked_by(self, deal: Ceremony) -> commands.CommitSeed | commands.OpenSeed:
        """Return what a deal waits for: a seed that is fixed, or shown once the log is known to hold the deal."""
        seed = hashlib.sha256(self._hand.signer.sign(deal.ctx + deal.root)).digest()
        self.seeds.add(seed.hex())
        if deal.stage == "committed":
            return commands.CommitSeed(
                self.seat, deal.deal, seed_commitment(seed, deal.ctx, deal.root, self.seat).hex()
            )

        async def policy(program: HouseProgram) -> str:
            return await program.published.policy_for(self._held.record)

        text = await self._crowd.ask(policy)
        found = deal_of(self._held.record, stream_of(self._match), deal.deal, policy_of(text))
        fixed = seed_commitment(seed, found.ctx, found.root, self.seat).hex()
        self._crowd.world.hold(found.commits[self.seat] == fixed, "a deal is sealed with another seed than was fixed")
        return commands.OpenSeed(self.seat, deal.deal, seed.hex())


class KeyedPlayer(Player):
    """Somebody who plays a seat with a key."""

    def __init__(self, crowd: Crowd, match_id: UUID, token: str, keyed: Keyed) -> None:
        super().__init__(crowd, match_id, token, keyed.seat, None)
        self._keyed = keyed
        self._given: set[tuple[int, str]] = set()

    async def _attend(self) -> None:
        """Give what a deal waits for."""
        await self._keyed.reach(self.reader.view.version)
        deal = self._keyed.awaited()
        if deal is None or (deal.deal, deal.stage) in self._given:
            return
        if await self._play(await self._keyed.asked_by(deal), None):
            self._given.add((deal.deal, deal.stage))

    async def _play(self, command: commands.MatchCommand, expected: int | None, seen: int = 0) -> bool:
        """Have it done over all lines that are held; now and then a stranger brings it, or it comes twice."""
        await self._keyed.reach(seen)
        signature = self._keyed.sign(command)
        if signature is None:
            return await super()._play(command, expected, seen)
        chance, kind = self._crowd.chance, type(command).__name__
        handed_in = expected is None and chance.random() < HANDS_IN
        signature = replace(signature, seat=self._seat)

        async def does(program: HouseProgram, ask: CommandMetadata) -> Answer:
            if handed_in:
                return await program.matches().hand_in(self._match, command, ask)
            return await program.matches().for_token(self._token).submit(self._match, command, ask)

        token = None if handed_in else self._token
        answer = await self._crowd.command(kind, token, does, expected, seen=seen, signature=signature)
        if answer is None:
            return False
        await self._keyed.reach(answer.version)
        if chance.random() < TWICE:
            await self._bring_again(kind, command, signature, answer)
        return True

    async def _bring_again(
        self, kind: str, command: commands.MatchCommand, signature: SeatSignature, answer: Answer
    ) -> None:
        """Bring what was taken under another key: it is the same command."""
        ask = CommandMetadata(scope_of(self._token), self._crowd.key(), b"again", signature=signature)

        async def brought(program: HouseProgram) -> Answer:
            bearer = await self._crowd.bearer(program, self._token)
            there = program.matches().for_token(self._token)
            return await there.submit(self._match, command, replace(ask, holder=bearer.holder))

        again = await self._crowd.ask(brought)
        same = (again.version, again.head) == (answer.version, answer.head)
        self._crowd.world.hold(same, f"a signed {kind} that came twice was done twice")


class Thief:
    """Somebody who has the token of a seat, and all that was signed for it, but not its key."""

    def __init__(self, crowd: Crowd, match_id: UUID, token: str, keyed: Keyed, reader: Reader) -> None:
        """Steal from this seat, whose player's screen is seen as well."""
        self._crowd, self._match, self._token = crowd, match_id, token
        self._keyed, self._reader = keyed, reader

    async def run(self) -> None:
        """Ask for what the seat may do, whenever it is its turn, some times."""
        left = THEFTS_MAX
        with suppress(GaveUp):
            while left and not self._reader.ended:
                await asyncio.sleep(self._crowd.chance.uniform(*LOOKS_S))
                self._crowd.check_time()
                if self._reader.view.turn == self._keyed.seat:
                    left -= 1
                    await self._steal_turn()

    async def _steal_turn(self) -> None:
        async def look(program: HouseProgram) -> View:
            bearer = await self._crowd.bearer(program, self._token)
            return await program.matches().for_token(self._token).view(self._match, bearer.holder)

        view: View = await self._crowd.ask(look)
        if view.moves:
            chance = self._crowd.chance
            await self._steal(chance.choice(commands_for(self._keyed.seat, chance.choice(view.moves))))

    async def _steal(self, command: commands.Play) -> None:
        kind, token = type(command).__name__, self._token

        async def does(program: HouseProgram, ask: CommandMetadata) -> Answer:
            return await program.matches().for_token(token).submit(self._match, command, ask)

        forged = self._crowd.chance.choice([None, *self._keyed.forge(command)])
        done = await self._crowd.command(kind, token, does, signature=forged)
        self._crowd.world.hold(done is None, f"a {kind} was taken that the key of its seat has not signed")


def _public(command: commands.MatchCommand) -> Mapping[str, Any] | None:
    public = public_form(command, NOTHING, None)
    return public if public is not None and public["type"] in FORMS else None
