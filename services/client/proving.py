"""The dice of one's own seat, recomputed from their openings and held against what the server shows.

`services/web/static/client/proving.js` does the same on a page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, Literal

import msgspec

from domain.events import Revealed
from domain.fairness.dealing import Open
from domain.fairness.faults import Fault
from domain.fairness.openings import verify_opening
from domain.ids import Seat
from domain.table.state import PASSED_CUP
from services.client.records import Untrue, deal_of
from services.client.seating import Sitting

Json = dict[str, Any]
Proof = Literal["none", "checking", "verified", "kept"]
"""`kept` says what only the reveal proves: which dice one kept."""
CALM_S: Final = 0.08
"""What one command leads to comes as several events; only what they come to is looked at."""
AGAIN_S: Final = 1.5
AGAIN_TIMES: Final = 8
"""So often are dice that differ looked at again: news of a round may be later than their openings."""
THROWS: Final = frozenset({"cup.rolled", "game.arranged"})
"""After these, dice that look as before may be others."""


class Proving:
    """Keeps a mark beside one's dice true.

    Attributes:
        proof: What is known of the dice that lie there now.
    """

    def __init__(
        self, sitting: Sitting, record: Callable[[str], Awaitable[bytes]], openings: Callable[[], Awaitable[list[Json]]]
    ) -> None:
        """Check the dice of this seat, asking for the record of its match, or of its board, and for its openings."""
        self.proof: Proof = "none"
        self._sitting = sitting
        self._record = record
        self._openings = openings
        self._deals: dict[int, Open] = {}
        self._throws = 0
        self._key: tuple[Any, ...] = ()
        self._size: tuple[tuple[int, int], int] = ((-1, -1), 0)

    def hear(self, view: Json, event: str) -> bool:
        """Take notice of a view and of the type of the event that led to it; report whether there is more to check."""
        self._throws += event in THROWS
        faces = _hidden_faces(view)
        key = (view["deal"]["number"], view["round"], self._throws, *faces) if faces and view["deal"] else ()
        if key == self._key:
            return False
        self._key = key
        self.proof = "checking" if key else "none"
        return bool(key)

    async def check(self, view: Json) -> None:
        """Recompute the dice of a view that was heard last.

        Raises:
            Untrue: They are not those that were fixed before the deal.
            CannotDo: The server says no, or nobody answers.
        """
        key = self._key
        await asyncio.sleep(CALM_S)
        for _ in range(AGAIN_TIMES):
            if key != self._key:
                return
            proof = await self._prove(view)
            if proof != "none":
                self.proof = proof if key == self._key else self.proof
                return
            await asyncio.sleep(AGAIN_S)
        if key == self._key:
            raise Untrue("dice")

    async def _prove(self, view: Json) -> Proof:
        deal, seat = await self._deal(view), view["viewer"]
        if deal is None:
            return "none"
        first, many = view["faces"]
        own = view["rules"].get("board", {}).get("positions", {}).get(str(seat), seat)
        size = self._size_of(view)
        found: list[int] = []
        slots = 0
        for one in await self._openings():
            if one.get("deal") != deal.number or one["cup"] not in {own, PASSED_CUP}:
                continue
            values = _opened(one, deal, size, many)
            if values is None:
                return "none"
            slots += len(values)
            found += [value + first for slot, value in values if slot < size]
        if sorted(found) != sorted(_hidden_faces(view)):
            return "none"
        return "kept" if len(found) < slots else "verified"

    async def _deal(self, view: Json) -> Open | None:
        """Return the deal of a view; None if the record has not come so far."""
        number = int(view["deal"]["number"])
        if number not in self._deals:
            board = view["rules"].get("board")
            stream = f"match/{self._sitting.match}" if board is None else f"board/{board['id']}"
            deal = deal_of(await self._record(stream), stream, number, self._sitting.kept.policy)
            if deal.root.hex() != view["deal"]["root"]:
                raise Untrue("root", deal=str(number + 1))
            if deal.mix is None:
                return None
            self._deals = {number: deal}
        return self._deals[number]

    def _size_of(self, view: Json) -> int:
        """Return how many dice the place has in this round: of those that roll, it shows none."""
        now = (int(view["deal"]["number"]), int(view["round"]))
        before = self._size[1] if self._size[0] == now else 0
        self._size = (now, max(before, len(own_dice(view))))
        return self._size[1]


def own_dice(view: Json) -> list[Json]:
    """Return the dice of the viewer's place: those of the cup that is passed on, or its own."""
    seat: Seat | None = view["viewer"]
    dice: list[Json] = view["cup"] or next((one["dice"] for one in view["seats"] if one["seat"] == seat), [])
    return dice


def _hidden_faces(view: Json) -> list[int]:
    """Return those that the viewer knows and not everybody."""
    return [die["face"] for die in own_dice(view) if not die["shown"] and die["face"] is not None]


def _opened(one: Json, deal: Open, size: int, many: int) -> list[tuple[int, int]] | None:
    """Return what an opening shows, as (slot, value); None if anything does not fit."""
    assert deal.mix is not None, "the deal is ready"
    try:
        shown = msgspec.convert({member: one[member] for member in Revealed.__struct_fields__}, Revealed)
        # Slots behind the dice are not dice: the blind one of a sealed choice has but one face.
        moduli = {slot: many if slot < size else 1 for slot, _ in shown.keys}
        verify_opening(shown, deal.ctx, deal.root, deal.cups, deal.mix, moduli)
    except (Fault, LookupError, ValueError, StopIteration):
        return None
    return list(shown.values)
