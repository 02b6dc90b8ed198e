"""Views, frames and rows of the rooms of a house without dice."""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

import msgspec

from domain.fairness.deal import Policy
from projections.casting.caster import CasterFrame
from projections.view import DieView, SeatView, View
from services.matches.watching.telling import Telling, written


def frame(view: View) -> bytes:
    event = {"type": "game.started", "seats": [seat.seat for seat in view.seats]}
    return msgspec.json.encode(
        {"version": view.version, "at": view.at, "head": view.head, "event": event, "view": view}
    )


def said(view: View, telling: Telling) -> bytes:
    """Return what may be said of a version: nothing, where no round is played."""
    return written(CasterFrame(view.version, view.head, "match.created", None, ()), telling)


def row(view: View, name: str | None) -> dict[str, Any]:
    seats = [{"seat": seat.seat, "name": seat.name, "bot": seat.bot} for seat in view.seats]
    told = {"match": view.match, "title": name or view.title, "game": view.game, "phase": view.phase, "seats": seats}
    moved = {"version": view.version, "round": view.round, "at": view.at, "winner": view.winner}
    return {**told, **moved, "seats_max": 3, "name": name}


def sat(seat: int, name: str, custody: Literal["client", "server"]) -> SeatView:
    dice = (DieView(None, shown=False),) * 5
    return SeatView(
        seat, f"p{seat}", name, name.startswith("bot"), custody, out=False, balances={}, dice=dice, bank_ms=None
    )


def first_view(match_id: UUID, rules: dict[str, Any], policy: Policy) -> View:
    return View(
        match=str(match_id),
        version=1,
        at=1,
        head="0" * 64,
        game=rules["game"],
        title="a table",
        rules=rules,
        policy=policy,
        viewer=None,
        phase="lobby",
        seats=(),
        faces=(1, 6),
        deal=None,
        due_at=None,
    )
