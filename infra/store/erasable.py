"""Tables of people in Postgres: names, tokens, cards and notes, which can be erased while the log stays whole."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

import asyncpg
import msgspec

from infra.store import shard_of
from infra.store.people import Card, Choices, NotedText, StoredBotTurn, StoredScreening, StoredToken

NAMES = "select player, name from person where player = any ($1::text[])"
KEEP_NAMES = "select keep_names($1, $2)"
KEEP_SALT = "select keep_salt($1, $2)"
SALTS = "select player, salt from name_salt where player = any ($1::text[])"
ERASE_NAME = "select erase_name($1) as erased"
ERASURES = "select coalesce(max(number), 0) as number from erased_name"
TOKEN = "select stream, role, seat, player from token where digest = $1"  # noqa: S105 - a query
CARD = "select name, listed, choices from card where stream = $1"
KEEP_CARD = (
    "insert into card (stream, name, listed, choices) select $2, $3, $4, $5"
    " where not exists (select from stream where shard = $1 and stream = $2) on conflict do nothing"
)
KEEP_NOTE = "insert into note (stream, note, salt, body, restricted) values ($1, $2, $3, $4, $5) on conflict do nothing"
NOTES = "select note, salt, body, restricted from note where stream = $1 order by note"
ERASE_NOTE = "delete from note where stream = $1 and note = $2 returning note"
KEEP_OWN_SEEDS = "insert into own_seeds (stream, player) values ($1, $2) on conflict do nothing"
OWN_SEEDS = "select player from own_seeds where stream = $1"
KEEP_SCREENING = (
    "insert into screening (stream, upto, body) values ($1, $2, $3) on conflict (stream)"
    " do update set upto = excluded.upto, body = excluded.body where screening.upto < excluded.upto"
)
SCREENING = "select upto, body from screening where stream = $1"
KEEP_BOT_TURN = """
insert into bot_turn (stream, version, level, program) values ($1, $2, $3, $4) on conflict do nothing returning version
"""
BOT_TURN = "select version, level, program from bot_turn where stream = $1 and version = $2"
BOT_TURNS = "select version, level, program from bot_turn where stream = $1 order by version"
KEEP_PLAYER = "select keep_player($1, $2, $3, $4) as fingerprint"
IS_PLAYER = "select 1 as known from player where player = $1"
PLAYER_OF = "select player from player_token where digest = $1 and renewed is null"
RENEW = "select renew_player_token($1, $2) as player"
ERASE = "select erase_player($1)"
KEEP_ENTRY = "insert into player_entry (player, stream) values ($1, $2) on conflict do nothing"
ENTRIES = "select stream from player_entry where player = $1 order by stream"

STATEMENTS = tuple(text for name, text in list(globals().items()) if name.isupper() and isinstance(text, str))


def card_of(row: asyncpg.Record) -> Card:
    """Return the card that a row holds."""
    return Card(row["name"], row["listed"], msgspec.json.decode(row["choices"], type=Choices))


class ErasableTables(ABC):
    """The part of the Postgres store that keeps what is known of people."""

    @abstractmethod
    async def _fetch(self, query: str, *args: object) -> list[asyncpg.Record]:
        """Return the rows of a query."""

    async def names(self, players: Iterable[str]) -> dict[str, str]:
        """Return the names of these players."""
        return {row["player"]: row["name"] for row in await self._fetch(NAMES, list(players))}

    async def keep_names(self, people: Sequence[tuple[str, str]]) -> None:
        """Keep what people are called whom a line of another primary is going to name; needs the dealer's role."""
        await self._fetch(KEEP_NAMES, *map(list, zip(*people, strict=True)))

    async def keep_salt(self, player: str, salt: bytes) -> None:
        """Keep the salt of a name; needs the dealer's role."""
        await self._fetch(KEEP_SALT, player, salt)

    async def salts(self, players: Iterable[str]) -> dict[str, bytes]:
        """Return the salts of these players' names."""
        return {row["player"]: bytes(row["salt"]) for row in await self._fetch(SALTS, list(players))}

    async def erase_name(self, player: str) -> bool:
        """Erase what somebody is called, and report whether there was a name; needs the dealer's role."""
        (row,) = await self._fetch(ERASE_NAME, player)
        return bool(row["erased"])

    async def erasures(self) -> int:
        """Count the names that were erased."""
        (row,) = await self._fetch(ERASURES)
        return int(row["number"])

    async def token(self, digest: bytes) -> StoredToken | None:
        """Return whom a token was given to."""
        rows = await self._fetch(TOKEN, digest)
        return StoredToken(*rows[0]) if rows else None

    async def card(self, stream: str) -> Card | None:
        """Return the card of a stream."""
        rows = await self._fetch(CARD, stream)
        return card_of(rows[0]) if rows else None

    async def keep_card(self, stream: str, card: Card) -> Card | None:
        """Keep a card for a stream that has not begun; needs the dealer's role."""
        choices = msgspec.json.encode(card.choices).decode()
        await self._fetch(KEEP_CARD, shard_of(stream), stream, card.name, card.listed, choices)
        return await self.card(stream)

    async def keep_note(self, stream: str, note: NotedText) -> None:
        """Keep a text that a line of this stream is going to name; needs the dealer's role."""
        await self._fetch(KEEP_NOTE, stream, note.note, note.salt, note.body, note.restricted)

    async def notes(self, stream: str) -> list[NotedText]:
        """Return the texts of a stream that were not erased; needs the dealer's role."""
        return [NotedText(*row) for row in await self._fetch(NOTES, stream)]

    async def erase_note(self, stream: str, note: str) -> bool:
        """Erase a text, and report whether there was one; needs the dealer's role."""
        return bool(await self._fetch(ERASE_NOTE, stream, note))

    async def keep_own_seeds(self, stream: str, player: str) -> None:
        """Remember that somebody draws the own seeds; needs the dealer's role."""
        await self._fetch(KEEP_OWN_SEEDS, stream, player)

    async def own_seeds(self, stream: str) -> frozenset[str]:
        """Return who draws the own seeds; needs the dealer's role."""
        return frozenset(row["player"] for row in await self._fetch(OWN_SEEDS, stream))

    async def keep_screening(self, stream: str, found: StoredScreening) -> None:
        """Keep what came of screening a tournament; needs the dealer's role."""
        await self._fetch(KEEP_SCREENING, stream, found.upto, found.body)

    async def screening(self, stream: str) -> StoredScreening | None:
        """Return what came of screening a tournament; needs the dealer's role."""
        rows = await self._fetch(SCREENING, stream)
        return StoredScreening(*rows[0]) if rows else None

    async def keep_bot_turn(self, stream: str, turn: StoredBotTurn) -> StoredBotTurn:
        """Keep how a turn is about to be taken, and return what is kept; needs the dealer's role."""
        if await self._fetch(KEEP_BOT_TURN, stream, turn.version, turn.level, turn.program):
            return turn
        (row,) = await self._fetch(BOT_TURN, stream, turn.version)
        return StoredBotTurn(*row)

    async def bot_turns(self, stream: str) -> list[StoredBotTurn]:
        """Return how turns of a stream were taken."""
        return [StoredBotTurn(*row) for row in await self._fetch(BOT_TURNS, stream)]

    async def keep_player(self, player: str, fingerprint: bytes, name: str, digest: bytes) -> bytes:
        """Make a player known, and return the fingerprint of the request that did; needs the dealer's role."""
        (row,) = await self._fetch(KEEP_PLAYER, player, fingerprint, name, digest)
        return bytes(row["fingerprint"])

    async def is_player(self, player: str) -> bool:
        """Report whether a player of this id is known."""
        return bool(await self._fetch(IS_PLAYER, player))

    async def player_of(self, digest: bytes) -> str | None:
        """Return whose token has this hash, if it counts; needs the dealer's role."""
        rows = await self._fetch(PLAYER_OF, digest)
        return str(rows[0]["player"]) if rows else None

    async def renew_player_token(self, digest: bytes, renewed: bytes) -> str | None:
        """Let a token follow another, and return whose it is; needs the dealer's role."""
        (row,) = await self._fetch(RENEW, digest, renewed)
        return None if row["player"] is None else str(row["player"])

    async def erase_player(self, player: str) -> None:
        """Erase what a player is called and has entered; needs the dealer's role."""
        await self._fetch(ERASE, player)

    async def keep_entry(self, player: str, stream: str) -> None:
        """Remember that a player is about to enter a tournament; needs the dealer's role."""
        await self._fetch(KEEP_ENTRY, player, stream)

    async def entries(self, player: str) -> list[str]:
        """Return the streams of the tournaments that a player has entered."""
        return [row["stream"] for row in await self._fetch(ENTRIES, player)]
