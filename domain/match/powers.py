"""Host powers: what the host of a match may do to its course, each an event with its reason.

The law of the file: a power is there only where the rules object says so, before anybody sat down; whose token has it
is the service's to know. No power throws dice away or lets anybody choose them (CUP/1 section 4.19).
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, assert_never

from msgspec import UNSET, Struct

from domain import commands, events
from domain.errors import Refused
from domain.ids import Milliseconds, Seat, UnixMs
from domain.match.course import Course
from domain.match.dues import hold_left_ms
from domain.match.evolve import Match, is_halted
from domain.match.pauses import HOST

GIVEN_MS: Final = (1_000, 600_000)
"""How much time a host may give at once, at least and at most."""

Why: TypeAlias = tuple[str, dict[str, object]]
"""Why something is refused: the code and the facts. Each view asks for that of every seat, and hardly any is raised."""


def do_power(course: Course, command: commands.PowerCommand) -> None:
    """Let a host do something.

    Raises:
        Refused: The rules give the match no such powers, or this is not the time for it.
    """
    _check_powers(course)
    match command:
        case commands.HandOver():
            _refuse(_no_handing_over(course.match, command.to))
            course.add(events.HandedOver(command.to))
        case commands.Kick():
            _kick(course, command)
        case commands.PauseTable():
            _pause(course, command)
        case commands.ResumeTable():
            _refuse(_no_resuming(course.match))
            course.add(events.Resumed("host"))
        case commands.StandInFor():
            _stand_in_for(course, command.who)
        case commands.GiveSeatBack():
            _return_seat(course, command.who, "host")
        case commands.GiveTime():
            _give_time(course, command)
        case commands.LockTable():
            _refuse(_no_locking(course.match, locked=True))
            course.add(events.Locked())
        case commands.UnlockTable():
            _refuse(_no_locking(course.match, locked=False))
            course.add(events.Unlocked())
        case _:
            assert_never(command)


def stand_in(course: Course, command: commands.StandIn) -> None:
    """Let a house bot stand in for somebody who asks for it.

    Raises:
        Refused: The rules give the match no such powers, or this is not the time for it.
    """
    _check_powers(course)
    _refuse(_no_lending(course.match, command.seat))
    course.add(events.StoodIn(command.seat, "seat"))


def take_back(course: Course, command: commands.TakeBack) -> None:
    """Let somebody have the seat back, in the middle of a turn too.

    Raises:
        Refused: No house bot stands in for the seat.
    """
    _return_seat(course, command.seat, "seat")


class OpenPowers(Struct, frozen=True):
    """What a host may do now, and what seats may have done for themselves: whatever is not there is refused.

    Attributes:
        table: What may be done about the table: `pause`, `resume`, `lock`, `unlock`.
        kick: The seats that may be taken out.
        hand_over: The seats that may become the host.
        give_time: The seats that may be given time, as much as there is left to hold (`hold_ms`).
        take_back: The seats that may be given back to who has lent them.
        stand_in: The seats that a house bot may be had to play, each with from when on, in Unix milliseconds.
        lend: The seats that may have a house bot play for themselves.
    """

    table: tuple[str, ...]
    kick: tuple[Seat, ...]
    hand_over: tuple[Seat, ...]
    give_time: tuple[Seat, ...]
    take_back: tuple[Seat, ...]
    stand_in: tuple[tuple[Seat, UnixMs], ...]
    lend: tuple[Seat, ...]


def open_powers(match: Match) -> OpenPowers | None:
    """Return what a host may do now; None where the rules give no powers. Cost: some questions a seat."""
    if match.settings.host is None or match.ended:
        return None
    table = {
        "pause": _no_pausing(match),
        "resume": _no_resuming(match),
        "lock": _no_locking(match, locked=True),
        "unlock": _no_locking(match, locked=False),
    }
    seats = sorted(match.seated)
    # Hardly a seat is away, and of no other it has to be asked whether a bot may stand in.
    since = [(seat, away) for seat in seats if (away := away_since(match, seat)) is not None]
    return OpenPowers(
        table=tuple([power for power, refused in table.items() if refused is None]),
        kick=tuple([seat for seat in seats if _no_kicking(match, seat) is None]),
        hand_over=tuple([seat for seat in seats if _no_handing_over(match, seat) is None]),
        give_time=tuple([seat for seat in seats if _no_giving(match, seat, GIVEN_MS[0]) is None]),
        take_back=tuple([seat for seat in seats if _no_returning(match, seat) is None]),
        stand_in=tuple([(seat, away) for seat, away in since if _no_standing_in(match, seat) is None]),
        lend=tuple([seat for seat in seats if _no_lending(match, seat) is None]),
    )


def changes_left(match: Match) -> int | None:
    """Return how often the table may still be changed; None where the rules set no bound."""
    host = match.settings.host
    return None if host is None or host.changes is UNSET else max(0, host.changes - match.changes)


def asides_left(match: Match, who: Seat) -> int | None:
    """Return how many lines beside the game a seat, or `HOST`, may still write; None where the rules set no bound."""
    most = match.settings.asides
    return None if most is None else most - match.asides.get(who, 0)


# ---- why something is refused, None where it is not ---------------------------------------------


def _why(code: str, **facts: object) -> Why:
    return code, facts


def _refuse(why: Why | None) -> None:
    if why is not None:
        code, facts = why
        raise Refused(code, **facts)


def _check_powers(course: Course) -> None:
    if course.match.settings.host is None:
        raise Refused("not_allowed", why="the rules of this match give its host no powers")


def _no_change(match: Match) -> Why | None:
    """Say why the table is not changed once more."""
    left = changes_left(match)
    return None if left is None or left > 0 else _why("no_changes_left", left=left)


def _no_seat(match: Match, seat: Seat) -> Why | None:
    """Say why nothing is done to a seat: nobody has it, or it is out of the match."""
    if seat not in match.seated:
        return _why("unknown_player")
    return _why("eliminated") if match.table is not None and seat in match.table.out else None


def _no_other(match: Match, seat: Seat) -> Why | None:
    """Say why not of the host's own seat: a host who wants to go leaves, or asks for a stand-in."""
    return _why("bad_target", why="this is the host's own seat") if seat == match.host else None


def _no_key(match: Match, seat: Seat) -> Why | None:
    """Say why not of a seat that signs what it asks for: nobody else can, and an audit finds what stands unsigned."""
    who = match.seated.get(seat)
    return None if who is None or who.key is None else _why("has_key")


def _no_handing_over(match: Match, to: Seat) -> Why | None:
    if to not in match.seated:
        return _why("unknown_player")
    if match.seated[to].is_bot or to == match.host or to in match.kicked:
        return _why("bad_target", why="the host is a person who stays, and another than now")
    return _no_change(match)


def _no_kicking(match: Match, who: Seat) -> Why | None:
    refused = _no_other(match, who) or _no_seat(match, who) or _no_key(match, who)
    if refused is None and who in match.kicked:
        return _why("wrong_phase", why="this seat is out as soon as the dice are there")
    return refused


def _no_pausing(match: Match) -> Why | None:
    left_ms = hold_left_ms(match)
    if match.table is None:
        return _why("wrong_phase", phase="lobby")
    if match.paused is not None:
        return _why("paused", until=match.paused.until)
    assert left_ms is not None, "the rules give powers"
    if asides_left(match, HOST) == 0:
        return _why("no_asides_left")
    return _why("no_hold_left", left_ms=left_ms) if left_ms < 1 else None


def _no_resuming(match: Match) -> Why | None:
    return _why("not_paused") if match.paused is None else None


def _no_person(match: Match, seat: Seat) -> Why | None:
    """Say why a seat is not that of a person who plays, and for whom no house bot stands in."""
    if match.table is None:
        return _why("wrong_phase", phase="lobby")
    who = match.seated.get(seat)
    if who is not None and who.is_bot:
        return _why("bad_target", why="a house bot has this seat")
    return _no_seat(match, seat) or (_why("stood_in") if who is not None and who.stand_in else None)


def _no_lending(match: Match, seat: Seat) -> Why | None:
    return _no_person(match, seat) or _no_key(match, seat) or _no_change(match)


def _no_standing_in(match: Match, seat: Seat) -> Why | None:
    refused = _no_other(match, seat) or _no_person(match, seat) or _no_key(match, seat)
    if refused is None and away_since(match, seat) is None:
        return _why("not_away")
    return refused or _no_change(match)


def away_since(match: Match, seat: Seat) -> UnixMs | None:
    """Return from when on a seat is away, in Unix milliseconds; None where nobody waits for it.

    It was marked absent, or will have kept the table waiting for long enough.
    """
    absence, powers = match.absence, match.settings.host
    if absence is None or powers is None:
        return None
    if seat in absence.turns:
        return match.at
    return absence.turn_since + powers.away_ms if absence.turn == seat and not is_halted(match) else None


def _no_returning(match: Match, seat: Seat) -> Why | None:
    refused = _no_seat(match, seat)
    return _why("not_stood_in") if refused is None and not match.seated[seat].stand_in else refused


def _no_giving(match: Match, who: Seat, ms: Milliseconds) -> Why | None:
    if match.settings.clock is None:
        return _why("not_allowed", why="there are no clocks in this match")
    if match.table is None:
        return _why("wrong_phase", phase="lobby")
    # All that is left of what the host may hold up is promised to a pause while there is one.
    if match.paused is not None:
        return _why("paused", until=match.paused.until)
    left_ms, (least, most) = hold_left_ms(match), GIVEN_MS
    bad_time = None if least <= ms <= most else _why("bad_time", least=least, most=most)
    assert left_ms is not None, "the rules give powers"
    return _no_seat(match, who) or bad_time or (_why("no_hold_left", left_ms=left_ms) if ms > left_ms else None)


def _no_locking(match: Match, *, locked: bool) -> Why | None:
    if match.table is not None:
        return _why("already_started")
    return _why("wrong_phase", locked=locked) if match.locked == locked else _no_change(match)


# ---- what happens -------------------------------------------------------------------------------


def _kick(course: Course, command: commands.Kick) -> None:
    _refuse(_no_kicking(course.match, command.who))
    course.add(events.Kicked(command.who, command.reason))
    if course.match.table is None:
        course.add(events.SeatLeft(command.who, "kicked"))


def _pause(course: Course, command: commands.PauseTable) -> None:
    _refuse(_no_pausing(course.match))
    left_ms = hold_left_ms(course.match)
    assert left_ms is not None, "the rules give powers"
    course.add(events.Paused(command.reason, course.at + left_ms))


def _stand_in_for(course: Course, seat: Seat) -> None:
    _refuse(_no_standing_in(course.match, seat))
    since = away_since(course.match, seat)
    assert since is not None, "or the seat is not away"
    if course.at < since:
        raise Refused("not_away")
    course.add(events.StoodIn(seat, "host"))


def _return_seat(course: Course, seat: Seat, why: Literal["seat", "host"]) -> None:
    _refuse(_no_returning(course.match, seat))
    course.add(events.TakenBack(seat, why))


def _give_time(course: Course, command: commands.GiveTime) -> None:
    _refuse(_no_giving(course.match, command.who, command.ms))
    course.add(events.TimeGiven(command.who, command.ms, command.reason))
