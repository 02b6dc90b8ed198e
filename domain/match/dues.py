"""Times of a match: what the table does by itself, and when, and until when seats have to have done their part.

The law of the file: a time follows from what is remembered, and is stored nowhere. So it is found again after a crash,
and moves with everything it depends on.
"""

from __future__ import annotations

from domain.ids import Milliseconds, Seat
from domain.match.ceremony import CEREMONY_MS, round_spoken_at
from domain.match.evolve import Match, is_in_ceremony, people_in, table_deals


def due_at(match: Match) -> int | None:
    """Return when the table has something to do by itself, in Unix milliseconds; None while it waits for others."""
    if match.ended:
        return None
    if match.table is None and match.settings.starts_at is not None:
        return match.settings.starts_at
    if match.table is None and starts_alone(match):
        return match.at
    if match.table is None and match.settings.event is not None:
        # Who comes late, and when a round is to start, is for the tournament to say.
        return None
    if match.table is None:
        since = match.at if match.absence is None else match.absence.came_at
        return None if match.settings.idle is None else since + match.settings.idle.lobby_ms
    waiting = () if match.ceremony is None else match.ceremony.waiting_for
    seeds = [seed_due_at(match, seat) for seat in waiting]
    if match.paused is not None:
        # A deal that has begun goes on: with its limits held up, who withholds a seed could wait for better times.
        return min([match.paused.until, *seeds])
    # The first seat whose time is up is dealt with when it is, and does not wait for the others.
    if seeds:
        return min(seeds)
    if table_deals(match):
        looked = match.resumes_at is None or (match.continued and continue_awaited(match) == ())
        return match.at if looked else match.resumes_at
    # No seat is awaited here: the log or the beacon is, and the table cannot do their part.
    if is_in_ceremony(match):
        return None
    return _turn_due_at(match) if match.clocks is None else match.clocks.due_at


def waits_since(match: Match) -> int | None:
    """Return since when a match waits whose time no clock in the log keeps, in Unix milliseconds.

    It waits for people, or for the end of a pause, for which they are away. None where it does for nobody, or for a
    seat whose clock is given time back by an event.
    """
    deal, pause = match.ceremony, match.paused
    if pause is not None and due_at(match) == pause.until:
        return pause.since
    if match.table is None and match.settings.starts_at is not None:
        return None  # a time was named, and people come for it
    if match.table is None:
        return match.at if match.absence is None else match.absence.came_at
    if deal is not None and deal.stage in {"committed", "logged"}:
        return deal.since
    return None if match.absence is None or match.clocks is not None or table_deals(match) else match.absence.turn_since


def continue_awaited(match: Match) -> tuple[Seat, ...] | None:
    """Return the seats that the next round waits for, as they look at the dice of the last; None where it does not.

    The house needs no time to look, nor does the table wait for who is away. By its time the pause ends in any case.
    """
    pauses = match.resumes_at is not None and match.resumes_at > match.at and match.paused is None
    if match.settings.pause_ends is None or not pauses or not table_deals(match):
        return None
    away = () if match.absence is None else match.absence.turns
    return tuple(seat for seat in people_in(match) if seat not in {*away, *match.continued, *match.kicked})


def _turn_due_at(match: Match) -> int | None:
    if match.settings.idle is None or match.absence is None:
        return None
    return match.absence.turn_due_at(match.settings.idle)


def starts_alone(match: Match) -> bool:
    """Report whether a match starts by itself once its lobby is due: then it is full, or all of a tournament are there.

    Where the lobby is due at a time, enough seats have to be taken by then. Bots alone wait for their host, or for the
    director.
    """
    if match.table is not None or all(who.is_bot for who in match.seated.values()):
        return False
    if match.settings.starts_at is not None:
        return len(match.seated) >= match.rules.seats[0]
    if match.settings.event is not None:
        return ready_awaited(match) == () and len(match.seated) >= match.rules.seats[0]
    return match.settings.start == "full" and len(match.seated) >= match.settings.seats


def ready_awaited(match: Match) -> tuple[Seat, ...] | None:
    """Return the seats that have still to say that they are there, ascending; None where nobody has to.

    Nobody has ever had some of them: they are kept for who takes them with a key, and so says to be there.
    """
    if match.settings.event is None or match.table is not None or match.ended:
        return None
    people = {seat for seat, who in match.seated.items() if not who.is_bot and who.key is None}
    return tuple(sorted(kept_seats(match) | (people - set(match.ready))))


def kept_seats(match: Match) -> set[Seat]:
    """Return the seats at a table of a tournament that nobody has had: they are kept for who takes them with a key."""
    return set(range(1, match.settings.seats + 1)) - match.came


def seed_due_at(match: Match, seat: Seat) -> int:
    """Return until when a seat may give the seed that the current deal waits for, in Unix milliseconds."""
    deal = match.ceremony
    assert deal is not None, "a deal waits for the seat"
    # Only a commitment that is missing can be drawn by the server; for an opening every seat has the time that CUP/1
    # section 6 names, whatever is left of its account.
    if deal.stage != "committed" or match.settings.idle is None or match.absence is None:
        return deal.since + CEREMONY_MS
    return match.absence.seed_due_at(match.settings.idle, seat, deal.since)


def unattended_end_at(match: Match) -> int | None:
    """Return when the table may end a match that bots play for nobody, in Unix milliseconds; None where it may not."""
    if match.settings.idle is None or match.absence is None or match.table is None or match.ended or match.ending:
        return None
    # Bots that play in a tournament play for it.
    if match.settings.event is not None:
        return None
    # People who are out may have gone; of those who still play, one person is enough to go on.
    if people_in(match):
        return None
    return match.absence.attended_at + match.settings.idle.bots_ms


def beacon_due_at(match: Match) -> int | None:
    """Return when the beacon speaks that the current deal waits for, in Unix milliseconds; None if it asks none."""
    return round_spoken_at(match.settings.beacon, match.ceremony)


def hold_left_ms(match: Match) -> Milliseconds | None:
    """Return for how long the host may still hold the table up, in milliseconds; None where there are no powers."""
    if match.settings.host is None:
        return None
    # A pause takes what it lasts once it is over; until then all that is left is promised to it.
    return max(0, match.settings.host.hold_ms - match.held_ms)
