"""A match from its lobby to its last line: who sits, how the dice come about, the game itself, whose clock runs.

The law of the file: `evolve` only remembers. What may happen is decided in `domain.match.decide`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, get_args
from uuid import UUID

from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain import events
from domain.fairness.deal import Cup, Policy, context, rules_hash
from domain.ids import Milliseconds, RoundNumber, Seat, UnixMs, Version
from domain.match import absence as absences
from domain.match import ceremony as ceremonies
from domain.match import clocks as timing
from domain.match import turns
from domain.match.ceremony import Ceremony
from domain.match.clocks import Clocks
from domain.match.cups import board_cups
from domain.match.pauses import Pause, asides_after, is_change, next_round_at
from domain.match.settings import Settings, newest_edition, rules_in_force, rules_object, settings_of
from domain.rules.rules import Rules
from domain.seats import Player
from domain.table import decide as table


class Match(Struct, frozen=True):
    """All that deciding needs to know of a match.

    Attributes:
        id: The match's UUID.
        rules: The game that its settings come to.
        policy: What a deal publishes when it ends: `all` its dice, or only those that were `shown`.
        seated: Everybody who holds a seat, by seat.
        seats_given: The highest seat that was ever given.
        came: The seats that somebody has had, whoever has left since.
        table: The game, once it has started.
        ceremony: The current or the last deal.
        deals: How many deals there have been.
        deals_drawn: In how many of those that were played the house drew the seed of a seat that none of its bots has.
        sealed_seq: The place of the last `deal.sealed` in the stream, which the transparency log anchors.
        opened_seq: The place of the last `seed.opened`, which it anchors once all are open.
        resumes_at: When the table may deal the next round, in Unix milliseconds.
        continued: The seats that have asked for the next round since the last one was over, in that order.
        absence: What is known of those who keep the match waiting, where the rules ask for it.
        ending: Why the match ends as soon as no round is under way, if it does.
        paused: The pause that the host has asked for, while there is one.
        host: Whose seat has the powers of the host; None while whoever opened the match has them.
        locked: Whether nobody sits down any more but bots.
        held_ms: For how many milliseconds the host has held the table up, before that.
        kicked: The seats that the host takes out, ascending: those who are not out yet wait until no dice come about.
        handlings: How often seats with keys have handled dice in the current deal.
        changes: How often somebody was made the host, the table was locked or unlocked, or a stand-in was asked for.
        ready: The seats that have said that they are there, in that order, at a table of a tournament.
        last_round: The round that the director has made the last one.
        rejoining: The seat whose player got up a moment ago to take it again with a key.
        stopped: The line of the tournament in which an official ruled on the match while it was played.
        begun: Since when whoever is in turn has had to decide what there is to decide.
        asides: How many lines beside the game each seat has written, and the host (`domain.match.pauses`).
        version: How many events there have been.
        at: The time of the last one.
    """

    id: UUID
    settings: Settings
    rules: Rules
    rules_hash: bytes
    policy: Policy = "all"
    seated: dict[Seat, Player] = {}
    seats_given: int = 0
    came: frozenset[Seat] = frozenset()
    table: table.State | None = None
    ceremony: Ceremony | None = None
    clocks: Clocks | None = None
    deals: int = 0
    deals_drawn: int = 0
    sealed_seq: int | None = None
    opened_seq: int | None = None
    resumes_at: UnixMs | None = None
    continued: tuple[Seat, ...] = ()
    absence: absences.Absence | None = None
    ending: str | None = None
    paused: Pause | None = None
    host: Seat | None = None
    locked: bool = False
    held_ms: Milliseconds = 0
    kicked: tuple[Seat, ...] = ()
    handlings: int = 0
    changes: int = 0
    ready: tuple[Seat, ...] = ()
    last_round: RoundNumber | None = None
    rejoining: Seat | None = None
    stopped: int | None = None
    begun: turns.TurnBegun = turns.TurnBegun()
    asides: Mapping[Seat, int] = {}
    ended: bool = False
    version: Version = 1
    at: UnixMs = 0


def new_match(event: events.MatchCreated, at: UnixMs) -> Match:
    """Return the match its first event describes."""
    settings = settings_of(event.rules, event.policy)
    absence = None if settings.idle is None else absences.Absence(attended_at=at, came_at=at)
    rules = rules_in_force(settings)
    return Match(UUID(event.match), settings, rules, rules_hash(event.rules), event.policy, absence=absence, at=at)


def evolve(match: Match, event: events.Event, at: UnixMs) -> Match:
    """Return the match after an event. Total over every event but the first; it holds no rules."""
    change = CHANGES.get(type(event), _on_table_event)
    version, turn = match.version + 1, None if match.table is None else match.table.turn
    begun = turns.evolve(match.begun, event, at, version, turn, match.paused)
    changes, asides = match.changes + is_change(event), asides_after(match.asides, event, match.table)
    after = change(replace(match, version=version, at=at, changes=changes, begun=begun, asides=asides), event, at)
    if match.absence is None:
        return after
    turn = None if after.table is None else after.table.turn
    absence = absences.evolve(match.absence, event, at, turn, match.ceremony, match.seated)
    return after if absence is match.absence else replace(after, absence=absence)


def _on_table_event(match: Match, event: events.TableEvent, at: UnixMs) -> Match:
    state = None if match.table is None else table.evolve(match.table, event)
    # The dice of a verdict lie open only until the next roll: people get the pause to look at them.
    resumes_at = at + match.settings.pause_ms if isinstance(event, events.RoundClosed) else match.resumes_at
    continued = () if isinstance(event, events.RoundClosed | events.RoundOpened) else match.continued
    return replace(match, table=state, resumes_at=resumes_at, continued=continued)


def _on_arranged(match: Match, event: events.Arranged, at: UnixMs) -> Match:
    after = _on_table_event(match, event, at)
    signs = match.seated[event.seat].key is not None
    return replace(after, handlings=match.handlings + 1) if signs else after


def _on_seat_joined(match: Match, event: events.SeatJoined, _at: UnixMs) -> Match:
    # A seat given up in the lobby goes to the next who comes, but records of before gave each number once and have to
    # fold as well: the highest is remembered for them.
    key = None if event.key is UNSET else event.key
    seated = {**match.seated, event.seat: Player(event.player, key=key)}
    given, came = max(match.seats_given, event.seat), match.came | {event.seat}
    return replace(match, seated=seated, seats_given=given, came=came, rejoining=None)


def _on_seat_left(match: Match, event: events.SeatLeft, _at: UnixMs) -> Match:
    if event.reason == "rejoins":
        # The seat stays taken, with whatever its player is there, such as the host.
        return replace(match, rejoining=event.seat)
    # Once the match has begun a seat keeps its place: who is out stands in the game.
    left = {seat: who for seat, who in match.seated.items() if seat != event.seat}
    if match.table is not None:
        who = match.seated[event.seat]
        # A key ends with its seat (CUP/1 section 4.14.4).
        return match if who.key is None else _seat_changed(match, event.seat, replace(who, key=None))
    # A host who leaves leaves the powers to who opened the match, and not to whoever has the seat next.
    return replace(match, seated=left, host=None if match.host == event.seat else match.host)


def _on_seat_keyed(match: Match, event: events.SeatKeyed, _at: UnixMs) -> Match:
    who = match.seated[event.seat]
    # Whether a key that a host has named comes to hold is decided by a signature, in `domain.match.signing`.
    if event.by == "host":
        return _seat_changed(match, event.seat, replace(who, key_named=event.key))
    return _seat_changed(match, event.seat, replace(who, key=event.key, key_named=None))


def _on_seed_custody(match: Match, event: events.SeedCustody, _at: UnixMs) -> Match:
    who = match.seated[event.seat]
    server = event.by == "server"
    return _seat_changed(match, event.seat, replace(who, custody=server, lent=server and who.stand_in))


def _on_handed_over(match: Match, event: events.HandedOver, _at: UnixMs) -> Match:
    return replace(match, host=event.to)


def _on_lock(match: Match, event: events.Locked | events.Unlocked, _at: UnixMs) -> Match:
    return replace(match, locked=isinstance(event, events.Locked))


def _on_time_given(match: Match, event: events.TimeGiven, _at: UnixMs) -> Match:
    clocks = None if match.clocks is None else timing.give_time(match.clocks, event)
    return replace(match, clocks=clocks, held_ms=match.held_ms + event.ms)


def _on_played_for(match: Match, event: events.StoodIn | events.TakenBack, _at: UnixMs) -> Match:
    who = replace(match.seated[event.seat], stand_in=isinstance(event, events.StoodIn))
    return _seat_changed(match, event.seat, who)


def _seat_changed(match: Match, seat: Seat, who: Player) -> Match:
    return replace(match, seated={**match.seated, seat: who})


def _on_started(match: Match, event: events.Started, _at: UnixMs) -> Match:
    stacks = None if match.settings.stacks is None else {int(seat): n for seat, n in match.settings.stacks.items()}
    in_step = match.settings.board is not None
    state = table.initial_state(match.rules, event.seats, match.settings.starter, stacks, in_step=in_step)
    clock = match.settings.clock
    return replace(match, table=state, clocks=None if clock is None else timing.full_clocks(clock, event.seats))


def _on_clock_set(match: Match, event: events.ClockSet, _at: UnixMs) -> Match:
    clocks = match.clocks
    return match if clocks is None else replace(match, clocks=timing.evolve(clocks, event))


def _on_end_asked(match: Match, event: events.EndAsked, _at: UnixMs) -> Match:
    return replace(match, ending=event.why)


def _on_continued(match: Match, event: events.Continued, _at: UnixMs) -> Match:
    return replace(match, continued=(*match.continued, event.seat))


def _on_seat_ready(match: Match, event: events.SeatReady, _at: UnixMs) -> Match:
    return replace(match, ready=(*match.ready, event.seat))


def _on_last_round_set(match: Match, _event: events.LastRoundSet, _at: UnixMs) -> Match:
    # Before the first round has begun there is none that could be the last.
    return replace(match, last_round=1 if match.table is None else max(1, match.table.round_number))


def _on_deal_shared(match: Match, event: events.DealShared, at: UnixMs) -> Match:
    # What binds its hashes is in the stream of the board, where its seeds were given; here its dice are rolled.
    cups = board_cups(match.settings)
    root, mix = bytes.fromhex(event.root), bytes.fromhex(event.mix)
    shared = Ceremony(event.deal, b"", root, cups, (), at, stage="ready", mix=mix)
    return replace(match, ceremony=shared)


def _on_kicked(match: Match, event: events.Kicked, _at: UnixMs) -> Match:
    # In the lobby the seat is left in the same append, and whoever has it next is not who was kicked.
    return match if match.table is None else replace(match, kicked=tuple(sorted({*match.kicked, event.seat})))


def _on_paused(match: Match, event: events.Paused, at: UnixMs) -> Match:
    return replace(match, paused=Pause(at, event.until, event.reason))


def _on_resumed(match: Match, _event: events.Resumed, at: UnixMs) -> Match:
    assert match.paused is not None, "only what is paused goes on"
    resumes_at = next_round_at(match.paused, match.resumes_at, match.settings, at)
    return replace(match, paused=None, held_ms=match.held_ms + at - match.paused.since, resumes_at=resumes_at)


def _on_deal_committed(match: Match, event: events.DealCommitted, at: UnixMs) -> Match:
    return replace(match, ceremony=_new_ceremony(match, event, at), deals=match.deals + 1, handlings=0)


def _keep(match: Match, _event: events.CourseEvent, _at: UnixMs) -> Match:
    return match


def _new_ceremony(match: Match, event: events.DealCommitted, at: UnixMs) -> Ceremony:
    cups = tuple(Cup(*row) for row in event.cups)
    ctx = context(match.id.bytes, event.deal, match.rules_hash, match.policy, cups)
    return Ceremony(event.deal, ctx, bytes.fromhex(event.root), cups, seats_in(match), at)


def _on_ceremony_event(match: Match, event: events.CeremonyEvent, at: UnixMs) -> Match:
    dealt = None if match.ceremony is None else ceremonies.evolve(match.ceremony, event, at)
    state, sealed_seq, opened_seq = match.table, match.sealed_seq, match.opened_seq
    # Rolls are counted within a deal (CUP/1 section 4.2), so those of the game begin at 0 with it.
    if isinstance(event, events.DealReady | events.DealVoided) and state is not None:
        state = table.evolve(state, event)
    if isinstance(event, events.DealSealed):
        # The version counts this event already, and `seq` counts from 0 (CUP/1 section 4.4).
        sealed_seq = match.version - 1
    if isinstance(event, events.SeedOpened):
        opened_seq = match.version - 1
    drawn = match.deals_drawn + (isinstance(event, events.DealReady) and _house_drew(match))
    return replace(match, ceremony=dealt, table=state, deals_drawn=drawn, sealed_seq=sealed_seq, opened_seq=opened_seq)


def _house_drew(match: Match) -> bool:
    """Report whether the house draws the seed of a seat, none of its bots', that takes part in the current deal."""
    taking_part = () if match.ceremony is None else match.ceremony.seats
    return any(match.seated[seat].custody and not match.seated[seat].is_bot for seat in taking_part)


CHANGES: Final[dict[type[events.BaseEvent], Callable[[Match, Any, UnixMs], Match]]] = {
    events.SeatJoined: _on_seat_joined,
    events.SeatLeft: _on_seat_left,
    events.Arranged: _on_arranged,
    events.SeatKeyed: _on_seat_keyed,
    events.SeedCustody: _on_seed_custody,
    events.Started: _on_started,
    events.ClockSet: _on_clock_set,
    events.EndAsked: _on_end_asked,
    events.Continued: _on_continued,
    events.SeatReady: _on_seat_ready,
    events.LastRoundSet: _on_last_round_set,
    events.Stopped: lambda match, event, _at: replace(match, stopped=event.line),
    events.DealShared: _on_deal_shared,
    events.HandedOver: _on_handed_over,
    events.Kicked: _on_kicked,
    events.Locked: _on_lock,
    events.Unlocked: _on_lock,
    events.Paused: _on_paused,
    events.Resumed: _on_resumed,
    events.StoodIn: _on_played_for,
    events.TakenBack: _on_played_for,
    events.TimeGiven: _on_time_given,
    events.MatchEnded: lambda match, _event, _at: replace(match, ended=True),
    events.DealCommitted: _on_deal_committed,
    **dict.fromkeys(get_args(events.CeremonyEvent), _on_ceremony_event),
    # Who is away is for `domain.match.absence` to remember; the first line makes the match itself.
    **dict.fromkeys((events.Absent, events.Returned, events.TimedOut, events.MatchCreated), _keep),
}
"""What each event around the table changes; those of the table are for `domain.table.evolve`."""


def seats_in(match: Match) -> tuple[Seat, ...]:
    """Return the seats that are not out, ascending."""
    assert match.table is not None, "a deal is for those who play"
    return tuple(seat for seat in sorted(match.table.seats) if seat not in match.table.out)


def people_in(match: Match) -> tuple[Seat, ...]:
    """Return the seats that are not out and that people play, ascending."""
    return tuple(seat for seat in seats_in(match) if not match.seated[seat].is_house)


def lacks_dice(match: Match) -> bool:
    """Report whether the current deal is over or cannot serve another round."""
    if match.ceremony is None or match.table is None or match.ceremony.stage != "ready":
        return True
    return table.needs_deal(match.table, {cup.id: cup.rolls for cup in match.ceremony.cups})


def round_limit(match: Match) -> RoundNumber | None:
    """Return the last round that a match may have; None where rounds are not counted."""
    # A board has so many rolls and no other deal: where seats regain dice, a match could last longer than they do.
    deal = match.ceremony
    rolls = None if match.settings.board is None or deal is None else deal.cups[0].rolls
    limits = [limit for limit in (match.settings.rounds_max, match.last_round, rolls) if limit is not None]
    return min(limits, default=None)


def is_played_out(match: Match) -> bool:
    """Report whether the last round that a match may have is settled."""
    limit, state = round_limit(match), match.table
    return limit is not None and state is not None and state.round_number >= limit and table.is_between_rounds(state)


def is_in_ceremony(match: Match) -> bool:
    """Report whether the dice of a deal are just coming about."""
    return match.ceremony is not None and match.ceremony.stage in {"committed", "sealed", "logged", "fixed"}


def table_deals(match: Match) -> bool:
    """Report whether the table has to deal, or to begin another deal, before anybody can act."""
    state = match.table
    if state is None or is_in_ceremony(match) or state.phase == "finished":
        return False
    if _awaits_shared_dice(match):
        return False
    # A cup that is passed on has no deal between rounds, and needs one only where the next roll has no dice left.
    return state.phase == "between_rounds" or (table.rolls_next(state) and lacks_dice(match))


def _awaits_shared_dice(match: Match) -> bool:
    """Report whether the dice are to be those of a board: they come about there, and the table is told of them."""
    return match.settings.board is not None and match.ceremony is None


def is_dealing(match: Match) -> bool:
    """Report whether seats have to wait for dice: a ceremony runs, or another one has to begin."""
    if is_in_ceremony(match) or (match.table is not None and _awaits_shared_dice(match)):
        return True
    # Between rounds no seat is in turn anyway; before a roll one is, and is not to roll from a deal that is used up.
    return match.table is not None and match.table.phase == "to_roll" and table_deals(match)


def is_halted(match: Match) -> bool:
    """Report whether nobody can act, though a seat may be in turn: dice come about, or the table is paused."""
    return is_dealing(match) or match.paused is not None


def open_match(match_id: UUID, rules: dict[str, Any], policy: Policy = "all") -> events.MatchCreated:
    """Return the first event of a match under these rules, with every option spelled out.

    Args:
        match_id: Its UUID.
        rules: The rules object the host asks for.
        policy: What a deal publishes when it ends: `all` its dice, or only those that were `shown` (CUP/1 section 5.4).

    Raises:
        Refused: `bad_options`, naming the option.
    """
    return events.MatchCreated(str(match_id), rules_object(newest_edition(settings_of(rules, policy))), policy)
