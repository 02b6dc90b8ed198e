"""The members of every event type, exactly: what may be written, before what may happen (CUP/1 section 4.5).

An auditor has a catalogue of its own, so that a change to the server's events cannot loosen what an audit accepts.
Numbers of slots, rolls and moduli are left open here: they are wrong in a deal, not in themselves.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from domain.fairness.faults import Fault
from domain.fairness.points import is_strict_key

Hash = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
Octets = Annotated[str, Meta(pattern=r"\A([0-9a-f]{2})*\Z")]
SignatureHex = Annotated[str, Meta(pattern=r"\A[0-9a-f]{128}\Z")]
Seat = Annotated[int, Meta(ge=1, le=254)]
MatchId = Annotated[str, Meta(pattern=r"\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")]
Kept = Annotated[str, Meta(pattern=r"\A(all|shown)\Z")]
DealNumber = Annotated[int, Meta(ge=0, le=65_535)]
Byte = Annotated[int, Meta(ge=0, le=255)]
Rolls = Annotated[int, Meta(ge=1, le=65_535)]
Width = Annotated[int, Meta(ge=1, le=255)]


class Shape(Struct, frozen=True, forbid_unknown_fields=True):
    """The members of an event."""


class MatchCreated(Shape, frozen=True):
    """The members of `match.created`."""

    match: MatchId
    rules: dict[str, Any]
    policy: Kept

    @property
    def stream(self) -> str:
        """The stream that is named after it."""
        return f"match/{self.match}"

    @property
    def id(self) -> bytes:
        """The bytes that the hashes of its deals are bound to."""
        return bytes.fromhex(self.match.replace("-", ""))


class TournamentCreated(Shape, frozen=True):
    """The members of `tournament.created`."""

    tournament: MatchId
    rules: dict[str, Any]
    policy: Annotated[str, Meta(pattern=r"\Aall\Z")]

    @property
    def stream(self) -> str:
        """The stream that is named after it."""
        return f"tournament/{self.tournament}"

    @property
    def id(self) -> bytes:
        """The bytes that the hashes of its deals are bound to."""
        return bytes.fromhex(self.tournament.replace("-", ""))


class SeasonCreated(Shape, frozen=True):
    """The members of `season.created`; no dice are thrown in a season."""

    season: MatchId
    game: str
    rules: dict[str, Any]

    @property
    def stream(self) -> str:
        """The stream that is named after it."""
        return f"season/{self.season}"


class BoardCreated(Shape, frozen=True):
    """The members of `board.created`."""

    board: MatchId
    rules: dict[str, Any]
    policy: Annotated[str, Meta(pattern=r"\Aall\Z")]

    @property
    def stream(self) -> str:
        """The stream that is named after it."""
        return f"board/{self.board}"

    @property
    def id(self) -> bytes:
        """The bytes that the hashes of its deals are bound to."""
        return bytes.fromhex(self.board.replace("-", ""))


class Signed(Struct, frozen=True, forbid_unknown_fields=True):
    """Who signed the command that a line came of, and what: a member of the envelope (CUP/1 section 4.14.1).

    Attributes:
        command: The command in its public form, without the seat.
        n: Which of the seat's commands it is, from 0.
        version: How many lines of the stream the player had seen.
        sig: Ed25519, as hex.
    """

    command: dict[str, Any]
    n: Annotated[int, Meta(ge=0, le=2**32 - 1)]
    seat: Seat
    sig: SignatureHex
    version: Annotated[int, Meta(ge=1, le=2**32 - 1)]


class SeatJoined(Shape, frozen=True):
    """The members of `seat.joined`; `key` and `name` where the seat has a key, or its name is committed to."""

    seat: Seat
    player: str
    key: Hash | UnsetType = UNSET
    name: Hash | UnsetType = UNSET

    def __post_init__(self) -> None:
        """Refuse a key that not every verifier takes for the same."""
        if self.key is not UNSET:
            _check_strict(self.key)


class SeatKeyed(Shape, frozen=True):
    """The members of `seat.keyed`."""

    seat: Seat
    key: Hash
    by: Annotated[str, Meta(pattern=r"\A(seat|host)\Z")]

    def __post_init__(self) -> None:
        """Refuse a key that not every verifier takes for the same."""
        _check_strict(self.key)


def _check_strict(key: str) -> None:
    if not is_strict_key(bytes.fromhex(key)):
        raise ValueError("the key is spelled in a second way, or a signature by it fits any message")


class SeatLeft(Shape, frozen=True):
    """The members of `seat.left`."""

    seat: Seat
    reason: str


class DealCommitted(Shape, frozen=True):
    """The members of `deal.committed`; `cups` are (id, owner, rolls, width)."""

    deal: DealNumber
    cups: Annotated[tuple[tuple[Byte, Byte, Rolls, Width], ...], Meta(min_length=1, max_length=255)]
    root: Hash


class SeedCommitted(Shape, frozen=True):
    """The members of `seed.committed`."""

    deal: int
    seat: Seat
    commit: Hash


class BeaconRound(Shape, frozen=True):
    """The round of a beacon that a deal waits for."""

    chain: Hash
    round: Annotated[int, Meta(ge=1)]


class BeaconValue(Shape, frozen=True):
    """The answer of a beacon."""

    chain: Hash
    round: Annotated[int, Meta(ge=1)]
    randomness: Hash
    signature: Octets


class DealSealed(Shape, frozen=True):
    """The members of `deal.sealed`."""

    deal: int
    seats: tuple[Seat, ...]
    beacon: BeaconRound | None


class DealLogged(Shape, frozen=True):
    """The members of `deal.logged`."""

    deal: int
    index: int
    path: tuple[Hash, ...]
    checkpoint: str


class DealFixed(DealLogged, frozen=True):
    """The members of `deal.fixed`."""


class SeedOpened(Shape, frozen=True):
    """The members of `seed.opened`."""

    deal: int
    seat: Seat
    seed: Hash


class DealReady(Shape, frozen=True):
    """The members of `deal.ready`."""

    deal: int
    mix: Hash
    beacon: BeaconValue | None


class Rolled(Shape, frozen=True):
    """The members of `cup.rolled`."""

    deal: int
    cup: int
    roll: int
    slots: tuple[int, ...]
    m: tuple[int, ...]


class Revealed(Shape, frozen=True):
    """The members of `cup.revealed`."""

    deal: int
    cup: int
    roll: int
    com: tuple[Hash, ...]
    path: tuple[Hash, ...]
    keys: tuple[tuple[int, Octets], ...]
    values: tuple[tuple[int, int], ...]


class DealVoided(Shape, frozen=True):
    """The members of `deal.voided`."""

    deal: int
    reason: str
    seats: tuple[Seat, ...]


class Positions(Shape, frozen=True):
    """Which dice a player handles, in the four placements."""

    inside: tuple[int, ...]
    outside: tuple[int, ...]
    roll_inside: tuple[int, ...]
    roll_outside: tuple[int, ...]


class DealClosed(Shape, frozen=True):
    """The members of `deal.closed`; `handled` are the line, the salt and the positions of each signed handling."""

    deal: int
    secret: Hash | None
    handled: tuple[tuple[int, Hash, Positions], ...] | UnsetType = UNSET


class DealShared(Shape, frozen=True):
    """The members of `deal.shared`: whose dice a match is played with."""

    deal: DealNumber
    board: MatchId
    root: Hash
    mix: Hash
    head: Hash


class MatchEnded(Struct, frozen=True):
    """The members of `match.ended`, and of what closes a tournament, a season or a board, are free."""


class Played(Struct, frozen=True):
    """The members of `game.` events, and of what is ruled in a tournament or counts for a season, are free here.

    Layer 3 knows them.
    """


DiceMembers = Rolled | Revealed | DealVoided | DealClosed
"""The members of an event that handles dice, or ends a deal."""
DealMembers = SeedCommitted | DealSealed | DealLogged | SeedOpened | DealFixed | DealReady | DiceMembers
"""The members of an event of a deal that is committed."""
Drawn = MatchCreated | TournamentCreated | BoardCreated
"""The members of the first event of a stream in which dice are thrown, or lots drawn."""
Created = Drawn | SeasonCreated
"""The members of the first event of a stream."""
Members = Created | SeatJoined | SeatLeft | SeatKeyed | DealCommitted | DealShared | DealMembers | MatchEnded | Played
"""The members of any event."""

GAME: Final = "game."
_DEALS: Final[dict[str, type[Members]]] = {
    "seat.joined": SeatJoined,
    "seat.left": SeatLeft,
    "seat.keyed": SeatKeyed,
    "deal.committed": DealCommitted,
    "seed.committed": SeedCommitted,
    "deal.sealed": DealSealed,
    "deal.logged": DealLogged,
    "seed.opened": SeedOpened,
    "deal.fixed": DealFixed,
    "deal.ready": DealReady,
    "cup.rolled": Rolled,
    "cup.revealed": Revealed,
    "deal.voided": DealVoided,
    "deal.closed": DealClosed,
}
KINDS: Final[dict[str, type[Members]]] = {
    "match.created": MatchCreated,
    **_DEALS,
    "deal.shared": DealShared,
    "match.ended": MatchEnded,
}
"""The types of a match whose members are known here."""
TOURNAMENT: Final = "tournament/"
"""How the stream of a tournament is named."""
TOURNAMENT_KINDS: Final[dict[str, type[Members]]] = {
    "tournament.created": TournamentCreated,
    **_DEALS,
    "tournament.closed": MatchEnded,
}
"""The types of a tournament whose members are known here: those of its lots."""
BOARD: Final = "board/"
"""How the stream of a duplicate board is named."""
BOARD_KINDS: Final[dict[str, type[Members]]] = {
    "board.created": BoardCreated,
    **_DEALS,
    "board.closed": MatchEnded,
}
"""The types of a board whose members are known here."""
OF_BOARD: Final = ("game.seed_custody", "board.")
"""How types of a board begin whose members only layer 3 knows."""
RULED: Final = (
    "game.seed_custody", "tournament.", "official.", "entry.", "player.", "check_in.", "bye.", "stage.", "tables.",
    "round.", "table.", "result.", "penalty.", "pair.", "case.", "time.", "appeal.", "challenge.",
)  # fmt: skip
"""How types of a tournament begin whose members only layer 3 knows."""
SEASON: Final = "season/"
"""How the stream of a season is named."""
SEASON_KINDS: Final[dict[str, type[Members]]] = {"season.created": SeasonCreated, "season.closed": MatchEnded}
"""The types of a season whose members are known here."""
COUNTED: Final = "season."
"""How types of a season begin whose members only layer 3 knows."""


def members_of(kind: str, data: dict[str, Any], stream: str = "") -> Members:
    """Return the members of an event of this type; in a match, if no stream is named.

    Raises:
        Fault: `E_FORMAT`: there is no such type, or it has other members.
    """
    if stream.startswith(TOURNAMENT):
        shape = TOURNAMENT_KINDS.get(kind) or (Played if kind.startswith(RULED) else None)
    elif stream.startswith(SEASON):
        shape = SEASON_KINDS.get(kind) or (Played if kind.startswith(COUNTED) else None)
    elif stream.startswith(BOARD):
        shape = BOARD_KINDS.get(kind) or (Played if kind.startswith(OF_BOARD) else None)
    else:
        shape = Played if kind.startswith(GAME) else KINDS.get(kind)
    if shape is None:
        raise Fault("E_FORMAT", "there is no event of this type")
    try:
        return msgspec.convert(data, shape)
    except msgspec.ValidationError as error:
        raise Fault("E_FORMAT", f"{kind} does not have the members it should: {error}") from error
