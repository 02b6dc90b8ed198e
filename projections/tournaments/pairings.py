"""Pairings looked back at: what was known when a round was paired, and the certificate that anybody can check.

A tournament as it stands has moved on: results have come in, officials have ruled. What a round was paired from follows
from the lines up to the one that its pairing names, so whoever asks about it brings these lines.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.ids import UnixMs
from domain.tournaments.certificates import Certificate
from domain.tournaments.events import TablesPaired, TablesUnpaired, TournamentEvent
from domain.tournaments.evolve import evolve
from domain.tournaments.field import StageField
from domain.tournaments.formats.groups import GroupField
from domain.tournaments.formats.table import format_of
from domain.tournaments.pairing.pods.inputs import PairingInput, canonical, input_hash
from domain.tournaments.tournament import Place, Tournament

_HEAD: Final = ("stage", "round", "upto", "head", "roll", "byes")
"""Members of a certificate that stand in the line of the pairing itself."""


class PastPairing(Struct, frozen=True):
    """A pairing, with the tournament as it stood when it was made."""

    before: Tournament
    event: TablesPaired


def pairings_of(
    created: Tournament, happened: Iterable[tuple[TournamentEvent, UnixMs]]
) -> dict[Place, tuple[PastPairing, ...]]:
    """Return the pairings that stand, by stage and round: one, or one for each group.

    Of a round that was taken back, they are those that came instead; where some tables were, those come behind it.

    Args:
        created: The tournament after its first line.
        happened: Its other lines, in order, with their times in Unix milliseconds.
    """
    tournament, found = created, dict[Place, tuple[PastPairing, ...]]()
    for event, at in happened:
        if isinstance(event, TablesPaired):
            place = (event.stage, event.round)
            found[place] = (*found.get(place, ()), PastPairing(tournament, event))
        elif isinstance(event, TablesUnpaired) and event.tables is None:
            del found[event.stage, event.round]
        tournament = evolve(tournament, event, at)
    return found


def pairing_with(pairings: tuple[PastPairing, ...], number: int) -> PastPairing:
    """Return which of the pairings of a round has an entrant last, seated or resting; the first, if none has."""
    seated = (
        each
        for each in reversed(pairings)
        if number in each.event.byes or any(number in seats for _, seats in each.event.tables)
    )
    return next(seated, pairings[0])


def input_behind(pairing: PastPairing) -> PairingInput | None:
    """Return what a round was paired from by `pods/1`; None for other laws."""
    event = pairing.event
    field = StageField(pairing.before, event.stage)
    if event.group is not None:
        field = GroupField(field, event.group)
    chosen = format_of(field.rules)
    return None if event.certificate is None or chosen.paired_from is None else chosen.paired_from(field, event)


def certificate_of(pairing: PastPairing) -> Certificate | None:
    """Return the certificate of a pairing by `pods/1`, whole; None for other laws."""
    event = pairing.event
    if event.certificate is None:
        return None
    members: dict[str, Any] = {name: getattr(event, name) for name in _HEAD}
    members |= {"tournament": str(pairing.before.id), "tables": [list(seats) for _, seats in event.tables]}
    return msgspec.convert({**event.certificate, **members}, Certificate)


def certificate_file(pairing: PastPairing) -> bytes | None:
    """Return a certificate and its input as one file of JSON, which needs nothing else but the roll that was opened.

    It is what `domain.tournaments.certificates.check_file` reads; None for laws without a certificate.
    """
    certificate, value = certificate_of(pairing), input_behind(pairing)
    if certificate is None or value is None:
        return None
    assert input_hash(value) == certificate.input_hash, "it follows from the lines before"
    return b'{"certificate":' + msgspec.json.encode(certificate) + b',"input":' + canonical(value) + b"}\n"
