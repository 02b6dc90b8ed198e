"""Decisions about who takes part: entry, check-in, byes, who leaves and who comes back."""

from __future__ import annotations

from domain.errors import Refused
from domain.tournaments import commands, events
from domain.tournaments.deciding.course import TournamentCourse
from domain.tournaments.formats.table import format_of

MILLION = 1_000_000
PLAYER = "u"
"""What ids of players with a name of their own begin with; those of guests begin with another letter."""


def open_entry(course: TournamentCourse, command: commands.OpenEntry) -> None:
    """Let people enter."""
    course.check_host(command.by)
    course.check_phase("announced")
    course.add(events.EntryOpened(command.by))


def close_entry(course: TournamentCourse, command: commands.CloseEntry) -> None:
    """Let nobody enter any more."""
    course.check_host(command.by)
    course.check_phase("entry")
    if course.tournament.entry_closed:
        raise Refused("entry_closed")
    course.add(events.EntryClosed(command.by))


def register(course: TournamentCourse, command: commands.Register) -> None:
    """Enter somebody; a host enters others, until lots are drawn, and says who is seeded where."""
    tournament = course.tournament
    official = command.by in tournament.officials
    if command.seed is not None or (official and command.by != command.player):
        course.check_host(command.by)
    if not official and command.by != command.player:
        raise Refused("not_yours")
    if tournament.phase == "running":
        _check_late(course)
    else:
        # Whoever turns up while all say that they are there finds the entry closed, but not the host gone.
        course.check_phase("entry", *(("check_in",) if official else ()))
        if tournament.entry_closed and not official:
            raise Refused("entry_closed")
    if any(each.player == command.player for each in tournament.entrants.values()):
        raise Refused("already_registered")
    _check_places(course)
    _check_conditions(course, command, official=official)
    number = max(tournament.entrants, default=0) + 1
    course.add(
        events.PlayerRegistered(
            number, command.player, command.club, command.bot, command.rating, command.seed, command.by
        )
    )


def _check_places(course: TournamentCourse) -> None:
    places = course.tournament.rules.entry.max
    if sum(each.gone is None for each in course.tournament.entrants.values()) >= places:
        raise Refused("tournament_full", max=places)


def _check_late(course: TournamentCourse) -> None:
    """Check that somebody may still come while rounds are played.

    Raises:
        Refused: `entry_closed`: so many rounds are closed, none comes any more, or no bye can be taken over.
    """
    course.check_input("running")
    stage, rules = course.stage, course.tournament.stage_rules
    closed = sum(each.closed_at is not None for each in stage.rounds.values())
    if stage.number > 1 or stage.closed is not None or closed >= course.tournament.rules.entry.late_rounds:
        raise Refused("entry_closed")
    chosen = format_of(rules)
    if chosen.eliminates or chosen.fixed:
        # Who meets whom follows from how many there are: another one fits where somebody would have met nobody.
        if stage.has_paired or not chosen.first_byes(rules, len(stage.seeds)):
            raise Refused("entry_closed", why="no bye of the first round can be taken over")
    elif course.is_beyond(course.tournament.next_place[1]):
        raise Refused("entry_closed", why="the last round is paired")


def _check_conditions(course: TournamentCourse, command: commands.Register, *, official: bool) -> None:
    entry = course.tournament.rules.entry
    if entry.invited and not official:
        raise Refused("entry_conditions", condition="invited")
    if command.bot and entry.bots == "none":
        raise Refused("entry_conditions", condition="bots")
    if not command.bot and entry.bots == "only":
        raise Refused("entry_conditions", condition="bots")
    # A bot of the house carries its label, and is nobody's guest.
    if entry.player and not (command.bot or command.player.startswith(PLAYER)):
        why = "players alone enter here, each with the own token: nobody else can enter them"
        raise Refused("entry_conditions", condition="player", why=why)
    if entry.rating is not None:
        mu = None if command.rating is None else command.rating[0]
        low, high = entry.rating
        if mu is None or not low * MILLION <= mu <= high * MILLION:
            raise Refused("entry_conditions", condition="rating", rating=list(entry.rating))


def approve(course: TournamentCourse, command: commands.Approve) -> None:
    """Let an entrant in; one who comes late plays from the next pairing on."""
    course.check_official(command.by)
    entrant = course.entrant(command.number)
    course.check_input("entry", "check_in", "drawing", "running")
    if course.tournament.phase == "running":
        _check_late(course)
    if entrant.is_in:
        raise Refused("already_registered")
    if entrant.gone is not None:
        raise Refused("already_withdrawn")
    course.check_reason(command)
    course.add(events.PlayerApproved(command.number, command.by, command.reason, command.note))


def seed(course: TournamentCourse, command: commands.Seed) -> None:
    """Set the place of an entrant among the seeds by hand, before lots are drawn; lots part those of one place."""
    course.check_host(command.by)
    entrant = course.entrant(command.number)
    course.check_phase("entry", "check_in")
    if course.tournament.rules.seeding != "manual":
        why = f"the order of the seeds follows {course.tournament.rules.seeding} here, and is not set by hand"
        raise Refused("entry_conditions", condition="seeding", why=why)
    if entrant.seed == command.seed:
        raise Refused("already_registered")
    if entrant.gone is not None:
        raise Refused("already_withdrawn")
    course.add(events.PlayerSeeded(command.number, command.seed, command.by))


def turn_away(course: TournamentCourse, command: commands.TurnAway) -> None:
    """Do not let an entrant in; once lots are drawn only one who still waits to be let in."""
    course.check_official(command.by)
    entrant = course.entrant(command.number)
    waits = ("drawing", "running") if not entrant.is_in else ()
    course.check_phase("entry", "check_in", *waits)
    if entrant.gone is not None:
        raise Refused("already_withdrawn")
    course.check_reason(command)
    course.add(events.PlayerTurnedAway(command.number, command.by, command.reason, command.note))


def open_check_in(course: TournamentCourse, command: commands.OpenCheckIn) -> None:
    """Ask everybody to say that they are there."""
    course.check_host(command.by)
    course.check_phase("entry")
    tournament = course.tournament
    ready = sum(each.is_in and each.gone is None for each in tournament.entrants.values())
    if ready < tournament.rules.entry.min:
        raise Refused("too_few_players", seats=tournament.rules.entry.min)
    if not tournament.entry_closed:
        course.add(events.EntryClosed(command.by))
    course.add(events.CheckInOpened(course.at + tournament.rules.time.check_in_ms, command.by))


def check_in(course: TournamentCourse, command: commands.CheckIn) -> None:
    """Put on record that an entrant is there; whether it draws lots, it says for itself."""
    entrant = course.check_own(command.by, command.number)
    own = entrant.player == command.by
    if command.draws and not own:
        raise Refused("not_yours")
    course.check_phase("check_in")
    if entrant.here and (entrant.draws == command.draws or not own):
        raise Refused("already_registered")
    if not entrant.is_in:
        raise Refused("entry_conditions", condition="approve")
    if entrant.gone is not None:
        raise Refused("already_withdrawn")
    course.add(events.PlayerCheckedIn(command.number, command.draws, command.by))


def withdraw(course: TournamentCourse, command: commands.Withdraw) -> None:
    """Take an entrant out, from the next pairing on."""
    entrant = course.check_own_or_host(command.by, command.number)
    course.check_input("entry", "check_in", "drawing", "running")
    if entrant.gone is not None:
        raise Refused("already_withdrawn")
    course.check_reason(command)
    place = course.tournament.next_place
    course.add(events.PlayerWithdrawn(command.number, *place, command.by, command.reason, command.note))


def take_back(course: TournamentCourse, command: commands.Return) -> None:
    """Take an entrant in again, in the stage that it left and while a round of it is to come.

    Who was not there when lots were drawn comes late, where anybody may.
    """
    entrant = course.check_own_or_host(command.by, command.number)
    course.check_input("entry", "check_in", "running")
    if entrant.gone is None:
        raise Refused("already_registered")
    _check_places(course)
    if entrant.turned_away and command.by not in course.tournament.officials:
        raise Refused("entry_conditions", condition="approve")
    running, place = course.tournament.phase == "running", course.tournament.next_place
    late = running and not entrant.here
    if late and not course.tournament.rules.entry.late_rounds:
        raise Refused("not_checked_in")
    if entrant.disqualified:
        raise Refused("disqualified")
    if late:
        _check_late(course)
    elif running and (_cannot_return(course) or entrant.gone[0] != place[0]):
        raise Refused("too_late")
    course.check_reason(command)
    course.add(events.PlayerReturned(command.number, *place, command.by, command.reason, command.note))


def _cannot_return(course: TournamentCourse) -> bool:
    """Report whether nobody comes back into the stage that is played."""
    ended = course.stage.closed is not None or course.is_beyond(course.tournament.next_place[1])
    return ended or format_of(course.tournament.stage_rules).eliminates


def request_bye(course: TournamentCourse, command: commands.RequestBye) -> None:
    """Leave an entrant out of a round that is not paired yet and that there is."""
    entrant = course.check_own(command.by, command.number)
    place = (course.tournament.next_place[0], command.round)
    course.check_input("entry", "check_in", "drawing", "running")
    if entrant.byes.get(place) == command.kind:
        raise Refused("already_registered")
    if entrant.gone is not None:
        raise Refused("already_withdrawn")
    if not format_of(course.tournament.stage_rules).rests:
        raise Refused("too_late", why="here everybody plays every round")
    first, (surely, at_most) = course.tournament.next_place[1], _rounds(course)
    if not first <= command.round <= at_most:
        raise Refused("too_late", round=first, rounds=at_most)
    asked = [kind for other, kind in entrant.byes.items() if other != place].count("half")
    half_byes = course.tournament.rules.entry.half_byes
    # What may turn out to be the last round counts as the last.
    if command.kind == "half" and (asked >= half_byes or command.round >= surely):
        raise Refused("too_late", half_byes=half_byes)
    course.add(events.ByeRequested(command.number, *place, command.kind, command.by))


def _rounds(course: TournamentCourse) -> tuple[int, int]:
    """Return how many rounds the stage has at least and at most: before it is opened, that depends on who comes."""
    rules, entry = course.tournament.stage_rules, course.tournament.rules.entry
    if course.tournament.stage is not None:
        planned = course.tournament.stage.rounds_planned or 0
        return planned, planned
    rounds = format_of(rules).rounds
    return rounds(rules, entry.min) or 0, rounds(rules, entry.max) or 0


def drop_bye(course: TournamentCourse, command: commands.DropBye) -> None:
    """Let an entrant play in a round that it had asked to be left out of."""
    entrant = course.check_own(command.by, command.number)
    course.check_input("entry", "check_in", "drawing", "running")
    stage, first = course.tournament.next_place
    if (stage, command.round) not in entrant.byes or command.round < first:
        raise Refused("too_late", round=first)
    course.add(events.ByeDropped(command.number, stage, command.round, command.by))
