"""Bodies of requests on tournaments. Who asks never stands in one: that comes from the token."""

from __future__ import annotations

import builtins
import functools
import operator
import types
import typing
from collections.abc import Callable
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args, get_origin, get_type_hints

from msgspec import UNSET, Meta, Struct, UnsetType, defstruct, structs

from domain import commands as of_lots
from domain.match.signed_commands import SeatSignature
from domain.tournaments import commands
from domain.tournaments.commands import SEED_MAX
from domain.tournaments.rules import TIME_MAX
from domain.tournaments.tournament import Tournament
from infra.store import Card
from projections.tournaments.exports.hook_messages import HookType
from services.api.bodies import Body, lawful_name
from services.http.problems import HttpProblem
from services.matches.chance import NO_CHANCE
from services.tournaments.requests import Beside, TournamentBearer
from services.webhooks.messages import Kind

TEXT_MAX: Final = 2_000
"""The longest reason in words."""


class Announce(Body, frozen=True):
    """Announce a tournament; the answer holds the token of its host.

    Attributes:
        rules: The rules object; what is left out takes its default, `preset` fills it beforehand.
        preset: Rules of whole tournaments by a name, of which `rules` may change members.
        title: What people shall call it, under the law of names. It is kept beside the tournament, in no record.
        private: Whether it stands in no list.
    """

    rules: Annotated[dict[str, Any], Meta(max_length=32)] = {}
    preset: Annotated[str, Meta(min_length=1, max_length=40, examples=["pods"])] | None = None
    title: Annotated[str, Meta(min_length=1, max_length=120, examples=["Club night"])] | None = None
    private: bool = False


class EnterTournament(Body, frozen=True):
    """Enter; the answer holds the token of the entrant.

    Attributes:
        name: What people shall call the entrant, as at a table. A player is called what the player's page says.
        player: The token of a player, who enters as such; a guest has none.
        club: The club, which sits together as rarely as the rules say; it is kept as an opaque id.
        custody: `client` if the entrant's own program commits and opens the seeds of its seats, `server` if the house
            does.
        seed: The place among the seeds, which a host says of others where seeds are set by hand.
    """

    name: Annotated[str, Meta(min_length=1, max_length=120, examples=["Ada"])] | None = None
    player: Annotated[str, Meta(max_length=60, pattern="^truecup_player_[A-Za-z0-9_-]{43}$")] | None = None
    club: Annotated[str, Meta(min_length=1, max_length=120)] | None = None
    custody: Literal["client", "server"] = "server"
    seed: Annotated[int, Meta(ge=1, le=SEED_MAX)] | None = None


class SitAtOwnTable(Body, frozen=True):
    """Take the seat that is kept for who has registered a key.

    Attributes:
        custody: `client` if the entrant's own program commits and opens the seeds of the seat, `server` if the house
            does; what is signed says the same. If nothing is said it is as on entering.
        key: The key that was registered; left out by who plays without it.
        signed: The join of this seat, signed with that key.
    """

    custody: Literal["client", "server"] | None = None
    key: of_lots.Hash | None = None
    signed: SeatSignature | None = None


class EnterBots(Body, frozen=True):
    """Enter this many bots of the house."""

    count: Annotated[int, Meta(ge=1, le=64)]


class AppointOfficial(Body, frozen=True):
    """Give somebody powers; the answer holds the token they are had with."""

    role: Literal["host", "arbiter"]


class MakeWebhook(Body, frozen=True):
    """Have an address told of what happens in a tournament.

    Attributes:
        url: Where messages go: an address that begins with `https://`, of the public network.
        kind: How it is told: as Standard Webhooks has it, or in words as the webhooks of Discord or Slack take them.
        language: In which language, where it is told in words.
        events: Of which types of messages; of all of them if nothing is said.
    """

    url: Annotated[str, Meta(min_length=1, max_length=2_000, examples=["https://hooks.club.org/truecup"])]
    kind: Kind = "standard"
    language: Literal["en", "de", "es"] = "en"
    events: Annotated[tuple[HookType, ...], Meta(max_length=14)] = ()


class TournamentAsk(Body, frozen=True, tag_field="type"):
    """Something asked of a tournament."""


_SEEN: Final = (
    r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]*$"
)
"""Text without control characters but tabs and the ends of lines, and without what turns it round or is not seen.

Emoji and some scripts need joiners (U+200C, U+200D) and selectors: texts may hold those, as names may where they show.
"""
_TEXT: Final = Annotated[str, Meta(min_length=1, max_length=TEXT_MAX, pattern=_SEEN)]
_NUMBER: Final = Annotated[int, Meta(ge=-TIME_MAX, le=TIME_MAX)]
"""Any number that a line can say."""
_LEFT_OUT: Final = {"by", "note"}
_NUMBERED: Final = "number"


def _body_of(kind: type[Struct]) -> type[TournamentAsk]:
    """Return the body that asks for a command: its members without who asks, and words in place of a hash of them.

    An entrant need not say the own number.
    """
    tag, hints = str(kind.__struct_config__.tag), get_type_hints(kind, include_extras=True)
    members: list[Any] = []
    for field in structs.fields(kind):
        if field.name == _NUMBERED:
            members.append((field.name, _NUMBER | UnsetType, UNSET))
        elif field.name not in _LEFT_OUT:
            hint = _bounded(hints[field.name])
            members.append((field.name, hint) if field.required else (field.name, hint, field.default))
    if "note" in hints:
        members += [("text", _TEXT | None, None), ("restricted", bool, False)]
    members.sort(key=lambda member: len(member) > 2)  # noqa: PLR2004 - those without a default come first
    name = "Ask" + "".join(word.capitalize() for word in tag.split("_"))
    made: Any = defstruct(
        name,
        members,
        bases=(TournamentAsk,),
        frozen=True,
        tag=tag,
        module=__name__,
        namespace={"__doc__": kind.__doc__},
    )
    body: type[TournamentAsk] = made
    return body


def _bounded(hint: Any) -> Any:  # noqa: ANN401 - annotations are of no type
    """Return an annotation with bounds for its numbers."""
    if hint is int:
        return _NUMBER
    of = get_args(hint)
    match get_origin(hint):
        case typing.Annotated:
            # A number that a command annotates has bounds of its own.
            return hint if of[0] is int else Annotated[_bounded(of[0]), *of[1:]]
        case builtins.tuple:
            return types.GenericAlias(tuple, tuple(map(_bounded, of)))
        case typing.Union | types.UnionType:
            return functools.reduce(operator.or_, map(_bounded, of))
        case _:
            return hint


class AskProceed(TournamentAsk, frozen=True, tag="proceed"):
    """Do what is due without waiting for it, or pair the next round where rounds begin by hand."""


class AskPair(TournamentAsk, frozen=True, tag="pair"):
    """Pair the next round without waiting for its time. It starts by itself, once its matches are open."""


class GiveSeedHash(TournamentAsk, frozen=True, tag="commit_seed"):
    """Fix a seed for the lots, or for a board, as one of those who draw."""

    deal: Annotated[int, Meta(ge=0, le=2**31)]
    commit: of_lots.Hash


class OpenSeedOfLots(TournamentAsk, frozen=True, tag="open_seed"):
    """Open it."""

    deal: Annotated[int, Meta(ge=0, le=2**31)]
    seed: of_lots.Hash


AnyBoardAsk = GiveSeedHash | OpenSeedOfLots
"""What `POST /api/v1/boards/{id}/commands` takes."""
OF_DRAWERS: Final = (GiveSeedHash, OpenSeedOfLots)
"""What only those ask who draw lots."""
_KINDS: Final = (
    *(
        commands.OpenEntry,
        commands.CloseEntry,
        commands.Approve,
        commands.Seed,
        commands.TurnAway,
        commands.OpenCheckIn,
    ),
    *(commands.CheckIn, commands.Withdraw, commands.Return, commands.RequestBye, commands.DropBye),
    *(commands.TakeKey, commands.NameEntrantKey),
    *(commands.WaitForTable, commands.TakeBreak, commands.ChallengeAbove, commands.AnswerChallenge),
    *(commands.FixTables, commands.Forbid, commands.Allow, commands.Unpair),
    *(commands.Rule, commands.Replay, commands.Penalise, commands.Lift, commands.Extend, commands.GiveTableTime),
    *(
        commands.OpenCase,
        commands.PauseTournament,
        commands.Resume,
        commands.Appeal,
        commands.DecideAppeal,
        commands.Finish,
        commands.Cancel,
    ),
)
_COMMANDS: Final[dict[type[TournamentAsk], Callable[..., commands.AnyCommand]]] = {
    _body_of(kind): kind for kind in _KINDS
}
ASKS: Final = (*_COMMANDS, AskProceed, AskPair, *OF_DRAWERS)
AnyTournamentAsk: TypeAlias = functools.reduce(operator.or_, ASKS)  # type: ignore[valid-type]
"""What `POST /api/v1/tournaments/{id}/commands` takes: a body a command."""


def command_asked(
    asked: TournamentAsk, bearer: TournamentBearer, tournament: Tournament
) -> tuple[commands.AnyCommand, Beside]:
    """Return the command that somebody asks for, and what is stored beside it.

    Raises:
        HttpProblem: `not_a_drawer`, `malformed`: an official says whose number.
    """
    if isinstance(asked, AskProceed):
        return commands.Proceed(by=bearer.by, chance=NO_CHANCE), Beside()
    if isinstance(asked, AskPair):
        return commands.Pair(by=bearer.by, chance=NO_CHANCE), Beside()
    if isinstance(asked, GiveSeedHash):
        return of_lots.CommitSeed(_drawer(bearer, tournament), asked.deal, asked.commit), Beside()
    if isinstance(asked, OpenSeedOfLots):
        return of_lots.OpenSeed(_drawer(bearer, tournament), asked.deal, asked.seed), Beside()
    members = structs.asdict(asked)
    text, restricted = members.pop("text", None), members.pop("restricted", False)
    if members.get(_NUMBERED, 0) is UNSET:
        members[_NUMBERED] = _own_number(bearer)
    return _COMMANDS[type(asked)](by=bearer.by, **members), Beside(note=text, restricted=restricted)


def _own_number(bearer: TournamentBearer) -> int:
    if bearer.number is None:
        fault = {"where": "$", "pointer": "#", "why": "this needs the member `number`"}
        raise HttpProblem("malformed", "the body: this needs the member `number`", faults=[fault])
    return bearer.number


def _drawer(bearer: TournamentBearer, tournament: Tournament) -> int:
    """Return the drawer's seat of whoever asks."""
    found = next((seat for seat, who in tournament.drawers.items() if who.player == bearer.by), None)
    if found is None:
        raise HttpProblem("not_a_drawer")
    return found


def card_of_tournament(asked: Announce) -> Card:
    """Return what the tournament is called, in its normal form, and whether it is listed.

    Raises:
        HttpProblem: `bad_name`, with why in words.
    """
    return Card(None if asked.title is None else lawful_name(asked.title), not asked.private)
