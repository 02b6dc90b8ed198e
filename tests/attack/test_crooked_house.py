"""A crooked house that holds every key of its own: what it can do to seats that sign, and with which words it is found.

False private dice are for the clients that open them, swapped names for whoever is shown them, and records that are
dropped from statistics for monitors. Here are the attacks that an audit of a record finds by itself, in both languages.
"""

from __future__ import annotations

from typing import Any

from domain import commands, events
from domain.match.dues import due_at
from domain.match.record import lines_of
from infra.keys import Ed25519Signer
from services.audit.findings import findings
from services.audit.seeds import Void
from services.audit.verdict import Verdict
from tests.domain.playing import MATCH
from tests.fairness.javascript_auditor import Ask
from tests.fairness.scripted_server import Story
from tests.fairness.signed_courses import begun, found, is_found, reported
from tests.fairness.signed_play import SignedPlay
from tests.fairness.test_beside import LAYERS, judged
from tests.fairness.test_refusals import BID, at_turn, came, held, over

SERVER = Ed25519Signer(b"the server's own".ljust(32, b"."))
SHORT: dict[str, Any] = {"options": {"dice_per_player": 1}}


def words(verdict: Verdict) -> str:
    """Return all that people are told of a record."""
    told = findings(verdict, judged_log=True)
    return " ".join([told.title, told.text, *(each.text for each in told.findings)])


class Inventing(SignedPlay):
    """A house that bids in the turn of a player, unsigned or signed with a key of its own."""

    forges = False

    def write(self, command: commands.MatchCommand, told: list[events.Event]) -> None:
        if not isinstance(command, commands.Bid) or command.seat != 1:
            super().write(command, told)
        elif not self.forges:
            self.put(told)
        else:
            own, self.keys[1] = self.keys[1], SERVER
            super().write(command, told)
            self.keys[1] = own


class Forging(Inventing):
    forges = True


class Seeding(SignedPlay):
    """A house that draws the seed of a seat that draws its own, and says nothing of it."""

    def write(self, command: commands.MatchCommand, told: list[events.Event]) -> None:
        if isinstance(command, commands.CommitSeed | commands.OpenSeed):
            self.put(told)
        else:
            super().write(command, told)


class Withholding(SignedPlay):
    """A house that does not let a seat open its seed, whose dice it does not like."""

    def _give_seed(self) -> None:
        if self.match.ceremony is not None and self.match.ceremony.stage == "committed":
            super()._give_seed()


class Waiting(SignedPlay):
    """A house that waits for no seed of a seat, and draws it on record as soon as it may."""

    def _give_seed(self) -> None:
        return


def bid_of_seat_1(kind: type[SignedPlay]) -> SignedPlay:
    played = begun(kind=kind, **SHORT)
    while played.turn != 1:
        played.do(commands.Bid(played.turn, 1, played.turn))
    played.do(commands.Bid(1, 1, 4))
    return played


def test_1_who_won_a_game_that_nobody_knows_was_not_checked() -> None:
    (verdict,) = judged([Ask(Story(rules={"game": "liars-dice"}).to_end().record(), layers=LAYERS)])
    assert (verdict.status, verdict.record) == ("INCOMPLETE", "INCOMPLETE")
    assert verdict.message.startswith("who won was not checked")


def test_2_a_bid_that_the_house_invents_is_found_on_its_line() -> None:
    for kind, code in ((Inventing, "E_UNSIGNED"), (Forging, "E_SIGNED")):
        played = bid_of_seat_1(kind)
        line = max(seq for seq, event in enumerate(played.events, 1) if isinstance(event, events.Bid))
        is_found(played, code, line)


def test_3_a_seed_that_the_house_draws_for_a_seat_is_found_or_on_record() -> None:
    played = begun(kind=Seeding, **SHORT)
    given = [
        seq for seq, each in enumerate(played.events, 1) if isinstance(each, events.SeedCommitted) and each.seat == 1
    ]
    is_found(played, "E_UNSIGNED", given[0])
    (verdict,) = found(over(begun(kind=Waiting, **SHORT)))
    assert (verdict.status, reported(verdict)["1"]["custody"]) == ("OK", True)


def test_4_a_deal_that_the_house_voids_at_will_is_counted() -> None:
    (verdict,) = found(over(begun(kind=Withholding, **SHORT)))
    assert (verdict.status, verdict.voids) == ("OK", (Void(0, logged=True, seats=(1,)),))
    assert "was voided after the log had it" in words(verdict)
    assert "before anybody" not in words(verdict)


def test_8_a_command_that_is_held_back_until_the_clock_has_gone_stands_nowhere_later() -> None:
    played = at_turn(clock={"bank_ms": 60_000})
    kept = played.sign(1, BID)
    while True:
        due = due_at(played.match)
        assert due is not None
        played.do(commands.Advance(played.chance()), due - played.at)
        if played.table.turn == 1:
            break
    lines, _ = lines_of(MATCH, len(played.lines), played.head, played.at + 10, [events.Bid(1, 2, 4)], kept)
    played.lines += lines
    (verdict,) = judged([Ask(played.file(), layers=LAYERS)])
    assert (verdict.code, verdict.line) == ("E_SIGNED", len(played.lines))
    assert "had not seen all that this command could depend on" in verdict.message


def test_8_a_command_that_is_held_back_and_refused_is_proved() -> None:
    played = at_turn()
    played.refuse(played.ask(BID))
    verdict = held(over(played))
    assert (verdict.code, "though the rules allowed it" in verdict.message) == ("E_RECEIPT", True)


def test_8_a_command_that_is_never_answered_proves_nothing_and_people_are_told_so() -> None:
    played = at_turn()
    played.ask(BID)
    verdict = held(over(played))
    assert came(verdict) == [("silent", None)]
    assert "Silence proves nothing" in words(verdict)
