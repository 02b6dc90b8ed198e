"""A rematch: a seat at the next table of those who have played, with a key where the seat of before had one.

Source: CUP/1 sections 4.14.3 and 4.14.4.
"""

from __future__ import annotations

from typing import Any

import httpx
from msgspec import Struct

from services.client.house import house, match_id, members_or_fail, read_reply
from services.client.keys.joining import Joined, SeatWanted, ask_with_key
from services.client.seating import Keeps, Sitting, keep_key, keep_seat, key_of, next_key

Json = dict[str, Any]


class _Before(Struct, frozen=True):
    """The seat of before, which signed: what its player is called, and who drew its seeds."""

    name: str
    custody: str


def rematch(sitting: Sitting, keeps: Keeps) -> Sitting:
    """Sit down at the next table of the people of a match that is over, to sign there if that was done here.

    Raises:
        Untrue: The record of the next table does not hold.
        AnotherHistory: A receipt is not what it should be.
        CannotDo: The server says no.
    """
    path, headers = f"/matches/{sitting.match}/rematch", {"Authorization": f"Bearer {sitting.token}"}
    with house(sitting.base) as client:

        def post(body: Json) -> httpx.Response:
            return client.post(path, headers=headers, json=body) if body else client.post(path, headers=headers)

        before = _before(client, sitting)
        first = members_or_fail(post({} if before is None else {"sits": False}))
        asking = _asking(sitting, first, keeps, before)
        answer, key, keyless = first, None, False
        # A seat that somebody has taken is theirs already: this device had no answer, or another one asked.
        if before is not None and "token" not in first:
            custody = before.custody
            joined: Joined = ask_with_key(
                client, asking, before.name, lambda signed: post({"custody": custody, **signed})
            )
            answer, key, keyless = members_or_fail(joined.answer), joined.key, joined.key is None
    with read_reply():
        host, invite = (None if answer.get(name) is None else str(answer[name]) for name in ("host", "invite"))
        token, seat = str(answer["token"]), int(answer["seat"])
    following = Sitting(sitting.base, asking.match, token, keeps(asking.match), host, invite, seat, keyless)
    keep_key(following, asking.secret)
    if answer.get("receipt") is not None:
        keep_seat(following, answer, asking, key)
    return following


def _before(client: httpx.Client, sitting: Sitting) -> _Before | None:
    """Return what the house says of the seat here; None where it signed nothing."""
    view = members_or_fail(client.get(f"/matches/{sitting.match}"))
    with read_reply():
        seat = {one["seat"]: one for one in view["seats"]}.get(sitting.seat)
    if seat is None or seat.get("key") is None:
        return None
    told = members_or_fail(client.get(f"/matches/{sitting.match}/rematch"))
    with read_reply():
        name = {one["seat"]: one["name"] for one in told["seats"]}[sitting.seat]
        return _Before(str(name), str(seat["custody"]))


def _asking(sitting: Sitting, opened: Json, keeps: Keeps, before: _Before | None) -> SeatWanted:
    with read_reply():
        match = match_id(opened["match"])
    custody = "client" if before is None else before.custody
    secret, folder = next_key(key_of(sitting), match), keeps(match).file.parent
    return SeatWanted(match, custody, None, secret, folder)
