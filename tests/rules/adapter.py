"""From the names of the vectors to our commands and back: players have names, seats have numbers, faces are spelt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from domain import commands, events
from domain.errors import Refused
from domain.games import rules_of
from domain.rules.ladders import OF_A_KIND, Hand
from domain.rules.orders import Count
from domain.rules.rules import POKER, PayEach, Rungs, Serials, SharedCup
from domain.table.checks import lowest_rung
from domain.table.decide import decide, initial_state
from domain.table.evolve import evolve
from domain.table.interludes import buying, chase, cocked, slips
from domain.table.interludes.buying import Closed
from domain.table.interludes.cocked import cocked_odds
from domain.table.interludes.slips import Slip
from domain.table.judging import values_of
from domain.table.places import Place, handful
from domain.table.settling import multiplier
from domain.table.state import PASSED_CUP, TABLE_CUP, Stakes, State

UNKNOWN = 250
"""The seat of a player nobody knows."""
PLACEMENTS = ("outside", "inside", "roll_inside", "roll_outside")
POKER_FACES = {"9": 9, "10": 10, "J": 11, "Q": 12, "K": 13, "A": 14}
UNITS = {
    "dice": "die",
    "chips": "chip",
    "drinks": "drink",
    "glasses": "glass",
    "lost": "loss",
    "wins": "win",
    "stake": "token",
    "units": "unit",
    "buy_backs": "buy_back",
}
SETUP = ("dice", "lost", "wins", "stake")


class ScriptedDealer:
    """A dealer whose dice are written in the vector, and whose seals hide nothing."""

    number = 0

    def __init__(self) -> None:
        self._values: dict[tuple[int, int, int], int] = {}

    def script(self, cup: int, roll: int, slots: Sequence[int], values: Sequence[int]) -> None:
        for slot, value in zip(slots, values, strict=False):
            self._values[cup, roll, slot] = value

    def value(self, cup: int, roll: int, slot: int, m: int) -> int:
        assert 0 <= self._values.get((cup, roll, slot), 0) < m
        return self._values[cup, roll, slot] if m > 1 else 0

    def open(self, cup: int, roll: int, slots: Sequence[int], m: Sequence[int]) -> events.Revealed:
        values = tuple((slot, self.value(cup, roll, slot, n)) for slot, n in zip(slots, m, strict=True))
        return events.Revealed(0, cup, roll, (), (), tuple((slot, "") for slot in slots), values)

    def seal_of(self, choice: events.Choice, cup: int, slot: int) -> str:
        return repr((choice, cup, slot))

    def unseal(self, seal: str, cup: int, slot: int, candidates: Iterable[events.Choice]) -> events.Choice | None:
        return next((choice for choice in candidates if self.seal_of(choice, cup, slot) == seal), None)


class Play:
    """A match of a vector on its way."""

    def __init__(self, setup: dict[str, Any], game: str) -> None:
        self.players: list[str] = setup["players"]
        self.seats = {name: number for number, name in enumerate(self.players, start=1)}
        rules = rules_of(game, setup.get("options", {}))
        state = initial_state(rules, tuple(self.seats.values()), self.seats.get(setup.get("start", "")))
        balances: dict[str, dict[Any, int]] = {unit: dict(held) for unit, held in state.balances.items()}
        for name in SETUP:
            given = {self.seats[player]: n for player, n in setup.get(name, {}).items()}
            if given:
                balances[UNITS[name]] = {**balances.get(UNITS[name], {}), **given}
        out = [self.seats[name] for name in setup.get("out", [])]
        match = rules.match
        unit = balances.get(match.unit or "", {})
        out += [
            seat for seat in self.seats.values() if match.unit and unit.get(seat, 0) == match.out_at and seat not in out
        ]
        lost = [seat for seat, n in balances.get("loss", {}).items() if n and seat not in out]
        met = setup.get("buy_back_closed", False) or len(lost) > 1
        state = replace(state, balances=balances, out=tuple(out))
        state = state.remember(Closed()) if met else state
        if "basic_stake" in setup:
            state = replace(state, stakes=Stakes(setup["basic_stake"], setup["basic_stake"]))
        self.state: State = state
        self.dealer = ScriptedDealer()
        self.slips: dict[str, list[str]] = {}
        self.numbering: dict[int, list[int]] = {}
        self.counted: dict[str, Any] = {}

    def act(self, action: dict[str, Any]) -> str | None:
        """Do an action; return the code it is refused with, if it is."""
        command = self._command(action)
        self._script(action, command)
        before = self.state
        try:
            happened = decide(self.state, command, self.dealer)
        except Refused as refused:
            return refused.code
        for event in happened:
            self.state = evolve(self.state, event)
        self._number(before, command)
        self._told(before, happened)
        return None

    # ---- commands ---------------------------------------------------------------------------------

    def _command(self, action: dict[str, Any]) -> commands.TableCommand:
        seat = self.seats.get(action["by"], UNKNOWN)
        match action["do"]:
            case "claim":
                return self._claim(seat, action)
            case "arrange":
                return commands.Arrange(seat, *(self._positions(seat, action.get(name, ())) for name in PLACEMENTS))
            case "choose_first":
                return commands.ChooseFirst(seat, self.seats[action["who"]])
            case "deal":
                return commands.DealRound()
            case "deal_slips":
                return slips.DealSlips()
            case "close_session":
                return commands.CloseSession()
            case do:
                return OF_A_SEAT[do](seat)

    def _claim(self, seat: int, action: dict[str, Any]) -> commands.TableCommand:
        if "special" in action:
            to = action.get("to")
            return commands.Declare(seat, action["special"], None if to is None else self.seats.get(to, UNKNOWN))
        if action.get("minimum_raise"):
            hand = self.state.ladder.hands[lowest_rung(self.state)]
            return commands.ClaimHand(seat, hand.shape, hand.faces)
        if "score" in action:
            return commands.ClaimHand(seat, "score", tuple(map(int, action["score"])))
        if "count" not in action:
            return commands.ClaimHand(seat, action.get("shape", "score"), tuple(face(each) for each in action["faces"]))
        if isinstance(self.state.rules.claims, Rungs):
            return commands.ClaimHand(seat, OF_A_KIND[action["count"]], (action["face"],))
        return commands.Bid(seat, action["count"], action["face"])

    def _cup(self, seat: int) -> int:
        return PASSED_CUP if isinstance(self.state.rules.tokens, SharedCup) else seat

    def _positions(self, seat: int, positions: Sequence[int]) -> tuple[int, ...]:
        """Return positions in our numbering; the vectors leave a die its number for the whole round."""
        numbering = self.numbering.get(self._cup(seat), [])
        return tuple(numbering.index(position) if position in numbering else 99 for position in positions)

    def _number(self, before: State, command: commands.TableCommand) -> None:
        """Follow what a command did to the numbers of the dice."""
        for cup, place in self.state.places.items():
            old = before.places.get(cup)
            if old is None or not old.dice or place.laid != old.laid:
                self.numbering[cup] = list(range(len(place.dice)))
        if not isinstance(command, commands.Arrange):
            return
        cup = self._cup(command.seat)
        numbers, hidden = self.numbering[cup], len(before.places[cup].inside)
        inside_rolls = () if before.phase == "chase" else sorted(command.roll_inside)
        outside_rolls = (
            sorted((*command.roll_inside, *command.roll_outside))
            if before.phase == "chase"
            else sorted(command.roll_outside)
        )
        rolled = {*inside_rolls, *outside_rolls}
        shows = [p for p in command.outside if p < hidden]
        hides = sorted(p for p in command.inside if p >= hidden)
        kept = [p for p in range(hidden) if p not in rolled and p not in shows]
        still = [p for p in range(hidden, len(numbers)) if p not in rolled and p not in hides]
        at = dict(enumerate(self._addresses(before, cup)))
        shows.sort(key=lambda p: at[p])
        self.numbering[cup] = [numbers[p] for p in (*kept, *hides, *inside_rolls, *still, *shows, *outside_rolls)]

    def _addresses(self, state: State, cup: int) -> list[tuple[int, int]]:
        hand = handful(state.places[cup], self.dealer)
        return [*hand.inside, *hand.outside]

    # ---- dice -------------------------------------------------------------------------------------

    def _script(self, action: dict[str, Any], command: commands.TableCommand) -> None:
        """Write down what the next roll of each cup will show."""
        if "letters" in action and self.state.round_number == 0:
            self.state = replace(self.state, next_starter=None)
        rolls, first = self.state.rolls, self.state.rules.tokens.faces.first
        for name, letters in action.get("letters", {}).items():
            seat = self.seats[name]
            values = [ord(letter) - ord("A") for letter in letters]
            self.dealer.script(TABLE_CUP, rolls.get(TABLE_CUP, 0), (2 * seat - 2, 2 * seat - 1), values)
        if action["do"] == "deal_slips":
            self.slips = action["rolled"]
        rolled = action.get("rolled", {})
        if self.slips and action["do"] in {"deal", "deal_slips"} and self.state.phase == "between_rounds":
            slip = self.state.remembered(Slip)
            position = 1 if action["do"] == "deal_slips" or slip is None else slip.position
            rolled = {name: numbers[position - 1] for name, numbers in self.slips.items()}
        by_name = rolled if isinstance(rolled, dict) else {action["by"]: rolled}
        for name, faces in by_name.items():
            cup = self._cup(self.seats.get(name, UNKNOWN))
            values = [face(each) - first for each in faces]
            if isinstance(command, commands.Arrange):
                given = [*action.get("roll_inside", ()), *action.get("roll_outside", ())]
                by_position = dict(zip(self._positions(command.seat, given), values, strict=True))
                order = [*sorted(command.roll_inside), *sorted(command.roll_outside)]
                if self.state.phase == "chase":
                    order.sort()
                values = [by_position[position] for position in order]
            self.dealer.script(cup, rolls.get(cup, 0), range(len(values)), values)
            if cocked_odds(self.state):
                cocked = action.get("cocked", {}).get(name, [])
                odds = [0 if i in cocked else 1 for i in range(len(values))]
                self.dealer.script(cup, rolls.get(cup, 0), range(len(values), 2 * len(values)), odds)

    # ---- what the vectors look at -------------------------------------------------------------------

    def _told(self, before: State, happened: Sequence[events.Event]) -> None:
        """Remember what a count came to, which the state has no use for."""
        settler, verdict = before.settler(PayEach), self.state.last
        if settler is None or verdict is None or not any(isinstance(e, events.Judged) for e in happened):
            return
        claim = Count(verdict.quantity or 0, verdict.face or 0)
        counts = {e.seat: e.count for e in happened if isinstance(e, events.Counted)}
        paid = [e for e in happened if isinstance(e, events.Posted) and e.unit == "unit"]
        amount = paid[0].amount if paid else 0
        assert verdict.claimant is not None
        assert before.stakes is not None
        self.counted = {
            "per_player": amount if not paid or paid[0].dst == verdict.claimant else -amount,
            "skunk": settler.skunk and len(before.remaining) > 2 and verdict.count == 0,
            "multiplier": multiplier(settler, len(before.remaining), claim, counts[verdict.claimant]),
            "stake": before.stakes.effective,
        }

    def summary(self) -> dict[str, Any]:
        state, slip = self.state, self.state.remembered(Slip)
        over = state.phase in {"between_rounds", "finished"}
        return {
            "phase": state.phase,
            "turn": self._name(state.turn),
            "round": state.round_number,
            "standing": self._claimed(state.round.standing),
            "claimant": self._name(state.round.claimant),
            "out": [self._name(seat) for seat in state.out],
            "winner": self._name(state.winner),
            "next_starter": self._name(state.next_starter),
            **{name: self._held(unit) for name, unit in UNITS.items()},
            "pot": state.balance("token", "pot") or state.balance("chip", "pot"),
            "palifico": "palifico" in state.flags,
            "wild": state.wild,
            "direction": state.direction,
            "to_beat": (self._claimed(state.round.standing) or {}).get("score"),
            "challengers": [self._name(seat) for seat in state.round.doubters],
            "counts": [[self._name(seat), n] for seat, n in state.round.counts],
            "basic_stake": None if state.stakes is None else state.stakes.basic,
            "effective_stake": None if state.stakes is None else state.stakes.effective,
            "slip_position": None if slip is None else slip.position,
            "slip_next": None if slip is None else slip.position,
            "slip_played": 0 if slip is None else len(slip.played) + (0 if over else 1),
            "odd_count": None if slip is None else len(slip.odd),
            "buys_drinks": self._name(state.out[0]) if state.out and state.winner is None else None,
            "last": self._verdict(),
            "see": {viewer: self._seen_by(viewer) for viewer in [*self.players, "spectator"]},
        }

    def _name(self, seat: int | None) -> str | None:
        return None if seat is None else self.players[seat - 1]

    def _held(self, unit: str) -> dict[str, int]:
        if unit == "die" and unit not in self.state.balances:
            return dict.fromkeys(self.players, self.state.rules.tokens.dice)
        return {name: self.state.balance(unit, seat) for name, seat in self.seats.items()}

    def _verdict(self) -> dict[str, Any] | None:
        last = self.state.last
        if last is None:
            return None
        claim = Hand(last.shape, last.faces or ()) if last.shape is not None else None
        count = Count(last.quantity, last.face or 0) if last.quantity is not None else None
        return {
            "kind": last.kind,
            "claimant": self._name(last.claimant),
            "claim": self._claimed(claim or count),
            "challengers": [self._name(seat) for seat in last.doubters],
            "holds": last.holds,
            "count": last.count,
            "out_of_turn": last.out_of_turn,
            "winners": [self._name(seat) for seat in last.winners],
            "losers": [self._name(seat) for seat in last.losers],
            "dice": [self._spelt(value + self.state.rules.tokens.faces.first) for value in self._lying()],
            **self.counted,
        }

    def _lying(self) -> list[int]:
        place = self.state.places.get(PASSED_CUP)
        return [] if place is None else [die.value for die in place.outside if die.value is not None]

    def _claimed(self, claim: Count | Hand | None) -> dict[str, Any] | None:
        if claim is None:
            return None
        if isinstance(claim, Count):
            return {"count": claim.quantity, "face": claim.face}
        table = self.state.rules.claims.table if isinstance(self.state.rules.claims, Rungs) else ""
        if table == "kinds":
            return {"count": OF_A_KIND.index(claim.shape), "face": claim.faces[0]}
        if table == "mexican":
            return {"score": "".join(map(str, claim.faces))}
        faces = [self._spelt(each) for each in claim.faces]
        return {"faces": faces} if claim.shape == "score" else {"shape": claim.shape, "faces": faces}

    def _spelt(self, number: int) -> int | str:
        names = {n: name for name, n in POKER_FACES.items()}
        return names[number] if self.state.rules.tokens.faces == POKER else number

    def _seen_by(self, viewer: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for cup, place in self.state.places.items():
            owner = "cup" if cup == PASSED_CUP else str(self._name(cup))
            knows = self.seats.get(viewer) in place.knowers
            if isinstance(self.state.rules.tokens, Serials):
                found[owner] = self._number_seen(place, knows=knows)
            else:
                found[owner] = self._dice_seen(place, knows=knows)
        return found

    def _height(self, number: int) -> int:
        claims = self.state.rules.claims
        return 7 if isinstance(claims, Rungs) and claims.ace_high and number == 1 else number

    def _number_seen(self, place: Place, *, knows: bool) -> str | None:
        if place.inside and not knows:
            return None
        return "".join(map(str, values_of(place, self.state, self.dealer)))

    def _dice_seen(self, place: Place, *, knows: bool) -> dict[str, Any]:
        first, hidden = self.state.rules.tokens.faces.first, len(place.inside)
        shown = sorted((die.value + first for die in place.outside if die.value is not None), key=self._height)
        values = values_of(place, self.state, self.dealer)[:hidden] if knows else ()
        known = sorted((value + first for value in values), key=self._height)
        spelt = [self._spelt(each) for each in known]
        return {"shown": [self._spelt(each) for each in shown], "hidden": spelt if known else hidden}


OF_A_SEAT: dict[str, Any] = {
    "challenge": commands.Challenge,
    "spot_on": commands.SpotOn,
    "pass": commands.Pass,
    "roll": commands.Roll,
    "accept": commands.Accept,
    "catch": commands.Catch,
    "count": commands.AskCount,
    "demand_bills": commands.DemandBills,
    "stop": chase.Stop,
    "look": cocked.Look,
    "show_cocked": cocked.ShowCocked,
    "buy_back": buying.BuyBack,
    "drop_out": buying.DropOut,
}


def face(spelt: str | int) -> int:
    """Return the number of a face; a digit of a serial number is its own."""
    if isinstance(spelt, int):
        return spelt
    return POKER_FACES[spelt] if spelt in POKER_FACES and spelt != "9" else int(spelt)
