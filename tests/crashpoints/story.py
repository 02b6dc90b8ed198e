"""A story: what people ask a house for, told as it happens, so that another life of the house can go on with it.

A step has a name, a key and a body that were told before it was asked for, and an answer that was told once it came.
What was asked for and never answered is asked for again, with the same key; what was answered is answered as before.
"""

from __future__ import annotations

from msgspec import Struct

from domain import commands
from domain.match.record import PREFIX as MATCH

Play = commands.Bid | commands.Challenge
"""What people of this house do when it is their turn: what every one of its games has."""


class Asked(Struct, frozen=True, tag="asked"):
    """Somebody is about to ask for something."""

    step: str
    body: Play | None = None


class Told(Struct, frozen=True, tag="told"):
    """Somebody was answered: these bytes, for this command of this stream; none for what is several commands."""

    step: str
    stream: str
    command: bytes
    answer: bytes


class Denied(Struct, frozen=True, tag="denied"):
    """A rule has said no, which nobody is to remember."""

    step: str
    code: str


class Eyes(Struct, frozen=True):
    """Who looks at a match: whoever shows this token, or a spectator."""

    match: str
    token: str


class Seen(Struct, frozen=True, tag="seen"):
    """Somebody was shown a frame: the hash of its bytes."""

    eyes: Eyes
    version: int
    frame: bytes


Telling = Asked | Told | Denied | Seen


class Story:
    """What has been asked, answered and seen so far, by all lives of a house.

    Attributes:
        name: What tells its keys from those of others.
        asked: What was asked for, by its step.
        told: What was answered, by its step.
        denied: What a rule said no to.
        seen: What people were shown, by whose eyes and version.
    """

    def __init__(self, name: str) -> None:
        """Begin a story of this name, which no other story of its database has: its keys bear it."""
        self.name = name
        self.asked: dict[str, Asked] = {}
        self.told: dict[str, Told] = {}
        self.denied: dict[str, Denied] = {}
        self.seen: dict[Eyes, dict[int, bytes]] = {}

    def add(self, told: Telling) -> bool:
        """Take up what is told next, and report whether it goes with what was told before."""
        if isinstance(told, Asked):
            return self.asked.setdefault(told.step, told) == told
        if isinstance(told, Told):
            return self.told.setdefault(told.step, told) == told
        if isinstance(told, Denied):
            self.denied[told.step] = told
            return told.step not in self.told
        frames = self.seen.setdefault(told.eyes, {})
        return frames.setdefault(told.version, told.frame) == told.frame

    @property
    def matches(self) -> list[str]:
        """The matches that somebody was told of, in the order of their opening."""
        return [stream.removeprefix(MATCH) for stream in self.streams if stream.startswith(MATCH)]

    @property
    def streams(self) -> list[str]:
        """The streams that somebody was told of, in the order of their beginning."""
        return list(dict.fromkeys(told.stream for told in self.told.values()))
