"""A house whose interface decides nothing, as that of a node without the dealer's role: all it does is handed over."""

from __future__ import annotations

import asyncio
from typing import Any

from infra.handoff.memory import MemoryHandoff
from infra.store import EventStore
from services.dealer.handoff.commentary.comment_desk import CommentDesk
from services.dealer.handoff.desk import Desk
from services.dealer.handoff.event_desk import EventDesk
from services.dealer.handoff.remote import Dealers
from services.dealer.handoff.remote_tournaments import RemoteTournaments
from services.dealer.handoff.season_desk import SeasonDesk
from services.program.seasons import beyond_elsewhere
from tests.director.house import EventHouse


def desk_of(house: EventHouse, handoff: MemoryHandoff) -> Desk:
    """Return the desk of a dealer of this house."""
    beyond = SeasonDesk(house.seasons, house.players)
    events = EventDesk(house.tournaments, house.matches.seat_at, beyond)
    return Desk(handoff, house.matches, events, beyond, CommentDesk(house.comments))


class RemoteHouse(EventHouse):
    """A house with a dealer, whose interface is that of another node; without one, where that is `alone`."""

    def __init__(self, store: EventStore, *, alone: bool = False) -> None:
        super().__init__(store)
        self._handoff = MemoryHandoff()
        if not alone:
            asyncio.run(self._handoff.take(desk_of(self, self._handoff).answer))

    def parts(self) -> dict[str, Any]:
        """Return what the interface needs, over the handoff."""
        dealers = Dealers(self._handoff)
        remote = RemoteTournaments(self.store, dealers)
        beyond = beyond_elsewhere(self.store, dealers, remote.shown, self.matches)
        return {**super().parts(), "tournaments": remote, "seats": remote, **beyond}
