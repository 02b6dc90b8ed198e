"""An engine that behaves as its first argument says: `python hostile.py WAY`."""

import json
import os
import sys
import time
from pathlib import Path


def say(word, members=None):
    sys.stdout.write(word if members is None else f"{word} {json.dumps(members)}")
    sys.stdout.write("\n")
    sys.stdout.flush()


def greet():
    say("id", {"name": "hostile", "version": "1", "author": "a test"})
    say("plays", {"games": ["common_hand"], "seats": [2, 10]})
    say("tceok")


def babble(_go):
    for number in range(20_000):
        say("info", {"number": number})


def spill(_go):
    for number in range(60):
        say("info", {str(number): "x" * 2**17})


def die(_go):
    sys.exit(3)


def die_once(go):
    if not Path(sys.argv[2]).exists():
        Path(sys.argv[2]).touch()
        die(go)


def tell(_go):
    files = [path.name for path in Path("/proc/self/fd").iterdir()]
    say("info", {"environment": sorted(os.environ), "files": files})


BEFORE = {
    "slow": lambda _go: time.sleep(0.6),
    "babbling": babble,
    "spilling": spill,
    "endless": lambda _go: sys.stdout.write("x" * 2**24 + "\n"),
    "weighing": lambda go: say("info", {"weights": {"challenge": go["version"]}}),
    "wordy": lambda _go: say("info", {"text": "x" * 2**17}),
    "dying": die,
    "dying-once": die_once,
    "long": lambda _go: say("info", {"text": "x" * 2**20}),
    "bytes": lambda _go: sys.stdout.buffer.write(b"move \xff\xfe\n"),
    "telling": tell,
}
MOVES = {
    "illegal": lambda go: (go["version"], {"type": "bid", "quantity": 1, "face": 1}),
    "seat": lambda go: (go["version"], {"type": "challenge", "seat": 2}),
    "foul": lambda go: (go["version"], {"type": "bid", "quantity": 254, "face": 1}),
    "earlier": lambda go: (go["version"] - 1, {"type": "challenge"}),
}


def move(way, go):
    BEFORE.get(way, lambda _go: None)(go)
    if way != "silent":
        version, command = MOVES.get(way, lambda go: (go["version"], {"type": "challenge"}))(go)
        say("move", {"version": version, "command": command})


def main(way):
    if way == "mute":
        time.sleep(60)
    if way == "rude":
        say("tceok")
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "tce":
            greet()
        elif word == "isready":
            say("readyok")
        elif word == "go":
            go = json.loads(rest)
            move(way, go)
        elif word == "refused" and way in {"corrected", "foul"}:
            move("foul" if way == "foul" else "honest", go)
        elif word == "quit":
            if way == "staying":
                time.sleep(60)
            return


main(sys.argv[1])
