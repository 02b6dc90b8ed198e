"""Lies about seats with keys that one check alone stands against, each on its last line, and lines that are none."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.fairness.javascript_auditor import Ask
from tests.fairness.signed_stories import ARRANGE, KEYS, POSITIONS, SALT, SignedStory, signed_stories

BID = {"type": "bid", "quantity": 3, "face": 5}
CALL = {"type": "call", "shape": "pair", "faces": [5]}
ROLL = {"type": "roll"}
HANDLED = 12
"""The place of the line by which a seat handles dice, from 0."""
SPOILT = "00" * 64


def sat(*seats: int) -> SignedStory:
    return SignedStory().created().sat(*(seats or (1, 2)))


def committed() -> SignedStory:
    return sat().committed()


def opened() -> SignedStory:
    return committed().seeded(1, 2).sealed().logged().opened(1, 2).ready().rolled()


def handled(how: Any = None, **command: Any) -> SignedStory:
    """Return a match that closes after a seat has handled dice, with what it opens of that."""
    story = opened().ask(1, "game.arranged", {**ARRANGE, **command})
    return story.closed(handled=[[HANDLED, SALT, POSITIONS]] if how is None else how)


def withheld() -> SignedStory:
    """Return a match in which the third seat is barred for a seed it kept."""
    story = sat(1, 2, 3).committed().seeded(1, 2, 3).sealed(seats=[1, 2, 3]).logged().opened(1, 2)
    return story.voided(3).closed()


def recovered(after: int = 120_000) -> SignedStory:
    """Return a match in which the host has named a key for the first seat, which signs with it next."""
    story = sat().recover(1, KEYS[3], after)
    story.keys[1] = KEYS[3]
    return story


@cache
def lies() -> dict[str, tuple[SignedStory, str]]:
    """Return them with their codes."""
    return {
        **_of_members(),
        **_of_forms(),
        **_of_turns(),
        **_of_keys(),
        **_of_what_goes_unsigned(),
        **_of_seeds(),
        **_of_handlings(),
    }


def _of_members() -> dict[str, tuple[SignedStory, str]]:
    told = {
        "a number below the first": sat().sign_otherwise(n=-1).bid(1),
        "a number above the last": sat().sign_otherwise(n=2**32).bid(1),
        "a version before the first line": sat().sign_otherwise(version=0).bid(1),
        "a version above the last": sat().sign_otherwise(version=2**32).bid(1),
        "a signature of seat 0": sat().sign_otherwise(seat=0).bid(1),
        "a signature in capitals": sat().bid(1, sig="AB" * 64),
        "a key for seat 0": sat().say("seat.keyed", seat=0, key=KEYS[3], by="host"),
        "a key in capitals": sat().recover(1, KEYS[3].upper()),
        "a key of small order": sat().recover(1, "0" * 64),
        "a key of small order to sit down with": _named(key="0" * 64),
        "a key by nobody": sat().say("seat.keyed", seat=1, key=KEYS[3], by="clock"),
        "a name in capitals": sat().say("seat.joined", seat=3, player="p3", name="AB" * 32),
        "a line that is no number": handled([[str(HANDLED), SALT, POSITIONS]]),
        "a salt in capitals": handled([[HANDLED, SALT.upper(), POSITIONS]]),
        "a place that is no number": handled([[HANDLED, SALT, {**POSITIONS, "inside": ["0"]}]]),
    }
    return {name: (story, "E_FORMAT") for name, story in told.items()}


def _of_forms() -> dict[str, tuple[SignedStory, str]]:
    told = {
        "what a seal may not be": sat().ask(1, "game.arranged", {**ARRANGE, "sealed": 5}),
        "a seal that goes on": sat().ask(1, "game.arranged", {**ARRANGE, "sealed": f"{ARRANGE['sealed']}00"}),
        "faces that are none": sat().ask(1, "game.called", {**CALL, "faces": {}}),
        "a face that is none": sat().ask(1, "game.called", {**CALL, "faces": [5, "5"]}),
        "a line that says less": sat().ask(1, "game.bid", BID, face=None),
        "a line that says true for 1": sat().ask(1, "game.bid", {**BID, "face": 1}, face=True),
        "a command that says less": sat().ask(1, "game.bid", {"type": "bid", "face": 5}, quantity=3),
        "a command that says more": sat().ask(1, "game.bid", {**BID, "sure": True}),
        "a command of a type that is no text": sat().ask(1, "game.bid", {**BID, "type": ["bid"]}),
        "a command without a type": sat().ask(1, "game.bid", {"quantity": 3, "face": 5}),
        "a command of another line": sat().ask(1, "game.called", BID),
        "a resignation for a doubt": sat().ask(1, "game.challenged", {"type": "resign"}),
        "somebody who leaves for another reason": sat().ask(1, "seat.left", {"type": "leave"}, reason="tired"),
        "a custody that is nobody's": SignedStory().created().sat(1, custody="nobody"),
        "a name that was not signed": _named(name="0" * 64),
    }
    return {name: (story, "E_SIGNED") for name, story in told.items()}


def _named(**said: str) -> SignedStory:
    """Return a match in which somebody sits down whose line says something else, or more, than what was signed."""
    command = {"type": "join", "key": KEYS[0], "custody": "client"}
    return SignedStory().created().ask(1, "seat.joined", command, sig=KEYS[0] * 2, player="p1", **said)


def _of_turns() -> dict[str, tuple[SignedStory, str]]:
    told = {
        "a number too high": sat().sign_otherwise(n=2).bid(1),
        "a number once more": sat().sign_otherwise(n=0).bid(1),
        "a version not written yet": sat().sign_otherwise(version=4).bid(1),
        "a version before the last loud line": sat().bid(1).sign_otherwise(version=3).bid(2),
        "a seat that nobody has": sat().sign_otherwise(seat=9).ask(1, "game.bid", BID, seat=None),
        "another seat than the line's": sat().bid(1).sign_otherwise(seat=1, n=2, sig=KEYS[0] * 2).bid(2),
        "a line that names no seat": sat().ask(1, "game.bid", BID, seat=True),
        "a signature by another seat": sat().bid(1, sig=KEYS[1] * 2),
        "a signature by nobody": sat().bid(1, sig=SPOILT),
        "somebody who has left": sat().leave(1).bid(1),
        "the table's own line, signed": opened().ask(1, "game.round_ended", ROLL, seat=None),
        "a seat without a key": sat().joined(3).ask(3, "game.bid", BID, sig=KEYS[2] * 2),
        "a seat that came back without a key": sat().leave(1).joined(1).bid(1),
    }
    return {name: (story, "E_SIGNED") for name, story in told.items()}


def _of_keys() -> dict[str, tuple[SignedStory, str]]:
    return {
        "a key for two seats": (sat(1).sat(2, key=KEYS[0]), "E_SIGNED"),
        "a key that another seat is to have": (sat().recover(1, KEYS[3]).sat(3, key=KEYS[3]), "E_SIGNED"),
        "a join that has seated its player already": (
            sat(1).rekey(1, KEYS[3]).sign_otherwise(version=1).sat(2, key=KEYS[0]),
            "E_SIGNED",
        ),
        "a change to the key of another": (sat().rekey(1, KEYS[1]), "E_SIGNED"),
        "a change that is refused, and bears out the line before": (
            sat().bid(1, sig=SPOILT).rekey(1, KEYS[1]),
            "E_SIGNED",
        ),
        "a recovery to the key of another": (sat().recover(1, KEYS[1]), "E_SIGNED"),
        "a recovery that comes too soon": (recovered(119_999).look(1), "E_SIGNED"),
        "a recovery by a third key": (recovered().look(1, sig=KEYS[5] * 2), "E_SIGNED"),
        "a key before the seat is there": (SignedStory().created().recover(1, KEYS[1]), "E_ORDER"),
        "a key for a seat without one": (SignedStory().created().joined(1).recover(1, KEYS[1]), "E_ORDER"),
        "a key for somebody who left": (sat().leave(1).recover(1, KEYS[3]), "E_ORDER"),
        "a key for somebody who came back": (sat().leave(1).joined(1).recover(1, KEYS[3]), "E_ORDER"),
        "a join without a signature": (_unsigned(SignedStory().created().sat(1)), "E_UNSIGNED"),
        "a change without a signature": (_unsigned(sat().rekey(1, KEYS[3])), "E_UNSIGNED"),
        "a change that the clock asked for": (_unsigned(sat().timed_out(1).rekey(1, KEYS[3])), "E_UNSIGNED"),
    }


def _unsigned(story: SignedStory) -> SignedStory:
    """Return the story with its last line written down anew, without a signature."""
    event = story.events.pop()
    story.lines.pop()
    return story.say(event["type"], **event["data"])


def _of_what_goes_unsigned() -> dict[str, tuple[SignedStory, str]]:
    told = {
        "a bid for a seat": sat().say("game.bid", seat=1, quantity=3, face=5),
        "a doubt after the clock of another": sat().timed_out(2).say("game.challenged", seat=1),
        "a second act of the clock": sat().timed_out(1).say("game.challenged", seat=1).say("game.passed", seat=1),
        "a doubt after a clock that names true": (
            sat().say("game.timed_out", seat=True).say("game.challenged", seat=1)
        ),
        "somebody taken out": sat().say("seat.left", seat=1, reason="left"),
        "somebody taken out for a seed never due": (
            committed().voided(1).closed().say("seat.left", seat=1, reason="withheld")
        ),
        "a bid by whoever is barred": withheld().say("game.bid", seat=3, quantity=3, face=5),
        "somebody taken out for the seed of another": withheld().say("seat.left", seat=1, reason="withheld"),
        "a bid after somebody has left": sat().leave(1).say("game.bid", seat=1, quantity=3, face=5),
    }
    return {name: (story, "E_UNSIGNED") for name, story in told.items()}


def _of_seeds() -> dict[str, tuple[SignedStory, str]]:
    sealed = committed().seeded(1, 2).sealed()
    told = {
        "a seed that the server fixed": committed().seeded_by_server(1),
        "a seed that the server opened": committed().seeded(1, 2).sealed().logged().opened_by_server(1),
        "a seed that the clock fixed": committed().timed_out(1).seeded_by_server(1),
        "a seed drawn before it was due": sat().custody(1),
        "a seed drawn after it was fixed": committed().seeded(1).custody(1),
        "a seed drawn after the deal was sealed": sealed.custody(1),
        "a seed drawn after it was given back": committed().custody(1).custody(1, "client").seeded_by_server(1),
    }
    return {name: (story, "E_UNSIGNED") for name, story in told.items()}


def _of_handlings() -> dict[str, tuple[SignedStory, str]]:
    other = {**POSITIONS, "inside": [1]}
    shown = SignedStory("shown").created().sat(1, 2).committed().seeded(1, 2).sealed().logged().opened(1, 2).ready()
    policies = sat().say("game.created", policy="shown").committed().seeded(1, 2).sealed().logged().opened(1, 2).ready()
    policies.rolled().ask(1, "game.arranged", ARRANGE)
    return {
        "dice handled that are not opened": (opened().ask(1, "game.arranged", ARRANGE).closed(), "E_WITHHELD"),
        "a game that says how the match is kept": (policies.closed(), "E_WITHHELD"),
        "dice opened that nobody handled": (opened().closed(handled=[[3, SALT, POSITIONS]]), "E_WITHHELD"),
        "dice opened of another line": (handled([[3, SALT, POSITIONS]]), "E_WITHHELD"),
        "other dice opened": (handled([[HANDLED, SALT, other]]), "E_SIGNED"),
        "dice opened with another salt": (handled([[HANDLED, "0" * 64, POSITIONS]]), "E_SIGNED"),
        "more dice rolled inside than opened": (handled(roll_inside=3), "E_SIGNED"),
        "more dice rolled outside than opened": (handled(roll_outside=1), "E_SIGNED"),
        "true dice rolled": (handled(roll_outside=False), "E_SIGNED"),
        "dice opened that were to stay sealed": (shown.closed(secret=None, handled=[]), "E_ORDER"),
        "dice opened of a deal that is void": (committed().voided(1).closed(handled=[]), "E_ORDER"),
    }


@cache
def earlier() -> dict[str, tuple[SignedStory, int]]:
    """Return lies whose line, from 1, is not the last: no signature bears it out."""
    return {
        "a recovery by a third key that is borne out": (recovered().look(1, sig=KEYS[5] * 2).look(1), 5),
        "a signature that nothing bears out, before a fault": (sat().bid(1, sig=SPOILT).bid(2).say("x"), 4),
        "two signatures that nothing bears out": (sat().bid(2).bid(1, sig=SPOILT).bid(2, sig=SPOILT), 5),
    }


@cache
def fair() -> dict[str, SignedStory]:
    """Return matches that look like lies and are none."""
    return {
        **{f"story {number}": story for number, story in enumerate(signed_stories())},
        "a signature that a later one bears out": sat().bid(1, sig=SPOILT).bid(1),
        "the key of somebody who left": sat(1).leave(1).sat(2, key=KEYS[0]),
        "a key that somebody who left was to have": sat().recover(1, KEYS[3]).leave(1).sat(3, key=KEYS[3]),
        "a recovery that holds": recovered().look(1).look(1),
        "a recovery that the player stops": sat().recover(1, KEYS[3]).look(1).look(1),
        "a seat that came back without a key": sat().leave(1).joined(1).say("game.bid", seat=1, quantity=3, face=5),
        "what the clock does": sat().timed_out(1).say("game.challenged", seat=1),
        "who is taken out by the clock": sat().timed_out(1).say("seat.left", seat=1, reason="absent"),
        "who is taken out for a seed": (
            withheld().say("game.forfeited", seat=3).say("seat.left", seat=3, reason="withheld")
        ),
        "a seed that was due, after the clock": committed().custody(1).timed_out(1).seeded_by_server(1),
        "a seed that is given back": committed().custody(1).custody(1, "client").seeded(1),
        "a quiet line between": sat().say("game.looked", seat=9).sign_otherwise(version=3).bid(1),
        "dice that are opened": handled(),
    }


def signed_records() -> Iterator[Ask]:
    """Yield all of them."""
    yield from (Ask(story.bare()) for story, _ in lies().values())
    yield from (Ask(story.bare()) for story, _ in earlier().values())
    yield from (Ask(story.bare()) for story in fair().values())
