"""Seats that the house gave out, taken again with a key by whose they are, in one append."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import httpx
import pytest

from domain import commands, events
from domain.errors import Refused
from domain.fairness.names import check_names, names_in
from domain.fairness.signing.messages import name_commitment
from domain.log import canonical
from domain.match.decide import decide
from domain.match.dues import ready_awaited
from domain.match.record import lines_of
from domain.match.settings import HostPowers
from domain.match.signed_commands import SeatSignature
from infra.clock import now_ms
from services.audit.verdict import Evidence, verdict_of
from services.http.bounds import Bounds
from tests.api.conftest import Service, bearer, served
from tests.domain.test_rounds_and_stacks import EVENT
from tests.fairness.javascript_auditor import Ask, told_in_javascript
from tests.fairness.scripted_server import POLICY
from tests.fairness.test_rules_in_javascript import agree
from tests.signed.courses import SignedCourse
from tests.signed.hands import Hand, signing_after
from tests.signed.test_audited import check as check_audited
from tests.signed.test_audited import played_out
from tests.signed.test_over_http import house

SALT = "5a" * 32


class TakenCourse(SignedCourse):
    """A match whose seats are given out, and taken again with keys by some of those who sit there."""

    def __init__(self, *arguments: Any, **rules: Any) -> None:
        super().__init__({}, *arguments, signs=(), pause_ms=0, **rules)

    def _as_asked(self, command: commands.MatchCommand) -> commands.MatchCommand:
        if isinstance(command, commands.Join) and command.seat is not None and self.match.rejoining is not None:
            self.hands[command.seat] = Hand(self.match.id, 2_000 + command.seat)
            return commands.Join(command.player, "client", command.seat, self.hands[command.seat].key, "ab" * 32)
        return command if isinstance(command, commands.Join) else super()._as_asked(command)

    def signature_of(self, command: commands.MatchCommand, at: int) -> SeatSignature | None:
        nobody = isinstance(command, commands.Join) and command.key is None
        return None if nobody else super().signature_of(command, at)

    def give_out(self, bots: tuple[int, ...] = ()) -> TakenCourse:
        """Give every seat out, all at the time of the first line where that is the rule."""
        after_ms = 10 if self.match.settings.event is None else 0
        for seat in range(1, self.match.settings.seats + 1):
            self.do(commands.Join(f"bot/L0.wild/{seat}" if seat in bots else f"p{seat}", "server", seat), after_ms)
        return self

    def take(self, seat: int) -> None:
        """Take a seat again with a key."""
        self.do(commands.StandUp(seat))
        self.do(commands.Join(f"p{seat}", "client", seat))

    def begin(self) -> TakenCourse:
        """Let all say that they are there, where they have to, and deal. Who has joined with a key has said so."""
        for seat in ready_awaited(self.match) or ():
            self.do(commands.SayReady(seat))
        if self.match.table is None:
            self.do(commands.Start(self.chance()))
        self.go_on()
        return self


def given_out(**rules: Any) -> TakenCourse:
    return TakenCourse(3, **rules).give_out()


# ---- what the rules say, and both auditors --------------------------------------------------------


@pytest.mark.parametrize("rules", [{}, {"event": EVENT}], ids=["a table of a list", "a table of a tournament"])
def test_who_takes_the_own_seat_again_with_a_key_signs_from_then_on(rules: dict[str, Any]) -> None:
    course = given_out(**rules)
    for seat in (3, 1):
        course.take(seat)
    sitting = course.match.seated
    assert [(who.player, who.key is not None, who.custody) for _, who in sorted(sitting.items())] == [
        ("p1", True, False),
        ("p2", False, True),
        ("p3", True, False),
    ]
    seats = check_audited(played_out(course.begin()))
    assert {seat: one["custody"] for seat, one in seats.items()} == {"1": False, "3": False}
    assert all(one["signed"] >= 3 for one in seats.values())


def test_who_was_the_host_or_had_said_to_be_there_is_so_afterwards() -> None:
    course = given_out(host=HostPowers())
    course.do(commands.HandOver(2))
    course.take(2)
    assert course.match.host == 2
    course = given_out(event=EVENT)
    course.do(commands.SayReady(2))
    course.take(2)
    assert course.match.ready == (2,)


def test_at_a_locked_table_the_own_seat_can_be_taken_again() -> None:
    course = given_out(host=HostPowers())
    course.do(commands.LockTable())
    course.take(1)
    assert course.match.seated[1].key is not None


def refused(course: TakenCourse, command: commands.MatchCommand) -> str:
    with pytest.raises(Refused) as no:
        decide(course.match, command, course.at + 10, course.keeper)
    return no.value.code


def test_nobody_else_takes_the_seat_in_between_and_nothing_else_happens() -> None:
    course = given_out()
    course.do(commands.StandUp(2))
    assert refused(course, commands.Start(course.chance())) == "wrong_phase"
    assert refused(course, commands.Leave(1)) == "wrong_phase"
    for player, seat, key in (("p2", 2, None), ("p9", 2, "ab" * 32), ("p2", 3, "ab" * 32), ("p2", None, "ab" * 32)):
        assert refused(course, commands.Join(player, "client", seat, key)) == "bad_target"
    course.do(commands.Join("p2", "client", 2))
    assert course.match.rejoining is None


def test_a_seat_with_a_key_and_a_bots_and_one_in_play_and_one_that_is_nobodys_stay_as_they_are() -> None:
    course = TakenCourse(3).give_out(bots=(3,))
    course.take(1)
    assert refused(course, commands.StandUp(3)) == "bad_target"
    assert refused(course, commands.StandUp(4)) == "unknown_player"
    # Unsigned it would be a lie of the house; signed there is no form for it.
    assert refused(course, commands.StandUp(1)) == "has_key"
    course.begin()
    assert refused(course, commands.StandUp(2)) == "already_started"


def test_at_a_table_of_a_tournament_nobody_else_comes_later() -> None:
    course = given_out(event=EVENT)
    course.do(commands.LeaveOut(3))
    assert refused(course, commands.Join("p3", "server", None)) == "not_allowed"
    assert refused(course, commands.Join("p3", "server", 3)) == "bad_target"


def test_no_seat_names_the_key_that_another_seat_is_kept_for() -> None:
    course = TakenCourse(3, event=EVENT)
    course.do(commands.Join("p1", "server", 1), 0)
    course.take(1)
    theirs = commands.Rekey(1, Hand(course.match.id, 9).key)
    assert refused(course, theirs) == "key_taken"
    at, head, lines = course.at, course.head, list(course.lines)
    told(course, events.SeatKeyed(1, theirs.key, "seat"))
    squatted, course.at, course.head, course.lines = course.lines, at, head, lines

    for seat in (2, 3):
        course.do(commands.Join(f"p{seat}", "server", seat))
    decide(course.match, theirs, course.at + 10, course.keeper)
    told(course, events.SeatKeyed(1, theirs.key, "seat"))

    records = [[json.loads(line) for line in each] for each in (squatted, course.lines)]
    assert [line for _, line, _ in agree(records)] == [len(squatted), None]


def told(course: TakenCourse, *happened: events.Event, after_ms: int = 10) -> None:
    """Let the house write what it likes."""
    course.at += after_ms
    lines, course.head = lines_of(course.match.id, len(course.lines), course.head, course.at, happened)
    course.lines += lines


LIES: dict[str, tuple[events.Event, ...]] = {
    "somebody else takes it": (events.SeatLeft(2, "rejoins"), events.SeatJoined(2, "p9")),
    "nobody takes it": (events.SeatLeft(2, "rejoins"), events.SeatLeft(1, "left")),
    "without a key": (events.SeatLeft(2, "rejoins"), events.SeatJoined(2, "p2")),
    "of a bot": (events.SeatLeft(3, "rejoins"),),
}


def test_both_auditors_find_a_seat_that_somebody_else_takes_in_between() -> None:
    records = []
    for lie in LIES.values():
        course = TakenCourse(3).give_out(bots=(3,))
        for event in lie:
            told(course, event)
        records.append((course.bundle(), len(course.lines)))
    second = told_in_javascript([Ask(record, layers=(1, 2, 3)) for record, _ in records])
    for what, (record, line), other in zip(LIES, records, second, strict=True):
        found = verdict_of(record, POLICY, beside=Evidence(None))
        assert (found.code, found.line) == (other["code"], other["line"]) == ("E_RULES", line), (what, found, other)


# ---- over HTTP ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with served(Bounds(writes_per_s=10_000), house()) as made:
        yield made


class GivenOut:
    """A table of a list, with three who were seated as it was opened."""

    def __init__(self, service: Service, **rules: Any) -> None:
        self.client = service.client
        row = {"rules": {"game": "common_hand", "pause_ms": 0, **rules}, "names": ["Ada", "Ben", "Cy"]}
        content, sort = json.dumps(row), {"Content-Type": "application/x-ndjson"}
        (table,) = self.client.post("/api/v1/matches/bulk", content=content, headers=sort).json()["tables"]
        self.id, self.path = UUID(table["match"]), f"/api/v1/matches/{table['match']}"
        self.host, self.tokens = bearer(table["token"]), [bearer(one["token"]) for one in table["seats"]]

    def lines(self) -> list[bytes]:
        return [line for line in self.client.get(f"{self.path}/record").content.splitlines() if line.startswith(b"{")]

    def signed(self, hand: Hand, name: str, *, seat: int = 1, left_at: int | None = None) -> dict[str, Any]:
        """Return what a player's program asks with, as it works it out from the lines that it holds."""
        lines = self.lines()
        at = max(now_ms(), json.loads(lines[-1])["at"] + 1) if left_at is None else left_at
        head, named = canonical.head(lines[-1]), name_commitment(bytes.fromhex(SALT), name)
        (standing,), _ = lines_of(self.id, len(lines), head, at, [events.SeatLeft(seat, "rejoins")])
        signed = hand.sign_join(signing_after([*lines, standing]), "client", named)
        return {"left_at": at, "custody": "client", "key": hand.key, "salt": SALT, "signed": signed}

    def take(self, seat: int, body: dict[str, Any], **headers: str) -> httpx.Response:
        return self.client.put(f"{self.path}/seats/me/key", json=body, headers={**self.tokens[seat - 1], **headers})


def test_whoever_holds_the_token_of_a_seat_takes_it_again_with_a_key_and_keeps_token_and_name(
    service: Service,
) -> None:
    table = GivenOut(service)
    hand = Hand(table.id, 1)
    body, before = table.signed(hand, "Ada"), table.lines()
    answers = [table.take(1, body, **{"Idempotency-Key": "take-my-own-seat-1"}) for _ in range(2)]
    assert [one.status_code for one in answers] == [200, 200], answers[0].text
    assert answers[0].json() == answers[1].json()

    up, down = [json.loads(line) for line in table.lines()[len(before) :]]
    assert (up["data"], up["at"], "signed" in up) == ({"seat": 1, "reason": "rejoins"}, body["left_at"], False)
    assert (down["data"]["seat"], down["data"]["key"], down["signed"]["n"]) == (1, hand.key, 0)
    view = table.client.get(table.path, headers=table.tokens[0]).json()
    assert (view["viewer"], view["seats"][0]["name"], view["seats"][0]["custody"]) == (1, "Ada", "client")
    names = table.client.get(f"{table.path}/names").content
    found = check_names(str(table.id), table.lines(), names_in(names))
    assert (found.checked, found.open, found.line) == ((1,), (2, 3), None)
    unsigned = table.client.request("DELETE", f"{table.path}/seats/me", headers=table.tokens[0])
    assert unsigned.json()["code"] == "needs_signature"
    again = table.take(1, table.signed(Hand(table.id, 2), "Ada"))
    assert (again.status_code, again.json()["code"]) == (409, "has_key")


def test_what_is_not_signed_over_the_line_of_getting_up_changes_nothing(service: Service) -> None:
    table = GivenOut(service)
    hand = Hand(table.id, 1)
    good, before = table.signed(hand, "Ada"), table.lines()
    late = table.signed(hand, "Ada", left_at=now_ms() - 60_000)
    early = table.signed(hand, "Ada", left_at=now_ms() + 60_000)
    ways: dict[str, tuple[int, dict[str, Any], str]] = {
        "of somebody else": (2, good, "bad_signature"),
        "long ago": (1, late, "bad_signature"),
        "still to come": (1, early, "bad_signature"),
        "another time": (1, {**good, "left_at": good["left_at"] - 1}, "bad_signature"),
        "other seeds": (1, {**good, "custody": "server"}, "bad_signature"),
        "another name": (1, table.signed(hand, "Ben"), "bad_signature"),
        "a weak key": (1, {**good, "key": "00" * 32}, "bad_key"),
        "over the line before": (1, {**good, "signed": {**good["signed"], "version": 4}}, "bad_signature"),
    }
    for way, (seat, body, code) in ways.items():
        no = table.take(seat, body)
        assert no.json()["code"] == code, (way, no.text)
    other = GivenOut(service)
    strange = table.client.put(f"{table.path}/seats/me/key", json=good, headers=other.tokens[0])
    assert strange.json()["code"] == "foreign_token"
    by_host = table.client.put(f"{table.path}/seats/me/key", json=good, headers=table.host)
    assert by_host.json()["code"] == "not_a_seat"
    assert table.lines() == before


def test_once_the_match_has_started_a_seat_stays_as_it_is_and_whoever_got_up_for_good_has_none(
    service: Service,
) -> None:
    table = GivenOut(service)
    assert table.client.request("DELETE", f"{table.path}/seats/me", headers=table.tokens[2]).status_code == 200
    gone = table.take(3, table.signed(Hand(table.id, 3), "Cy", seat=3))
    assert gone.json()["code"] == "unknown_player"
    assert table.client.post(f"{table.path}/start", headers=table.host).status_code == 200
    started = table.take(1, table.signed(Hand(table.id, 1), "Ada"))
    assert (started.status_code, started.json()["code"]) == (409, "already_started")


def test_two_who_take_their_seats_at_once_are_asked_again(service: Service) -> None:
    table = GivenOut(service)
    ada, ben = table.signed(Hand(table.id, 1), "Ada"), table.signed(Hand(table.id, 2), "Ben", seat=2)
    assert table.take(1, ada).status_code == 200
    assert table.take(2, ben).json()["code"] == "bad_signature"
    assert table.take(2, table.signed(Hand(table.id, 2), "Ben", seat=2)).status_code == 200
    seats = table.client.get(table.path).json()["seats"]
    assert [one["key"] is not None for one in seats] == [True, True, False]
