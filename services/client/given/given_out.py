"""A seat that its player was given as the table was opened: taken again with a key before the match starts.

Source: CUP/1 section 4.14.4.
"""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from typing import Any, Final

import httpx
from msgspec import Struct

from domain import events
from domain.fairness.records import events_of
from domain.match import record as matches
from domain.match.record import MatchAtHead
from services.client.house import answer_or_fail, house, members_or_fail, read_reply
from services.client.keys.held import HeldRecord
from services.client.keys.joining import TRIES, code_of, joining_key, signed_join
from services.client.keys.seat_keys import KeptKey, KeyFile
from services.client.seating import Sitting, key_of, signing_file

Json = dict[str, Any]
SIGNED_MEANWHILE: Final = frozenset({"has_key", "already_started", "unknown_player", "game_over"})
"""What the house says no with where there is nothing left to take."""


class _Given(Struct, frozen=True):
    """A seat that was given out, in a lobby: its number, what its player is called, who draws its seeds."""

    seat: int
    name: str
    custody: str


def sign_for_given(sitting: Sitting) -> None:
    """Take a seat that was given out as its table was opened again, with a key; any other stays as it is.

    Raises:
        Untrue: The record of the match does not hold.
        CannotDo: Nobody answers.
    """
    with house(sitting.base) as client:
        given = _given(client, sitting)
        if given is not None:
            _take(client, sitting, given)


def _given(client: httpx.Client, sitting: Sitting) -> _Given | None:
    headers = {"Authorization": f"Bearer {sitting.token}"}
    view = members_or_fail(client.get(f"/matches/{sitting.match}", headers=headers))
    with read_reply():
        seats = {one["seat"]: one for one in view["seats"]}
        mine = seats.get(view["viewer"])
        # At a table of a tournament an entrant brings the key of before.
        if view["phase"] != "lobby" or view["rules"].get("event") is not None:
            return None
        if mine is None or mine.get("key") is not None:
            return None
        return _Given(int(mine["seat"]), str(mine["name"]), str(mine["custody"]))


def _take(client: httpx.Client, sitting: Sitting, given: _Given) -> None:
    key = joining_key(given.name, key_of(sitting))
    file = KeyFile(signing_file(sitting))
    answer: httpx.Response | None = None
    for _ in range(TRIES):
        told = answer_or_fail(client.get(f"/matches/{sitting.match}/record"))
        held = HeldRecord(sitting.match)
        held.take(told.content)
        written = held.match()
        if written is None or not _was_given_out(told.content, given.seat):
            return
        # Whoever signs with a key that is lost in a crash has a seat that nobody can play.
        file.keep(key, durably=True)
        body = _signed(written, given, key, max(_time_of(told), written.match.at + 1))
        headers = {"Authorization": f"Bearer {sitting.token}"}
        answer = client.put(f"/matches/{sitting.match}/seats/me/key", json=body, headers=headers)
        if answer.is_success:
            return
        file.file.unlink()
        if code_of(answer) != "bad_signature":
            break
    assert answer is not None, "it was asked for"
    if code_of(answer) not in SIGNED_MEANWHILE:
        answer_or_fail(answer)


def _was_given_out(record: bytes, seat: int) -> bool:
    """Report whether a seat was taken with the line that opened its table: whoever sat down chose to sign nothing."""
    lines = events_of(record)
    joined = [line for line in lines if line.kind == "seat.joined" and line.data["seat"] == seat]
    return bool(joined) and joined[-1].at == lines[0].at


def _time_of(answer: httpx.Response) -> int:
    """Return how late it is with the house, in Unix milliseconds: ours may be another time."""
    with read_reply():
        return int(parsedate_to_datetime(answer.headers["Date"]).timestamp() * 1000)


def _signed(written: MatchAtHead, given: _Given, key: KeptKey, left_at: int) -> Json:
    """Return what the seat is asked for with: signed over the line with which its player gets up."""
    match, up = written.match, events.SeatLeft(given.seat, "rejoins")
    (line,), _ = matches.lines_of(match.id, match.version, written.head, left_at, [up])
    standing, _ = matches.step(written, line)
    join = signed_join(standing.signing, match.id, standing.match.version, given.custody, key)
    return {"left_at": left_at, "custody": given.custody, **join}
