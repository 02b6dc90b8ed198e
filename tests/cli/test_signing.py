"""Seats that sign: two clients at the real house, and houses that ask for something in their name."""

from __future__ import annotations

import asyncio
import json
import random
import stat
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from domain.audit.signing.kept import kept_command
from domain.fairness.signing.messages import name_commitment
from domain.log.receipts import split
from services.audit.receipts import ReceiptBook
from services.cli.playing.asking import shield_lines
from services.cli.playing.lines import LineTable
from services.client import seating
from services.client.evidence import receipts_of
from services.client.house import CannotDo
from services.client.keys import joining
from services.client.keys.held import HeldRecord
from services.client.keys.joining import SeatWanted
from services.client.keys.seat_keys import KeptKey, KeyFile
from services.client.seating import Newcoming, Sitting, Wanted
from services.client.session import SeatSession
from services.client.signing import Shield
from services.client.tables import PlayingSeat, Turn, join_table, open_table
from tests.cli.conftest import Service

PATIENCE_S = 60
TRIES = 12
"""What is asked for in one turn at most, where what chance asks for is refused."""
Json = dict[str, Any]


def lines_at(base: str, match: str) -> list[Json]:
    return [json.loads(line) for line in record_at(base, match).splitlines() if line.startswith(b"{")]


@asynccontextmanager
async def two_seats(running: Service, folder: Path, **rules: Any) -> AsyncIterator[tuple[PlayingSeat, PlayingSeat]]:
    """Seat two people at a table of theirs, each with a data folder of their own, and start."""
    wanted = Wanted(seats=2, bots=0, **rules)
    ada, ben = folder / "ada", folder / "ben"
    async with (
        open_table(running.url, wanted=wanted, player=Newcoming("Ada"), data=ada) as first,
        join_table(first.sitting.match, running.url, player=Newcoming("Ben"), data=ben) as second,
    ):
        await first.start()
        yield first, second


class Chance:
    """Somebody who does anything that is on offer."""

    def __init__(self, seed: int) -> None:
        self.drawn = random.Random(seed)

    def command(self, turn: Turn) -> Json:
        """Return one of the moves on offer; of claims the least, of handlings one of a few."""
        move = self.drawn.choice(turn.moves)
        kind = move["type"]
        match kind:
            case "bid":
                quantity, face = move["minimum"][0]
                return {"type": kind, "quantity": quantity, "face": face}
            case "call":
                return {"type": kind, **move["minimum"]}
            case "arrange":
                words = ("roll all", "keep 1", "keep 1 2", "show 1", "push 1", "show 1 roll rest")
                return {"type": "say", "text": self.drawn.choice(words)}
            case "declare":
                return {"type": kind, "special": move["specials"][0], "to": (move["targets"] or [None])[0]}
            case "choose_first":
                return {"type": kind, "who": move["seats"][0]}
            case _:
                return {"type": kind}


async def play_on(seat: PlayingSeat, seed: int, turns_max: int) -> list[str]:
    """Play until the match is over, or for so many turns; return the codes of what was refused."""
    chance, refused, turns = Chance(seed), [], 0
    async for turn in seat.turns():
        turns += 1
        if turns > turns_max:
            break
        for _ in range(TRIES):
            try:
                await seat.play(chance.command(turn))
                break
            except CannotDo as no:
                refused.append(no.code or str(no))
    return refused


async def play_both(ada: PlayingSeat, ben: PlayingSeat, turns_max: int = 12) -> list[str]:
    """Play until one of them has played enough; return the codes of what was refused."""
    playing = [asyncio.create_task(play_on(seat, seed, turns_max)) for seed, seat in enumerate((ada, ben))]
    done, waiting = await asyncio.wait(playing, return_when=asyncio.FIRST_COMPLETED, timeout=PATIENCE_S)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert done, "nobody plays"
    return [code for task in done for code in task.result()]


@pytest.mark.parametrize("game", ["common_hand", "finska", "stanford"])
async def test_two_clients_sign_all_that_they_ask_for(running: Service, tmp_path: Path, game: str) -> None:
    async with two_seats(running, tmp_path, game=game) as (ada, ben):
        refused = await play_both(ada, ben)
        await ada.compare()
        match = ada.sitting.match
        assert (ada.shield, ben.shield) == ("signed", "signed")
    assert not {*refused} & {"bad_signature", "needs_signature", "malformed"}
    lines = lines_at(running.url, match)
    signed = [line["signed"] for line in lines if "signed" in line]
    for seat in (1, 2):
        own = [one["n"] for one in signed if one["seat"] == seat]
        assert own == list(range(len(own)))
    said = {one["command"]["type"] for one in signed}
    assert said >= {"join", "commit_seed", "open_seed"}
    assert said & {"bid", "call", "roll", "arrange"}
    HeldRecord(match).take(record_at(running.url, match))


async def test_each_line_is_read_once_however_many_turns_there_are(
    running: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: dict[SeatSession, list[int]] = {}
    lines_behind = SeatSession._lines  # noqa: SLF001 - what is asked is what it asks for

    async def counted(session: SeatSession, after: int) -> bytes:
        lines = await lines_behind(session, after)
        told.setdefault(session, []).append(lines.count(b"\n"))
        return lines

    monkeypatch.setattr(SeatSession, "_lines", counted)
    async with two_seats(running, tmp_path) as (ada, ben):
        await play_both(ada, ben)
        match = ada.sitting.match
    version = len(lines_at(running.url, match))
    assert len(told) == 2
    assert all(sum(counts) <= version + len(counts) for counts in told.values()), "the last one comes again"
    assert max(map(len, told.values())) > 3


async def test_the_name_and_the_key_of_a_client_stand_where_it_sat_down(running: Service, tmp_path: Path) -> None:
    async with two_seats(running, tmp_path) as (ada, _):
        sitting = ada.sitting
    kept = kept_of(sitting)
    (joined, *_) = [line["data"] for line in lines_at(running.url, sitting.match) if line["type"] == "seat.joined"]
    assert (joined["key"], joined["name"]) == (kept.public, kept.committed_name)
    assert kept.salt is not None
    assert kept.committed_name == name_commitment(bytes.fromhex(kept.salt), "Ada")
    file = seating.signing_file(sitting)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not [*file.parent.glob("*.joining")]


async def test_what_is_refused_takes_no_number(running: Service, tmp_path: Path) -> None:
    async with two_seats(running, tmp_path) as (ada, ben):
        seat = await first_to_act(ada, ben)
        with pytest.raises(CannotDo) as no:
            await seat.play({"type": "challenge"})
        assert no.value.code == "no_standing_claim"
        refused = kept_of(seat.sitting).last
        await seat.play("1x2")
        stands = kept_of(seat.sitting).last
    assert refused is not None
    assert stands is not None
    assert (refused.n, stands.n) == (3, 3)
    # What was refused is kept beside the log's word that it was heard, and what follows is kept behind it.
    kept = split(seat.sitting.kept.file.read_text(encoding="utf-8"))
    (place,) = [place for place, note in enumerate(kept) if note.startswith("CUP1 refusal\n")]
    assert kept_command(kept[place - 1]).signed.sig == refused.sig
    assert ReceiptBook(seat.sitting.match, seat.sitting.kept.file, seat.sitting.kept.policy).file.exists()
    elsewhere = kept[place].replace(seat.sitting.match, str(UUID(int=1)))
    for other in ("", kept[0], kept[place], kept[place].replace("standing", "lying"), elsewhere):
        seat.sitting.kept.keep_refusal(kept[place - 1], other)
    assert split(seat.sitting.kept.file.read_text(encoding="utf-8")) == kept
    bid = next(line for line in lines_at(running.url, seat.sitting.match) if line["type"] == "game.bid")
    assert (bid["signed"]["n"], bid["signed"]["sig"]) == (stands.n, stands.sig)


async def test_words_that_nobody_understands_are_not_signed(running: Service, tmp_path: Path) -> None:
    async with two_seats(running, tmp_path) as (ada, ben):
        seat = await first_to_act(ada, ben)
        with pytest.raises(CannotDo) as no:
            await seat.play("abracadabra")
        assert no.value.code == "not_understood"


async def test_a_device_with_the_link_signs_and_one_without_the_key_is_told_so(
    running: Service, tmp_path: Path
) -> None:
    async with two_seats(running, tmp_path) as (ada, ben):
        seat = await first_to_act(ada, ben)
        sitting = seat.sitting
    link = seating.link_of(sitting)
    there = seating.sitting_at(running.url, link, partial(receipts_of, running.url, new(tmp_path / "b"), None, None))
    async with SeatSession(there, lambda *_: None) as session:
        await until_seen(session)
        await session.ask({"type": "bid", "quantity": 1, "face": 2})
        assert session.shield == "signed"
    without, _, _ = link.partition("&seeds=")
    bare = seating.sitting_at(running.url, without, partial(receipts_of, running.url, new(tmp_path / "c"), None, None))
    async with SeatSession(bare, lambda *_: None) as session:
        await until_seen(session)
        with pytest.raises(CannotDo) as no:
            await session.ask({"type": "resign"})
        assert (no.value.code, session.shield) == ("lost_key", "lost")
        assert session.key is not None


def test_a_house_that_takes_no_keys_is_sat_down_at_without(running: Service, tmp_path: Path) -> None:
    keeps = partial(receipts_of, running.url, tmp_path, None, None)
    opened = seating.open_table(running.url, keeps, Wanted(seats=2, bots=0), Newcoming("Ada"))
    asking = SeatWanted(opened.match, "client", None, bytes(32), tmp_path)
    with httpx.Client(base_url=f"{running.url}/api/v1", transport=Keyless(), timeout=60) as client:
        joined = joining.ask_for_seat(client, asking, ("Ada", "Ben"))
    assert joined.answer.is_success
    assert joined.key is None
    assert not [*tmp_path.glob("*.joining")]
    (_, ben) = [line for line in lines_at(running.url, opened.match) if line["type"] == "seat.joined"]
    assert "key" not in ben["data"]


@pytest.mark.parametrize(
    ("signs", "shield", "why"), [(True, "refused", "The house took no key"), (False, "none", "This seat has no key")]
)
async def test_a_player_is_told_of_a_seat_that_signs_nothing_and_whether_the_house_took_no_key(
    running: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, signs: bool, shield: Shield, why: str
) -> None:
    @contextmanager
    def of_before(base: str) -> Iterator[httpx.Client]:
        with httpx.Client(base_url=f"{base}/api/v1", transport=Keyless(), timeout=60) as client:
            yield client

    monkeypatch.setattr(seating, "house", of_before)
    keeps = partial(receipts_of, running.url, tmp_path, None, None)
    opened = await asyncio.to_thread(
        seating.open_table, running.url, keeps, Wanted(seats=2, bots=0), Newcoming("Ada", signs=signs)
    )
    said: list[str] = []
    monkeypatch.setattr("services.cli.playing.lines.say", lambda *lines: said.extend(lines))
    async with SeatSession(opened, lambda *_: None) as session:
        told = asyncio.create_task(LineTable(session, asyncio.Queue()).play())
        async with asyncio.timeout(PATIENCE_S):
            while not any(why in line for line in said):
                await asyncio.sleep(0.05)
        told.cancel()
        assert session.shield == shield
        assert [line for line in shield_lines(session) if why in line]
    assert sum("signs nothing" in line for line in said) == 1


async def test_a_key_file_that_holds_something_else_is_said_to(tmp_path: Path) -> None:
    file = KeyFile(tmp_path / "key")
    assert file.read() is None
    file.file.write_text("{}", encoding="utf-8")
    with pytest.raises(CannotDo, match="holds no key of a seat"):
        file.read()


class Keyless(httpx.HTTPTransport):
    """Stands before a house as one of before would: it takes no member that it does not know."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "POST" and "key" in json.loads(request.content):
            return httpx.Response(
                400, json={"code": "malformed", "title": "the request is not what this address takes"}
            )
        return super().handle_request(request)


async def first_to_act(*seats: PlayingSeat) -> PlayingSeat:
    """Return the seat whose turn it is first; the others only watch meanwhile."""

    async def acts(seat: PlayingSeat) -> PlayingSeat:
        async with aclosing(seat.turns()) as turns:
            async for turn in turns:
                if turn.view["turn"] == turn.view["viewer"]:
                    return seat
        raise AssertionError

    waiting = [asyncio.create_task(acts(seat)) for seat in seats]
    done, others = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED, timeout=PATIENCE_S)
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    return done.pop().result()


async def until_seen(session: SeatSession, shield: Shield | None = None) -> None:
    """Return when a session knows whether it signs, or when it is so."""
    async with asyncio.timeout(PATIENCE_S):
        while session.shield == "none" or session.shield != (shield or session.shield):
            await asyncio.sleep(0.02)


def kept_of(sitting: Sitting) -> KeptKey:
    kept = KeyFile(seating.signing_file(sitting)).read()
    assert kept is not None
    return kept


def record_at(base: str, match: str) -> bytes:
    return httpx.get(f"{base}/api/v1/matches/{match}/record", timeout=60).content


def new(folder: Path) -> Path:
    folder.mkdir()
    return folder
