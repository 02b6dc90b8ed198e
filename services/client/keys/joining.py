"""A seat that is asked for with a key: what is signed of it, and a house that takes no keys.

Source: CUP/1 sections 4.14.1 to 4.14.4.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import httpx
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.ids import Version
from domain.match.signing import Signing, message_for
from services.client.house import answer_or_fail, read_reply
from services.client.keys.held import HeldRecord
from services.client.keys.seat_keys import KeptKey, KeyFile, new_key
from services.matches.naming.law import normal

Json = dict[str, Any]
TRIES: Final = 4
"""How often a seat is asked for anew because something has happened at the table meanwhile."""
JOIN: Final = "join"


class SeatWanted(Struct, frozen=True):
    """What a seat is asked for with.

    Attributes:
        match: The match.
        custody: Who draws the seeds.
        invite: The invitation, where the table is private.
        secret: What the seeds and the key of the seat are made from, 32 bytes.
        folder: Where the key goes.
        signs: Whether the seat is to have a key.
    """

    match: str
    custody: str
    invite: str | None
    secret: bytes
    folder: Path
    signs: bool = True


class Joined(Struct, frozen=True):
    """The last answer of the house, and the key of the seat; None where it has none."""

    answer: httpx.Response
    key: KeptKey | None


def ask_for_seat(client: httpx.Client, asking: SeatWanted, names: tuple[str, ...]) -> Joined:
    """Ask for a seat under the first of these names that nobody at the table has.

    Raises:
        Untrue: The record of the match does not hold.
        CannotDo: It cannot be had.
    """
    *others, last = names
    for name in others:
        joined = _ask_signed(client, asking, name)
        if code_of(joined.answer) != "name_taken":
            return joined
    return _ask_signed(client, asking, last)


def key_beside(folder: Path, match: str, key: KeptKey) -> Path:
    """Return the file of a key whose seat has no token yet."""
    return folder / f"{match}.{key.public[:32]}.joining"


def code_of(answer: httpx.Response) -> str | None:
    """Return the code with which a house says no; None if it says yes."""
    if answer.is_success:
        return None
    with read_reply():
        return str(msgspec.json.decode(answer.content, type=Json)["code"])


def _ask_signed(client: httpx.Client, asking: SeatWanted, name: str) -> Joined:
    plain = {"name": name, "custody": asking.custody}
    plain |= {} if asking.invite is None else {"invite": asking.invite}

    def post(signed: Json) -> httpx.Response:
        return client.post(f"/matches/{asking.match}/seats", json={**plain, **signed})

    return ask_with_key(client, asking, name, post) if asking.signs else Joined(post({}), None)


def ask_with_key(client: httpx.Client, asking: SeatWanted, name: str, post: Callable[[Json], httpx.Response]) -> Joined:
    """Ask for a seat with a key, over the lines that the table has, until nothing comes in between.

    Args:
        client: How the house is asked.
        asking: Which seat.
        name: What its player is called.
        post: Sends what goes with a key, or nothing, with all else that is asked.

    Raises:
        Untrue: The record of the match does not hold.
        CannotDo: It cannot be had.
    """
    key, match = joining_key(name, asking.secret), UUID(asking.match)
    answer: httpx.Response | None = None
    for _ in range(TRIES):
        held = HeldRecord(asking.match)
        held.take(answer_or_fail(client.get(f"/matches/{asking.match}/record")).content)
        file = KeyFile(key_beside(asking.folder, asking.match, key))
        # Whoever signs with a key that is lost in a crash has a seat that nobody can play.
        file.keep(key, durably=True)
        answer = post(signed_join(held.signing, match, held.version, asking.custody, key))
        if answer.is_success:
            return Joined(answer, key)
        file.file.unlink()
        if code_of(answer) == "malformed":
            # A house of before takes no keys: what it says of this seat is its word, and the player is told so.
            return Joined(post({}), None)
        if code_of(answer) != "bad_signature":
            break
    assert answer is not None, "it was asked for"
    return Joined(answer, None)


def joining_key(name: str, secret: bytes) -> KeptKey:
    """Return a fresh key for a seat whose player is called so, with which its join is signed."""
    key = new_key(secret)
    return replace(key, name=normal(name), joined=key.public)


def signed_join(signing: Signing, match: UUID, version: Version, custody: str, key: KeptKey) -> Json:
    """Return what a seat is asked for with that is to have a key: the join, signed over that many lines of the match.

    Args:
        signing: What the match is like behind them.
        match: The match.
        version: How many there are.
        custody: Who draws the seeds.
        key: The key.
    """
    public = {"type": JOIN, "key": key.public, "custody": custody, "name": key.committed_name}
    message = message_for(signing, match.bytes, None, 0, version, public)
    signed = {"n": 0, "version": version, "sig": key.signer().sign(message).hex()}
    return {"key": key.public, "salt": key.salt, "signed": signed}
