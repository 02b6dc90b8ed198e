"""Replays: frames made again from the log, a page at a time; those of spectators are made once for all of them.

A frame is the same bytes whoever makes it and whenever, so a page of them that nobody can add to is good until the name
of somebody in it is erased. Only spectators' pages are kept: what a seat sees is made for that seat, after it is on
record that it is served.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import islice
from typing import Final, Protocol
from uuid import UUID

from cachetools import LRUCache
from msgspec import Struct

from domain.events import type_of
from domain.fairness.openings import DealSecrets
from domain.ids import Seat, Version
from domain.match.evolve import Match
from domain.match.record import MatchAtHead, stream_of
from projections.frames import encode_frame
from projections.glass import ALL, Eyes, Glass, frames_through, released, take, unfrozen
from projections.history import frames_of
from projections.served_dice import dice_of_view
from services.matches.reads.access_log import AccessLog
from services.matches.reads.milestones import SPACING, Milestones
from services.matches.reads.names import NameCache, erasable_in
from services.matches.watching.late_pages import LatePages
from services.matches.watching.named_pages import NOTHING_KEPT, NamedPage, NamedPages
from services.work.single_flight import Once

PAGE: Final = SPACING
"""Frames of a page: it begins at a milestone, so nothing is folded for it but its own lines."""
BYTES_MAX: Final = 16 * 1_024 * 1_024
"""What all pages come to at most: some 6,000 frames of three seats, or 2,000 of twelve."""

GLASS_MAX: Final = 32
"""Matches through whose cups somebody looked lately, some 100 kB each where no deal has published its secret."""


class LateTelling(Struct, frozen=True):
    """What some lines of a match tell.

    Attributes:
        glass: The dice that they publish.
        released: Up to which version a caster is shown the match by then.
        last: The match after the last of them, from which more of it is told; None before the first.
    """

    glass: Glass
    released: Version
    last: MatchAtHead | None


_NOTHING_TOLD: Final = LateTelling({}, 0, None)


class DealSecretsSource(Protocol):
    """The secrets of deals, in programs that hold the key."""

    async def keeper(self, match: Match) -> DealSecrets | None:
        """Return the keeper of the match's current deal, if it has one."""


class Replays:
    """The frames of all matches, at any version. Without `private` there are only those of spectators."""

    def __init__(
        self, milestones: Milestones, names: NameCache, ledger: AccessLog, private: DealSecretsSource | None
    ) -> None:
        """Fold matches by these milestones, and put on this ledger what seats are served."""
        self._milestones = milestones
        self._names = names
        self._ledger = ledger
        self._private = private
        self._once = Once()
        self._pages: NamedPages[tuple[UUID, int]] = NamedPages(BYTES_MAX, names.of_all)
        self._glass: LRUCache[tuple[UUID, Version], LateTelling] = LRUCache(GLASS_MAX)
        self._furthest: LRUCache[UUID, LateTelling] = LRUCache(GLASS_MAX)
        self.late = LatePages(partial(self._through, ALL), names.of_all)

    async def frames(self, match: Match, seat: Seat | None, after: int, limit: int) -> list[bytes]:
        """Return at most `limit` frames of this viewer with versions above `after`, ascending, up to that of the match.

        Cost: for a spectator the pages that are not kept, up to 15 frames more than asked for at either end; for a seat
        each frame. The first who asks for a match pays for the fold of all lines before.
        """
        upto = min(after + limit, match.version)
        if seat is not None:
            return await self._for_seat(match.id, seat, after, upto) if after < upto else []
        found: list[bytes] = []
        for start in range(after - after % PAGE, upto, PAGE):
            page = await self._page(match.id, start, min(start + PAGE, match.version))
            found += page[max(0, after - start) : upto - start]
        return found

    async def through(self, match_id: UUID, eyes: Eyes, after: int, upto: Version, told: Version) -> list[bytes]:
        """Return the frames after a version up to another, with the dice that these eyes see through glass.

        Args:
            match_id: The match.
            eyes: Whose cups are of glass.
            after: The version behind which they begin.
            upto: The last of them.
            told: How many lines may tell what a die was.

        Cost: the fold of all those lines once for all who ask lately; then each frame.
        """
        return (await self._through(eyes, match_id, after, upto, told)).frames if after < upto else []

    async def _through(self, eyes: Eyes, match_id: UUID, after: int, upto: Version, told: Version) -> NamedPage:
        glass = (await self.looked(match_id, told)).glass
        steps = await self._milestones.steps(stream_of(match_id), after, upto - after + 1)
        names = await self._names.of(written.match for written, _ in steps)
        frames = islice(frames_through(steps, glass, eyes, names), upto - after)
        made = await self._milestones.pace.collect(map(encode_frame, frames))
        return NamedPage(made, erasable_in(written.match for written, _ in steps), names)

    async def looked(self, match_id: UUID, told: Version) -> LateTelling:
        """Return what the first lines of a match tell to whoever comes late.

        Cost: a step for each line behind those that were looked at before.
        """
        found = self._glass.get((match_id, told))
        if found is None:
            found = await self._once.get((match_id, "glass", told), partial(self._look, match_id, told))
            self._glass[match_id, told] = found
        return found

    async def _look(self, match_id: UUID, told: Version) -> LateTelling:
        before = self._furthest.get(match_id)
        if before is None or before.last is None or before.last.match.version > told:
            before = _NOTHING_TOLD
        glass, upto, last = unfrozen(before.glass), before.released, before.last
        async for steps in self._milestones.walk(stream_of(match_id), last):
            for written, event in steps:
                match = written.match
                if match.version > told:
                    break
                take(glass, match, event)
                late = released(type_of(event), match.version, 0 if match.table is None else match.table.round_number)
                upto, last = late or upto, written
            if last is None or last.match.version == told:
                break
        found = LateTelling(glass, upto, last)
        if before is not _NOTHING_TOLD or match_id not in self._furthest:
            self._furthest[match_id] = found
        return found

    async def _page(self, match_id: UUID, start: int, end: int) -> list[bytes]:
        """Return spectators' frames behind version `start`, a multiple of the page, up to `end` at least."""
        kept = await self._pages.get((match_id, start)) or NOTHING_KEPT
        if start + len(kept.frames) < end:
            return await self._once.get(
                (match_id, start, end), partial(self._continue_page, match_id, start, end, kept)
            )
        return kept.frames

    async def _continue_page(self, match_id: UUID, start: int, end: int, kept: NamedPage) -> list[bytes]:
        """Return a page that goes on up to `end`, and keep it."""
        after = start + len(kept.frames)
        steps = await self._milestones.steps(stream_of(match_id), after, end - after + 1)
        names = await self._names.of(written.match for written, _ in steps)
        # The one behind them tells whether the last of them is the last of its command.
        made = (encode_frame(frame) for _, frame in islice(frames_of(steps, None, {}, names), end - after))
        more = await self._milestones.pace.collect(made)
        page = kept.followed_by(NamedPage(more, erasable_in(written.match for written, _ in steps), names))
        self._pages.keep((match_id, start), page)
        return page.frames

    async def _for_seat(self, match_id: UUID, seat: Seat, after: int, upto: int) -> list[bytes]:
        """Return the frames of a seat, once all hidden dice in them are on record as served to it."""
        steps = await self._milestones.steps(stream_of(match_id), after, upto - after + 1)
        keepers = await self.keepers(written.match for written, _ in steps)
        names = await self._names.of(written.match for written, _ in steps)
        pace = self._milestones.pace
        found = await pace.collect(islice(frames_of(steps, seat, keepers, names), upto - after))
        for match, served in await pace.collect((match, tuple(dice_of_view(match, one.view))) for match, one in found):
            await self._ledger.ensure_recorded(match, served)
        return await pace.collect(encode_frame(frame) for _, frame in found)

    async def keepers(self, matches: Iterable[Match]) -> dict[int, DealSecrets]:
        """Return the keeper of each deal whose dice are known at one of these versions, as far as there is one here."""
        found: dict[int, DealSecrets] = {}
        for match in matches:
            deal = match.ceremony
            if deal is not None and deal.mix is not None and deal.deal not in found and self._private is not None:
                keeper = await self._private.keeper(match)
                if keeper is not None:
                    found[deal.deal] = keeper
        return found
