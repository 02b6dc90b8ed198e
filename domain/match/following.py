"""Progress without a player: what follows of itself in the same append, and what the table does when it is due.

At once follow seals, openings, rounds, clocks, the end; by a time the next round, a turn of a seat that is out of time,
the seeds that nobody gave, and the end of a lobby that nobody began.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from msgspec import UNSET

from domain import commands, events
from domain.errors import Refused
from domain.ids import Seat
from domain.match import ceremony as ceremonies
from domain.match import clocks as timing
from domain.match.course import Course
from domain.match.dealing import begin_deal, take_custody, void_deal
from domain.match.dues import due_at, starts_alone
from domain.match.evolve import Match, is_halted, is_in_ceremony, is_played_out, lacks_dice, people_in, table_deals
from domain.table import decide as table


def add_following(course: Course) -> bool:
    """Add what follows of itself, one step; report whether anything did. Ends, since every step moves a stage on."""
    before = len(course.events)
    if course.match.table is not None and not course.match.ended:
        _take_out_kicked(course)
        _stop_or_start_clock(course)
        _end_stopped(course)
        _end_between_rounds(course)
        _FOLLOWING.get("" if course.match.ceremony is None else course.ceremony.stage, _no_step)(course)
        _finish(course)
    return len(course.events) > before


def _take_out_kicked(course: Course) -> None:
    """Take out a seat that the host has kicked. A deal that has begun comes to its dice first, or to nothing by itself.

    So no kick throws dice away that somebody knows already, whose ever the host is (CUP/1 section 4.8).
    """
    left = [seat for seat in course.match.kicked if seat not in course.table.out]
    if left and not is_in_ceremony(course.match) and course.table.phase != "finished":
        course.forfeit(commands.Forfeit(left[0], "kicked"), course.dealer)


def _stop_or_start_clock(course: Course) -> None:
    clocks, clock = course.match.clocks, course.match.settings.clock
    if clocks is not None and clock is not None:
        acted = course.acting == clocks.running
        # No bank pays while nobody can act.
        turn = None if is_halted(course.match) else course.table.turn
        course.add(*timing.turn_clock_events(clock, clocks, turn, course.at, acted=acted))


def _end_stopped(course: Course) -> None:
    """End a match on which an official has ruled, in the middle of a round too; dice that come about are waited for."""
    match = course.match
    if match.stopped is not None and course.table.phase != "finished" and not is_in_ceremony(match):
        course.add(events.SessionClosed())


def _end_between_rounds(course: Course) -> None:
    """End a match that was to end, now that no round is under way. A deal that has begun comes to its dice first."""
    ends = is_played_out(course.match) or (course.match.ending is not None and table.is_between_rounds(course.table))
    if ends and not is_in_ceremony(course.match):
        course.add(events.SessionClosed())


def _no_step(_course: Course) -> None:
    """Nothing follows at this stage."""


def _step_after_commit(course: Course) -> None:
    course.add(*ceremonies.custody_commits(course.ceremony, course.deal_secrets))
    # The seal takes "all that committed" (CUP/1 section 4.5), so it waits until nobody is asked any more.
    if not course.ceremony.waiting_for:
        beacon = ceremonies.round_ahead(course.match.settings.beacon, course.at)
        course.add(ceremonies.seal_deal(course.ceremony, beacon))


def _step_after_log(course: Course) -> None:
    course.add(*ceremonies.custody_openings(course.ceremony, course.deal_secrets))
    # With a beacon the openings have to be in the log first: nobody who could still void the deal may know its dice
    # (CUP/1 section 5.3).
    if not course.ceremony.waiting_for and course.ceremony.beacon is None:
        course.add(ceremonies.ready_deal(course.ceremony))


def _step_while_ready(course: Course) -> None:
    state = course.table
    # The first round of a deal begins with its dice; later ones wait until people have seen the last
    # (`Settings.pause_ms`).
    if state.phase == "between_rounds" and not table.has_played_in_deal(state):
        if course.match.paused is None:
            course.deal()
    elif course.match.settings.board is not None:
        return  # The deal is the board's, which goes on as long as any table does.
    elif state.phase == "finished" or (course.match.settings.deal_per == "round" and table.is_round_over(state)):
        course.close_deal()


def _finish(course: Course) -> None:
    # `match.ended` is allowed only with "all deals closed", and nothing follows it (CUP/1 section 4.5): a deal that is
    # left open would be `E_WITHHELD` for ever.
    match = course.match
    own = match.settings.board is None and match.ceremony is not None
    if course.table.phase == "finished" and (not own or course.ceremony.stage == "closed"):
        course.add(events.MatchEnded(course.table.winner))


_FOLLOWING: Final[dict[str, Callable[[Course], None]]] = {
    "committed": _step_after_commit,
    "logged": _step_after_log,
    "ready": _step_while_ready,
}


# ---- what is due -----------------------------------------------------------------------------------


def ask_to_end(
    course: Course, why: Literal["host", "expired", "unattended"], reason: events.Reason | None = None
) -> None:
    """Ask for the end, which comes as soon as no round is under way; a lobby ends at once."""
    course.add(events.EndAsked(why, UNSET if reason is None else reason))
    if course.match.table is None:
        course.add(events.MatchEnded(None))


def advance(course: Course, command: commands.Advance) -> None:
    """Do what is due by now.

    Raises:
        Refused: This is not the time for it.
    """
    due = due_at(course.match)
    if due is None or course.at < due:
        raise Refused("wrong_phase", due_at=due)
    stage = None if course.match.ceremony is None else course.match.ceremony.stage
    if starts_alone(course.match):
        start(course, command.chance)
    elif course.match.table is None:
        ask_to_end(course, "expired")
    elif course.match.paused is not None and course.at >= course.match.paused.until:
        course.add(events.Resumed("limit"))
    elif stage == "committed":
        # Nothing is sealed yet, so nobody has to be barred for being slow.
        take_custody(course, command.chance)
    elif stage == "logged":
        # To go on without the missing seat is no way out: "with k confederates that is 2^k choices" (CUP/1 section
        # 4.8).
        void_deal(course, "withheld")
    elif table_deals(course.match):
        _begin_next_round(course, command.chance)
    else:
        _time_out(course)


def start(course: Course, chance: commands.Chance) -> None:
    """Close the lobby and begin the first deal."""
    course.add(events.Started(tuple(sorted(course.match.seated))))
    if course.match.settings.board is None:
        begin_deal(course, chance)


def _begin_next_round(course: Course, chance: commands.Chance) -> None:
    # Where a number was played before, this closes the deal instead, and the next time another one begins.
    if course.ceremony.stage == "ready" and not lacks_dice(course.match):
        course.deal()
        return
    if course.ceremony.stage == "ready":
        course.close_deal()
    begin_deal(course, chance)


def _time_out(course: Course) -> None:
    seat = course.table.turn
    assert seat is not None
    clock = course.match.settings.clock
    # That the table acted and not the seat has to stand before what was done: the two read alike. Of a seat that signs
    # nothing may stand in between (CUP/1 section 4.14.5).
    if course.match.seated[seat].key is None:
        course.add(events.TimedOut(seat))
        gone = _mark_absent(course, seat)
    else:
        gone = _mark_absent(course, seat)
        course.add(events.TimedOut(seat))
    if gone:
        if not _may_stand_in(course.match, seat):
            course.forfeit(commands.Forfeit(seat, "absent"), course.dealer)
            return
        # The table has the turn that is over; the bot plays from the next one on.
        course.add(events.StoodIn(seat, "idle"))
    if clock is not None and clock.on_timeout == "forfeit":
        course.forfeit(commands.Forfeit(seat), course.dealer)
    else:
        course.play(table.timeout_command(course.table, course.dealer))


def _may_stand_in(match: Match, seat: Seat) -> bool:
    """Report whether a house bot plays on for a seat that would be out. One that stays away itself is out.

    So is the last person of a table: nobody is left for whom a bot would play on.
    """
    idle, clock = match.settings.idle, match.settings.clock
    forfeits = clock is not None and clock.on_timeout == "forfeit"
    people = people_in(match)
    # Nobody else can sign for a seat with a key.
    lends = idle is not None and idle.then == "stand_in" and match.seated[seat].key is None
    return lends and not forfeits and seat in people and len(people) > 1


def _mark_absent(course: Course, seat: Seat) -> bool:
    """Put on record that the table acts for a seat, once a turn; report whether that was once too often."""
    idle, absence = course.match.settings.idle, course.match.absence
    if idle is None or absence is None:
        return False
    turns = absence.turns_now(seat)
    if not absence.counted:
        course.add(events.Absent(seat, turns))
    return turns >= idle.turns
