"""An engine that keeps the dice it has been shown, and plays by them when they come again: for a die each of two."""

import json
import sys
from typing import Any

seen: dict[tuple[str, int], int] = {}
state: dict[str, Any] = {"match": "", "view": {}}


def say(word, members=None):
    sys.stdout.write(word if members is None else f"{word} {json.dumps(members)}")
    sys.stdout.write("\n")
    sys.stdout.flush()


def newmatch(given):
    state["match"] = given["match"]


def frame(given):
    state["view"] = given["view"]
    event = given["event"]
    if event["type"] == "cup.revealed" and event["cup"]:
        for _, value in event["values"]:
            seen[state["match"], event["cup"]] = value + 1


def counted(face):
    """How many dice count for a face, as far as is known."""
    view = state["view"]
    own = {one["seat"]: one["dice"][0]["face"] for one in view["seats"]}
    dice = [seen.get((state["match"], seat), own[seat]) for seat in own]
    return sum(die in (face, 1) for die in dice)


def move(given):
    view = state["view"]
    standing = view["standing"]
    bids = [bid for offered in view["moves"] if offered["type"] == "bid" for bid in offered["minimum"]]
    doubts = False
    if standing is not None:
        # Of dice that are not known it believes one.
        known = state["match"] in {match for match, _ in seen}
        doubts = counted(standing["face"]) < standing["quantity"] and (known or standing["quantity"] > 1)
    if not bids or doubts:
        command = {"type": "challenge"}
    else:
        true = [bid for bid in bids if counted(bid[1]) >= bid[0]]
        # A bluff is in a face that the other is known to have, and believes.
        quantity, face = max(true) if true else max(bids, key=lambda bid: counted(bid[1]))
        command = {"type": "bid", "quantity": quantity, "face": face}
    say("move", {"version": given["version"], "command": command})


def greet():
    say("id", {"name": "remembering", "version": "1", "author": "a test"})
    say("plays", {"games": ["common_hand"], "seats": [2, 2]})
    say("tceok")


for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "tce":
        greet()
    elif word == "isready":
        say("readyok")
    elif word == "newmatch":
        newmatch(json.loads(rest))
    elif word == "frame":
        frame(json.loads(rest))
    elif word == "go":
        move(json.loads(rest))
    elif word == "quit":
        break
