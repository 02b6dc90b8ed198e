"""Decisions of a match: the events a command leads to, or its refusal.

The law of the file: `decide` refuses, or says what happens. Time and chance come with the command and are read nowhere
else. What follows of itself (a seal after the last commitment, the first round once the dice are fixed, the end after
the last loss) follows in the same append, so that no crash can fall between.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias, assert_never

from msgspec import UNSET, Struct

from domain import commands, events
from domain.errors import Refused, first_refusal
from domain.fairness.openings import DealSecrets
from domain.ids import Seat, UnixMs
from domain.match import clocks as timing
from domain.match.course import Course
from domain.match.dealing import do_step
from domain.match.dues import continue_awaited, kept_seats, ready_awaited, unattended_end_at
from domain.match.evolve import Match, is_dealing, is_in_ceremony, new_match
from domain.match.following import add_following, advance, ask_to_end, start
from domain.match.powers import do_power, stand_in, take_back
from domain.match.tournament import check_asked, do_for_event
from domain.seats import SEAT_MAX, Player, lowest_free_seat
from domain.table import decide as table

Newcomer: TypeAlias = tuple[str, Literal["client", "server"]]
"""The opaque id of somebody who is to play, and who draws the seat's seeds."""


class Decision(Struct, frozen=True):
    """What a command leads to.

    Attributes:
        events: What has happened, in order; never empty.
        match: The match after them.
        steps: The match after each of them.
        keeper: The keeper of the current deal's secrets.
        secrets: What has to be stored, wrapped, in the same transaction: bytes by name (`deal/0`, `seed/0/3`).
    """

    events: tuple[events.Event, ...]
    match: Match
    keeper: DealSecrets | None
    secrets: dict[str, bytes]
    steps: tuple[Match, ...] = ()


def decide(match: Match, command: commands.MatchCommand, at: UnixMs, keeper: DealSecrets | None) -> Decision:
    """Return what the command leads to.

    Args:
        match: The match it is decided on; the append must find it at this version.
        command: What is asked, by whom, with the chance it may need.
        at: The time, in Unix milliseconds. For show and for clocks; no rule of a game reads it.
        keeper: The secrets of the current deal, if there is one.

    Raises:
        Refused: A rule says no; nothing has happened.
    """
    course = Course(match, at, keeper, command)
    check_asked(course, command)
    if match.ended:
        raise Refused("game_over")
    if match.rejoining is not None and not isinstance(command, commands.Join):
        raise Refused("wrong_phase", why="a seat is taken again, with a key")
    if isinstance(command, commands.TableCommand):
        _play(course, command)
    else:
        _do(course, command)
    _check_asides(course)
    while add_following(course):
        continue
    return Decision(tuple(course.events), course.match, course.keeper, course.secrets, tuple(course.steps))


def _check_asides(course: Course) -> None:
    """Check that nobody has written more lines beside the game than the rules let."""
    most = course.match.settings.asides
    if most is not None and max(course.match.asides.values(), default=0) > most:
        raise Refused("no_asides_left")


def open_seated(event: events.MatchCreated, at: UnixMs, players: Iterable[Newcomer | None]) -> Decision:
    """Return a match that is opened with those who play at it, in one append: as tables of tournaments are.

    Args:
        event: Its first event, as `domain.match.evolve.open_match` makes it.
        at: The time, in Unix milliseconds.
        players: Who plays, in seat order: the opaque id of each, and who draws the seat's seeds; None where the seat is
            kept for who takes it with a key.

    Raises:
        Refused: `too_many_players`.
    """
    match = new_match(event, at)
    happened: list[events.Event] = [event]
    steps = [match]
    for seat, newcomer in enumerate(players, start=1):
        if newcomer is None:
            continue
        player, custody = newcomer
        made = decide(match, commands.Join(player, custody, seat), at, None)
        match = made.match
        happened += made.events
        steps += made.steps
    return Decision(tuple(happened), match, None, {}, tuple(steps))


def _do(course: Course, command: commands.AroundCommand) -> None:  # noqa: C901, PLR0912 - a case a command
    match command:
        case commands.Join():
            _join(course, command)
        case commands.Leave() | commands.StandUp():
            _leave(course, command)
        case commands.Rekey():
            _rekey(course, command.seat, command.key, "seat")
        case commands.NameKey():
            _rekey(course, command.who, command.key, "host")
        case commands.Start():
            _start(course, command)
        case (
            commands.CommitSeed()
            | commands.LogDeal()
            | commands.OpenSeed()
            | commands.FixDeal()
            | commands.HearBeacon()
        ):
            do_step(course, command)
        case commands.Advance():
            advance(course, command)
        case commands.GiveBack():
            _give_back(course, command)
        case commands.EndMatch():
            _end_match(course, command)
        case commands.CloseUnattended():
            _close_unattended(course)
        case commands.StandIn():
            stand_in(course, command)
        case commands.TakeBack():
            take_back(course, command)
        case commands.Continue():
            _continue(course, command.seat)
        case commands.SayReady() | commands.DirectorCommand():
            do_for_event(course, command)
        case commands.HostCommand():
            do_power(course, command)
        case _:
            assert_never(command)


def _join(course: Course, command: commands.Join) -> None:
    match = course.match
    if match.table is not None:
        raise Refused("already_started")
    if match.rejoining is not None:
        _sit_again(course, command, match.rejoining)
        return
    # Bots come where the host asks for them, so the host's own lock does not keep them out.
    if match.locked and not Player(command.player).is_bot:
        raise Refused("locked")
    if len(match.seated) >= match.settings.seats:
        raise Refused("too_many_players", seats=match.settings.seats)
    seat = lowest_free_seat(match.seated) if command.seat is None else command.seat
    if seat not in _free_seats(match) or seat > SEAT_MAX:
        raise Refused("bad_target", why="this is not the next seat")
    _seat(course, command, seat)


def _seat(course: Course, command: commands.Join, seat: Seat) -> None:
    key = UNSET if command.key is None else command.key
    name = UNSET if command.name is None else command.name
    course.add(events.SeatJoined(seat, command.player, key, name))
    if command.custody == "server":
        course.add(events.SeedCustody(seat, "server"))


def _free_seats(match: Match) -> set[Seat]:
    """Return the seats that somebody who comes may take: at a table of a tournament all that nobody has had."""
    if match.settings.event is not None:
        return kept_seats(match)
    return {lowest_free_seat(match.seated), match.seats_given + 1}


def _keeps_seats(match: Match) -> bool:
    return match.settings.event is not None and match.table is None and bool(_free_seats(match))


def _check_takes_key(who: Player) -> None:
    if who.is_bot:
        raise Refused("bad_target", why="a bot of the house signs nothing")
    if who.key is not None:
        raise Refused("has_key")


def _sit_again(course: Course, command: commands.Join, seat: Seat) -> None:
    """Seat whoever got up, in the same seat; nobody else, and nobody without a key."""
    player = course.match.seated[seat].player
    if (command.seat, command.player) != (seat, player) or command.key is None:
        raise Refused("bad_target", why="this seat is taken again by whose it is, with a key")
    _seat(course, command, seat)


def _leave(course: Course, command: commands.Leave | commands.StandUp) -> None:
    if course.match.table is not None:
        raise Refused("already_started")
    if command.seat not in course.match.seated:
        raise Refused("unknown_player")
    if isinstance(command, commands.StandUp):
        _check_takes_key(course.match.seated[command.seat])
        course.add(events.SeatLeft(command.seat, "rejoins"))
    else:
        course.add(events.SeatLeft(command.seat, "left"))


def _rekey(course: Course, seat: Seat, key: str, by: Literal["seat", "host"]) -> None:
    who = course.match.seated.get(seat)
    if who is None:
        raise Refused("unknown_player")
    if who.key is None:
        raise Refused("no_key")
    # Which keys entrants have registered is known to all, and another's need not be signed with to be named: whoever
    # named it first would keep them from the seat that is theirs with that key.
    if by == "seat" and _keeps_seats(course.match):
        raise Refused("key_taken", why="a seat is kept here for who has a key")
    course.add(events.SeatKeyed(seat, key, by))


def _start(course: Course, command: commands.Start) -> None:
    match = course.match
    if match.table is not None:
        raise Refused("already_started")
    lowest = match.rules.seats[0]
    if len(match.seated) < lowest:
        raise Refused("too_few_players", seats=lowest)
    if awaited := ready_awaited(match):
        raise Refused("not_ready", seats=list(awaited))
    start(course, command.chance)


def _play(course: Course, command: commands.TableCommand) -> None:
    if course.match.table is None and isinstance(command, commands.CloseSession):
        course.add(events.MatchEnded(None))
        return
    if course.match.table is None:
        raise Refused("wrong_phase", phase="lobby")
    # Who only leaves needs no dice to do it, but a ceremony that has begun is for the seats it began with.
    leaves = isinstance(command, commands.Forfeit | commands.CloseSession)
    if course.match.paused is not None and not leaves:
        code = first_refusal(table.refusal_of(course.table, command), "paused")
        assert code is not None
        raise Refused(code, until=course.match.paused.until)
    if is_in_ceremony(course.match) or (is_dealing(course.match) and not leaves):
        code = first_refusal(table.refusal_of(course.table, command), "wrong_phase")
        assert code is not None
        raise Refused(code, phase="dealing")
    if isinstance(command, commands.Forfeit):
        course.forfeit(command, course.dealer)
        return
    course.play(command)
    absence = course.match.absence
    if absence is not None and course.acting in absence.turns:
        course.add(events.Returned(course.acting))


def _continue(course: Course, seat: Seat) -> None:
    """Put on record that a player has looked enough; whether all have is for `due_at` to see, whoever goes after it."""
    match = course.match
    if match.settings.pause_ends is None:
        raise Refused("not_allowed", why="here every pause lasts its time")
    who = match.seated.get(seat)
    if who is None:
        raise Refused("unknown_player")
    if match.table is not None and seat in match.table.out:
        raise Refused("eliminated")
    if match.paused is not None:
        raise Refused("paused", until=match.paused.until)
    if continue_awaited(match) is None or match.resumes_at is None or course.at >= match.resumes_at:
        raise Refused("wrong_phase", why="there is no pause between two rounds")
    if who.is_house:
        raise Refused("stood_in")
    if seat in match.continued:
        raise Refused("already_continued")
    course.add(events.Continued(seat))


def _end_match(course: Course, command: commands.EndMatch) -> None:
    if course.match.ending is not None:
        raise Refused("wrong_phase", ending=course.match.ending)
    ask_to_end(course, "host", command.reason)


def _close_unattended(course: Course) -> None:
    due = unattended_end_at(course.match)
    if due is None or course.at < due:
        raise Refused("wrong_phase", due_at=due)
    ask_to_end(course, "unattended")


def _give_back(course: Course, command: commands.GiveBack) -> None:
    given = () if course.match.clocks is None else timing.give_back_events(course.match.clocks, command.ms)
    if not given or command.ms < 1:
        raise Refused("wrong_phase", why="no clock is running")
    course.add(*given)
