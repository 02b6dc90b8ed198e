"""A match that remembers what was public of its dice, and can be played again with other ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from msgspec import to_builtins
from msgspec.structs import replace

from domain import commands, events
from domain.fairness.deal import Cup, Deal
from domain.fairness.openings import DealSecrets, OpenDeal
from domain.match.decide import Decision
from domain.match.evolve import Match, evolve
from domain.rules.orders import Count
from domain.table.interludes import slips
from domain.table.interludes.chase import Chase
from domain.table.interludes.cocked import cocked_odds, lookers
from domain.table.places import Place, handful
from projections.frames import encode_frame, frame_of
from tests.domain.playing import Played

Where = tuple[int, int, int, int]
"""A die: its deal, cup, roll and slot."""
Mask = Callable[[Where, int, int], int]
"""What a die shows instead, given how many faces it has and what it really shows."""


# ---- a dealer with other dice -------------------------------------------------------------------


class OtherDealer:
    """A dealer whose proofs and seals are those of the real one, and whose dice are others where a mask says so."""

    def __init__(self, real: OpenDeal, mask: Mask) -> None:
        self.real = real
        self.number = real.number
        self.mask = mask

    def value(self, cup: int, roll: int, slot: int, m: int) -> int:
        return self.mask((self.number, cup, roll, slot), m, self.real.value(cup, roll, slot, m))

    def open(self, cup: int, roll: int, slots: Sequence[int], m: Sequence[int]) -> events.Revealed:
        shown = self.real.open(cup, roll, slots, m)
        return replace(shown, values=tuple((slot, self.value(cup, roll, slot, n)) for slot, n in zip(slots, m)))  # noqa: B905

    def seal_of(self, choice: events.Choice, cup: int, slot: int) -> str:
        return self.real.seal_of(choice, cup, slot)

    def unseal(self, seal: str, cup: int, slot: int, candidates: Iterable[events.Choice]) -> events.Choice | None:
        return self.real.unseal(seal, cup, slot, candidates)


class OpaqueDealer(OtherDealer):
    """A dealer whose seals tell nothing of what they seal, where the real ones do so under a key that nobody has."""

    def __init__(self, real: OpenDeal, made: dict[str, events.Choice]) -> None:
        super().__init__(real, lambda _where, _m, real: real)
        self.made = made

    def seal_of(self, choice: events.Choice, cup: int, slot: int) -> str:
        seal = f"{self.number}/{cup}/{choice.roll}/{slot}"
        self.made[seal] = choice
        return seal

    def unseal(self, seal: str, _cup: int, _slot: int, _some: Iterable[events.Choice]) -> events.Choice | None:
        return self.made[seal]


@contextmanager
def trees_kept() -> Iterator[None]:
    """Hash the tree of a deal once: a match that is played again is dealt the same, and hashing was half of it all."""
    made: dict[tuple[bytes, bytes, tuple[Cup, ...]], Any] = {}
    hashed = vars(Deal)["_nodes"].func

    def nodes(deal: Deal) -> Any:
        key = (deal.secret, deal.ctx, deal.cups)
        if key not in made:
            made[key] = hashed(deal)
        return made[key]

    with patch.object(Deal, "_nodes", property(nodes)):
        yield


class OtherKeeper(DealSecrets):
    """A keeper whose dealer is another one."""

    __slots__ = ("other", "under")

    def __init__(self, real: DealSecrets, under: Callable[[OpenDeal], Any]) -> None:
        super().__init__(real.number, real.secret, real.seeds, real.deal)
        self.under = under
        self.other: Any = None

    def open_deal(self, mixed: bytes) -> Any:
        if self.other is None:
            self.other = self.under(super().open_deal(mixed))
        return self.other


# ---- a match that remembers what was public -----------------------------------------------------


class Watched(Played):
    """A match with its commands, and with all that was public of its dice."""

    under: Callable[[OpenDeal], Any] | None = None

    def __init__(self, *given: Any, **rules: Any) -> None:
        super().__init__(*given, **rules)
        self.script: list[tuple[commands.MatchCommand, int]] = []
        self.happened: list[tuple[events.Event, ...]] = []
        self.matches: list[Match] = []
        self.shown: set[Where] = set()
        self.keepers: dict[int, DealSecrets] = {}
        self.counted: dict[Where, set[int]] = {}
        self.parity: set[Where] = set()

    def do(self, command: commands.MatchCommand, after_ms: int = 10) -> Decision:
        match = self.match
        if self.under is not None and self.keeper is not None and not isinstance(self.keeper, OtherKeeper):
            self.keeper = OtherKeeper(self.keeper, self.under)
        made = super().do(command, after_ms)
        if made.keeper is not None:
            self.keepers[made.keeper.number] = made.keeper
        self.script.append((command, after_ms))
        self.happened.append(made.events)
        self.matches.append(made.match)
        for event in made.events:
            self.note(match, event)
            match = evolve(match, event, self.at)
            self.note_looks(match)
        return made

    def again(
        self, upto: int, under: Callable[[OpenDeal], Any], at: int = -1, other: commands.MatchCommand | None = None
    ) -> Watched:
        """Play the first commands of this match anew with another dealer, and with another command at one place."""
        settings = self.match.settings
        rules = {"deal_per": settings.deal_per, "pause_ms": settings.pause_ms}
        rules |= {name: to_builtins(rule) for name in ("idle", "host") if (rule := getattr(settings, name)) is not None}
        again = Watched(settings.options, settings.seats, self.seed, settings.game, self.match.policy, **rules)
        again.under = under
        for number, (command, after_ms) in enumerate(self.script[:upto]):
            again.do(other if number == at and other is not None else command, after_ms)
        return again

    def note(self, match: Match, event: events.Event) -> None:
        state = match.table
        if isinstance(event, events.Revealed):
            self.shown |= {(event.deal, event.cup, event.roll, slot) for slot, _ in event.values}
        elif state is None or match.ceremony is None:
            return
        elif isinstance(event, events.Counted) and isinstance(state.round.standing, Count):
            self.count(match, (event.seat,), state.round.standing.face)
        elif isinstance(event, events.Judged) and event.count is not None:
            self.count(match, state.places, event.face or 0)
        elif isinstance(event, events.Judged) and event.holds is not None and event.claimant is not None:
            # Whether a hand is as good as it was called is told, though the hand may be mucked.
            place = state.place_of(event.claimant)
            self.shown |= set() if place is None else self.hidden_dice(match, place)
        elif isinstance(event, slips.SlipAdvanced):
            self.parity |= {
                (match.ceremony.deal, cup, *place.laid[-1]) for cup, place in state.places.items() if place.laid
            }

    def count(self, match: Match, cups: Iterable[int], face: int) -> None:
        assert match.table is not None
        first, wild = match.table.rules.tokens.faces.first, {0} if match.table.wild else set()
        for cup in cups:
            for where in self.hidden_dice(match, match.table.places[cup]):
                self.counted.setdefault(where, set()).update({face - first} | wild)

    def hidden_dice(self, match: Match, place: Place) -> set[Where]:
        """Return the hidden dice of a place."""
        assert match.ceremony is not None
        assert match.ceremony.mix is not None
        assert self.keeper is not None
        hand = handful(place, self.keeper.open_deal(match.ceremony.mix))
        return {(match.ceremony.deal, place.cup, *at) for at in hand.inside}

    def note_looks(self, match: Match) -> None:
        """Remember as public what tells whether dice lie cocked, once their owner has looked."""
        state, deal = match.table, match.ceremony
        if state is not None and deal is not None and cocked_odds(state):
            for seat in lookers(state):
                place = state.places.get(seat)
                laid = () if place is None else place.laid
                self.shown |= {(deal.deal, seat, roll, state.rules.tokens.dice + slot) for roll, slot in laid}

    @property
    def dealer(self) -> Any:
        assert self.keeper is not None
        assert self.ceremony.mix is not None
        return self.keeper.open_deal(self.ceremony.mix)

    def received(self, viewer: int | None) -> bytes:
        """Return the last frame of a viewer."""
        return encode_frame(frame_of(self.written, self.events[-1], viewer, self.keeper, {}, more=False))

    @property
    def rolled(self) -> set[Where]:
        """Every die that was rolled, with all that was rolled along."""
        rolls = [event for event in self.events if isinstance(event, events.Rolled)]
        return {(event.deal, event.cup, event.roll, slot) for event in rolls for slot in event.slots}

    @property
    def opened(self) -> set[Where]:
        """Every die whose key was published."""
        shown = [event for event in self.events if isinstance(event, events.Revealed)]
        return {(event.deal, event.cup, event.roll, slot) for event in shown for slot, _ in event.keys}

    def known_to(self, viewer: int | None) -> set[Where]:
        """Return the hidden dice that a viewer may know now, and what tells him which of them lie cocked."""
        found: set[Where] = set()
        if self.match.ceremony is None or self.match.ceremony.mix is None:
            return found
        deal = self.match.ceremony.deal
        for cup, place in self.table.places.items():
            if viewer in place.knowers:
                found |= self.hidden_dice(self.match, place)
                found |= {(deal, cup, roll, place.size + slot) for roll, slot in place.laid}
        return found

    def mask(self, *viewers: int | None, turn: int = 0) -> Mask:
        """Return other dice wherever nobody has shown them and none of these viewers may know them.

        Args:
            viewers: Those who may not notice.
            turn: Which other dice, where there are several.
        """
        kept, size = self.shown.union(*map(self.known_to, viewers)), self.table.rules.tokens.dice
        # Five aces show themselves at once: no other dice may come to them.
        edge = 1 if self.table.interlude(Chase) is not None else 0

        def other(where: Where, m: int, real: int) -> int:
            if where in kept or m == 1:
                return real
            if where[3] >= size:
                return 0 if real else 1
            counted, odd = self.counted.get(where, set()), where in self.parity
            fit = [
                value
                for value in range(edge, m - edge)
                if value != real and value not in counted and (not odd or value % 2 == real % 2)
            ]
            return real if real in counted or not fit else fit[(sum(where) + turn) % len(fit)]

        return other
