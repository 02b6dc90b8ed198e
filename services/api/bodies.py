"""Request bodies.

Unknown members are refused, integers are 64-bit, lists and strings are bounded. The seat never stands in a body: it
comes from the token.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args, get_type_hints

from msgspec import UNSET, Meta, Struct, UnsetType, defstruct, structs

from domain import commands
from domain.errors import Refused
from domain.events import Reason
from domain.ids import UnixMs
from domain.match.settings import ClockSettings, HostPowers, Idle
from domain.match.signed_commands import SeatSignature
from domain.table.interludes import COMMANDS
from infra.store import Card, Choices
from projections.saying import TEXT_MAX
from services.engines.level_names import USUAL, Level
from services.http.problems import HttpProblem
from services.matches.naming.law import BadName
from services.matches.naming.lawful import lawful


class Body(Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a request."""


class RulesAsked(Body, frozen=True):
    """The rules of a match; what is left out takes the default of the game.

    Attributes:
        game: The name of a game, as `GET /api/v1/games` lists them.
        options: House rules of the game.
        deal_per: One provable deal for the whole match, or a new one each round.
        seats: How many may join; as many as the game takes, if nothing is said.
        clock: A clock per seat, or none.
        pause_ms: How long the dice of a settled round lie on the table, in milliseconds.
        pause_ends: `all` if that is over as soon as everybody who plays has asked to `continue`, as a house has it if
            nothing is said; `null` is off: then it lasts its time.
        beacon: The public beacon every deal waits for, by its name, or none; the house says which it asks.
        idle: What becomes of a table at which people stop. What is left out takes the default of the house, `null` is
            off: then a seat that does nothing keeps the others waiting until they leave.
        start: `full` if the match is to start by itself once its last seat is taken; otherwise its host starts it.
        host: What the host may do to the course of the match, such as to take a seat out, and how far. What is left out
            takes the default of the house, `null` is off: then the host may start the match and end it.
    """

    game: Annotated[str, Meta(min_length=1, max_length=40, examples=["common_hand"])]
    options: Annotated[dict[str, Any], Meta(max_length=64)] = {}
    deal_per: Literal["match", "round"] | UnsetType = UNSET
    seats: Annotated[int, Meta(ge=2, le=254)] | UnsetType = UNSET
    clock: ClockSettings | None = None
    pause_ms: Annotated[int, Meta(ge=0, le=60_000)] | UnsetType = UNSET
    beacon: Annotated[str, Meta(min_length=1, max_length=40, examples=["quicknet"])] | None = None
    idle: Idle | UnsetType | None = UNSET
    start: Literal["full"] | None = None
    pause_ends: Literal["all"] | UnsetType | None = UNSET
    host: HostPowers | UnsetType | None = UNSET


class OpenMatch(Body, frozen=True):
    """Open a match; the answer holds the token of its host.

    Attributes:
        rules: The rules.
        policy: What a provable deal publishes when it ends: `all` its dice, or only those the rules have `shown`, so
            that folded dice stay secret for ever. Refused where dice decide that nobody is shown.
        name: What people shall call the table, under the law of names that people have, and not what the house is
            called. It is kept in its normal form (NFKC) beside the match, in no record.
        private: Whether the table is in no list and no statistics, and takes the `invite` that the answer holds of
            whoever sits down. It is no secret: its id stands in the public log, as that of every match does, and
            whoever knows it may watch.
        choices: What the host chooses that no rule depends on; it is kept beside the match, in no record.
    """

    rules: RulesAsked
    policy: Literal["all", "shown"] = "all"
    name: Annotated[str, Meta(min_length=1, max_length=120, examples=["Friday night"])] | None = None
    private: bool = False
    choices: Choices = Choices()


class JoinMatch(Body, frozen=True):
    """Take the next seat.

    Attributes:
        name: What people shall call the player: at most 40 columns of characters that can be seen, in one script or in
            those that are written together; not what a bot of the house is called, nor, at the same table, what looks
            like somebody else's. It is kept in its normal form (NFKC).
        invite: The invitation of the host, where the table is private.
        custody: `client` if the player's own program commits and opens the seat's seeds, `server` if the house does.
        key: An Ed25519 key of the player's program, 64 hex digits, which signs all that the seat asks for from then on;
            it is `signed` then. The house never sees the private one.
        salt: 32 fresh bytes as hex: then the record fixes the name without saying it, and whoever is told both can
            check it. Whoever signs a name writes it in its normal form.
        signed: The signature over the command, `{"type":"join","key","custody"}` and `name` where there is a salt.
    """

    name: Annotated[str, Meta(min_length=1, max_length=120, examples=["Ada"])]
    custody: Literal["client", "server"] = "server"
    invite: Annotated[str, Meta(max_length=64, examples=["Zq3n0vYkS1mT7xWc9aLb2dEf4gHi5jKo"])] | None = None
    key: commands.Hash | None = None
    salt: commands.Hash | None = None
    signed: SeatSignature | None = None


class SitAgain(Body, frozen=True):
    """Sit down at the next table with a key; whoever sits down without one need send nothing.

    Attributes:
        sits: Whether to sit down: a first request with `false` has the table opened, whose lines a second one is signed
            over. Its answer has a `token` if the seat is taken already.
        custody: Who draws the seeds of the seat, if not who did at the table before.
        key: An Ed25519 key of the player's program, 64 hex digits, best one that was made for this table.
        salt: 32 fresh bytes as hex, with which the record fixes the name of before without saying it.
        signed: The signature over the command `join`, as that of `POST /matches/{match_id}/seats` is.
    """

    sits: bool = True
    custody: Literal["client", "server"] | None = None
    key: commands.Hash | None = None
    salt: commands.Hash | None = None
    signed: SeatSignature | None = None


class TakeSeatKey(Body, frozen=True):
    """Take the own seat again, with a key.

    Attributes:
        left_at: When its player gets up, in Unix milliseconds: later than the last line, and at most 30 s ago.
        custody: Who draws the seeds of the seat from then on.
        key: An Ed25519 key of the player's program, 64 hex digits.
        salt: 32 fresh bytes as hex, with which the record fixes the name that the seat has.
        signed: The signature over the command `join`, as the one line stands behind all others that says that the seat
            is left: `{"at":left_at,"data":{"reason":"rejoins","seat":...},...,"type":"seat.left","v":1}`.
    """

    left_at: Annotated[UnixMs, Meta(ge=0, le=2**53 - 1)]
    custody: Literal["client", "server"]
    key: commands.Hash
    signed: SeatSignature
    salt: commands.Hash | None = None


class NameSeatKey(Body, frozen=True):
    """Name a key for the seat of somebody who has lost his.

    Attributes:
        key: The Ed25519 key that the player's program has made, 64 hex digits.
    """

    key: commands.Hash


class SeatBots(Body, frozen=True):
    """Seat this many house bots.

    Attributes:
        level: How they choose: `L0` by chance alone, `L1` by simple odds, `L2` by what moves say as well, `L3` by what
            an analysis calls best, `L4` by what has been learnt where a round has a blueprint, `L5` by what is
            certified where a round has been solved. Where a level has nothing to say, the one below does.
    """

    count: Annotated[int, Meta(ge=1, le=253)]
    level: Level = USUAL


Phrase: TypeAlias = Literal["hello", "luck", "nice", "thanks", "laugh", "wow", "oops", "hurry"]
"""What can be said at a table, whatever is played there; pages have the words in each language."""


class SayPhrase(Body, frozen=True):
    """Say one of the quick phrases.

    Attributes:
        phrase: Which; there is no other chat.
    """

    phrase: Phrase


class Play(Body, frozen=True, tag_field="type", kw_only=True):
    """Something asked of a running match.

    Attributes:
        signed: The signature of a seat with a key over the command in its public form (CUP/1 section 4.14).
    """

    signed: SeatSignature | None = None


class Say(Play, frozen=True, tag="say"):
    """Ask for something in words, such as `5x3`, `two pair kings tens`, `liar` (`projections.saying`)."""

    text: Annotated[str, Meta(max_length=TEXT_MAX, examples=["5x3"])]


class Resign(Play, frozen=True, tag="resign"):
    """Leave the running match for good."""


class CloseSession(Play, frozen=True, tag="close_session"):
    """End an open session between rounds, or a table that nobody has started; only the host may."""


class EndMatch(Play, frozen=True, tag="end_match"):
    """End the match without a winner, in any game and at any time; only the host may, and once.

    It counts as soon as no round is under way; `game.end_asked` tells everybody at once. A table that has not started
    ends at once.
    """

    reason: Reason | None = None


class StandIn(Play, frozen=True, tag="stand_in"):
    """Have a house bot play a seat until its player takes it back: one's own, or as the host that of somebody away.

    Attributes:
        who: Whose seat; for the host, who says nothing of it for the own one.
    """

    who: commands.Whole | None = None


class TakeBack(Play, frozen=True, tag="take_back"):
    """Take one's seat back from the house bot that stands in, at any time; the host may do so for another.

    Attributes:
        who: Whose seat; for the host, who says nothing of it for the own one.
    """

    who: commands.Whole | None = None


def _body_of(kind: type[commands.Command]) -> type[Play]:
    """Return the body with which a seat asks for a command: its members but for the seat, under the same tag."""
    tag, hints = str(kind.__struct_config__.tag), get_type_hints(kind, include_extras=True)
    members = [_member_of(field, hints[field.name]) for field in structs.fields(kind) if field.name != "seat"]
    name = "".join(word.capitalize() for word in tag.split("_"))
    body: Any = defstruct(
        name, members, bases=(Play,), frozen=True, tag=tag, module=__name__, namespace={"__doc__": kind.__doc__}
    )
    made: type[Play] = body
    return made


def _member_of(field: structs.FieldInfo, hint: Any) -> tuple[str, Any] | tuple[str, Any, Any]:  # noqa: ANN401 - a type
    return (field.name, hint) if field.required else (field.name, hint, field.default)


_CORE: Final = tuple(kind for kind in get_args(commands.Play) if kind is not commands.AnyInterludeCommand)
_OF_SEATS: Final = (
    *_CORE,
    *(kind for kind in COMMANDS if not kind.of_table),
    commands.Continue,
    commands.SayReady,
    commands.CommitSeed,
    commands.OpenSeed,
    commands.Leave,
    commands.Rekey,
)
_COMMANDS: Final[dict[type[Play], Callable[..., commands.MatchCommand]]] = {
    **{_body_of(kind): kind for kind in _OF_SEATS},
    Resign: commands.Forfeit,
}
_POWERS: Final[dict[type[Play], Callable[..., commands.MatchCommand]]] = {
    _body_of(kind): kind
    for kind in get_args(commands.PowerCommand)
    # A body says whose seat it is, where it is another's than the asker's own.
    if kind not in {commands.StandInFor, commands.GiveSeatBack}
}
_OF_THE_HOST: Final[tuple[type[Play], ...]] = (CloseSession, EndMatch, *_POWERS)
BODIES: Final = (*_COMMANDS, Say, StandIn, TakeBack, *_OF_THE_HOST)
AnyPlay: TypeAlias = functools.reduce(operator.or_, BODIES)  # type: ignore[valid-type]
"""What `POST /api/v1/matches/{id}/commands` takes: a body for each command of a seat, and what is only asked here."""


def is_of_the_host(play: Play) -> bool:
    """Report whether only the host asks for this; all else is asked by a seat for itself."""
    return isinstance(play, _OF_THE_HOST) or (isinstance(play, StandIn | TakeBack) and play.who is not None)


def check_signed(key: str | None, signed: SeatSignature | None) -> None:
    """Check that a seat is asked for with a key and a signature by it, or with neither.

    Raises:
        Refused: `bad_signature`.
    """
    if (key is None) != (signed is None):
        raise Refused("bad_signature", why="form")


def name_of(asked: JoinMatch) -> str:
    """Return the name in its normal form.

    Raises:
        HttpProblem: `bad_name`, with why in words.
    """
    return lawful_name(asked.name)


def card_of(asked: OpenMatch) -> Card:
    """Return the card of the table, with its name in its normal form.

    Raises:
        HttpProblem: `bad_name`, with why in words.
    """
    name = None if asked.name is None else lawful_name(asked.name)
    return Card(name, not asked.private, asked.choices)


def lawful_name(text: str) -> str:
    """Return a name in its normal form."""
    try:
        return lawful(text)
    except BadName as bad:
        raise HttpProblem("bad_name", str(bad), **bad.facts) from bad


def command_of(play: Play, seat: int) -> commands.MatchCommand:
    """Return the command a seat asks for: it has the members of the body, and the seat."""
    assert not isinstance(play, Say), "what words ask for depends on the table"
    if isinstance(play, CloseSession | EndMatch):
        return commands.CloseSession() if isinstance(play, CloseSession) else commands.EndMatch(play.reason)
    if isinstance(play, StandIn):
        return commands.StandIn(seat) if play.who is None else commands.StandInFor(play.who)
    if isinstance(play, TakeBack):
        return commands.TakeBack(seat) if play.who is None else commands.GiveSeatBack(play.who)
    asked = structs.asdict(play)
    del asked["signed"]
    if type(play) in _POWERS:
        return _POWERS[type(play)](**asked)
    return _COMMANDS[type(play)](seat=seat, **asked)
