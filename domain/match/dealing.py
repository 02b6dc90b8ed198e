"""Deals of a match: the steps of the ceremony that somebody asks for, and what ends a deal before its time.

Steps that follow of themselves, such as the seal, are in `domain.match.following`.
"""

from __future__ import annotations

from typing import Literal

from domain import commands, events
from domain.fairness.deal import context
from domain.ids import Seat
from domain.match import ceremony as ceremonies
from domain.match.course import Course
from domain.match.dues import beacon_due_at, seed_due_at
from domain.match.evolve import Match, seats_in
from domain.table import decide as table


def begin_deal(course: Course, chance: commands.Chance) -> None:
    """Begin a deal: commit its dice, with what is drawn for seats in custody."""
    # Custody stands in the log before the deal does, so that the seeds drawn below are drawn for all who are in it.
    course.add(*_custody_changes(course.match))
    match = course.match
    cups = table.deal_cups(course.table, match.settings.deal_per)
    ctx = context(match.id.bytes, match.deals, match.rules_hash, match.policy, cups)
    custody = tuple(seat for seat in seats_in(match) if match.seated[seat].custody)
    keeper = course.keeper = chance.deal_secrets(match.deals, ctx, cups, custody)
    # The secret is stored in one transaction with the commitment (CUP/1 section 4.11): a crash between the two would
    # leave a deal that nobody can close, `E_WITHHELD` for ever.
    course.secrets[f"deal/{keeper.number}"] = keeper.secret
    course.secrets.update({f"seed/{keeper.number}/{seat}": seed for seat, seed in keeper.seeds.items()})
    course.add(ceremonies.commit_deal(keeper))


def _custody_changes(match: Match) -> tuple[events.SeedCustody, ...]:
    """Return whose seeds others draw from the next deal on.

    Seats that have used up their time for seeds are spared the next ones, but for those that sign: theirs the server
    draws only once they were due. Where a house bot stands in, the server draws them, and the player again who has come
    back.
    """
    changes = []
    for seat in seats_in(match):
        who, spent = match.seated[seat], _has_spent_seed_time(match, seat)
        if who.lent and not who.stand_in and not spent:
            changes.append(events.SeedCustody(seat, "client"))
        elif not who.custody and (who.stand_in or (spent and who.key is None)):
            changes.append(events.SeedCustody(seat, "server"))
    return tuple(changes)


def _has_spent_seed_time(match: Match, seat: Seat) -> bool:
    idle, absence = match.settings.idle, match.absence
    return idle is not None and absence is not None and absence.has_spent(idle, seat)


def do_step(course: Course, command: ceremonies.CeremonyStep) -> None:
    """Do a step of the ceremony that somebody asks for; a deal that comes too late for its beacon is void.

    Raises:
        Refused: As `ceremony.answer` says.
    """
    match = course.match
    custody = {seat: who.custody for seat, who in match.seated.items()}
    made = ceremonies.answer(match.ceremony, command, course.at, beacon_due_at(match), custody)
    if made is None:
        void_deal(course, "late")
    else:
        course.add(*made)


def take_custody(course: Course, chance: commands.Chance) -> None:
    """Draw the seeds of seats that gave none in time, and say so (CUP/1 section 4.13): nothing is sealed yet."""
    # Seats have different accounts, and one whose time is not up may still draw its own.
    late = tuple(seat for seat in course.ceremony.waiting_for if seed_due_at(course.match, seat) <= course.at)
    taken = {seat: chance.seeds[seat] for seat in late}
    course.secrets.update({f"seed/{course.ceremony.deal}/{seat}": seed for seat, seed in taken.items()})
    course.keeper = course.deal_secrets.secrets_with(taken)
    course.add(*(events.SeedCustody(seat, "server") for seat in late))


def void_deal(course: Course, reason: Literal["withheld", "late"]) -> None:
    """End a deal that comes to nothing; who withheld a seed is out."""
    course.add(*ceremonies.void_deal(course.ceremony, course.deal_secrets.secret, reason))
    for seat in course.ceremony.missing:
        # Of several who withhold, an earlier one may have left a single seat, and the match is over.
        if course.table.phase != "finished":
            # The deal was never ready: there are no dice, and a rule that asked for one would be a mistake.
            course.forfeit(commands.Forfeit(seat), table.NO_DICE)
