"""Works of a dealer that nobody waits for: what has ended is kept in less room, what was played is screened."""

from __future__ import annotations

from collections.abc import Coroutine

from infra.store.postgres import PostgresStore
from services.dealer.archivist import Archivist
from services.local.child import die_with_parent
from services.matches.secrets.tokens import TokenIssuer
from services.relay.tail import LogTail
from services.tournaments.reads import TournamentQueries
from services.tournaments.screening.screener import Screener
from services.work.failures import Stuck
from services.work.worker import Worker


def works_aside(
    store: PostgresStore, tail: LogTail, held: TournamentQueries, tokens: TokenIssuer, after_s: int, stuck: Stuck
) -> list[Coroutine[None, None, None]]:
    """Return these works; a match is archived so many seconds after its end."""
    screener = Screener(tail, store, held, tokens, tail.bell(), Worker(die_with_parent), stuck)
    return [Archivist(store, after_s).run(), screener.run()]
