"""The rules object of `match.created`: what is frozen when a match is opened.

Everything that decides what may happen in a match is in it, spelled out, so that an auditor needs nothing else.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, inspect

from domain.errors import Refused
from domain.fairness.deal import Policy
from domain.faults import fault_of
from domain.games import GAMES, options_of, rules_of
from domain.ids import RoundNumber, Seat, Units, UnixMs
from domain.rules.boards import why_no_boards
from domain.rules.rules import DealPer, Rules

BANK_MS_MAX = 86_400_000
"""A day: games by correspondence are another thing."""
PAUSE_MS_MAX = 60_000
HOUR_MS = 3_600_000
"""How long a table of bots may go on unseen, and one seat's seeds may take, at most."""
DAY_MS = 86_400_000
"""How long a lobby may lie about, at most."""
CHANGES: Final = 100
CHANGES_MAX: Final = 10_000
"""What a match that begins now lets be changed about its table, if nothing is said, and at most."""
ASIDES: Final = 200
"""How many lines beside the game a match of a house has room for of each seat, and of its host."""
EDITION: Final = 2
"""How the rules of the games are read now; what an earlier edition read otherwise, `rules_in_force` knows."""
ROUNDS_MAX: Final = 10_000
"""More rounds than anybody plays at a sitting."""
UNITS_MAX: Final = 1_000_000
"""More than every stake of a tournament together."""
TIME_MAX: Final = 253_402_300_799_999
"""The end of the year 9999, after which calendars of four digits have no day."""
_ONLY_IF_THERE = frozenset(
    {
        *("beacon", "idle", "edition", "host", "start", "starts_at", "pause_ends"),
        *("event", "starter", "rounds_max", "stacks", "board", "asides"),
    }
)
"""Members of the rules object that came later than the first matches: what is not there is left out."""
AS_MANY_AS_PLAY = 0
"""Nobody may ask for it; it stands for the most seats of the game until the game is known."""
_type_of = cache(inspect.type_info)  # a few milliseconds each, and asked for of every record


class ClockSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """A clock per seat.

    Attributes:
        bank_ms: What each seat starts with, in milliseconds.
        increment_ms: What a seat gets back for each turn it ends itself.
        on_timeout: The published action: `act` challenges if a claim stands and else makes the minimum claim,
            `forfeit` takes the seat out.
    """

    bank_ms: Annotated[int, Meta(ge=1_000, le=BANK_MS_MAX)]
    increment_ms: Annotated[int, Meta(ge=0, le=600_000)] = 0
    on_timeout: Literal["act", "forfeit"] = "act"


class Idle(Struct, frozen=True, forbid_unknown_fields=True):
    """What becomes of a table at which people stop: every limit is published before anybody sits down.

    Attributes:
        turn_ms: How long a seat may keep the table waiting in one turn, in milliseconds, where there is no clock; then
            the table acts for it.
        turns: After so many turns in a row that the table had to play, the seat is out.
        then: `stand_in` if a house bot plays on for a seat that would be `out`; it stands in the rules object only so.
        seeds_ms: How long a seat may take over its seeds in all deals together, in milliseconds, beyond what each of
            them is granted (`domain.match.absence.SEED_FREE_MS`); then the server draws them.
        lobby_ms: After how many milliseconds in which nobody comes or goes a lobby expires.
        bots_ms: After how many milliseconds without an act of a person the table may end a match that only bots play.
    """

    turn_ms: Annotated[int, Meta(ge=1_000, le=BANK_MS_MAX)] = 180_000
    turns: Annotated[int, Meta(ge=1, le=100)] = 3
    seeds_ms: Annotated[int, Meta(ge=0, le=HOUR_MS)] = 60_000
    lobby_ms: Annotated[int, Meta(ge=1_000, le=DAY_MS)] = 1_800_000
    bots_ms: Annotated[int, Meta(ge=1_000, le=HOUR_MS)] = 600_000
    then: Literal["out", "stand_in"] | UnsetType = UNSET


HOUSE_IDLE = Idle()
"""What a house adds to the rules of a match that says nothing of it: three minutes a turn, three turns, and out."""


class HostPowers(Struct, frozen=True, forbid_unknown_fields=True):
    """What the host of a match may do to its course, which is published before anybody sits down.

    Attributes:
        hold_ms: For how many milliseconds in all the host may hold the table up.
        away_ms: For how many milliseconds a seat has kept the table waiting in its turn before the host may have a
            house bot stand in for it.
        changes: How often in all somebody may be made the host, the table be locked or unlocked, and a stand-in be
            asked for, by the host or by a seat. Matches that are older than the bound say nothing of it.
        moves: `since` if a pause moves the next round by what it lasted since the last ended; before, by all of it.
    """

    hold_ms: Annotated[int, Meta(ge=0, le=DAY_MS)] = 1_800_000
    away_ms: Annotated[int, Meta(ge=1_000, le=HOUR_MS)] = 30_000
    changes: Annotated[int, Meta(ge=0, le=CHANGES_MAX)] | UnsetType = UNSET
    moves: Literal["since"] | UnsetType = UNSET


HOUSE_RULES: Final[dict[str, Any]] = {
    "idle": HOUSE_IDLE,
    "host": HostPowers(),
    "pause_ends": "all",
    "asides": ASIDES,
}
"""What a house adds to the rules of a match that says nothing of these."""


class BeaconSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """A public beacon that deals wait for (CUP/1 section 5.3): what of it decides which round.

    Attributes:
        chain: The hash of its chain, as hex. Whether it is one to believe, an auditor knows.
        genesis: When its round 1 was, in Unix seconds.
        period: The seconds between its rounds.
    """

    chain: Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
    genesis: Annotated[int, Meta(ge=0, le=2**40)]
    period: Annotated[int, Meta(ge=1, le=3_600)]


class EventTable(Struct, frozen=True, forbid_unknown_fields=True):
    """The table of a tournament that a match is played at: its director opens and starts it, and it has no host.

    Attributes:
        tournament: The tournament's UUID.
        stage: Which stage of it, from 1.
        round: Which round of the stage, from 1.
        table: Which table of the round, from 1.
        attempt: Which match at this table, from 1: a further leg, or a match played again, is the next one.
    """

    tournament: Annotated[str, Meta(pattern=r"\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")]
    stage: Annotated[int, Meta(ge=1, le=2**16 - 1)]
    round: Annotated[int, Meta(ge=1, le=2**32 - 1)]
    table: Annotated[int, Meta(ge=1, le=2**16 - 1)]
    attempt: Annotated[int, Meta(ge=1, le=2**16 - 1)]


class SharedBoard(Struct, frozen=True, forbid_unknown_fields=True):
    """The board whose dice a match is played with, as other tables are.

    Attributes:
        id: The board's UUID, which its stream is named after.
        positions: By seat, written as a text, the cup of the board that it rolls: that of its own number.
    """

    id: Annotated[str, Meta(pattern=r"\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")]
    positions: dict[str, Annotated[Seat, Meta(ge=1, le=254)]]


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """The rules object, as it stands in the first event.

    Attributes:
        game: A name in `domain.games.GAMES`.
        options: Every option of the game, spelled out.
        deal_per: One CUP/1 deal for the whole match, which suits every game, or a new one each round.
        seats: How many may join; as many as the game takes, if nothing is said.
        clock: A clock per seat, or none.
        pause_ms: How long the table leaves the dice of a settled round lying, in milliseconds.
        pause_ends: `all` if that is over as soon as everybody who plays has asked for the next round; it stands in the
            rules object only so.
        beacon: The public beacon that every deal waits for; it stands in the rules object only where there is one.
        idle: What becomes of the table when people stop; it stands in the rules object only where there is such a rule,
            so that matches which are older than the rule are what they were.
        start: `full` if the match starts by itself once its last seat is taken; it stands in the rules object only so.
        starts_at: When the match starts with whoever has a seat, in Unix milliseconds, unless its host does it before;
            its lobby is over then, and not sooner. It stands in the rules object only where there is such a time.
        host: What the host may do to the course of the match; it stands in the rules object only where there are such
            powers.
        edition: How the rules of the game are read: None is the first way. It stands in the rules object only where
            another way of reading them would be another game.
        event: The table of a tournament that this is; like the next four it stands in the rules object only where it
            is said.
        starter: The seat that opens the first round, for which nothing is drawn then; where it is not taken any more,
            the next one that is.
        rounds_max: The round with whose settlement the match ends, without a winner unless somebody has won.
        stacks: By seat, written as a text, what it begins with of the unit that it is out without.
        board: The duplicate board whose dice it is played with, and no deal of its own.
        asides: How many lines beside the game each seat may write, and as many the host: other keys of a seat, looks at
            dice that it has looked at, pauses. Matches that are older than the bound say nothing of it.
    """

    game: str
    options: dict[str, Any]
    deal_per: DealPer = "match"
    seats: Annotated[int, Meta(ge=2, le=254)] = AS_MANY_AS_PLAY
    clock: ClockSettings | None = None
    pause_ms: Annotated[int, Meta(ge=0, le=PAUSE_MS_MAX)] = 4_000
    beacon: BeaconSettings | None = None
    idle: Idle | None = None
    host: HostPowers | None = None
    start: Literal["full"] | None = None
    starts_at: Annotated[UnixMs, Meta(ge=0, le=TIME_MAX)] | None = None
    pause_ends: Literal["all"] | None = None
    edition: Literal[2] | None = None
    event: EventTable | None = None
    starter: Annotated[Seat, Meta(ge=1, le=254)] | None = None
    rounds_max: Annotated[RoundNumber, Meta(ge=1, le=ROUNDS_MAX)] | None = None
    stacks: dict[str, Annotated[Units, Meta(ge=1, le=UNITS_MAX)]] | None = None
    board: SharedBoard | None = None
    asides: Annotated[int, Meta(ge=1, le=CHANGES_MAX)] | None = None


def settings_of(rules: dict[str, Any], policy: Policy = "all") -> Settings:
    """Return the settings a host asks for, with every option of the game spelled out.

    Args:
        rules: The rules object, in which what is left out takes its default.
        policy: What the deals publish when they end.

    Raises:
        Refused: `bad_options`, naming the option.
    """
    settings = _shape_of(rules)
    if settings.game not in GAMES:
        raise Refused("bad_options", option="game", why="no game of this name is known", known=sorted(GAMES))
    options = options_of(settings.game, settings.options)
    game = GAMES[settings.game].rules(options)
    if policy not in game.policies:
        why = f"what is decided has to be proved, and {game.hidden_decision}"
        raise Refused("bad_options", option="policy", why=why)
    if settings.deal_per not in game.deals_under(policy):
        raise Refused("bad_options", option="deal_per", why="a deal that ends publishes dice that stay hidden here")
    lowest, highest = game.seats
    seats = settings.seats or highest
    if not lowest <= seats <= highest:
        raise Refused("bad_options", option="seats", why=f"this game is for {lowest} to {highest} seats")
    _check_event(settings, game)
    _check_start(settings)
    _check_stacks(settings.stacks, game, seats)
    if settings.board is not None:
        _check_board(settings, game, seats, policy)
    if settings.starter is not None and settings.starter > seats:
        raise Refused("bad_options", option="starter", why=f"the seats are 1 to {seats}")
    idle = settings.idle
    if idle is not None and idle.then == "out":
        idle = msgspec.structs.replace(idle, then=UNSET)  # what came later is left out where it was always so
    given = {"options": msgspec.to_builtins(options), "seats": seats, "idle": idle}
    return msgspec.structs.replace(settings, **given)


def _check_event(settings: Settings, game: Rules) -> None:
    """Check what is asked of a match for a tournament against its game, and against what else is asked of it.

    Raises:
        Refused: `bad_options`, naming the option.
    """
    # Who plays whom is drawn there, and whoever waits for a bout has no place that could be compared.
    if game.match.bouts is not None:
        for option in ("event", "starter", "rounds_max", "stacks"):
            if getattr(settings, option) is not None:
                raise Refused("bad_options", option=option, why="seats play two at a time here")
    if settings.event is not None and settings.host is not None:
        raise Refused("bad_options", option="host", why="at a table of a tournament its officials do what hosts do")
    if settings.event is not None and settings.start is not None:
        raise Refused("bad_options", option="start", why="a table of a tournament starts once all are there")


def _check_start(settings: Settings) -> None:
    """Check that a table which starts at a time has nobody else to start it, and an end if nobody has come by then.

    Raises:
        Refused: `bad_options`: `starts_at`.
    """
    if settings.starts_at is None:
        return
    if settings.event is not None or settings.start is not None:
        raise Refused("bad_options", option="starts_at", why="something else says when this table starts")
    if settings.idle is None:
        raise Refused("bad_options", option="starts_at", why="seats whose players stay away need the idle rule")


def _check_stacks(stacks: dict[str, Units] | None, game: Rules, seats: int) -> None:
    """Check what the seats are to begin with.

    Raises:
        Refused: `bad_options`, naming the option.
    """
    if stacks is None:
        return
    most = most_units(game)
    if most is None:
        raise Refused("bad_options", option="stacks", why="nobody is out here for having nothing left")
    if stacks.keys() != {str(seat) for seat in range(1, seats + 1)}:
        raise Refused("bad_options", option="stacks", why=f"each of the seats 1 to {seats} has something to begin with")
    if max(stacks.values()) > most:
        raise Refused("bad_options", option="stacks", why=f"a seat has {most} at most")


def _check_board(settings: Settings, game: Rules, seats: int, policy: Policy) -> None:
    """Check that a match can be played with dice that other tables have as well.

    Raises:
        Refused: `bad_options`, naming the option.
    """
    assert settings.board is not None, "it is asked for"
    if settings.board.positions != {str(seat): seat for seat in range(1, seats + 1)}:
        raise Refused("bad_options", option="board.positions", why="the position at a table is the seat")
    if why := why_no_boards(game):
        raise Refused("bad_options", option="board", why=f"the same dice cannot be at several tables here: {why}")
    needs = {
        "event": settings.event is None,
        "clock": settings.clock is None,
        "starter": settings.starter is None,
        "deal_per": settings.deal_per != "match",
        "policy": policy != "all",
    }
    for option in (option for option, lacks in needs.items() if lacks):
        raise Refused("bad_options", option=option, why=_OF_BOARDS[option])
    if settings.stacks is not None:
        raise Refused("bad_options", option="stacks", why="with the same dice everybody begins with as many")


_OF_BOARDS: Final = {
    "event": "boards are of tournaments",
    "clock": "tables with the same dice wait for each other, so nobody plays without a clock",
    "starter": "with the same dice the same seat opens at every table",
    "deal_per": "a board has one deal for the whole match",
    "policy": "a board publishes all its dice once its last table has ended",
}


def most_units(rules: Rules) -> Units | None:
    """Return the most that a seat may begin with of what it is out without; None in games in which it is never that."""
    if rules.match.out_at != 0:
        return None
    # A cup has as many slots as there are dice at the start; tokens are only counted, and may have been won elsewhere.
    return {"die": rules.tokens.dice, "token": UNITS_MAX}.get(rules.match.unit or "")


def newest_edition(settings: Settings) -> Settings:
    """Return the settings of a match that begins now: with the edition, where it makes a difference, and its bounds."""
    if (host := settings.host) is not None:
        changes = CHANGES if host.changes is UNSET else host.changes
        settings = msgspec.structs.replace(settings, host=msgspec.structs.replace(host, changes=changes, moves="since"))
    first = msgspec.structs.replace(settings, edition=None)
    now = msgspec.structs.replace(settings, edition=EDITION)
    return first if rules_in_force(first) == rules_in_force(now) else now


def rules_in_force(settings: Settings) -> Rules:
    """Return the rules that a match is played by, as its edition reads them."""
    rules = rules_of(settings.game, settings.options)
    if settings.edition is not None:
        return rules
    return msgspec.structs.replace(rules, interludes=tuple(each.first_edition() for each in rules.interludes))


def _shape_of(rules: dict[str, Any]) -> Settings:
    try:
        return msgspec.convert(rules, Settings)
    except msgspec.ValidationError as error:
        fault = fault_of(error)
        raise Refused("bad_options", option=fault.named or "rules", why=fault.why) from error


def is_known(rules: object) -> bool:
    """Report whether a rules object names only what an engine here knows: its game, and each option by its name.

    Whether the values are allowed is for `settings_of` to say: a rule that is broken is one thing, a rule that nobody
    here has heard of another.
    """
    if not isinstance(rules, dict) or not isinstance(rules.get("game"), str) or rules["game"] not in GAMES:
        return False
    options = _type_of(GAMES[rules["game"]].options)
    return _names_known(rules, _type_of(Settings)) and _names_known(rules.get("options"), options)


def _names_known(given: object, wanted: inspect.Type) -> bool:
    """Report whether an object has no member that its struct has not, and so on inwards; what is no object has none."""
    if isinstance(wanted, inspect.Metadata):
        return _names_known(given, wanted.type)
    if isinstance(wanted, inspect.UnionType):
        return all(_names_known(given, each) for each in wanted.types)
    if not isinstance(wanted, inspect.StructType) or not isinstance(given, dict):
        return True
    fields = {field.encode_name: field.type for field in wanted.fields}
    return all(name in fields and _names_known(value, fields[name]) for name, value in given.items())


def rules_object(settings: Settings) -> dict[str, Any]:
    """Return the rules object as it goes into `match.created`."""
    built: dict[str, Any] = msgspec.to_builtins(settings)
    return {name: value for name, value in built.items() if name not in _ONLY_IF_THERE or value is not None}
