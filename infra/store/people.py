"""People beside the log: what they are called, whom tokens speak for, what tables are called, and texts lines name.

All of it can be erased, and the log stays whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final, Literal, Protocol

from msgspec import Meta, Struct

DELAY_MS_MAX: Final = 900_000
"""How long a host may let spectators wait: a quarter of an hour."""


class StoredToken(Struct, frozen=True):
    """Whom a token was given to.

    Attributes:
        role: `host` or `seat`; of a tournament `host`, `arbiter` or `entrant`.
        seat: Which seat, or which entrant.
        player: Who took that seat, entered or was appointed with the command that earned the token.
    """

    stream: str
    role: str
    seat: int | None = None
    player: str | None = None


class Choices(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a host chooses that no rule of the match depends on.

    Attributes:
        delay_ms: How long those who hold no seat wait for what happens, in milliseconds.
        phrases: Whether seats may say one of the quick phrases.
        hints: Whether people are shown what a raise comes to on average.
        bots: How long house bots take for a turn: the usual second, or no more than they need to think, which is for
            programs that practise.
        live_reads: Whether whoever watches is told how likely claims are by what everybody's moves say.
    """

    delay_ms: Annotated[int, Meta(ge=0, le=DELAY_MS_MAX)] = 0
    phrases: bool = True
    hints: bool = False
    bots: Literal["usual", "instant"] = "usual"
    live_reads: bool = False


class Card(Struct, frozen=True):
    """What is known of a table beside the log.

    Attributes:
        name: What people call it, if they do.
        listed: Whether everybody is told of it, and may sit down.
        choices: What its host chose beside the rules.
    """

    name: str | None = None
    listed: bool = True
    choices: Choices = Choices()


class NotedText(Struct, frozen=True):
    """A text that a line names by a hash.

    Attributes:
        note: The hash, as hex.
        salt: The 16 bytes that were hashed before it.
        body: The text.
        restricted: Whether it is for officials only.
    """

    note: str
    salt: bytes
    body: str
    restricted: bool = False


class People(Protocol):
    """What is known of people beside the log: their names, the salts of these, and whom a token was given to."""

    async def names(self, players: Iterable[str]) -> dict[str, str]:
        """Return the names of these players, as far as they are known."""

    async def keep_salt(self, player: str, salt: bytes) -> None:
        """Keep the 32 bytes before a name that a line commits to; the one that is there stays. Cost: one commit.

        Nothing is kept of whose name is not known, or not any more.
        """

    async def salts(self, players: Iterable[str]) -> dict[str, bytes]:
        """Return the salts of the names of these players, as far as they gave any, and were not erased."""

    async def erase_name(self, player: str) -> bool:
        """Erase what somebody is called, with its salt and the tournaments entered; report whether there was a name.

        Names of bots are the house's, and stay. Cost: one commit.
        """

    async def erasures(self) -> int:
        """Count the names that were erased: whoever remembers names forgets them when it is another number."""

    async def token(self, digest: bytes) -> StoredToken | None:
        """Return whom the token with this hash was given to."""


class Cards(Protocol):
    """The cards of tables. A table that has none is listed and has no name."""

    async def card(self, stream: str) -> Card | None:
        """Return the card of a stream; None while it has none, and for ever if it began without."""

    async def keep_card(self, stream: str, card: Card) -> Card | None:
        """Keep a card for a stream that has not begun, and return the one that is kept: the first one stays.

        None if the stream has begun and has none.
        """


class OwnSeeds(Protocol):
    """Who draws the seeds of the own seats at the tables of a tournament; the house does for all others."""

    async def keep_own_seeds(self, stream: str, player: str) -> None:
        """Remember that somebody who is about to enter does. Cost: one commit."""

    async def own_seeds(self, stream: str) -> frozenset[str]:
        """Return the players of a stream who do."""


class StoredBotTurn(Struct, frozen=True):
    """How a seat of the house was played at a version of a match.

    Attributes:
        level: By which level and style it was played, which may be one below that of the seat.
        program: The release that chose.
    """

    version: int
    level: str
    program: str


class BesideMatches(Protocol):
    """How seats of the house were played: nothing that is secret, and nothing that a line says."""

    async def keep_bot_turn(self, stream: str, turn: StoredBotTurn) -> StoredBotTurn:
        """Keep how a turn is about to be taken, and return what is kept of it: what is there of that version stays.

        Cost: one commit, and a query where it was there.
        """

    async def bot_turns(self, stream: str) -> list[StoredBotTurn]:
        """Return how turns of a stream were taken, or were about to be, by version."""


class Notes(Protocol):
    """Texts that lines name by their hash."""

    async def keep_note(self, stream: str, note: NotedText) -> None:
        """Keep a text that a line of this stream is going to name; the one that is there stays. Cost: one commit."""

    async def notes(self, stream: str) -> list[NotedText]:
        """Return the texts of a stream that were not erased, by their hashes, ascending."""

    async def erase_note(self, stream: str, note: str) -> bool:
        """Erase a text with its salt, by its hash, and report whether there was one. Cost: one commit."""


class StoredScreening(Struct, frozen=True):
    """What came of screening a tournament, as of the line that is the `upto`-th of its stream."""

    upto: int
    body: bytes


class Screenings(Protocol):
    """What came of screening tournaments for collusion: nothing that is not worked out from the log again."""

    async def keep_screening(self, stream: str, found: StoredScreening) -> None:
        """Keep it, unless there is one of that line or a later one. Cost: one commit."""

    async def screening(self, stream: str) -> StoredScreening | None:
        """Return the last one of a stream; None before."""


class BesideTournaments(OwnSeeds, Screenings, Protocol):
    """What is kept beside the log of a tournament, and stands in no line of it."""


class PlayerTables(Protocol):
    """People who are known beyond one tournament, by an opaque id and a token of their own."""

    async def keep_player(self, player: str, fingerprint: bytes, name: str, digest: bytes) -> bytes:
        """Make a player known, unless it is, and return the fingerprint of the request that first did. Cost: a commit.

        A repeat changes nothing, and brings no name back that was erased.
        """

    async def is_player(self, player: str) -> bool:
        """Report whether a player of this id is known."""

    async def player_of(self, digest: bytes) -> str | None:
        """Return whose token has this hash; None for one that does not count, or not any more."""

    async def renew_player_token(self, digest: bytes, renewed: bytes) -> str | None:
        """Let the token with the second hash follow the one with the first, and return whose it is. Cost: a commit.

        A repeat returns the same; None where the first is unknown, or was followed by another.
        """

    async def erase_player(self, player: str) -> None:
        """Erase what a player is called and which tournaments it has entered; the id stays. Cost: a commit."""

    async def keep_entry(self, player: str, stream: str) -> None:
        """Remember that a player is about to enter a tournament. Cost: a commit."""

    async def entries(self, player: str) -> list[str]:
        """Return the streams of the tournaments that a player has entered, or was about to, by name."""
