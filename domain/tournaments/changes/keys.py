"""Changes of the keys of entrants."""

from __future__ import annotations

from msgspec.structs import replace

from domain.fairness.signing.entrants import EntrantKey
from domain.ids import UnixMs
from domain.tournaments import events
from domain.tournaments.changed import entrant_changed
from domain.tournaments.tournament import Tournament


def on_keyed(tournament: Tournament, event: events.PlayerKeyed, at: UnixMs) -> Tournament:
    """Return the tournament after a word on a key: the entrant's own, or one that a host has named."""
    seq, before = tournament.seq, tournament.entrants[event.number].keyed
    if before is None:
        after = EntrantKey(event.key, 0, seq, ((seq, event.key),))
    elif event.signed is None:
        after = replace(before, line=seq, named=(event.key, at))
    else:
        changed = () if event.key == before.key else ((seq, event.key),)
        after = EntrantKey(event.key, event.signed.n, seq, (*before.held, *changed))
    return entrant_changed(tournament, event.number, keyed=after)
