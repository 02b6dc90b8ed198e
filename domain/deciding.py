"""What a command on a match leads to.

The law of the file: `decide` refuses, or says what happens. Time and chance come with the command and are read nowhere
else. What follows of itself (a seal after the last commitment, the first round once the dice are fixed, the end after
the last loss) follows in the same append, so that no crash can fall between.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from msgspec import Struct

from domain import ceremony as ceremonies
from domain import clocks as timing
from domain import commands, events, table
from domain.ceremony import Ceremony, Keeper
from domain.dice import Dealer
from domain.errors import Refused, first_of
from domain.fairness.beacons import MARGIN_S, Chain, first_after
from domain.fairness.deal import context
from domain.games import rules_of
from domain.match import (
    CEREMONY_MS,
    Match,
    beacon_due_at,
    due_at,
    evolve,
    in_ceremony,
    is_dealing,
    lacks_dice,
    still_in,
    table_deals,
)

Seat = int
SEAT_MAX = 254
"""The highest seat of CUP/1; 255 is a cup that is shared."""


class Decision(Struct, frozen=True):
    """What a command leads to.

    Attributes:
        events: What has happened, in order; never empty.
        match: The match after them.
        keeper: The keeper of the current deal's secrets.
        secrets: What has to be stored, wrapped, in the same transaction: bytes by name (`deal/0`, `seed/0/3`).
    """

    events: tuple[events.Event, ...]
    match: Match
    keeper: Keeper | None
    secrets: dict[str, bytes]


def decide(match: Match, command: commands.MatchCommand, at: int, keeper: Keeper | None) -> Decision:
    """Return what the command leads to.

    Args:
        match: The match it is decided on; the append must find it at this version.
        command: What is asked, by whom, with the chance it may need.
        at: The time, in Unix milliseconds. For show and for clocks; no rule of a game reads it.
        keeper: The secrets of the current deal, if there is one.

    Raises:
        Refused: A rule says no; nothing has happened.
    """
    if match.ended:
        raise Refused("game_over")
    course = _Course(match, at, keeper, command)
    _HANDLERS.get(type(command), _play)(course, command)
    while _follows(course):
        continue
    return Decision(tuple(course.events), course.match, course.keeper, course.secrets)


class _Course:
    """The events of one command as they come about, and the match they lead to."""

    def __init__(self, match: Match, at: int, keeper: Keeper | None, command: commands.MatchCommand) -> None:
        self.match = match
        self.at = at
        self.keeper = keeper
        self.acting: Seat | None = getattr(command, "seat", None)
        self.events: list[events.Event] = []
        self.secrets: dict[str, bytes] = {}

    def add(self, *happened: events.Event) -> None:
        for event in happened:
            self.match = evolve(self.match, event, self.at)
            self.events.append(event)

    @property
    def table(self) -> table.State:
        assert self.match.table is not None
        return self.match.table

    @property
    def ceremony(self) -> Ceremony:
        assert self.match.ceremony is not None
        return self.match.ceremony

    @property
    def held(self) -> Keeper:
        assert self.keeper is not None, "only programs with the dealer role decide"
        assert self.keeper.number == self.ceremony.deal
        return self.keeper

    @property
    def dealer(self) -> Dealer:
        mixed = None if self.match.ceremony is None else self.match.ceremony.mix
        return table.NO_DICE if mixed is None else self.held.dealer(mixed)

    def play(self, command: commands.TableCommand) -> None:
        self.add(*table.decide(self.table, command, self.dealer))

    def deal(self) -> None:
        """Begin the next round, or close the deal where a number came up that was played before."""
        command = table.next_deal(self.table)
        assert table.refused(self.table, command) is None, "all that is left to refuse is `bill_used`"
        try:
            self.play(command)
        except Refused:
            self.close_deal()

    def close_deal(self) -> None:
        self.add(ceremonies.closed(self.held, self.match.policy))


# ---- the lobby ----------------------------------------------------------------------------------


def _join(course: _Course, command: commands.Join) -> None:
    match = course.match
    if match.table is not None:
        raise Refused("already_started")
    seat = match.seats_given + 1
    if len(match.seated) >= match.settings.seats or seat > SEAT_MAX:
        raise Refused("too_many_players", seats=match.settings.seats)
    course.add(events.SeatJoined(seat, command.player))
    if command.custody == "server":
        course.add(events.SeedCustody(seat, "server"))


def _leave(course: _Course, command: commands.Leave) -> None:
    if course.match.table is not None:
        raise Refused("already_started")
    if command.seat not in course.match.seated:
        raise Refused("unknown_player")
    course.add(events.SeatLeft(command.seat, "left"))


def _start(course: _Course, command: commands.Start) -> None:
    match = course.match
    if match.table is not None:
        raise Refused("already_started")
    lowest = rules_of(match.settings.game, match.settings.options).seats[0]
    if len(match.seated) < lowest:
        raise Refused("too_few_players", seats=lowest)
    course.add(events.Started(tuple(sorted(match.seated))))
    _begin_deal(course, command.chance)


# ---- the deal -----------------------------------------------------------------------------------


def _begin_deal(course: _Course, chance: commands.Chance) -> None:
    match = course.match
    cups = table.deal_cups(course.table, match.settings.deal_per)
    ctx = context(match.id.bytes, match.deals, match.rules_hash, match.policy, cups)
    custody = tuple(seat for seat in still_in(match) if match.seated[seat].custody)
    keeper = course.keeper = chance.keeper(match.deals, ctx, cups, custody)
    course.secrets[f"deal/{keeper.number}"] = keeper.secret
    course.secrets.update({f"seed/{keeper.number}/{seat}": seed for seat, seed in keeper.seeds.items()})
    course.add(ceremonies.begun(keeper))


def _commit_seed(course: _Course, command: commands.CommitSeed) -> None:
    _check_own_seed(course.match, command.seat)
    course.add(ceremonies.commit_seed(course.ceremony, command.seat, command.deal, command.commit))


def _log_deal(course: _Course, command: commands.LogDeal) -> None:
    if course.match.ceremony is None or course.ceremony.stage != "sealed" or course.ceremony.deal != command.deal:
        raise Refused("not_dealing")
    if _is_near(course, CEREMONY_MS + ceremonies.OPENED_MS):
        _void(course, "late")
    else:
        course.add(events.DealLogged(command.deal, command.index, command.path, command.checkpoint))


def _is_near(course: _Course, ms: int) -> bool:
    """Report whether the deal waits for a beacon that speaks before so much time has passed."""
    due = beacon_due_at(course.match)
    return due is not None and due - course.at < ms


def _open_seed(course: _Course, command: commands.OpenSeed) -> None:
    _check_own_seed(course.match, command.seat)
    if _is_near(course, ceremonies.OPENED_MS):
        raise Refused("not_dealing", why="the beacon speaks soon")
    course.add(ceremonies.open_seed(course.ceremony, command.seat, command.deal, command.seed))


def _fix_deal(course: _Course, command: commands.FixDeal) -> None:
    _check_waiting(course, command.deal, "logged")
    if _is_near(course, 1000 * MARGIN_S):
        _void(course, "late")
    else:
        course.add(events.DealFixed(command.deal, command.index, command.path, command.checkpoint))


def _hear_beacon(course: _Course, command: commands.HearBeacon) -> None:
    _check_waiting(course, command.deal, "fixed")
    if course.ceremony.beacon is None or command.round != course.ceremony.beacon.round:
        raise Refused("not_dealing", why="this is another round")
    course.add(ceremonies.ready(course.ceremony, command.signature))


def _check_waiting(course: _Course, deal: int, stage: ceremonies.Stage) -> None:
    """Check that this deal waits, with all seeds open, for the log or the beacon."""
    waits = course.match.ceremony is not None and course.ceremony.beacon is not None and not course.ceremony.waiting_for
    if not waits or (course.ceremony.deal, course.ceremony.stage) != (deal, stage):
        raise Refused("not_dealing")


def _check_own_seed(match: Match, seat: Seat) -> None:
    if match.ceremony is None:
        raise Refused("not_dealing")
    if seat not in match.seated:
        raise Refused("unknown_player")
    if match.seated[seat].custody:
        raise Refused("server_custody")


# ---- the game -----------------------------------------------------------------------------------


def _play(course: _Course, command: commands.TableCommand) -> None:
    if course.match.table is None:
        raise Refused("wrong_phase", phase="lobby")
    # Who only leaves needs no dice to do it, but a ceremony that has begun is for the seats it began with.
    leaves = isinstance(command, commands.Forfeit | commands.CloseSession)
    if in_ceremony(course.match) or (is_dealing(course.match) and not leaves):
        code = first_of(table.refused(course.table, command), "wrong_phase")
        assert code is not None
        raise Refused(code, phase="dealing")
    course.play(command)


def _close_session(course: _Course, command: commands.CloseSession) -> None:
    if course.match.table is None:
        course.add(events.MatchEnded(None))
    else:
        _play(course, command)


def _give_back(course: _Course, command: commands.GiveBack) -> None:
    given = () if course.match.clocks is None else timing.given_back(course.match.clocks, command.ms)
    if not given or command.ms < 1:
        raise Refused("wrong_phase", why="no clock is running")
    course.add(*given)


# ---- what the table does when it is due ---------------------------------------------------------


def _advance(course: _Course, command: commands.Advance) -> None:
    due = due_at(course.match)
    if due is None or course.at < due:
        raise Refused("wrong_phase", due_at=due)
    stage = None if course.match.ceremony is None else course.match.ceremony.stage
    if stage == "committed":
        _take_custody(course, command.chance)
    elif stage == "logged":
        _void(course, "withheld")
    elif table_deals(course.match):
        _next_round(course, command.chance)
    else:
        _time_out(course)


def _take_custody(course: _Course, chance: commands.Chance) -> None:
    """Draw the seeds of seats that gave none in time, and say so (CUP/1 section 4.13): nothing is sealed yet."""
    late = course.ceremony.waiting_for
    taken = {seat: chance.seeds[seat] for seat in late}
    course.secrets.update({f"seed/{course.ceremony.deal}/{seat}": seed for seat, seed in taken.items()})
    course.keeper = course.held.knowing(taken)
    course.add(*(events.SeedCustody(seat, "server") for seat in late))


def _void(course: _Course, reason: Literal["withheld", "late"]) -> None:
    course.add(*ceremonies.voided(course.ceremony, course.held.secret, reason))
    for seat in course.ceremony.missing:
        if course.table.phase != "finished":
            course.add(*table.decide(course.table, commands.Forfeit(seat), table.NO_DICE))


def _next_round(course: _Course, chance: commands.Chance) -> None:
    if course.ceremony.stage == "ready" and not lacks_dice(course.match):
        course.deal()
        return
    if course.ceremony.stage == "ready":
        course.close_deal()
    _begin_deal(course, chance)


def _time_out(course: _Course) -> None:
    seat = course.table.turn
    assert seat is not None
    course.add(events.TimedOut(seat))
    clock = course.match.settings.clock
    assert clock is not None
    forfeits = clock.on_timeout == "forfeit"
    course.play(commands.Forfeit(seat) if forfeits else table.timeout_command(course.table, course.dealer))


# ---- what follows of itself ---------------------------------------------------------------------


def _follows(course: _Course) -> bool:
    """Add what follows of itself, one step; report whether anything did. Ends, since every step moves a stage on."""
    before = len(course.events)
    if course.match.table is not None and not course.match.ended:
        _stop_or_start_clock(course)
        _FOLLOWING.get("" if course.match.ceremony is None else course.ceremony.stage, _no_step)(course)
        _finish(course)
    return len(course.events) > before


def _stop_or_start_clock(course: _Course) -> None:
    clocks, clock = course.match.clocks, course.match.settings.clock
    if clocks is not None and clock is not None:
        acted = course.acting == clocks.running
        turn = None if is_dealing(course.match) else course.table.turn
        course.add(*timing.passed(clock, clocks, turn, course.at, acted=acted))


def _no_step(_course: _Course) -> None:
    """Nothing follows at this stage."""


def _after_commit(course: _Course) -> None:
    course.add(*ceremonies.custody_commits(course.ceremony, course.held))
    if not course.ceremony.waiting_for:
        course.add(ceremonies.sealed(course.ceremony, _round_ahead(course)))


def _round_ahead(course: _Course) -> events.Beacon | None:
    """Return the round of the beacon that a deal sealed now is to wait for, if it is to wait for one."""
    beacon = course.match.settings.beacon
    if beacon is None:
        return None
    ahead = -(-(course.at + ceremonies.AHEAD_MS) // 1000)
    return events.Beacon(beacon.chain, first_after(Chain(beacon.genesis, beacon.period), ahead))


def _after_log(course: _Course) -> None:
    course.add(*ceremonies.custody_openings(course.ceremony, course.held))
    if not course.ceremony.waiting_for and course.ceremony.beacon is None:
        course.add(ceremonies.ready(course.ceremony))


def _while_ready(course: _Course) -> None:
    state = course.table
    if state.phase == "between_rounds" and not table.played_in_this_deal(state):
        course.deal()
    elif state.phase == "finished" or (course.match.settings.deal_per == "round" and table.is_round_over(state)):
        course.close_deal()


def _finish(course: _Course) -> None:
    if course.table.phase == "finished" and (course.match.ceremony is None or course.ceremony.stage == "closed"):
        course.add(events.MatchEnded(course.table.winner))


_FOLLOWING: Final[dict[str, Callable[[_Course], None]]] = {
    "committed": _after_commit,
    "logged": _after_log,
    "ready": _while_ready,
}

_HANDLERS: Final[dict[type[commands.Command], Callable[[_Course, Any], None]]] = {
    commands.Join: _join,
    commands.Leave: _leave,
    commands.Start: _start,
    commands.CommitSeed: _commit_seed,
    commands.LogDeal: _log_deal,
    commands.OpenSeed: _open_seed,
    commands.FixDeal: _fix_deal,
    commands.HearBeacon: _hear_beacon,
    commands.Advance: _advance,
    commands.GiveBack: _give_back,
    commands.CloseSession: _close_session,
}
