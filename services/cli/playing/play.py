"""`truecup play`: a seat at a table, in a terminal."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Annotated, Any, Final

import httpx
import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number
from msgspec import Struct

from domain.log.receipts import AnotherHistory
from services.audit.receipts import ReceiptBook
from services.cli.exits import FINE, FOUND, CannotDo
from services.cli.house import ANSWER_S, CONNECT_S, address, answer_or_fail, house, match_id, read_reply
from services.cli.playing.evidence import compare, receipts_of
from services.cli.playing.following import follow
from services.cli.playing.prompts import prompt
from services.cli.playing.sending import Sender
from services.cli.playing.socket import MatchSocket
from services.cli.playing.words import lines_of
from services.cli.screen import say, say_aside

SETTLED_S: Final = 0.15
"""How long the stream is silent when a command has led to all it leads to."""
LEAVING: Final = {"quit", "exit"}
ENDING: Final = {"end match", "end it"}
GUESTS: Final = ("Guest", *(f"Guest {number}" for number in range(2, 13)))
"""What those are called who do not say, one after the other: more than sit at most tables."""


class Sitting(Struct, frozen=True):
    """A seat of ours: where, its token, and what the server has signed for it; the host's too, where we are that."""

    base: str
    match: str
    token: str
    kept: ReceiptBook
    host: str | None = None


def play(
    match: str | None = None,
    /,
    *,
    game: str = "common_hand",
    option: tuple[str, ...] = (),
    bots: Annotated[int, Parameter(validator=Number(gte=1, lte=253))] = 2,
    name: str | None = None,
    token: str | None = None,
    host: str | None = None,
    receipts: Path | None = None,
    policy: Path | None = None,
    url: str | None = None,
) -> int:
    """Play.

    Besides claims and what else is offered you may type `resign`, `end match` at a table of yours, and `quit`.

    Args:
        match: The id of a match to sit down at, or the address of its page; without one a new match is opened.
        game: The game of the new match.
        option: A house rule of the new match, such as `dice_per_player=3`; it may be given more than once.
        bots: How many house bots play along in the new match.
        name: What people shall call you, and nobody else at the table; Guest, or Guest 2, if nothing is said.
        token: The token of a seat you have already.
        host: The token of the host, at a table that is yours: then you may end the match.
        receipts: The file that keeps what the server signs; one in the data folder if nothing is said.
        policy: The file that names the keys of the log; the policy this house published first if nothing is said.
        url: Where the service is; the `truecup up` of this machine if nothing is said.
    """
    base = address(url)
    keeps = partial(receipts_of, base, receipts, policy)
    if match is None:
        return _play_carefully(partial(_open_match, base, keeps, game, _options(option), bots, name))
    return _play_carefully(partial(_take_seat, base, match_id(match), name, token, host, keeps))


def _play_carefully(sit: Callable[[], Sitting]) -> int:
    """Sit down and play; return how it went, which is FOUND where the server has shown another history."""
    try:
        _play_and_compare(sit())
    except AnotherHistory as trouble:
        say_aside(f"ALARM: do not trust this server: {trouble}")
        return FOUND
    return FINE


def _play_and_compare(sitting: Sitting) -> None:
    """Play, and hold the record against what is kept before and after.

    Raises:
        AnotherHistory: The server shows another one.
    """
    compare(sitting.base, sitting.match, sitting.kept)
    asyncio.run(_play(sitting))
    compare(sitting.base, sitting.match, sitting.kept)


def _options(given: tuple[str, ...]) -> dict[str, Any]:
    """Return options from `name=value`; a value is JSON, or else a text."""
    found: dict[str, Any] = {}
    for each in given:
        name, _, text = each.partition("=")
        try:
            found[name] = msgspec.json.decode(text)
        except msgspec.DecodeError:
            found[name] = text
    return found


def _open_match(
    base: str, keeps: Callable[[str], ReceiptBook], game: str, options: dict[str, Any], bots: int, name: str | None
) -> Sitting:
    """Open a match, sit down, seat bots and start."""
    with house(base) as client:
        rules = {"game": game, "options": options, "seats": bots + 1}
        opened = _read(client.post("/matches", json={"rules": rules}))
        with read_reply():
            # The id becomes the name of a file: from a server that lies it could lead out of our folder.
            match, host = match_id(opened["match"]), {"Authorization": f"Bearer {opened['token']}"}
        kept = keeps(match)
        _keep(kept, opened)
        sitting = _join(base, match, name, kept, str(opened["token"]))
        _keep(kept, _read(client.post(f"/matches/{match}/bots", json={"count": bots}, headers=host)))
        _keep(kept, _read(client.post(f"/matches/{match}/start", headers=host)))
    return sitting


def _ask_for_seat(client: httpx.Client, match: str, names: tuple[str, ...]) -> httpx.Response:
    """Ask for a seat under the first of these names that nobody at the table has, and return the last answer."""
    *others, last = names
    for name in others:
        answer = client.post(f"/matches/{match}/seats", json={"name": name})
        if not _is_taken(answer):
            return answer
    return client.post(f"/matches/{match}/seats", json={"name": last})


def _take_seat(
    base: str, match: str, name: str | None, token: str | None, host: str | None, keeps: Callable[[str], ReceiptBook]
) -> Sitting:
    """Take the seat of a token, or another one at the table."""
    if token is None:
        return _join(base, match, name, keeps(match), host)
    return Sitting(base, match, token, keeps(match), host)


def _is_taken(answer: httpx.Response) -> bool:
    """Report whether somebody at the table has the name already."""
    with read_reply():
        return (
            not answer.is_success and msgspec.json.decode(answer.content, type=dict[str, Any])["code"] == "name_taken"
        )


def _read(answer: httpx.Response) -> dict[str, Any]:
    """Return what the server answers to an accepted command.

    Raises:
        CannotDo: The server said no, or what nobody understands.
    """
    with read_reply():
        return msgspec.json.decode(answer_or_fail(answer).content, type=dict[str, Any])


def _keep(kept: ReceiptBook, answer: dict[str, Any]) -> None:
    with read_reply():
        kept.take(answer)


def _join(base: str, match: str, name: str | None, kept: ReceiptBook, host: str | None) -> Sitting:
    with house(base) as client:
        seat = _read(_ask_for_seat(client, match, GUESTS if name is None else (name,)))
    _keep(kept, seat)
    say(f"You sit at {base}/m/{match}, and the server draws your seeds.")
    with read_reply():
        return Sitting(base, match, str(seat["token"]), kept, host)


async def _play(sitting: Sitting) -> None:
    """Tell what happens and take what is typed, until the match ends or the player has enough."""
    typed: asyncio.Queue[str | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    # A thread that waits for a key cannot be stopped: as a daemon it holds nobody up at the end.
    Thread(target=_read_lines, args=(loop, typed), daemon=True).start()
    timeout = httpx.Timeout(ANSWER_S, connect=CONNECT_S)
    async with httpx.AsyncClient(base_url=f"{sitting.base}/api/v1", timeout=timeout) as client:
        socket = MatchSocket(sitting.base, sitting.match)
        sender = Sender(client, socket, sitting.match)
        await _either(_tell(sitting, socket, sender), _send(sitting, sender, typed))


async def _either(*works: Coroutine[None, None, None]) -> None:
    """Do these at once until one of them is done."""
    done, waiting = await asyncio.wait(map(asyncio.create_task, works), return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    for task in done:
        task.result()


def _read_lines(loop: asyncio.AbstractEventLoop, typed: asyncio.Queue[str | None]) -> None:
    for line in sys.stdin:
        loop.call_soon_threadsafe(typed.put_nowait, line.strip())
    loop.call_soon_threadsafe(typed.put_nowait, None)


async def _tell(sitting: Sitting, socket: MatchSocket, sender: Sender) -> None:
    """Print what happens, and the prompt whenever it is the player's turn and nothing more comes."""
    items: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
    reading = asyncio.create_task(_read_stream(sitting, socket, sender, items))
    view: dict[str, Any] | None = None
    while True:
        try:
            async with asyncio.timeout(None if view is None else SETTLED_S):
                item = await items.get()
        except TimeoutError:
            with read_reply():
                lines = prompt(view) if view is not None and view["moves"] else []
            if lines:
                say(*lines)
            view = None
            continue
        if item is None:
            break
        view = _print_item(item)
    await reading


async def _read_stream(
    sitting: Sitting, socket: MatchSocket, sender: Sender, items: asyncio.Queue[dict[str, Any] | None]
) -> None:
    try:
        async for item in follow(sitting.base, sitting.match, sitting.token, socket):
            with read_reply():
                shown = item.get("snapshot", item)
                if "head" in shown:
                    sitting.kept.see(shown["version"], shown["head"])
                    sender.seen = shown["version"]
            items.put_nowait(item)
    finally:
        items.put_nowait(None)


def _print_item(item: dict[str, Any]) -> dict[str, Any] | None:
    """Print what an item tells, and return the view after it."""
    with read_reply():
        lines = lines_of(item)
        view = item["snapshot"] if "snapshot" in item else item["view"] if "event" in item else None
    if lines:
        say(*lines)
    return view


async def _send(sitting: Sitting, sender: Sender, typed: asyncio.Queue[str | None]) -> None:
    """Send what is typed, and print what is refused. When nothing more can be typed, the match is only watched."""
    while (line := await typed.get()) is not None:
        if line.lower() in LEAVING:
            host = "" if sitting.host is None else f" --host {sitting.host}"
            say(f"Your seat is kept. Come back with: truecup play {sitting.match} --token {sitting.token}{host}")
            return
        try:
            _keep(sitting.kept, await sender.send(*_command(sitting, line)))
        except CannotDo as trouble:
            say(f"- {trouble}")
    await asyncio.Event().wait()


def _command(sitting: Sitting, line: str) -> tuple[dict[str, str], str]:
    """Return what is asked for by this line, and the token to ask with; whoever is no host is told so by the server."""
    match line.lower():
        case "resign":
            return {"type": "resign"}, sitting.token
        case typed if typed in ENDING:
            return {"type": "end_match"}, sitting.host or sitting.token
        case _:
            return {"type": "say", "text": line}, sitting.token
