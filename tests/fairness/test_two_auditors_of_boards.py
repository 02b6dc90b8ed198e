"""Records of boards and of their matches in two languages: dice, order and rules are judged alike, changed or not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from domain.log.policies import policy_of
from services.audit.verdict import Evidence, verdict_of
from services.cli.tournaments.boards import PlayedBoard
from tests.fairness.javascript_auditor import Ask, run, told_in_javascript
from tests.fairness.random_mutations import mutants
from tests.fairness.rewritten_records import Event, chained, events_of, retold
from tests.fairness.test_two_auditors import agreed
from tests.sizes import cases
from tests.tournaments.test_board_audit import FIRST, LIES, RULES, SECOND, World

MUTANTS = cases(100, 3_000)
HONEST = World()
BOARD = HONEST.board.record
MATCHES = [HONEST.tables[table].record for table in (FIRST, SECOND)]
ALL = (1, 2, 3)


def ask(table: int, world: World = HONEST, **members: Any) -> Ask:
    """Return a match with everything that lies beside it, to be judged in all layers."""
    played = world.tables[table]
    whole = Ask(played.record, world.ledger.policy, ALL, played.access, board=world.board.record)
    return replace(whole, **members)


def judged_alike(asks: list[Ask]) -> list[tuple[str, str | None, int | None]]:
    """Return status, code and line of each record, about which the two auditors have to say the same."""
    told = [(one["status"], one["code"], one["line"], one["shared"]) for one in told_in_javascript(asks)]
    first = []
    for each in asks:
        policy = None if each.policy is None else policy_of(each.policy)
        verdict = verdict_of(each.record, policy, each.layers, beside=Evidence(each.access, board=each.board))
        said: list[Any] = [verdict.status, verdict.code, verdict.line, verdict.shared]
        first.append(tuple(None if one is UNSET else one for one in said))
    assert told == first
    return [(status, code, line) for status, code, line, _ in told]


# ---- as they are -----------------------------------------------------------------------------------


def test_they_agree_on_matches_beside_the_record_of_their_board() -> None:
    assert judged_alike([ask(FIRST), ask(SECOND)]) == [("OK", None, None)] * 2
    running = BOARD[: BOARD.index(b"\n", BOARD.index(b"board.round_closed")) + 1]
    others = (None, b"", MATCHES[1], BOARD[:-40], running, BOARD.replace(b"a", b"b"))
    alone = judged_alike([ask(FIRST, board=other) for other in others])
    assert {status for status, *_ in alone} == {"INCOMPLETE"}


def test_they_agree_on_boards_whose_rounds_are_none() -> None:
    for members in (
        {"round": 2},
        {"tables": 1},
        {"tables": [1]},
        {"tables": [[1, "", "", ""]]},
        {"tables": [[1, "", 1]]},
    ):
        story = events_of(BOARD)
        _say("board.round_closed", **members)(story)
        board = b"".join(line + b"\n" for line in chained(story))
        assert judged_alike([Ask(MATCHES[0], None, ALL, board=board)]) == [("INCOMPLETE", None, None)]


def test_they_agree_on_the_layers_of_dice() -> None:
    whole = [replace(ask(table), layers=(1, 2), access=None) for table in (FIRST, SECOND)]
    apart = [replace(each, board=None) for each in whole]
    assert agreed([*whole, *apart, Ask(BOARD, HONEST.ledger.policy), Ask(BOARD, None, (1,))]) == {"OK": 6}


@pytest.mark.parametrize("kind", LIES)
def test_they_agree_on_lies_about_a_board(kind: type[PlayedBoard]) -> None:
    world = World(kind)
    found = judged_alike([ask(table, world) for table in (FIRST, SECOND)])
    assert {status for status, *_ in found} == {"FAULT"}


def test_the_second_auditor_says_that_it_knows_no_laws_of_boards() -> None:
    (told,) = told_in_javascript([Ask(BOARD, HONEST.ledger.policy, ALL)])
    assert (told["status"], told["layers"]) == ("INCOMPLETE", [1, 2])
    assert "its laws are replayed by `truecup audit`" in told["message"]


def test_the_program_looks_for_the_record_of_a_board_beside_a_match(tmp_path: Any) -> None:
    policy = tmp_path / "policy.txt"
    policy.write_text(HONEST.ledger.policy)
    match = tmp_path / "match.cup"
    match.write_bytes(MATCHES[0])
    match.with_suffix(".access").write_bytes(HONEST.tables[FIRST].access)
    assert run(str(match), "--policy", str(policy)).returncode == 2
    (tmp_path / f"{RULES.id}.cup").write_bytes(BOARD)
    assert run(str(match), "--policy", str(policy)).returncode == 0


# ---- changed ---------------------------------------------------------------------------------------


def test_they_agree_on_changed_records_of_boards() -> None:
    found = agreed(list(mutants(1, MUTANTS, [events_of(BOARD)])))
    assert found.total() == MUTANTS
    assert found.keys() >= {"E_FORMAT", "E_ORDER", "OK"}


def test_they_agree_on_changed_records_of_their_matches() -> None:
    stories = [events_of(record) for record in MATCHES]
    changed = [replace(each, policy=None, board=BOARD) for each in mutants(2, MUTANTS, stories)]
    found = agreed(changed)
    assert found.total() == MUTANTS
    assert found.keys() >= {"E_FORMAT", "E_ORDER", "E_SLOT", "OK"}
    agreed([replace(each, board=None) for each in changed[::2]])


Forge = Callable[[list[Event]], None]


def _first(story: list[Event], kind: str) -> Event:
    return next(event for event in story if event["type"] == kind)


def _drop(kind: str) -> Forge:
    return lambda story: story.remove(_first(story, kind))


def _say(kind: str, **members: Any) -> Forge:
    return lambda story: _first(story, kind)["data"].update(members)


def _said_of_rules(**members: Any) -> Forge:
    return lambda story: story[0]["data"]["rules"].update(members)


def _put(before: str, kind: str, **data: Any) -> Forge:
    def forge(story: list[Event]) -> None:
        at = story.index(_first(story, before))
        story.insert(at, {**story[at], "type": kind, "data": data})

    return forge


def _show_sooner(story: list[Event]) -> None:
    story.remove(_first(story, "game.released"))


FORGED: dict[str, Forge] = {
    "no release": _show_sooner,
    "other line": _say("game.released", seq=2),
    "other board": _say("game.released", board="0" * 8 + RULES.id[8:]),
    "a seat gives up as it waits": _put("game.released", "game.forfeited", seat=1, reason="forfeit"),
    "a dealer of its own": _put("deal.shared", "deal.committed", deal=0, cups=[[1, 1, 1, 1]], root="0" * 64),
    "positions exchanged": _said_of_rules(board={"id": RULES.id, "positions": {"1": 2, "2": 1}}),
    "no clock": _said_of_rules(clock=None),
    "a deal a round": _said_of_rules(deal_per="round"),
    "stacks": _said_of_rules(stacks={"1": 1, "2": 1}),
    "another game": _said_of_rules(game="mexican"),
    "more of a board": _said_of_rules(board={"id": RULES.id, "positions": {"1": 1, "2": 2}, "more": 1}),
    "not shared": _drop("deal.shared"),
    "shared twice": _put(
        "cup.rolled", "deal.shared", deal=0, board=RULES.id, root="0" * 64, mix="0" * 64, head="0" * 64
    ),
    "the last round said again": _put("game.released", "game.last_round"),
}


@pytest.mark.parametrize("name", FORGED)
def test_they_agree_on_what_the_rules_say_to_a_forged_match(name: str) -> None:
    story = events_of(MATCHES[0])
    FORGED[name](story)
    record = b"".join(line + b"\n" for line in chained(json.loads(json.dumps(story))))
    judged_alike([Ask(record, None, ALL, board=board) for board in (BOARD, None)])


@pytest.mark.parametrize(
    "kind", ["match.created", "match.ended", "game.bid", "deal.shared", "tables.paired", "boards."]
)
def test_what_is_said_elsewhere_is_no_line_of_a_board(kind: str) -> None:
    story = [{**event, "type": kind} if place == 1 else event for place, event in enumerate(events_of(BOARD))]
    assert agreed([Ask(retold(story).record())]) == {"E_FORMAT": 1}
