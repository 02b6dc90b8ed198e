"""Commands of a host: what whoever opened a match may do to its course."""

from __future__ import annotations

from domain.commands.base import Command, Whole
from domain.events import Reason


class HostCommand(Command, frozen=True):
    """Something that whoever is the host may ask for, where the rules give the match host powers."""


class Kick(HostCommand, frozen=True, tag="kick"):
    """Take a seat out: at once in the lobby, else as soon as no dice are coming about. Nobody wins by it."""

    who: Whole
    reason: Reason


class PauseTable(HostCommand, frozen=True, tag="pause"):
    """Hold the table up, at most for as long as the rules still let: no clock runs and nothing is dealt."""

    reason: Reason


class ResumeTable(HostCommand, frozen=True, tag="resume"):
    """Let a paused table go on."""


class StandInFor(HostCommand, frozen=True, tag="stand_in_for"):
    """Have a house bot play the seat of somebody who is away."""

    who: Whole


class GiveSeatBack(HostCommand, frozen=True, tag="give_seat_back"):
    """Have a seat played by its player again."""

    who: Whole


class GiveTime(HostCommand, frozen=True, tag="give_time"):
    """Give a seat time on its clock; it comes out of what the host may hold the table up for."""

    who: Whole
    ms: Whole
    reason: Reason


class HandOver(HostCommand, frozen=True, tag="hand_over"):
    """Let somebody at the table be the host, instead of whoever is."""

    to: Whole


class LockTable(HostCommand, frozen=True, tag="lock"):
    """Let nobody else sit down."""


class UnlockTable(HostCommand, frozen=True, tag="unlock"):
    """Let whoever comes sit down again."""


PowerCommand = (
    HandOver | Kick | PauseTable | ResumeTable | StandInFor | GiveSeatBack | GiveTime | LockTable | UnlockTable
)
"""What only a host with powers may ask for."""
