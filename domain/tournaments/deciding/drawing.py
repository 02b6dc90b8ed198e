"""Drawing of lots: who gives seeds to the tournament's own deal, its ceremony, and rolls opened where they are used.

Lots are CUP/1 with nothing added: one cup of 32 values from 0 to 255, so a roll is 32 bytes that nobody chose. Seat 1
is the house, whose seed is in custody; the others are the first sixteen entrants who offered to draw.
"""

from __future__ import annotations

from typing import Final, Literal

from domain import events
from domain.commands import Chance, LogDeal, OpenSeed
from domain.fairness.deal import Cup, context
from domain.match import ceremony as ceremonies
from domain.tournaments.commands import OfLots
from domain.tournaments.deciding.course import TournamentCourse
from domain.tournaments.formats.table import format_of
from domain.tournaments.tournament import Tournament

DRAWERS_MAX: Final = 16
HOUSE: Final = "house"
"""The player that the first drawer's seat has."""
HOUSE_SEAT: Final = 1
ROLLS: Final = 64
"""What a deal has at least: enough for an arena of an hour, whose waves take one a minute."""
SPARE: Final = 4
"""Rolls beside those of waves: a stage, the prizes, and minutes that are begun and not whole."""
WIDTH: Final = 32
MODULUS: Final = 256


def seat_drawers(course: TournamentCourse) -> None:
    """Seat the house, and the first of those who offered to draw, in the order of their check-in lines."""
    course.add(events.SeatJoined(HOUSE_SEAT, HOUSE), events.SeedCustody(HOUSE_SEAT, "server"))
    offered = [each for each in course.tournament.entrants.values() if each.plays and each.draws]
    if not course.tournament.earlier:
        offered.sort(key=lambda each: each.checked)
    for seat, entrant in enumerate(offered[:DRAWERS_MAX], start=HOUSE_SEAT + 1):
        course.add(events.SeatJoined(seat, entrant.player))
        if entrant.bot:
            course.add(events.SeedCustody(seat, "server"))


def cups_of(tournament: Tournament) -> tuple[Cup, ...]:
    """Return the one cup of a deal, with a roll for each minute of an arena.

    So none waits for a ceremony in the middle. Cost: a hash for each value of each roll when it is committed, which
    for an arena of a day is about half a second.
    """
    waves = 0 if tournament.earlier else sum(format_of(each).rolls_max(each) for each in tournament.rules.stages)
    return (Cup(0, 0, max(ROLLS, waves + SPARE), WIDTH),)


def begin_lots(course: TournamentCourse, chance: Chance) -> None:
    """Begin a deal of lots: commit every roll of it, with the seeds that are in custody."""
    tournament, cups = course.tournament, cups_of(course.tournament)
    ctx = context(tournament.id.bytes, tournament.deals, tournament.rules_hash, "all", cups)
    custody = tuple(seat for seat, who in sorted(tournament.drawers.items()) if who.custody)
    keeper = course.keeper = chance.deal_secrets(tournament.deals, ctx, cups, custody)
    course.secrets[f"deal/{keeper.number}"] = keeper.secret
    course.secrets.update({f"seed/{keeper.number}/{seat}": seed for seat, seed in keeper.seeds.items()})
    course.add(ceremonies.commit_deal(keeper))


def draw_roll(course: TournamentCourse) -> int:
    """Open the next roll, and return its number; what it shows is `opened` of the tournament then."""
    tournament, deal = course.tournament, course.ceremony.deal
    roll, slots, moduli = tournament.rolled, tuple(range(WIDTH)), (MODULUS,) * WIDTH
    course.add(events.Rolled(deal, 0, roll, slots, moduli), course.dealer.open(0, roll, slots, moduli))
    return roll


def close_lots(course: TournamentCourse) -> None:
    """End the deal of lots, if it is open; its secret opens every roll of it."""
    if course.tournament.ceremony is not None and course.ceremony.stage == "ready":
        course.add(ceremonies.close_deal(course.deal_secrets, "all"))


def is_drawing(tournament: Tournament) -> bool:
    """Report whether a deal of lots is on its way: seeds, the log or the beacon are waited for."""
    return tournament.ceremony is not None and tournament.ceremony.stage in {"committed", "sealed", "logged", "fixed"}


def needs_deal(tournament: Tournament) -> bool:
    """Report whether another deal has to be begun before the next lot: there is none, or its rolls are used up."""
    deal = tournament.ceremony
    return deal is None or deal.stage != "ready" or tournament.rolled >= deal.cups[0].rolls


# ---- the steps of the ceremony ----------------------------------------------------------------------


def do_lots(course: TournamentCourse, command: OfLots) -> None:
    """Do a step of the ceremony that somebody asks for.

    Raises:
        Refused: `not_dealing`, `wrong_deal`, `unknown_player`, `server_custody`, `seed_already_given`, `seed_mismatch`.
    """
    tournament = course.tournament
    custody = {seat: who.custody for seat, who in tournament.drawers.items()}
    due_at = ceremonies.round_spoken_at(tournament.rules.lots.beacon, tournament.ceremony)
    if tournament.earlier and isinstance(command, LogDeal | OpenSeed):
        due_at = None
    made = ceremonies.answer(tournament.ceremony, command, course.at, due_at, custody)
    if made is None:
        void_lots(course, "late")
    else:
        course.add(*made)


def add_following_lots(course: TournamentCourse) -> bool:
    """Add what follows of itself in the ceremony, one step; report whether anything did."""
    ceremony = course.tournament.ceremony
    if ceremony is not None and ceremony.stage == "ready" and _is_used_up(course.tournament):
        close_lots(course)
        return True
    if ceremony is None or ceremony.stage not in {"committed", "logged"}:
        return False
    before = len(course.events)
    if ceremony.stage == "committed":
        course.add(*ceremonies.custody_commits(ceremony, course.deal_secrets))
        if not course.ceremony.waiting_for:
            seal_lots(course)
    else:
        course.add(*ceremonies.custody_openings(ceremony, course.deal_secrets))
        if not course.ceremony.waiting_for and course.ceremony.beacon is None:
            course.add(ceremonies.ready_deal(course.ceremony))
    return len(course.events) > before


def _is_used_up(tournament: Tournament) -> bool:
    """Report whether a deal has served: where each lot has a deal of its own, with the first roll."""
    return tournament.has_own_deals and tournament.rolled > 0


def seal_lots(course: TournamentCourse) -> None:
    """Fix who draws: those who have fixed a seed by now."""
    beacon = ceremonies.round_ahead(course.tournament.rules.lots.beacon, course.at)
    course.add(ceremonies.seal_deal(course.ceremony, beacon))


def void_lots(course: TournamentCourse, reason: Literal["withheld", "late"]) -> None:
    """End a deal that comes to nothing; who withheld a seed draws no more, and plays on."""
    course.add(*ceremonies.void_deal(course.ceremony, course.deal_secrets.secret, reason))
