"""What requests say.

Unknown members are refused, integers are 64-bit, lists and strings are bounded. The seat never stands in a body: it
comes from the token.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from domain import commands
from domain.match.settings import ClockSettings, Idle
from domain.table.interludes import buying, chase, cocked
from projections.saying import TEXT_MAX
from services.http.problems import Trouble
from services.matches.naming import law
from services.matches.naming.bots import HOUSE_BOTS
from services.matches.naming.law import BadName

Whole = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
"""An integer of 64 bits; which ones make sense, the rules say."""
Positions = Annotated[tuple[Annotated[int, Meta(ge=0, le=253)], ...], Meta(max_length=254)]
"""Positions of dice, 0-based, in the owner's own numbering."""
Hash = Annotated[str, Meta(min_length=64, max_length=64, pattern="^[0-9a-f]{64}$")]
"""32 bytes as lower-case hex."""


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
        beacon: The public beacon every deal waits for, by its name, or none; the house says which it asks.
        idle: What becomes of a table at which people stop. What is left out takes the default of the house, `null` is
            off: then a seat that does nothing keeps the others waiting until they leave.
    """

    game: Annotated[str, Meta(min_length=1, max_length=40, examples=["common_hand"])]
    options: Annotated[dict[str, Any], Meta(max_length=64)] = {}
    deal_per: Literal["match", "round"] | UnsetType = UNSET
    seats: Annotated[int, Meta(ge=2, le=254)] | UnsetType = UNSET
    clock: ClockSettings | None = None
    pause_ms: Annotated[int, Meta(ge=0, le=60_000)] | UnsetType = UNSET
    beacon: Annotated[str, Meta(min_length=1, max_length=40, examples=["quicknet"])] | None = None
    idle: Idle | UnsetType | None = UNSET


class OpenMatch(Body, frozen=True):
    """Open a match; the answer holds the token of its host.

    Attributes:
        rules: The rules.
        policy: What a provable deal publishes when it ends: `all` its dice, or only those the rules have `shown`, so
            that folded dice stay secret for ever. Refused where dice decide that nobody is shown.
    """

    rules: RulesAsked
    policy: Literal["all", "shown"] = "all"


class JoinMatch(Body, frozen=True):
    """Take the next seat.

    Attributes:
        name: What people shall call the player: at most 40 columns of characters that can be seen, in one script or in
            those that are written together; not what a bot of the house is called, nor, at the same table, what looks
            like somebody else's. It is kept in its normal form (NFKC).
        custody: `client` if the player's own program commits and opens the seat's seeds, `server` if the house does.
    """

    name: Annotated[str, Meta(min_length=1, max_length=120, examples=["Ada"])]
    custody: Literal["client", "server"] = "server"


class SeatBots(Body, frozen=True):
    """Seat this many house bots."""

    count: Annotated[int, Meta(ge=1, le=253)]


class Play(Body, frozen=True, tag_field="type"):
    """Something asked of a running match."""


class Bid(Play, frozen=True, tag="bid"):
    """Claim that at least `quantity` tokens in play count for `face`: pips 1 to 6, digits 0 to 9."""

    quantity: Whole
    face: Whole


class Call(Play, frozen=True, tag="call"):
    """Claim a hand: a shape of the game's ladder, and the faces it names, highest group first.

    Faces of poker dice are 9 to 14, the ace being 14.
    """

    shape: Annotated[str, Meta(min_length=1, max_length=20, examples=["two_pair"])]
    faces: Annotated[tuple[Whole, ...], Meta(max_length=10)] = ()


class Declare(Play, frozen=True, tag="declare"):
    """Show a throw that does something instead of counting; `to` is the seat that `impose` names."""

    special: commands.Special
    to: Whole | None = None


class Challenge(Play, frozen=True, tag="challenge"):
    """Doubt the standing claim, or a pass."""


class SpotOn(Play, frozen=True, tag="spot_on"):
    """Say that the standing claim is exactly right."""


class Pass(Play, frozen=True, tag="pass"):
    """Claim that all one's own dice differ."""


class Arrange(Play, frozen=True, tag="arrange"):
    """Handle dice: every position named ends in one of four placements."""

    outside: Positions = ()
    inside: Positions = ()
    roll_inside: Positions = ()
    roll_outside: Positions = ()


class Roll(Play, frozen=True, tag="roll"):
    """Roll all dice of the passed cup."""


class Accept(Play, frozen=True, tag="accept"):
    """Believe the standing claim and take the cup."""


class Catch(Play, frozen=True, tag="catch"):
    """Say that the standing claim does not beat the one before it."""


class Count(Play, frozen=True, tag="count"):
    """Have one's own claim counted, all others having doubted it."""


class DemandBills(Play, frozen=True, tag="demand_bills"):
    """Ask to see every number after one's claim was counted."""


class Stop(Play, frozen=True, tag="stop"):
    """Give up chasing five aces."""


class Look(Play, frozen=True, tag="look"):
    """Look at one's own dice."""


class ShowCocked(Play, frozen=True, tag="show_cocked"):
    """Show one's cocked dice and throw all of them anew."""


class BuyBack(Play, frozen=True, tag="buy_back"):
    """Pay to stay in after the last loss."""


class DropOut(Play, frozen=True, tag="drop_out"):
    """Leave the match after the last loss."""


class ChooseFirst(Play, frozen=True, tag="choose_first"):
    """Say which seat opens the first round, having thrown the highest die."""

    who: Whole


class Say(Play, frozen=True, tag="say"):
    """Ask for something in words, such as `5x3`, `two pair kings tens`, `liar` (`projections.saying`)."""

    text: Annotated[str, Meta(max_length=TEXT_MAX, examples=["5x3"])]


class CommitSeed(Play, frozen=True, tag="commit_seed"):
    """Fix the seat's seed for this deal."""

    deal: Whole
    commit: Hash


class OpenSeed(Play, frozen=True, tag="open_seed"):
    """Show the seat's seed."""

    deal: Whole
    seed: Hash


class Resign(Play, frozen=True, tag="resign"):
    """Leave the running match for good."""


class CloseSession(Play, frozen=True, tag="close_session"):
    """End an open session between rounds, or a table that nobody has started; only the host may."""


class EndMatch(Play, frozen=True, tag="end_match"):
    """End the match without a winner, in any game and at any time; only the host may, and once.

    It counts as soon as no round is under way; `game.end_asked` tells everybody at once. A table that has not started
    ends at once.
    """


AnyPlay = (
    Bid
    | Call
    | Declare
    | Challenge
    | SpotOn
    | Pass
    | Arrange
    | Roll
    | Accept
    | Catch
    | Count
    | DemandBills
    | Stop
    | Look
    | ShowCocked
    | BuyBack
    | DropOut
    | ChooseFirst
    | Say
    | CommitSeed
    | OpenSeed
    | Resign
    | CloseSession
    | EndMatch
)
"""What `POST /api/v1/matches/{id}/commands` takes."""


def name_of(asked: JoinMatch) -> str:
    """Return the name in its normal form.

    Raises:
        Trouble: `bad_name`, with why in words.
    """
    try:
        return law.name_of(asked.name, (name for _, name in HOUSE_BOTS))
    except BadName as bad:
        raise Trouble("bad_name", str(bad), **bad.facts) from bad


def command_of(play: AnyPlay, seat: int) -> commands.MatchCommand:
    """Return the command a seat asks for: it has the members of the body, and the seat."""
    assert not isinstance(play, Say), "what words ask for depends on the table"
    if isinstance(play, CloseSession | EndMatch):
        return commands.CloseSession() if isinstance(play, CloseSession) else commands.EndMatch()
    return _COMMANDS[type(play)](seat=seat, **structs.asdict(play))


_COMMANDS: Final[dict[type[Play], Callable[..., commands.MatchCommand]]] = {
    Bid: commands.Bid,
    Call: commands.ClaimHand,
    Declare: commands.Declare,
    Challenge: commands.Challenge,
    SpotOn: commands.SpotOn,
    Pass: commands.Pass,
    Arrange: commands.Arrange,
    Roll: commands.Roll,
    Accept: commands.Accept,
    Catch: commands.Catch,
    Count: commands.AskCount,
    DemandBills: commands.DemandBills,
    Stop: chase.Stop,
    Look: cocked.Look,
    ShowCocked: cocked.ShowCocked,
    BuyBack: buying.BuyBack,
    DropOut: buying.DropOut,
    ChooseFirst: commands.ChooseFirst,
    CommitSeed: commands.CommitSeed,
    OpenSeed: commands.OpenSeed,
    Resign: commands.Forfeit,
}
