"""A seat at a table, and how it is come by: a table is opened, a seat is taken, the same people play again."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal
from uuid import UUID

import httpx
import msgspec
from msgspec import UNSET, Struct, UnsetType

from domain.log.checkpoints import checkpoint_of
from domain.log.notes import Malformed
from domain.log.policies import Policy, Untrusted, accept
from infra.entropy import draw
from infra.files.whole import FOR_ITS_OWNER, write_first, write_whole
from infra.keys import ed25519_verify
from services.audit.receipts import ReceiptBook
from services.client.house import CannotDo, house, kept_here, match_id, members_or_fail, read_reply
from services.client.keys.joining import SeatWanted, ask_for_seat, key_beside
from services.client.keys.seat_keys import SECRET_BYTES as KEY_BYTES
from services.client.keys.seat_keys import KeptKey, signing_secret
from services.client.records import Untrue

Json = dict[str, Any]
Custody = Literal["client", "server"]
Keeps = Callable[[str], ReceiptBook]
"""Where the receipts of a match go, by its id."""
_LINK: Final = re.compile(
    r"seat=([1-9]\d{0,2})&token=(truecup_seat_[\w-]{43})(?:&host=(truecup_host_[\w-]{43}))?(?:&seeds=([0-9a-f]{64}))?",
    re.ASCII,
)
GUESTS: Final = ("Guest", *(f"Guest {number}" for number in range(2, 13)))
"""What those are called who do not say, one after the other: more than sit at most tables."""


class Sitting(Struct, frozen=True):
    """A seat of ours.

    Attributes:
        base: Where the house is.
        match: The match.
        token: The seat's token.
        kept: What the server has signed for it.
        host: The token of the host, where we are that.
        invite: What takes a seat there, where the table is private and we know it.
        seat: Its number, where we know it.
        keyless: Whether a key was offered for it here, and the house took none.
    """

    base: str
    match: str
    token: str
    kept: ReceiptBook
    host: str | None = None
    invite: str | None = None
    seat: int | None = None
    keyless: bool = False

    @property
    def page(self) -> str:
        """The address of the table."""
        return f"{self.base}/m/{self.match}"


class SeatLink(Struct, frozen=True):
    """What leads with a seat to another device, as pages have it too: behind the hash sign of the table's address.

    Attributes:
        seat: The seat.
        token: The seat's token.
        host: The token of the host, where its player is that.
        key: What the seat's seeds are made from, 32 bytes.
    """

    seat: int
    token: str
    host: str | None = None
    key: bytes | None = None


class Newcoming(Struct, frozen=True):
    """Who sits down: under this name, or as a guest; whoever draws their own seeds has `client` custody.

    Whoever `signs` what they ask for is played by nobody else, neither a bot that stands in nor a host who takes the
    seat out.
    """

    name: str | None = None
    custody: Custody = "client"
    signs: bool = True


class Wanted(Struct, frozen=True):
    """A table to be opened.

    Attributes:
        game: The name of its game.
        options: Its house rules.
        bots: How many bots of the house sit down at once; with none it waits for people.
        level: How they choose; as the house has it if nothing is said.
        seats: How many may sit down; as many as the game takes, or just those, if nothing is said.
        private: Whether it is in no list and takes an invitation.
        called: What people shall call it.
        practice: Whether its bots move at once, and nothing waits between two rounds.
        hints: Whether people are shown how likely claims are.
    """

    game: str = "common_hand"
    options: dict[str, Any] = {}
    bots: int = 2
    seats: int | None = None
    private: bool = False
    called: str | None = None
    practice: bool = False
    hints: bool = False
    level: str | None = None


class _Rules(Struct, omit_defaults=True):
    game: str
    options: dict[str, Any]
    seats: int | UnsetType = UNSET
    pause_ms: int | UnsetType = UNSET


class _Opening(Struct, omit_defaults=True):
    rules: _Rules
    name: str | UnsetType = UNSET
    private: bool = False
    choices: Json | UnsetType = UNSET


def open_table(base: str, keeps: Keeps, wanted: Wanted, player: Newcoming) -> Sitting:
    """Open a table and sit down; where bots are wanted, seat them and start.

    Raises:
        Untrue: The log is not signed as the policy that is kept here asks.
        AnotherHistory: A receipt is not what it should be.
        CannotDo: The server says no.
    """
    seats = wanted.seats or (wanted.bots + 1 if wanted.bots else UNSET)
    rules = _Rules(wanted.game, wanted.options, seats, 0 if wanted.practice else UNSET)
    choices: Json = ({"bots": "instant"} if wanted.practice else {}) | ({"hints": True} if wanted.hints else {})
    asked = _Opening(rules, wanted.called or UNSET, wanted.private, choices or UNSET)
    with house(base) as client:
        opened = members_or_fail(client.post("/matches", content=msgspec.json.encode(asked), headers=_JSON))
        with read_reply():
            # The id becomes the name of a file: from a server that lies it could lead out of our folder.
            match, token = match_id(opened["match"]), str(opened["token"])
        kept = keeps(match)
        _keep(kept, opened)
        invite = None if opened.get("invite") is None else str(opened["invite"])
        sitting = take_seat(base, match, player, kept, host=token, invite=invite)
        if wanted.bots:
            seat_bots(sitting, wanted.bots, wanted.level)
            start(sitting)
    return sitting


def take_seat(
    base: str, match: str, player: Newcoming, kept: ReceiptBook, *, host: str | None = None, invite: str | None = None
) -> Sitting:
    """Take the next seat at a table.

    Raises:
        Untrue: The log is not signed as the policy that is kept here asks.
        AnotherHistory: A receipt is not what it should be.
        CannotDo: The server says no.
    """
    names = GUESTS if player.name is None else (player.name,)
    with house(base) as client:
        # Whoever does not believe the log will not open a seed, and a seat that keeps its seed closed is barred.
        if player.custody == "client":
            check_log(client, kept.policy)
        asking = SeatWanted(match, player.custody, invite, draw(KEY_BYTES), kept.file.parent, player.signs)
        joined = ask_for_seat(client, asking, names)
        seat = members_or_fail(joined.answer)
    with read_reply():
        keyless = player.signs and joined.key is None
        sitting = Sitting(base, match, str(seat["token"]), kept, host, invite, int(seat["seat"]), keyless)
    keep_seat(sitting, seat, asking, joined.key)
    return sitting


def keep_seat(sitting: Sitting, answer: Json, asking: SeatWanted, key: KeptKey | None) -> None:
    """Keep what a seat that was just taken is played with: its receipt, what its seeds are made from, and its key.

    Raises:
        AnotherHistory: The receipt is not what it should be.
        CannotDo: It cannot be kept.
    """
    if key is not None:
        keep_key(sitting, asking.secret)
        key_beside(asking.folder, asking.match, key).replace(signing_file(sitting))
    _keep(sitting.kept, answer)


def allows_hints(base: str, match: str) -> bool:
    """Report whether the host of a match lets people be shown how likely claims are; no, where it cannot be asked."""
    try:
        with house(base) as client:
            choices = members_or_fail(client.get(f"/matches/{match}/choices"))
    except CannotDo:
        return False
    return choices.get("hints") is True


def hint(sitting: Sitting) -> Json:
    """Return what an analysis would do in the place of a seat, as `Hint` in `/openapi.json` says.

    Raises:
        CannotDo: The server says no: it is not the turn of the seat, or this is no table for practice.
    """
    with house(sitting.base) as client:
        headers = {"Authorization": f"Bearer {sitting.token}"}
        return members_or_fail(client.get(f"/matches/{sitting.match}/hint", headers=headers))


def seat_bots(sitting: Sitting, count: int, level: str | None = None) -> None:
    """Seat bots of the house, as the host; of the level that the house has for them if nothing is said.

    Raises:
        AnotherHistory: The receipt is not what it should be.
        CannotDo: The server says no.
    """
    _ask_as_host(sitting, "bots", {"count": count} if level is None else {"count": count, "level": level})


def start(sitting: Sitting) -> None:
    """Start the match, as the host.

    Raises:
        AnotherHistory: The receipt is not what it should be.
        CannotDo: The server says no.
    """
    _ask_as_host(sitting, "start", None)


def name_key(sitting: Sitting, seat: int, key: str) -> None:
    """Name a key for somebody who has lost his, as the host: the next command of that seat decides of it.

    Raises:
        AnotherHistory: The receipt is not what it should be.
        CannotDo: The server says no.
    """
    _ask_as_host(sitting, f"seats/{seat}/key", {"key": key})


def link_of(sitting: Sitting) -> str:
    """Return what leads to a seat whose number is known, in a browser or at another terminal."""
    host = "" if sitting.host is None else f"&host={sitting.host}"
    key = key_of(sitting).hex()
    return f"{sitting.page}#seat={sitting.seat}&token={sitting.token}{host}&seeds={key}"


def brought_by(link: str) -> SeatLink | None:
    """Return the seat to which a link leads; None if it leads to none."""
    found = _LINK.fullmatch(link.partition("#")[2])
    if found is None:
        return None
    seat, token, host, key = found.groups()
    return SeatLink(int(seat), token, host, None if key is None else bytes.fromhex(key))


def sitting_at(base: str, link: str, keeps: Keeps) -> Sitting:
    """Return the seat to which a link leads, at this house; the key of its seeds comes along.

    Raises:
        CannotDo: It leads to none.
    """
    brought, match = brought_by(link), match_id(link.partition("#")[0])
    if brought is None:
        raise CannotDo("the link leads to no seat: it looks like http://127.0.0.1:8000/m/ID#seat=1&token=TOKEN")
    sitting = Sitting(base, match, brought.token, keeps(match), brought.host, seat=brought.seat)
    take_key(sitting, brought)
    return sitting


# ---- what seeds are made from --------------------------------------------------------------------


def key_of(sitting: Sitting) -> bytes:
    """Return the key of a seat, which stands beside its receipts; drawn if there was none.

    Raises:
        CannotDo: It cannot be kept.
    """
    file = _key_file(sitting)
    if not file.exists():
        with kept_here():
            write_first(file, draw(KEY_BYTES).hex().encode(), FOR_ITS_OWNER)
    return bytes.fromhex(file.read_text(encoding="ascii"))


def take_key(sitting: Sitting, brought: SeatLink) -> None:
    """Keep the key that a link to this seat brings; one that the seat has been played with so far stays.

    Raises:
        CannotDo: It cannot be kept.
    """
    file = _key_file(sitting)
    if brought.token == sitting.token and brought.key is not None and not file.exists():
        with kept_here():
            write_first(file, brought.key.hex().encode(), FOR_ITS_OWNER)


def keep_key(sitting: Sitting, key: bytes) -> None:
    """Write the key of a seat down, in the place of the one before.

    Raises:
        CannotDo: It cannot be kept; the one before stays.
    """
    with kept_here():
        write_whole(_key_file(sitting), key.hex().encode(), FOR_ITS_OWNER)


def signing_key_of(sitting: Sitting) -> KeptKey:
    """Return the key that a seat signs with whose link was brought here, or that a host may give it."""
    return KeptKey(signing_secret(key_of(sitting)).hex())


def seed_from(key: bytes, ctx: bytes, root: bytes, seat: int) -> bytes:
    """Return the seed of a seat for one deal, which every device that has its key finds alike, and nobody else.

    It is no part of CUP/1, to which a seed is 32 bytes that nobody can foresee; another deal, or another part of the
    server, is another seed. `cup1.js` makes the same.
    """
    return _mac(key, b"SEAT.sed" + ctx + root + bytes([seat]))


def next_key(key: bytes, match: str) -> bytes:
    """Return the key of the same player's seat at a rematch, alike on every device."""
    return _mac(key, b"SEAT.nxt" + UUID(match).bytes)


def _mac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def signing_file(sitting: Sitting) -> Path:
    """Return the file of the key that a seat signs with."""
    return _file_of(sitting, "signing")


def evidence_file(sitting: Sitting) -> Path:
    """Return the file for a record that proves the server wrong about a seat."""
    return _file_of(sitting, "evidence")


def _key_file(sitting: Sitting) -> Path:
    return _file_of(sitting, "key")


def _file_of(sitting: Sitting, kind: str) -> Path:
    # A file for each token: a link to another seat of the match, or to none, must not choose the seeds of this one.
    token = hashlib.sha256(sitting.token.encode()).hexdigest()[:32]
    return sitting.kept.file.with_name(f"{sitting.match}.{token}.{kind}")


def check_log(client: httpx.Client, policy: Policy) -> None:
    """Check that the log of a house is signed as a policy asks, as far as it has said anything.

    Raises:
        Untrue: It is not.
    """
    answer = client.get("/log/checkpoint")
    if not answer.is_success:
        return
    try:
        accept(policy, checkpoint_of(answer.text), ed25519_verify)
    except (Malformed, Untrusted) as trouble:
        raise Untrue("log", why=str(trouble)) from trouble


_JSON: Final = {"Content-Type": "application/json"}


def _ask_as_host(sitting: Sitting, what: str, body: Json | None) -> None:
    headers = {"Authorization": f"Bearer {sitting.host or sitting.token}"}
    with house(sitting.base) as client:
        answer = client.post(f"/matches/{sitting.match}/{what}", json=body, headers=headers)
        _keep(sitting.kept, members_or_fail(answer))


def _keep(kept: ReceiptBook, answer: Json) -> None:
    with kept_here(after="it is done, but "), read_reply():
        kept.take(answer)
