"""Asking: the command of a seat, told from the first event that it led to."""

from __future__ import annotations

from typing import Any, Final

from domain import commands, events
from domain.events.base import BaseEvent
from domain.table.interlude import InterludeEvent

_SAME: Final[dict[type[BaseEvent], type[commands.Command]]] = {
    events.Accepted: commands.Accept,
    events.Bid: commands.Bid,
    events.BillsDemanded: commands.DemandBills,
    events.Caught: commands.Catch,
    events.Challenged: commands.Challenge,
    events.CountAsked: commands.AskCount,
    events.Declared: commands.Declare,
    events.FirstChosen: commands.ChooseFirst,
    events.HandClaimed: commands.ClaimHand,
    events.Passed: commands.Pass,
    events.SpotOnCalled: commands.SpotOn,
}
"""The command that an event has all members of. Dice that are handled or rolled are named by who rolls them."""
ASKED: Final[frozenset[type[BaseEvent]]] = frozenset(_SAME) - {events.FirstChosen} | {events.Arranged}
"""What a seat asks for in a round; a roll of a cup that is passed on besides, and what interludes let it ask."""


def asked(event: BaseEvent) -> commands.Play | None:
    """Return what a seat asked for; None for what follows of itself, and where its choice is sealed."""
    if isinstance(event, InterludeEvent):
        return event.command()
    kind = _SAME.get(type(event))
    if kind is None:
        return None
    found: Any = kind(**{name: getattr(event, name) for name in kind.__struct_fields__})
    command: commands.Play = found
    return command
