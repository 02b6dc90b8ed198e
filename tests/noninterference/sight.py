"""Public side of a match as its lines tell it: its dice, who knows which of them, and which lie hidden."""

from __future__ import annotations

from domain import events
from domain.match.evolve import Match
from domain.match.record import fold
from tests.domain.swapped_dice import Watched, Where
from tests.noninterference.dice import Keepers, keeper_among


class Seen(Watched):
    """A match as its lines tell it, with all that is public of its dice."""

    def __init__(self, keepers: Keepers, lines: list[bytes]) -> None:
        self.shown: set[Where] = set()
        self.counted: dict[Where, set[int]] = {}
        self.parity: set[Where] = set()
        self.events: list[events.Event] = []
        self.keeper = None
        self.contexts: set[bytes] = set()
        self.known: dict[int | None, set[Where]] = {}
        before: Match | None = None
        for written, event in fold(lines):
            self.match, self.head = written.match, written.head
            if keepers and before is not None:
                self.keeper = keeper_among(keepers, before)
                self.note(before, event)
                self.keeper, deal = keeper_among(keepers, self.match), self.match.ceremony
                if (
                    self.keeper is not None
                    and deal is not None
                    and deal.mix is not None
                    and self.match.table is not None
                ):
                    self.note_looks(self.match)
                    for seat in self.match.seated:
                        self.known.setdefault(seat, set()).update(super().known_to(seat))
            before = self.match
            if before.ceremony is not None:
                self.contexts.add(before.ceremony.ctx if self.keeper is None else self.keeper.deal.ctx)
            self.events.append(event)

    def hidden_from(self, *viewers: int | None) -> set[Where]:
        """Return the dice that nobody has shown and none of these may know."""
        return self.rolled - self.shown.union(*map(self.known_to, viewers))

    def known_to(self, viewer: int | None) -> set[Where]:
        """Return the hidden dice that a viewer may know now or might have known before."""
        return self.known.get(viewer, set())
