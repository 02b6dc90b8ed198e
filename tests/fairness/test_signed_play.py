"""Layer 3 of matches whose seats sign what they ask for: real games, and one lie each, found alike by both auditors."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace

from domain import commands, events
from domain.errors import Refused
from domain.fairness.deal import Policy
from domain.fairness.signing.keyed_seats import RECOVERY_MS
from domain.match.decide import Decision
from domain.table.interludes.cocked import Look
from infra.keys import Ed25519Signer
from tests.domain.absence_tables import IDLE
from tests.domain.truth_oracle import played_out
from tests.fairness.signed_courses import (
    CLOCK,
    POLICIES,
    NoDice,
    NoSalt,
    OtherDice,
    Quiet,
    Unasked,
    at,
    begun,
    found,
    handled,
    is_found,
    reported,
    whole,
)
from tests.fairness.signed_play import SignedPlay, key_of
from tests.fairness.test_beside import LAYERS

TOLD: tuple[tuple[str, Policy, dict[str, Any]], ...] = (
    ("common_hand", "all", {"dice_per_player": 2, "spot_on": True, "push": True}),
    ("individual_hand", "all", {}),
    ("individual_hand", "shown", {}),
    ("mexican", "all", {"forty_one": "impose"}),
    ("mexican", "shown", {}),
    ("liars_poker", "all", {}),
    ("boss_liars", "all", {"cocked": True}),
    ("finska", "shown", {}),
    ("german_liar_dice", "all", {}),
)

# ---- fair matches -----------------------------------------------------------------------------------


class Brief(SignedPlay):
    """A match whose players name no more of a hand than they have to."""

    def do(self, command: commands.MatchCommand, after_ms: int = 10) -> Decision:
        if isinstance(command, commands.ClaimHand) and command.faces:
            try:
                return super().do(replace(command, faces=command.faces[:-1]), after_ms)
            except Refused:
                pass
        return super().do(command, after_ms)


@cache
def fair() -> tuple[SignedPlay, ...]:
    return tuple(whole(game, policy, Brief, options=options) for game, policy, options in TOLD)


def test_a_fair_match_whose_seats_sign_is_fair_to_both() -> None:
    for played, verdict in zip(fair(), found(*fair()), strict=True):
        assert (verdict.status, verdict.layers) == ("OK", LAYERS), verdict
        assert {seat: each["signed"] for seat, each in reported(verdict).items()} == {
            str(seat): sum(one.seat == seat for one in played.kept.values()) for seat in (1, 2)
        }
    asked = {one.command["type"] for played in fair() for one in played.kept.values()}
    assert asked >= {"join", "commit_seed", "open_seed", "bid", "call", "arrange", "roll", "challenge", "accept"}
    opened = [played.events for played in fair() if any(isinstance(e, events.ChoicesRevealed) for e in played.events)]
    assert len(opened) > 1, "dice are opened that were sealed"


def rekeyed() -> SignedPlay:
    """Return a match in which a seat changes its key, and a host replaces that of another."""
    played = begun(options={"dice_per_player": 1})
    new, other = Ed25519Signer(b"n" * 32), Ed25519Signer(b"o" * 32)
    played.do(commands.Rekey(1, new.public_key.hex()))
    played.keys[1] = new
    played.do(commands.NameKey(2, other.public_key.hex()))
    played.keys[2] = other
    while played.turn != 2:
        played.do(commands.Bid(played.turn, 1, played.turn + 1))
    played.do(commands.Bid(2, 2, 5), RECOVERY_MS)
    played_out(played, 1, last=(commands.Forfeit,))
    return played


def test_keys_change_and_are_lost_and_the_rules_say_nothing_to_it() -> None:
    played = rekeyed()
    (verdict,) = found(played)
    assert verdict.status == "OK"
    assert [each["recovered"] for each in reported(verdict).values()] == [[], [at(played, events.SeatKeyed, 1) - 1]]


def spent() -> SignedPlay:
    """Return a match in play whose rules have room for two lines beside the game of each, which some have used up."""
    options = {"cocked": True, "first": "high_roll"}
    played = begun("boss_liars", options=options, host={}, asides=2)
    for number in (1, 2):
        new = Ed25519Signer(bytes([100 + number]) * 32)
        played.do(commands.Rekey(1, new.public_key.hex()))
        played.keys[1] = new
        played.do(commands.NameKey(2, Ed25519Signer(bytes([110 + number]) * 32).public_key.hex()))
    for _ in range(3):
        played.do(Look(3))
    return played


ONE_MORE = (
    *(commands.Rekey(1, key_of(120).public_key.hex()), commands.NameKey(1, key_of(120).public_key.hex())),
    *(Look(3), commands.PauseTable("break")),
)


@pytest.mark.parametrize("more", [None, *ONE_MORE], ids=lambda more: type(more).__name__)
def test_one_line_more_beside_the_game_than_the_rules_let_is_found_by_both(more: commands.MatchCommand | None) -> None:
    played, line = spent(), None
    if more is not None:
        line = len(played.lines) + 1
        played.match = replace(played.match, settings=replace(played.match.settings, asides=None))
        played.do(more)
    if isinstance(more, commands.Rekey):
        played.keys[1] = key_of(120)
    if isinstance(more, commands.PauseTable):
        played.do(commands.ResumeTable())
    played_out(played, 1, last=(commands.Forfeit,))
    (verdict,) = found(played)
    assert verdict.status == ("OK" if line is None else "FAULT"), verdict
    assert line is None or (verdict.code, verdict.line) == ("E_RULES", line)


def given_up() -> SignedPlay:
    """Return a match in which a seat with a key is given up and taken without one."""
    played = SignedPlay({"dice_per_player": 1}, 2, "left", pause_ms=0)
    played.join(1)
    played.join(2)
    played.do(commands.Leave(1))
    played.keyed -= {1}
    played.join(1)
    played.do(commands.Start(played.chance()))
    played.go_on()
    played_out(played, 1, last=(commands.Forfeit,))
    return played


def test_a_seat_that_is_given_up_goes_on_without_its_key() -> None:
    assert found(given_up())[0].status == "OK"


def test_the_clock_acts_for_a_seat_with_a_key() -> None:
    (verdict,) = found(whole("individual_hand", clock=CLOCK))
    assert verdict.status == "OK"
    assert all(each["clock"] for each in reported(verdict).values())


# ---- what nobody signed -------------------------------------------------------------------------------


class Silent(SignedPlay):
    """A server that rolls for a seat that has not asked for it."""

    def public(self, command: commands.MatchCommand, first: events.Event) -> dict[str, Any] | None:
        return None if isinstance(command, commands.Roll) and command.seat == 2 else super().public(command, first)


def test_a_roll_that_a_seat_with_a_key_did_not_sign_is_found() -> None:
    played = whole("mexican", kind=Silent)
    opened = [seq for seq, event in enumerate(played.events, 1) if isinstance(event, events.RoundOpened)]
    line = next(line for line in opened if _starter(played, line) == 2)
    is_found(played, "E_UNSIGNED", line)


def _starter(played: SignedPlay, line: int) -> int:
    event = played.events[line - 1]
    assert isinstance(event, events.RoundOpened)
    return event.starter


@pytest.mark.parametrize("signs", [True, False])
def test_that_somebody_has_seen_enough_is_the_word_of_the_house(*, signs: bool) -> None:
    options = {"dice_per_player": 1}
    if signs:
        played = whole("common_hand", options=options, pause_ms=4_000, pause_ends="all")
    else:
        played = whole("common_hand", options=options, pause_ms=4_000, pause_ends="all", keyed=(), own=())
    assert any(isinstance(event, events.Continued) for event in played.events)
    assert found(played)[0].status == "OK"


# ---- what is signed and follows of itself ---------------------------------------------------------------


class Oversigned(SignedPlay):
    """A server that has the line signed which the table wrote for a seat that was out of time."""

    def write(self, command: commands.MatchCommand, told: list[events.Event]) -> None:
        acts = next((event for event in told if isinstance(event, events.HandClaimed)), None)
        if not isinstance(told[0], events.TimedOut) or acts is None or told[0].seat != 1:
            super().write(command, told)
            return
        where = told.index(acts)
        self.put(told[:where])
        said = {"type": "call", "shape": acts.shape, "faces": list(acts.faces)}
        self.put(told[where:], self.sign(1, said))


def test_a_signature_on_a_line_that_follows_of_itself_is_found() -> None:
    played = whole("individual_hand", kind=Oversigned, clock=CLOCK)
    timed = [seq for seq, event in enumerate(played.events, 1) if isinstance(event, events.TimedOut)]
    line = next(seq + 1 for seq in timed if seq in played.kept)
    is_found(played, "E_SIGNED", line)


# ---- what is signed and leads elsewhere -------------------------------------------------------------------


class Otherwise(SignedPlay):
    """A match in which something else is signed than what was decided."""

    kind: type[commands.Command] = commands.Command
    said: dict[str, Any] = {}

    def public(self, command: commands.MatchCommand, first: events.Event) -> dict[str, Any] | None:
        public = super().public(command, first)
        return {**public, **self.said} if public is not None and isinstance(command, self.kind) else public


class OtherHand(Otherwise):
    kind, said = commands.ClaimHand, {"faces": [6]}


class NoHand(Otherwise):
    kind, said = commands.ClaimHand, {"faces": [2**53 - 1] * 11}


class ServersSeeds(Otherwise):
    kind, said = commands.Join, {"custody": "server"}


@pytest.mark.parametrize("kind", [OtherHand, NoHand])
def test_a_hand_that_was_named_otherwise_is_found(kind: type[SignedPlay]) -> None:
    played = whole("individual_hand", kind=kind)
    called = [(seq, each) for seq, each in enumerate(played.events, 1) if isinstance(each, events.HandClaimed)]
    line = next(seq for seq, event in called if kind is NoHand or event.faces[:1] != (6,))
    is_found(played, "E_RULES", line)


def test_custody_that_was_signed_and_never_came_is_found() -> None:
    is_found(whole("common_hand", options={"dice_per_player": 1}, kind=ServersSeeds), "E_RULES", 3)


class Rolling(SignedPlay):
    """A match in which a seat signs that it rolls, where the table opens the round."""

    def write(self, command: commands.MatchCommand, told: list[events.Event]) -> None:
        first = told[0]
        if isinstance(first, events.RoundOpened) and first.starter in self.keyed:
            self.put(told, self.sign(first.starter, {"type": "roll"}))
        else:
            super().write(command, told)


def test_a_roll_is_refused_where_the_table_opens_the_round() -> None:
    played = whole("common_hand", options={"dice_per_player": 2}, kind=Rolling, pause_ms=1_000)
    line = next(
        seq
        for seq, each in enumerate(played.events, 1)
        if isinstance(each, events.RoundOpened) and seq - 1 in played.kept
    )
    is_found(played, "E_RULES", line)


class Barred(SignedPlay):
    """A match in which a seat resigns, and is written down as one that the host had taken out."""

    def told(self, command: commands.MatchCommand, event: events.Event) -> events.Event:
        event = super().told(command, event)
        return replace(event, reason="kicked") if isinstance(event, events.Forfeited) else event


def test_a_seat_that_resigned_is_not_one_that_was_kicked() -> None:
    played = begun(policy="shown", options={"dice_per_player": 1}, kind=Barred)
    played.do(commands.Forfeit(1))
    is_found(played, "E_RULES", at(played, events.Forfeited))


@pytest.mark.parametrize(
    "event",
    [
        events.StoodIn(1, "host"),
        events.StoodIn(1, "seat"),
        events.Kicked(1, "away"),
    ],
)
def test_what_a_host_may_not_do_to_a_seat_that_signs_is_found(event: events.Event) -> None:
    played = begun(policy="shown", options={"dice_per_player": 1}, host={"changes": 9}, idle=IDLE)
    played.do(commands.HandOver(3))
    played.at += 200_000
    played.put([event])
    code = "E_UNSIGNED" if event == events.StoodIn(1, "seat") else "E_RULES"
    is_found(played, code, len(played.lines))


# ---- dice that are handled under a seal ---------------------------------------------------------------


@pytest.mark.parametrize("kind", [OtherDice, NoDice])
def test_other_dice_than_a_seat_has_sealed_are_found_where_they_are_opened(kind: type[SignedPlay]) -> None:
    played = handled("all", kind)
    is_found(played, "E_RULES", at(played, events.Arranged))
    played = handled("shown", kind)
    is_found(played, "E_RULES", at(played, events.ChoicesRevealed))


@pytest.mark.parametrize("kind", [Unasked, NoSalt])
def test_a_salt_opens_what_a_seat_has_sealed_or_nothing(kind: type[SignedPlay]) -> None:
    for policy in POLICIES:
        played = handled(policy, kind)
        is_found(played, "E_RULES", at(played, events.ChoicesRevealed))
    played = handled("shown", kind, keyed=(), own=())
    is_found(played, "E_RULES", at(played, events.ChoicesRevealed))


def test_what_was_handled_opens_under_each_policy() -> None:
    for verdict in found(handled("shown", SignedPlay), handled("all", SignedPlay), handled("shown", Quiet)):
        assert verdict.status == "OK", verdict


# ---- for those who take checks out ------------------------------------------------------------------------


def lied() -> list[SignedPlay]:
    """Return fair matches, and one for each lie above."""
    hands = [whole("individual_hand", kind=kind) for kind in (SignedPlay, OtherHand, NoHand)]
    timed = [whole("individual_hand", kind=kind, clock=CLOCK) for kind in (SignedPlay, Oversigned)]
    pauses: dict[str, Any] = {"options": {"dice_per_player": 1}, "pause_ms": 4_000, "pause_ends": "all"}
    waited = [whole("common_hand", **pauses), whole("common_hand", **pauses, keyed=(), own=())]
    seals = [handled(policy, kind) for kind in (Quiet, OtherDice, NoDice, Unasked, NoSalt) for policy in POLICIES]
    return [
        *(*hands, *timed, *waited, *seals, *fair(), rekeyed(), given_up()),
        handled("shown", Unasked, keyed=(), own=()),
        handled("shown", SignedPlay),
        whole("mexican", kind=Silent),
        whole("common_hand", options={"dice_per_player": 1}, kind=ServersSeeds),
        whole("common_hand", options={"dice_per_player": 2}, kind=Rolling, pause_ms=1_000),
    ]
