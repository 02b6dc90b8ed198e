"""Decisions about keys of entrants: who may say which, and when.

Whether a signature is good is asked of whoever can verify (`domain.fairness.signing.entrants.is_signed`).

Source: CUP/1 sections 4.14.4 and 4.14.8.
"""

from __future__ import annotations

from domain.errors import Refused
from domain.fairness.signing.entrants import EntrantKey, KeySignature
from domain.tournaments import commands, events
from domain.tournaments.deciding.course import TournamentCourse
from domain.tournaments.tournament import Tournament

PHASES = ("entry", "check_in", "drawing", "running")
"""While somebody may still be seated."""


def take_key(course: TournamentCourse, command: commands.TakeKey) -> None:
    """Register the key of an entrant before the first table of it; change it, or hold on to it, at any time."""
    entrant, signed = course.entrant(command.number), command.signed
    if entrant.player != command.by:
        raise Refused("not_yours")
    course.check_phase(*PHASES)
    held = entrant.keyed
    if held is None and _is_seated(course.tournament, command.number):
        raise Refused("too_late")
    _check_free(course.tournament, command.number, command.key)
    _check_place(course.tournament, held, signed)
    if not (signed.key == command.key if held is None else held.may_sign(signed.key, command.key, course.at)):
        raise Refused("bad_signature", why="head_or_key")
    course.add(events.PlayerKeyed(command.number, command.key, command.by, signed))


def name_key(course: TournamentCourse, command: commands.NameEntrantKey) -> None:
    """Name a key for an entrant who has one; a later one replaces it."""
    course.check_host(command.by)
    held = course.entrant(command.number).keyed
    course.check_phase(*PHASES)
    if held is None:
        raise Refused("no_key", number=command.number)
    if command.key == held.key:
        raise Refused("key_taken", number=command.number)
    _check_free(course.tournament, command.number, command.key)
    course.add(events.PlayerKeyed(command.number, command.key, command.by))


def _is_seated(tournament: Tournament, number: int) -> bool:
    """Report whether a table has, or had, this entrant."""
    rounds = [held for stage in tournament.stages for held in stage.rounds.values()]
    return any(number in table.seats for held in rounds for table in held.tables.values())


def _check_free(tournament: Tournament, number: int, key: str) -> None:
    for other, entrant in tournament.entrants.items():
        if other != number and entrant.keyed is not None and key in entrant.keyed.taken:
            raise Refused("key_taken", number=other)


def _check_place(tournament: Tournament, held: EntrantKey | None, signed: KeySignature) -> None:
    """Check that it is the entrant's next word, and that the last line about the own key was seen."""
    if signed.n != (0 if held is None else held.n + 1):
        raise Refused("bad_signature", why="n")
    seen = 0 if held is None else held.line + 1
    if not seen <= signed.version <= tournament.version:
        raise Refused("bad_signature", why="version")
