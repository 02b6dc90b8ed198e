"""Commentary: what may be said of a match while it is played hangs on its public lines alone.

Two matches in which the same is done before the same open dice are told alike, whatever lies under their cups and by
whatever secrets they were dealt: byte for byte but for the heads, up to the first line that says something else. So is
one whose commitments, seals, seeds and keys are other bytes; so it is where nobody has the key; and of all this a seat
is told nothing.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from operator import itemgetter
from typing import Any, Final

import msgspec
import pytest
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from domain import events
from domain.errors import Refused
from domain.fairness.openings import DealSecrets
from domain.match.evolve import Match
from domain.match.record import GENESIS, fold, lines_of
from domain.match.settings import EventTable
from domain.rules.orders import Count
from domain.strategy.chance import words_for
from domain.table.state import TABLE_CUP
from infra.store import Card, Choices
from infra.store.memory import MemoryStore
from projections.casting.caster import (
    CHANNELS,
    CLOSING,
    CasterFrame,
    Step,
    caster_frame,
    closed_by,
    encode_caster_frame,
    read_with,
    readings,
)
from projections.casting.reads import PublicReading, TableEquity, moment_of
from projections.frames import encode_frame, frame_of
from projections.history import current_secrets
from services.live.worths import equity_of
from services.matches.reads.queries import MatchQueries
from services.matches.watching.telling import Telling, allowed
from tests.domain.playing import chance
from tests.domain.swapped_dice import OtherDealer, Watched
from tests.domain.test_secrecy import CASES, PLAYED, played_on, trees
from tests.relay.playing import Played, Vaulted
from tests.sizes import cases, spread

__all__ = ["trees"]  # deals are hashed once
PAIRS: Final = cases(1, 1_429)
"""Pairs of each kind with each set of options; the long run has 100,000 in all."""
TRIED: Final = spread(CASES, 1, itemgetter(0))
"""Sets of options of each game."""
SECRET: Final = re.compile(r"[0-9a-f]{32,}")
OF_CEREMONY: Final = re.compile(r"(deal|seed)\..*")
OF_CASTER: Final = frozenset({"odds", "late", "reads", "chance", "exactly", "expected", "raises", "label", "equity"})

Maker = Callable[[Step, DealSecrets | None], CasterFrame]


@cache
def match(game: str, which: int, number: int) -> Watched:
    return played_on(game, PLAYED[game][which], number)


def honest(step: Step, _keeper: DealSecrets | None) -> CasterFrame:
    return caster_frame(*step)


WORTHS: Final[dict[str, TableEquity]] = {}
"""What public moments are worth: the same moment is worth the same, so it is worked out once."""


def worth(read: PublicReading, match: Match) -> TableEquity | UnsetType:
    moment = moment_of(read, match)
    if moment is None:
        return UNSET
    if moment.digest not in WORTHS:
        WORTHS[moment.digest] = equity_of(moment)
    return WORTHS[moment.digest]


def frames(played: Watched, maker: Maker = honest) -> list[bytes]:
    """Return what is said of each version on every channel, without its head, made by a program that has the key."""
    steps, opened, found = list(fold(played.lines)), 1, []
    for number, (step, read) in enumerate(zip(steps, readings(steps, None, PublicReading()), strict=True)):
        opened = number if isinstance(step[1], events.RoundOpened) else opened
        match = step[0].match
        frame = read_with(maker(step, current_secrets(played.keepers, match)), read, match, worth(read, match))
        if isinstance(step[1], CLOSING):
            frame = closed_by(frame, steps[max(0, opened - 1) : number + 1])
        found.append(encode_caster_frame(replace(frame, head=""), CHANNELS))
    return found


# ---- the same before the same open dice ---------------------------------------------------------


def shown_in(played: Watched) -> dict[tuple[int, int, int, int], int]:
    """Return every die that a match has shown, by its deal, cup, roll and slot."""
    opened = [event for event in played.events if isinstance(event, events.Revealed)]
    return {(each.deal, each.cup, each.roll, slot): value for each in opened for slot, value in each.values}


def with_other_secrets(played: Watched, seed: str, *, whole: bool) -> Watched:
    """Play the same with other secrets and other dice, until a rule or the dice want something else.

    Args:
        played: The match.
        seed: What all other secrets follow from.
        whole: Whether all dice are the same that it has shown: then nothing differs but what stays hidden. Else those
            alone by which it was drawn who begins: then everything is other until a die is shown.
    """
    shown, settings = shown_in(played), played.match.settings
    kept = {where: value for where, value in shown.items() if whole or where[1] == TABLE_CUP}
    rules = {"deal_per": settings.deal_per, "pause_ms": settings.pause_ms}
    again = Watched(settings.options, settings.seats, seed, settings.game, played.match.policy, **rules)
    again.under = lambda real: OtherDealer(real, lambda where, _m, value: kept.get(where, value))
    for number, (command, after_ms) in enumerate(played.script):
        drawn = {"chance": chance(f"{seed} {number}")} if hasattr(command, "chance") else {}
        try:
            again.do(replace(command, **drawn), after_ms)
        except Refused:
            break
    return again


def said_by(event: events.Event) -> tuple[str, Any]:
    """Return what an event says of play: of dice what they show, and of how they came about nothing but that it did."""
    kind = events.type_of(event)
    if isinstance(event, events.Revealed):
        return kind, (event.cup, event.roll, event.values)
    if isinstance(event, events.Arranged):
        return kind, replace(event, choice=None if event.choice is None else "")
    return kind, None if OF_CEREMONY.fullmatch(kind) else event


def alike(one: Watched, other: Watched) -> int:
    """Return with how many lines two matches begin that say the same of play."""
    pairs = zip(map(said_by, one.events), map(said_by, other.events), strict=False)
    return next((number for number, (a, b) in enumerate(pairs) if a != b), min(len(one.events), len(other.events)))


def pairs(game: str, which: int) -> Iterator[tuple[Watched, Watched, int]]:
    """Yield matches in which the same is done with other secrets, and how many of their lines say the same."""
    for number in range(PAIRS):
        played = match(game, which, number % 8)
        for whole in (True, False):
            other = with_other_secrets(played, f"other {number}", whole=whole)
            assert other.lines[len(other.lines) // 2] != played.lines[len(other.lines) // 2]
            yield played, other, alike(played, other)


def differ(game: str, which: int, maker: Maker = honest) -> int:
    """Return how many lines of such pairs are told otherwise, though they say the same."""
    made: dict[int, list[bytes]] = {}
    found = 0
    for played, other, upto in pairs(game, which):
        told = made.get(id(played)) or made.setdefault(id(played), frames(played, maker))
        found += sum(a != b for a, b in zip(told[:upto], frames(other, maker)[:upto], strict=True))
    return found


@pytest.mark.parametrize(("game", "which"), TRIED)
def test_two_matches_with_the_same_play_and_other_secrets_are_told_alike(game: str, which: int) -> None:
    assert differ(game, which) == 0


def test_the_pairs_go_on_beyond_claims_and_rounds_with_other_dice_under_the_cups() -> None:
    said = set[str]()
    claims = rounds = others = 0
    for game, which in CASES[::2]:
        for played, other, upto in pairs(game, which):
            told = frames(played)[:upto]
            said |= {channel for frame in told for channel in CHANNELS if f'"{channel}":{{'.encode() in frame}
            claims += sum(isinstance(event, events.Bid | events.HandClaimed) for event in played.events[:upto])
            rounds += sum(isinstance(event, events.RoundClosed) for event in played.events[:upto])
            hidden = played.rolled - set(shown_in(played))
            others += sum(_value(played, where) != _value(other, where) for where in hidden & other.rolled)
    assert said == {*CHANNELS}
    assert claims > 100
    assert rounds > 10
    assert others > 100


def _value(played: Watched, where: tuple[int, int, int, int]) -> int | None:
    deal, cup, roll, slot = where
    keeper, ready = played.keepers.get(deal), [each for each in played.matches if each.ceremony is not None]
    mix = next(
        (each.ceremony.mix for each in ready if each.ceremony and each.ceremony.deal == deal and each.ceremony.mix),
        None,
    )
    return None if keeper is None or mix is None else int(keeper.open_deal(mix).value(cup, roll, slot, 6))


def leaking(step: Step, keeper: DealSecrets | None) -> CasterFrame:
    """Make a frame in which it is told how many dice count for the standing claim, by the secrets of the deal."""
    frame, state, deal = caster_frame(*step), step[0].match.table, step[0].match.ceremony
    if (
        state is None
        or keeper is None
        or deal is None
        or deal.mix is None
        or not isinstance(state.round.standing, Count)
    ):
        return frame
    dealer, face = keeper.open_deal(deal.mix), state.round.standing.face - state.rules.tokens.faces.first
    inside = [(cup, die.at) for cup, place in state.places.items() for die in place.inside]
    values = [dealer.value(cup, *at, state.rules.tokens.faces.count) for cup, at in inside if at is not None]
    return replace(frame, event=f"{frame.event} {values.count(face)}")


def test_a_figure_made_of_hidden_dice_would_be_found() -> None:
    assert differ("common_hand", 0, leaking)


def by_its_head(step: Step, _keeper: DealSecrets | None) -> CasterFrame:
    """Make a frame in which something is told that was drawn by the head of the log."""
    frame, (written, _) = caster_frame(*step), step
    return replace(frame, event=f"{frame.event} {words_for(written.head, '', written.match.version, '', '').draw(9)}")


def test_what_is_drawn_by_the_head_of_the_log_would_be_found() -> None:
    assert differ("common_hand", 0, by_its_head)
    played = match("common_hand", 0, 0)
    assert frames(with_other_bytes(played), by_its_head) != frames(played, by_its_head)


# ---- whatever the bytes of a ceremony are --------------------------------------------------------


def scrambled(told: Any, drawn: random.Random) -> Any:
    """Return the members of an event with other bytes wherever they are those of a ceremony."""
    match told:
        case str() if SECRET.fullmatch(told):
            return drawn.randbytes((len(told) + 1) // 2).hex()[: len(told)]
        case dict():
            return {name: scrambled(each, drawn) for name, each in told.items()}
        case list() | tuple():
            return [scrambled(each, drawn) for each in told]
        case _:
            return told


def with_other_bytes(played: Watched) -> Watched:
    """Return a match whose commitments, roots, seals, seeds, mixes and keys are other bytes, chained anew."""
    drawn, head, lines = random.Random(played.seed), GENESIS, list[bytes]()
    for number, (written, event) in enumerate(fold(played.lines)):
        other = msgspec.convert(scrambled(msgspec.to_builtins(event), drawn), type(event))
        (line,), head = lines_of(written.match.id, number, head, written.match.at, [other])
        lines.append(line)
    found = Watched(played.match.settings.options, played.match.settings.seats, "", played.match.settings.game)
    found.lines = lines
    return found


@pytest.mark.parametrize(("game", "which"), TRIED)
def test_a_match_whose_ceremonies_are_other_bytes_is_told_alike(game: str, which: int) -> None:
    played = match(game, which, 0)
    other = with_other_bytes(played)
    assert other.lines != played.lines
    assert frames(other) == frames(played)


# ---- whoever has no key --------------------------------------------------------------------------


async def test_a_program_without_the_key_says_the_same() -> None:
    store = MemoryStore()
    played = Played(store, 1)
    await store.keep_card(played.stream, Card(choices=Choices(live_reads=True)))
    await played.seat("Ada", "Bob", "Cyd")
    await played.deal()
    await played.finish()
    telling, number = Telling(frozenset(CHANNELS), "en"), played.match.version
    keyless, keyed = MatchQueries(store, None), MatchQueries(store, Vaulted([played]))
    told = await keyless.told(played.id, 0, number, telling)
    assert told == await keyed.told(played.id, 0, number, telling)
    assert len(told) == number
    assert any(b'"reads":{' in each for each in told)
    assert sum(b'"late":{' in each for each in told) == sum(b"round_opened" in each for each in told) > 0


@pytest.mark.parametrize("opened", [True, False])
async def test_what_moves_say_is_told_where_the_host_has_opened_it_and_nowhere_else(*, opened: bool) -> None:
    store = MemoryStore()
    played = Played(store, 1)
    await store.keep_card(played.stream, Card(choices=Choices(live_reads=opened)))
    await played.seat("Ada", "Bob")
    await played.deal()
    await played.finish()
    house, number = MatchQueries(store, None), played.match.version
    reads, others = Telling(frozenset(("reads",))), Telling(frozenset(("odds", "late")))
    told = await house.told(played.id, 0, number, reads)
    assert any(b'"reads":{' in each for each in told) == opened
    assert not any(b'"reads":{' in each for each in await house.told(played.id, 0, number, others))
    # Whoever takes up in the middle is told the same.
    assert await MatchQueries(store, None).told(played.id, number // 2, 3, reads) == told[number // 2 :][:3]


def test_at_a_table_of_a_tournament_nothing_of_moves_is_told_whatever_its_card_says() -> None:
    played, telling = match("common_hand", 0, 0).match, Telling(frozenset(CHANNELS))
    table = replace(played, settings=replace(played.settings, event=EventTable(str(played.id), 1, 1, 1, 1)))
    assert allowed(telling, Choices(live_reads=True), played) == telling
    assert allowed(telling, Choices(live_reads=True), table).channels == frozenset(CHANNELS) - {"reads"}


# ---- whoever holds a seat ------------------------------------------------------------------------


def members_of(told: Any) -> set[str]:
    if isinstance(told, dict):
        return {*told}.union(*map(members_of, told.values()))
    return set().union(*map(members_of, told)) if isinstance(told, list) else set()


@pytest.mark.parametrize(("game", "which"), TRIED)
def test_a_seat_is_told_nothing_of_it(game: str, which: int) -> None:
    played = match(game, which, 0)
    for written, event in list(fold(played.lines))[::7]:
        keeper = current_secrets(played.keepers, written.match)
        for seat in (1, None):
            frame = encode_frame(frame_of(written, event, seat, keeper, {}, more=False))
            assert members_of(msgspec.json.decode(frame)) & OF_CASTER == set()
            assert b'"exact"' not in frame


def test_what_a_seat_is_told_nothing_of_stands_in_what_is_said() -> None:
    told = [msgspec.json.decode(frame) for game in ("common_hand", "boss_liars") for frame in frames(match(game, 0, 0))]
    assert set().union(*map(members_of, told)) >= OF_CASTER
    assert any(b'"exact"' in frame for frame in frames(match("common_hand", 0, 0)))
