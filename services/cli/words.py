"""A match in words: what each frame tells, for people who watch or replay it in a terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

Json = dict[str, Any]


def told(frame: Json) -> str | None:
    """Return what a frame tells, on one line; None for what only machines care about."""
    event = frame["event"]
    teller = _TELLERS.get(event["type"])
    return f"({event['type']})" if teller is None else teller(event, Names(frame["view"]))


def scene(view: Json) -> str:
    """Return how a table stands, on a few lines."""
    names = Names(view)
    lines = [f"{view['title']}, {_phase(view)}"]
    for seat in view["seats"]:
        mark = ">" if seat["seat"] == view["turn"] else " "
        dice = "out" if seat["out"] else faces(die["face"] for die in seat["dice"])
        lines.append(f" {mark} {names.of(seat['seat'])}{' (bot)' if seat['bot'] else ''}: {dice}")
    if view["standing"] is not None:
        claim = view["standing"]
        lines.append(f"   {names.of(claim['seat'])} has claimed {claim['quantity']} x [{claim['face']}]")
    return "\n".join(lines)


def faces(values: Any) -> str:  # noqa: ANN401 - any iterable of faces
    """Return dice as they lie: `[3]` for a face, `[ ]` for one that is hidden."""
    return "".join(f"[{' ' if face is None else face}]" for face in values) or "no dice"


class Names:
    """What people call the seats of a view."""

    def __init__(self, view: Json) -> None:
        """Take the names from this view."""
        self._names = {seat["seat"]: seat["name"] for seat in view["seats"]}
        self.title = str(view["title"])

    def of(self, account: int | str | None) -> str:
        """Return the name of a seat, or of a place at the table such as the pot."""
        if isinstance(account, str):
            return f"the {account}"
        return str(self._names.get(account, f"seat {account}"))

    def all(self, seats: list[int]) -> str:
        """Return the names of some seats in a row; `nobody` for none."""
        names = [self.of(seat) for seat in seats]
        return ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else "".join(names) or "nobody"


def _phase(view: Json) -> str:
    if view["phase"] == "lobby":
        return "waiting for players"
    if view["phase"] == "finished":
        return "over"
    return f"round {view['round']}, {view['dice_in_play']} dice in play"


def _dice(count: int) -> str:
    return "a die" if count == 1 else f"{count} dice"


def _rolled(event: Json, names: Names) -> str:
    if event["cup"] == 0:
        return "The table's cup is rolled for who begins."
    return f"{names.of(event['cup'])} rolls {_dice(len(event['slots']))}."


def _revealed(event: Json, names: Names) -> str:
    if event["cup"] == 0:
        # The table's cup has a die for every seat that draws.
        return f"The table's cup shows {', '.join(str(value + 1) for _, value in event['values'])}."
    return f"{names.of(event['cup'])} shows {faces(value + 1 for _, value in event['values'])}."


def _arranged(event: Json, names: Names) -> str:
    rolled = event["roll_inside"] + event["roll_outside"]
    return f"{names.of(event['seat'])} shows {_dice(event['outside'])} and rolls {_dice(rolled)} again."


def _judged(event: Json, names: Names) -> str:
    found = "" if event["count"] is None else f"There are {event['count']}. "
    verdict = {None: "It is settled", True: "It was true", False: "It was not so"}[event["holds"]]
    if event["kind"] == "spot_on":
        verdict = "Spot on" if event["holds"] else "Not spot on"
    return f"{found}{verdict}: {names.all(event['losers'])} lost the round."


def _posted(event: Json, names: Names) -> str:
    unit, amount = event["unit"], event["amount"]
    if unit == "die" and event["to"] == "box":
        return f"{names.of(event['from'])} loses {_dice(amount)}."
    if unit == "die":
        return f"{names.of(event['to'])} gets {_dice(amount)} back."
    if unit == "drink":
        return f"{names.of(event['to'])} drinks {amount}."
    return f"{names.of(event['from'])} gives {names.of(event['to'])} {amount} {unit}{'' if amount == 1 else 's'}."


def _round_closed(event: Json, names: Names) -> str | None:
    if event["next_starter"] is None:
        return None
    flags = f" It is {' and '.join(event['flags'])}." if event["flags"] else ""
    return f"{names.of(event['next_starter'])} opens the next round.{flags}"


def _plain(text: str) -> Callable[[Json, Names], str]:
    """Return a teller that says this text; `{who}` is the seat, other fields are the event's own."""
    return lambda event, names: text.format(who=names.of(event.get("seat")), **event)


_TELLERS: Final[dict[str, Callable[[Json, Names], str | None]]] = {
    "match.created": lambda _event, names: f"A table is open: {names.title}.",
    "seat.joined": _plain("{who} sits down."),
    "seat.left": _plain("Seat {seat} is given up ({reason})."),
    "game.seed_custody": _plain("The server draws the seeds of {who}."),
    "game.started": lambda event, names: f"The match begins: {names.all(event['seats'])}.",
    "deal.committed": lambda event, _: f"Deal {event['deal']}: the server fixes every die ({event['root'][:12]}...).",
    "seed.committed": _plain("{who} fixes a seed."),
    "deal.sealed": _plain("All seeds are fixed."),
    "deal.logged": _plain("The transparency log has it, as entry {index}."),
    "seed.opened": _plain("{who} shows the seed."),
    "deal.fixed": _plain("All seeds are open, and the log has it, as entry {index}; the beacon has not spoken yet."),
    "deal.ready": _plain("Every die is determined, and nobody chose it."),
    "deal.voided": lambda event, names: f"The deal is void: {names.all(event['seats'])} withheld a seed.",
    "deal.closed": _plain("Deal {deal} is closed; its secret is public, so that anybody can check it."),
    "cup.rolled": _rolled,
    "cup.revealed": _revealed,
    "game.first_drawn": _plain("{who} is drawn to open the first round."),
    "game.round_opened": lambda event, names: f"--- Round {event['round']}: {names.of(event['starter'])} opens. ---",
    "game.bid": _plain("{who} claims {quantity} x [{face}]."),
    "game.challenged": _plain("{who} doubts it."),
    "game.spot_on_called": _plain("{who} calls spot on."),
    "game.passed": _plain("{who} passes: all my dice differ."),
    "game.arranged": _arranged,
    "game.timed_out": _plain("{who} ran out of time; the table acts."),
    "game.forfeited": _plain("{who} is out of the match ({reason})."),
    "game.judged": _judged,
    "game.posted": _posted,
    "game.eliminated": _plain("{who} is out."),
    "game.round_closed": _round_closed,
    "game.won": _plain("{who} wins the match."),
    "game.session_closed": _plain("The host has closed the session."),
    "game.clock_set": lambda _event, _names: None,
    "match.ended": _plain("The match is over."),
}
