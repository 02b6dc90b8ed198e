"""From the names of the vectors to our commands and back: players have names, seats have numbers, faces are pips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from domain import commands, events
from domain.errors import Refused
from domain.games import rules_of
from domain.state import State, evolve, opening
from domain.table import decide

UNKNOWN = 250
"""The seat of a player nobody knows."""
PLACEMENTS = ("outside", "inside", "roll_inside", "roll_outside")
OF_THE_TABLE = {"deal": commands.Deal, "close_session": commands.CloseSession}
OF_A_SEAT = {"challenge": commands.Challenge, "spot_on": commands.SpotOn, "pass": commands.Pass}


class ScriptedDealer:
    """A dealer whose dice are written in the vector."""

    number = 0

    def __init__(self) -> None:
        self._values: dict[tuple[int, int, int], int] = {}

    def script(self, cup: int, roll: int, slots: Sequence[int], faces: Sequence[int]) -> None:
        for slot, face in zip(slots, faces, strict=False):
            self._values[cup, roll, slot] = face - 1

    def value(self, cup: int, roll: int, slot: int, m: int) -> int:
        assert 0 <= self._values[cup, roll, slot] < m
        return self._values[cup, roll, slot]

    def open(self, cup: int, roll: int, slots: Sequence[int], m: Sequence[int]) -> events.Revealed:
        values = tuple((slot, self.value(cup, roll, slot, n)) for slot, n in zip(slots, m, strict=True))
        return events.Revealed(0, cup, roll, (), (), tuple((slot, "") for slot in slots), values)


class Play:
    """A match of a vector on its way."""

    def __init__(self, setup: dict[str, Any], game: str) -> None:
        self.players: list[str] = setup["players"]
        self.seats = {name: number for number, name in enumerate(self.players, start=1)}
        rules = rules_of(game, setup.get("options", {}))
        state = opening(rules, tuple(self.seats.values()), self.seats.get(setup.get("start", "")))
        dice = {**state.balances["die"], **{self.seats[name]: n for name, n in setup.get("dice", {}).items()}}
        out = [self.seats[name] for name in setup.get("out", [])]
        out += [seat for seat, n in dice.items() if n == 0 and seat not in out]
        self.state: State = replace(state, balances={**state.balances, "die": dice}, out=tuple(out))
        self.dealer = ScriptedDealer()

    def act(self, action: dict[str, Any]) -> str | None:
        """Do an action; return the code it is refused with, if it is."""
        command = self._command(action)
        self._script(action)
        try:
            happened = decide(self.state, command, self.dealer)
        except Refused as refused:
            return refused.code
        for event in happened:
            self.state = evolve(self.state, event)
        return None

    def _command(self, action: dict[str, Any]) -> commands.TableCommand:
        seat = self.seats.get(action["by"], UNKNOWN)
        match action["do"]:
            case "claim":
                return commands.Bid(seat, action["count"], action["face"])
            case "arrange":
                return commands.Arrange(seat, *(tuple(action.get(name, ())) for name in PLACEMENTS))
            case "deal" | "close_session" as do:
                return OF_THE_TABLE[do]()
            case do:
                return OF_A_SEAT[do](seat)

    def _script(self, action: dict[str, Any]) -> None:
        """Write down what the next roll of each cup will show; a position is a slot, since a deal lays the lowest."""
        rolled = action.get("rolled", {})
        by_name = rolled if isinstance(rolled, dict) else {action["by"]: rolled}
        for name, faces in by_name.items():
            cup = self.seats.get(name, UNKNOWN)
            slots = action.get("roll_inside", range(len(faces)))
            self.dealer.script(cup, self.state.rolls.get(cup, 0), slots, faces)

    # ---- what the vectors look at ---------------------------------------------------------------

    def summary(self) -> dict[str, Any]:
        state = self.state
        return {
            "phase": state.phase,
            "turn": self._name(state.turn),
            "round": state.round,
            "standing": None if state.standing is None else _claim(state.standing.quantity, state.standing.face),
            "claimant": self._name(state.claimant),
            "out": [self._name(seat) for seat in state.out],
            "winner": self._name(state.winner),
            "next_starter": self._name(state.next_starter),
            "dice": self._held("die"),
            "chips": self._held("chip"),
            "drinks": self._held("drink"),
            "pot": state.balance("chip", "pot"),
            "palifico": "palifico" in state.flags,
            "last": self._verdict(),
            "see": {viewer: self._seen_by(viewer) for viewer in [*self.players, "spectator"]},
        }

    def _name(self, seat: int | None) -> str | None:
        return None if seat is None else self.players[seat - 1]

    def _held(self, unit: str) -> dict[str, int]:
        return {name: self.state.balance(unit, seat) for name, seat in self.seats.items()}

    def _verdict(self) -> dict[str, Any] | None:
        last = self.state.last
        if last is None:
            return None
        return {
            "kind": last.kind,
            "claimant": self._name(last.claimant),
            "claim": None if last.quantity is None else _claim(last.quantity, last.face),
            "challengers": [self._name(seat) for seat in last.doubters],
            "holds": last.holds,
            "count": last.count,
            "out_of_turn": last.out_of_turn,
            "winners": [self._name(seat) for seat in last.winners],
            "losers": [self._name(seat) for seat in last.losers],
        }

    def _seen_by(self, viewer: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for seat, place in self.state.places.items():
            shown = sorted(die.value + 1 for die in place.dice if die.value is not None)
            hidden = [die for die in place.dice if not die.shown]
            known = sorted(self.dealer.value(place.cup, die.roll, die.slot, 6) + 1 for die in hidden)
            owner = self._name(seat)
            found[str(owner)] = {"shown": shown, "hidden": known if viewer == owner and hidden else len(hidden)}
        return found


def _claim(quantity: int | None, face: int | None) -> dict[str, int | None]:
    return {"count": quantity, "face": face}
