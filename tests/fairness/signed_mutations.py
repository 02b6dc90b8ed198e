"""Records of seats with keys, changed at random, and the same ones again for the same seed.

Most lies are told cleverly: the commands are counted anew, over all that was to be seen, and signed anew with the keys
that are at hand. The others leave the signatures as they were, or are changes of bytes, lines and proofs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from tests.fairness.javascript_auditor import Ask
from tests.fairness.random_mutations import BOUNDS, bytes_changed, lied_about, lines_changed
from tests.fairness.rewritten_records import Event, chained, retold
from tests.fairness.scripted_server import POLICY_TEXT
from tests.fairness.signed_lies import earlier, fair, lies
from tests.fairness.signed_stories import KEYS, OWN

QUIET = ("seat.joined", "seat.keyed", "seed.committed", "seed.opened", "game.seed_custody", "game.looked")
KINDS = ("bid", "call", "look", "leave", "join", "rekey", "resign", "roll", "arrange", "commit_seed", "open_seed", "x")


def signed_mutants(seed: int, count: int, told: Sequence[Sequence[Event]] = ()) -> Iterator[Ask]:
    """Yield this many changed records, of these matches or of small ones."""
    rng = Random(seed)
    stories = [
        *list(fair().values()) * 3,
        *(story for story, _ in lies().values()),
        *(story for story, _ in earlier().values()),
    ]
    matches = told or [story.events for story in stories]
    ways = [_clever, _left_signed, lines_changed, bytes_changed]
    for _ in range(count):
        events = json.loads(json.dumps(rng.choice(matches)))
        way = rng.choices(ways, [65, 20, 7, 8])[0]
        yield Ask(way(rng, events), rng.choices([POLICY_TEXT, None], [90, 10])[0])


def _clever(rng: Random, events: list[Event]) -> bytes:
    for _ in range(rng.choices([1, 2, 3], [70, 20, 10])[0]):
        _change(rng, events)
    if rng.random() < 0.6:
        _count_anew(events)
    if rng.random() < 0.5:
        _change_signature(rng, events)
    return _written(rng, events)


def _left_signed(rng: Random, events: list[Event]) -> bytes:
    """Change a match whose commands are signed already."""
    signed = [json.loads(line) for line in chained(events)]
    for _ in range(rng.choices([1, 2], [80, 20])[0]):
        _change(rng, signed)
    return _written(rng, signed)


def _written(rng: Random, events: list[Event]) -> bytes:
    if not events:
        return b""
    return retold(events).record() if rng.random() < 0.7 else b"".join(line + b"\n" for line in chained(events))


def _change(rng: Random, events: list[Event]) -> None:
    if not events:
        return
    if rng.random() < 0.15:
        lied_about(rng, events)
        return
    rng.choices(
        [_change_signature, _command_alike, _unsign, _sign, _key, _clock, _time, _put_in], [20, 15, 8, 8, 10, 10, 8, 10]
    )[0](rng, events)


# ---- what can be changed --------------------------------------------------------------------------


def _signed(events: list[Event]) -> list[Event]:
    return [event for event in events if isinstance(event.get("signed"), dict) and isinstance(event["data"], dict)]


def _change_signature(rng: Random, events: list[Event]) -> None:
    """Change who signed, over what, or with which key."""
    some = _signed(events)
    if not some:
        return
    said = rng.choice(some)["signed"]
    way = rng.choices(range(6), [5, 6, 2, 6, 4, 1])[0]
    if way == 0 and isinstance(said.get("n"), int):
        said["n"] += rng.choices([-1, 1, 2**32], [6, 6, 1])[0]
    elif way == 1 and isinstance(said.get("version"), int):
        said["version"] += rng.choices([-3, -2, -1, 1, 2**32], [3, 3, 9, 3, 1])[0]
    elif way == 2:
        said["seat"] = rng.choice([1, 2, 3, 1, 2, 3, rng.choice(BOUNDS)])
    elif way == 3:
        said["sig"] = rng.choice([*KEYS[:5], "00" * 32]) * 2
    elif way == 4:
        said["sig"] = rng.choice(some)["signed"].get("sig", "")
    else:
        said[rng.choice([*said, "more"])] = rng.choice([None, True, "x", {}, 0, "AB" * 64])


def _command_alike(rng: Random, events: list[Event]) -> None:
    """Change a member of a command, in the line as well or not."""
    some = _signed(events)
    if not some:
        return
    event = rng.choice(some)
    command = event["signed"].get("command")
    if not isinstance(command, dict) or not command:
        return
    name = rng.choice([*command, "more"])
    value: Any = rng.choice([0, 1, 2, 3, True, None, "client", "server", [1], [], KEYS[7], rng.choice(KINDS)])
    if rng.random() < 0.2:
        command.pop(name, None)
        return
    command[name] = value
    if name not in OWN and rng.random() < 0.5:
        event["data"][name] = value


def _unsign(rng: Random, events: list[Event]) -> None:
    some = _signed(events)
    if some:
        rng.choice(some).pop("signed")


def _sign(rng: Random, events: list[Event]) -> None:
    """Sign a line that is not, as the seat it names would, or with the signature of another line."""
    bare = [event for event in events if "signed" not in event and isinstance(event["data"], dict)]
    some = _signed(events)
    if bare and some:
        event, other = rng.choice(bare), rng.choice(some)
        said = {"type": rng.choice(KINDS), **{name: value for name, value in event["data"].items() if name != "seat"}}
        command = rng.choice([said, other["signed"].get("command", said)])
        event["signed"] = {**other["signed"], "seat": event["data"].get("seat", 1), "command": command}


def _key(rng: Random, events: list[Event]) -> None:
    """Give a seat another key, in its line and in what it signed."""
    some = [event for event in events if isinstance(event["data"], dict) and "key" in event["data"]]
    if some:
        event = rng.choice(some)
        key = rng.choice([*KEYS, *KEYS, "0" * 64, KEYS[0].upper(), "ff" * 32])
        event["data"]["key"] = key
        command = event["signed"].get("command") if isinstance(event.get("signed"), dict) else None
        if isinstance(command, dict) and "key" in command:
            command["key"] = key


def _clock(rng: Random, events: list[Event]) -> None:
    """Let the clock run out, give seeds in custody, or let a host name a key, somewhere."""
    at, seat = rng.randrange(1, len(events) + 1), rng.choice([1, 2, 3])
    made = [
        ("game.timed_out", {"seat": seat}),
        ("game.seed_custody", {"seat": seat, "by": rng.choice(["server", "client"])}),
        ("seat.keyed", {"seat": seat, "key": rng.choice(KEYS), "by": rng.choice(["host", "seat"])}),
    ]
    kind, data = rng.choice(made)
    last = {name: value for name, value in events[at - 1].items() if name != "signed"}
    events.insert(at, {**last, "type": kind, "data": data})


def _time(rng: Random, events: list[Event]) -> None:
    later = rng.choice([119_999, 120_000, 120_001, -1])
    for event in events[rng.randrange(len(events)) :]:
        if isinstance(event.get("at"), int):
            event["at"] += later


def _put_in(rng: Random, events: list[Event]) -> None:
    """Say a line of another kind, quiet or loud, once more somewhere."""
    event = json.loads(json.dumps(rng.choice(events)))
    if rng.random() < 0.5:
        event["type"] = rng.choice([*QUIET, "game.bid", "game.passed", "game.forfeited", "seat.left", "game.x"])
    events.insert(rng.randrange(1, len(events) + 1), event)


def _count_anew(events: list[Event]) -> None:
    """Let every seat count its commands from its join on, and have seen all lines before each."""
    counters: dict[Any, int] = {}
    for seq, event in enumerate(events):
        said = event.get("signed")
        if isinstance(said, dict) and isinstance(said.get("seat"), int):
            joins = event["type"] == "seat.joined"
            said["n"] = counters[said["seat"]] = 0 if joins else counters.get(said["seat"], -1) + 1
            said["version"] = seq
