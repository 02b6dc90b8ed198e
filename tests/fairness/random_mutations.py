"""Records changed at random, and the same ones again for the same seed.

Half of the changes are to bytes, lines and proofs, as they come; the other half are lies, chained and logged and signed
anew as if nothing were wrong, so that the checks behind the chain have something to find.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from tests.fairness.javascript_auditor import Ask
from tests.fairness.note_mutations import renoted
from tests.fairness.rewritten_records import Event, Told, chained, events_of, retold, written
from tests.fairness.scripted_server import (
    ANSWER,
    BEACON,
    DUE,
    POLICY_TEXT,
    Story,
)

HASH = "0" * 64
INTEGERS = (0, 1, -1, 2, 3, 6, 8, 63, 64, 65, 127, 128, 253, 254, 255, 256, 257, 65_535, 65_536, 2**18, 2**31, 2**32)
BOUNDS = (*INTEGERS, 2**53 - 1, -(2**53) + 1)
STRANGE: tuple[Any, ...] = (None, True, False, "", "a", [], {}, [0], {"a": 1}, 2**53, 1.5, 1.0, "é", "\ud800", -0.0)
TEXTS = ("", "all", "shown", HASH, "ab", "AB" * 32, "0" * 63, HASH + "\n", "é" * 32, "\u2028", "\x7f", "\\", '"', "\0")
KINDS = (
    *("match.created", "seat.joined", "seat.left", "deal.committed", "seed.committed", "deal.sealed", "deal.logged"),
    *("seed.opened", "deal.fixed", "deal.ready", "cup.rolled", "cup.revealed", "deal.voided", "deal.closed"),
    *("tournament.created", "tournament.closed", "tables.paired", "table.no_show", "tables", "challenge.x", "cases."),
    *("board.created", "board.round_closed", "board.closed", "deal.shared", "boards."),
    *("match.ended", "game.note", "game.", "game", "constructor", "__proto__", ""),
)


def stories() -> list[list[Event]]:
    """Return the events of small matches that together come by every check."""
    beacon = Story().to_logged(beacon=BEACON).opened(1, 2).fixed().ready(beacon=ANSWER).rolled().revealed()
    voided = Story().created().joined(1, 2, 3).committed().seeded(1, 2, 3).sealed(seats=[1, 2, 3]).logged()
    voided.opened(1, 2).voided(3).closed().committed().seeded(1, 2).sealed().logged().opened(1, 2).ready()
    told = [
        Story().to_end(),
        Story("shown").to_revealed().rolled(2).closed(secret=None).ended(),
        beacon.closed().ended(),
        voided.rolled().revealed().closed().ended(),
        Story().to_revealed().rolled(2, slots=[0, 1, 2], m=[256, 129, 1]).rolled(roll=1, slots=[1], m=[2]),
        Story().to_commits().sealed().voided(1).closed().say("seat.left", seat=2, reason="").ended(),
    ]
    return [events_of(story.bare()) for story in told]


def mutants(seed: int, count: int, told: Sequence[Sequence[Event]] | None = None) -> Iterator[Ask]:
    """Yield this many changed records."""
    rng = Random(seed)
    matches = told or stories()
    for _ in range(count):
        events = json.loads(json.dumps(rng.choice(matches)))
        way = rng.choices([_lied, _noted, lines_changed, bytes_changed], [60, 20, 10, 10])[0]
        yield Ask(
            way(rng, events), rng.choices([POLICY_TEXT, None], [95, 5])[0], rng.choices([(1, 2), (1,)], [97, 3])[0]
        )


# ---- lies, told as if they were true ------------------------------------------------------------


def _lied(rng: Random, events: list[Event]) -> bytes:
    for _ in range(rng.choices([1, 2, 3], [80, 15, 5])[0]):
        lied_about(rng, events)
    if not events:
        return b""
    if rng.random() < 0.2:
        return b"".join(line + b"\n" for line in chained(events))
    return retold(events, DUE - rng.choice([5, 6, 6, 6, 7])).record()


def lied_about(rng: Random, events: list[Event]) -> None:
    """Tell one thing otherwise than it was."""
    rng.choices([_value, _moved, _swapped, _typed, _strange, _membered], [58, 16, 8, 5, 5, 8])[0](rng, events)


def _value(rng: Random, events: list[Event]) -> None:
    """Change a value to another of its kind, in an event that is believed to have it."""
    holder, name = _place(rng, _chosen(rng, events)["data"])
    if holder is not None:
        holder[name] = _other(rng, holder[name], events)


def _chosen(rng: Random, events: list[Event]) -> Event:
    """Return an event, as often one of a kind that is rare as one that is not."""
    kinds = sorted({str(event["type"]) for event in events})
    kind = rng.choice(kinds)
    return rng.choice([event for event in events if str(event["type"]) == kind])


def _other(rng: Random, value: Any, events: list[Event]) -> Any:
    if isinstance(value, bool) or value is None:
        return rng.choice([None, {**BEACON}, {**ANSWER}, HASH, 1])
    if isinstance(value, int):
        return rng.choice([value + 1, value - 1, rng.choice(BOUNDS), rng.randrange(4)])
    if isinstance(value, str):
        return _text(rng, value, events)
    if isinstance(value, list):
        return _listed(rng, value)
    return {**value, **rng.choice([{}, BEACON, ANSWER, {"a": 1}])}


def _text(rng: Random, value: str, events: list[Event]) -> str:
    if rng.random() < 0.15:
        return rng.choice(TEXTS)
    if rng.random() < 0.25:
        alike = [text for event in events for text in _texts(event["data"]) if len(text) == len(value)]
        return rng.choice(alike or [value])
    if not value:
        return "x"
    at = rng.randrange(len(value))
    return value[:at] + rng.choice("0123456789abcdef") + value[at + 1 :]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def _listed(rng: Random, value: list[Any]) -> list[Any]:
    at = rng.randrange(len(value) + 1)
    ways: list[Callable[[], list[Any]]] = [
        lambda: value[::-1],
        lambda: value[:at],
        lambda: [*value[:at], *value[at + 1 :]],
        lambda: [*value[: at + 1], *value[at:]],
        lambda: [*value, *value[:1]],
        lambda: rng.sample(value, len(value)),
        list,
    ]
    return rng.choice(ways)()


def _place(rng: Random, value: Any) -> tuple[Any, Any]:
    """Return where in a value something stands: what holds it, and under which name or number."""
    holder: Any = None
    name: Any = None
    while isinstance(value, dict | list) and value and (holder is None or rng.random() < 0.8):
        holder, name = value, rng.choice(list(value) if isinstance(value, dict) else range(len(value)))
        value = holder[name]
    return holder, name


def _moved(rng: Random, events: list[Event]) -> None:
    """Leave an event out, say it twice, or say it at another time."""
    at, to = rng.randrange(len(events)), rng.randrange(len(events) + 1)
    event = events.pop(at)
    if rng.random() < 0.7:
        events.insert(rng.choice([to, max(0, at - 1), at + 1]), event)
        if rng.random() < 0.3:
            events.insert(at, json.loads(json.dumps(event)))


def _swapped(rng: Random, events: list[Event]) -> None:
    """Give a member of an event the value that another has under the same name."""
    one, other = rng.choice(events)["data"], rng.choice(events)["data"]
    shared = sorted(one.keys() & other.keys())
    if shared:
        name = rng.choice(shared)
        one[name], other[name] = other[name], one[name]


def _typed(rng: Random, events: list[Event]) -> None:
    rng.choice(events)["type"] = rng.choice(KINDS)


def _strange(rng: Random, events: list[Event]) -> None:
    event = rng.choice(events)
    holder, name = _place(rng, event if rng.random() < 0.3 else event["data"])
    if holder is not None and name not in {"prev", "seq", "stream", "type", "data"}:
        holder[name] = rng.choice(STRANGE)


def _membered(rng: Random, events: list[Event]) -> None:
    """Change the members of an event line that rules do not look at, or how many there are."""
    event = rng.choice(events)
    way = rng.randrange(6)
    if way == 0:
        event["at"] = rng.choice(BOUNDS)
    elif way == 1:
        event["data"]["player"] = rng.choice(TEXTS)
    elif way == 2:
        event["v"] = rng.choice([0, 2, True, "1"])
    elif way == 3:
        event.pop(rng.choice(["at", "v"]), None)
    elif way == 4:
        event["more"] = 1
    else:
        event["stream"] = rng.choice([*TEXTS, f"{event['stream']} "])


# ---- what the log says ---------------------------------------------------------------------------


def _noted(rng: Random, events: list[Event]) -> bytes:
    """Tell the truth, and let the log say something else about it."""
    told = retold(events)
    rng.choices([_checkpointed, _proved, _earlier], [50, 35, 15])[0](rng, told, events)
    return told.record()


def _checkpointed(rng: Random, told: Told, _events: list[Event]) -> None:
    head, gap, note = told.proof.partition("\n\n")
    changed = renoted(rng, note)
    told.proof = head + gap + changed
    if rng.random() < 0.7:
        told.grown = [text.partition("\n\n")[0] + "\n\n" + changed for text in told.grown]


def _proved(rng: Random, told: Told, _events: list[Event]) -> None:
    texts = [told.proof, *told.grown]
    at = rng.randrange(len(texts))
    head, gap, note = texts[at].partition("\n\n")
    lines = head.split("\n")
    to = rng.randrange(len(lines))
    line = lines[to]
    options = [
        [*lines[:to], *lines[to + 1 :]],
        [*lines[: to + 1], *lines[to:]],
        rng.sample(lines, len(lines)),
        [*lines[:to], line[:-2] + rng.choice("0123456789=AB") + line[-1:], *lines[to + 1 :]],
        [*lines[:to], line.rstrip("="), *lines[to + 1 :]],
        [*lines[:1], rng.choice(["extra YQ==", "extra YR==", "extra", "extra "]), *lines[1:]],
        [*lines, *lines[-1:] * rng.choice([1, 60, 63, 64, 65])],
        [f"{line.partition(' ')[0]} {rng.choice(['01', '-1', str(2**63 - 1), str(2**63), '٣', '0', '1'])}"],
        [rng.choice(["c2sp.org/tlog-proof@v2", "\ufeffc2sp.org/tlog-proof@v1", "old 1"]), *lines[1:]],
    ]
    texts[at] = "\n".join(rng.choice(options)) + rng.choice([gap] * 9 + ["\n"]) + note
    told.proof, told.grown = texts[0], texts[1:]
    if rng.random() < 0.2:
        told.grown = rng.choice([told.grown[1:], told.grown * 2, [*told.grown, told.proof], told.grown[::-1]])


def _earlier(rng: Random, told: Told, events: list[Event]) -> None:
    """Change what an event says of the log, and chain the rest to it."""
    logged = [json.loads(line) for line in told.lines]
    events[:] = logged
    with_notes = [event for event in logged if "checkpoint" in event["data"]]
    if with_notes:
        data = rng.choice(with_notes)["data"]
        data["checkpoint"] = renoted(rng, data["checkpoint"])
    told.lines = chained(logged)


# ---- bytes and lines -----------------------------------------------------------------------------


def lines_changed(rng: Random, events: list[Event]) -> bytes:
    """Return the record of these events with one line of it changed."""
    lines = retold(events).record().splitlines(keepends=True)
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    way = rng.randrange(8)
    if way == 0:
        lines[one], lines[other] = lines[other], lines[one]
    elif way == 1:
        del lines[one]
    elif way == 2:
        lines.insert(other, lines[one])
    elif way == 3:
        del lines[one + 1 :]
    elif way == 4:
        lines[one] = lines[one].rstrip(b"\n") + rng.choice([b"\r\n", b" \n", b"\n\n", b""])
    elif way == 5:
        lines[one] = rng.choice([b"#", b"# ", b"\xef\xbb\xbf", b" "]) + lines[one]
    else:
        lines[one] = _respelled(rng, lines[one])
    return b"".join(lines)


def _respelled(rng: Random, line: bytes) -> bytes:
    """Say the same in another spelling, or nearly the same."""
    deep = b'{"at":' + b"[" * 70 + b"]" * 70 + b","
    return rng.choice(
        [
            line.replace(b":1,", b":1.0,", 1),
            line.replace(b'"v":1', b'"v":true'),
            line.replace(b'"v":1', b'"v":1e0'),
            line.replace(b'"v":1', b'"v":1,"v":1'),
            line.replace(b'"v":1', b'"v":-0'),
            line.replace(b",", b", ", 1),
            line.replace(b"e", b"\\u0065", 1),
            line.replace(b"/", b"\\/", 1),
            line.replace(b'"seq"', b'"s\xc3\xa9q"'),
            line.replace(b'"at":', b'"at":9007199254740992,"au":', 1),
            line.replace(b"{", deep, 1),
            line.replace(b"{", b'{"a":"' + b"x" * 65_536 + b'",', 1),
            b"[" * 5_000 + b"\n",
            b'{"a":' * 3_000 + b"\n",
            line.replace(b"a", b"\xed\xa0\x80", 1),
            line.upper(),
            written(json.loads(line))[:-1] if line.startswith(b"{") else b64encode(b64decode(line[1:4] + b"=")),
        ]
    )


def bytes_changed(rng: Random, events: list[Event]) -> bytes:
    """Return the record of these events with a byte of it changed, or some bytes gone or doubled."""
    record = retold(events).record()
    at = rng.randrange(len(record))
    byte = bytes([rng.choice([rng.randrange(256), *b'"{}[],:0123456789\n#'])])
    return rng.choice(
        [
            record[:at] + byte + record[at + 1 :],
            record[:at] + byte + record[at:],
            record[:at] + record[at + 1 :],
            record[:at],
            record[at:],
            record[:at] + record[at : at + 40] + record[at:],
        ]
    )


# ---- policies ------------------------------------------------------------------------------------


def policies(rng: Random, count: int) -> Iterator[str]:
    """Yield this many changed policies."""
    words = POLICY_TEXT.split()
    log, witness = words[1], words[4]
    lines = [
        *(f"log {log}", f"log {log} https://log.example", f"witness w {witness}", "group g 1 w", "group h all g w"),
        *("group k any w", "quorum w", "quorum g", "quorum none", "# a comment", "", "\tquorum\tk ", "group g 2 w"),
        *("group l ٣ w", "group m 0 w", "quorum w w", "witness none " + witness, "log " + witness, "ape", "quorum"),
        *(f"log {log[:-4]}AAA=", f"log {log}=", f"log x{log}", f"log a\u00a0b{log}", f"witness\u00a0w {witness}"),
    ]
    for _ in range(count):
        chosen = POLICY_TEXT.splitlines() + rng.sample(lines, rng.randrange(3))
        if rng.random() < 0.5:
            rng.shuffle(chosen)
        if rng.random() < 0.3:
            del chosen[rng.randrange(len(chosen))]
        text = "\n".join(chosen)
        at = rng.randrange(len(text))
        byte = rng.choice(["", "", "", rng.choice(" \t\n\r\x7f\0+=A0#é\ufeff")])
        yield text[:at] + byte + text[at:] if rng.random() < 0.8 else text[:at] + byte + text[at + 1 :]
