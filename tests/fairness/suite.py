"""Everything an auditor is asked in the mutation run, and what it answers: records, policies, texts, values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from domain.fairness.beacons import Beacons, Chain
from domain.fairness.records import events_of
from domain.log import merkle
from domain.log.notes import ED25519, Key
from infra.keys import ed25519_verify
from tests.fairness import single_faults, test_audit
from tests.fairness.mutants import Modules
from tests.fairness.scripted_server import POLICY_TEXT, Story
from tests.fairness.shared_records import Dice, shared_records
from tests.fairness.signed_lies import signed_records
from tests.fairness.sole_checks import records_of_seasons, records_of_tournaments
from tests.log import test_canonical, test_checkpoints, test_notes, test_policies, test_proofs

VECTORS = Path(__file__).parent / "vectors"
PUBLISHED_POLICY = (VECTORS / "policy.txt").read_text(encoding="utf-8")
SIGNED_POLICY = (VECTORS / "seat_keys_policy.txt").read_text(encoding="utf-8")
NODE = bytes(32)
verify = lru_cache(maxsize=None)(ed25519_verify)
"""Checks Ed25519; what one mutant has asked, the next need not ask again."""


class Case(Struct, frozen=True):
    """A question: the function it is put to, and what it is given."""

    name: str
    module: str
    function: str
    given: tuple[Any, ...]


def answered(case: Case, modules: Modules) -> str:
    """Return what these modules say, without the words of it; the name of the exception if they stumble."""
    try:
        if case.function == "audit":
            return _audited(modules, *case.given)
        if case.function == "audit_lines":
            return _audited_with_board(modules, *case.given)
        return repr(getattr(modules[f"domain.{case.module}"], case.function)(*case.given))
    except Exception as error:  # noqa: BLE001 - a mutant may stumble over anything
        return type(error).__name__


def _audited(modules: Modules, record: bytes, text: str | None, layers: tuple[int, ...]) -> str:
    policy = None if text is None else modules["domain.log.policies"].policy_of(text)
    found = msgspec.to_builtins(modules["domain.fairness.audit"].audit(record, policy, verify, layers))
    return repr({name: value for name, value in found.items() if name != "message"})


def _audited_with_board(modules: Modules, record: bytes, said: Dice | None) -> str:
    dealing, deal = modules["domain.fairness.dealing"], modules["domain.fairness.deal"]
    shared = None
    if said is not None:
        board, number, cups, *hashes, head = said
        ctx, root, mixed = (bytes.fromhex(each) for each in hashes)
        shared = dealing.SharedDice(board, number, tuple(deal.Cup(*row) for row in cups), ctx, root, mixed, head)
    found = modules["domain.fairness.audit"].audit_lines(record, None, verify, shared=shared).report
    return repr({name: value for name, value in msgspec.to_builtins(found).items() if name != "message"})


def cases() -> list[Case]:
    """Return all questions, the quick ones first."""
    return [*_texts(), *_values(), *_heard(), *_proved(), *_forged(), *_shared(), *_published()]


# ---- records ------------------------------------------------------------------------------------


def audited(name: str, file: bytes, policy: str | None = POLICY_TEXT, layers: tuple[int, ...] = (1, 2)) -> Case:
    return Case(name, "fairness.audit", "audit", (file, policy, layers))


def _shared() -> Iterable[Case]:
    for name, record, said in shared_records():
        yield Case(name, "fairness.audit", "audit_lines", (record, said))


def _published() -> Iterable[Case]:
    for path in sorted(VECTORS.glob("bundles/*.cup"), key=lambda path: path.stat().st_size):
        yield audited(path.stem, path.read_bytes(), PUBLISHED_POLICY)
    for path in sorted(VECTORS.glob("seat_keys/*.cup"), key=lambda path: path.stat().st_size):
        yield audited(path.stem, path.read_bytes(), SIGNED_POLICY)


def _forged() -> Iterable[Case]:
    lies = {name: story for name, (story, _) in test_audit.LIES.items()}
    for name, story in {**test_audit.OUT_OF_TURN, **test_audit.MALFORMED, **lies}.items():
        yield audited(name, story.record())
    for file in _parameters(test_audit.test_a_file_that_is_no_record_is_at_fault_as_a_whole):
        yield audited("a file that is no record", file)
    for name, record, policy, layers in single_faults.records():
        yield audited(name, record, policy, layers)
    for ask in (*records_of_tournaments(), *records_of_seasons(), *signed_records()):
        yield audited("a tournament, a season or signed", ask.record, ask.policy, ask.layers)
    yield audited("layer 1 alone", Story().created().logged().record(), layers=(1,))


def _answer(signed: bool, _chain: object, _number: int, _signature: bytes) -> bool:  # noqa: FBT001 - bound by partial
    return signed


def _heard() -> Iterable[Case]:
    lines = [line for line in events_of((VECTORS / "bundles/ok-beacon.cup").read_bytes()) if line.kind == "deal.ready"]
    chains = {line.data["beacon"]["chain"]: Chain(0, 3) for line in lines}
    for signed in (True, False):
        known = Beacons(chains, partial(_answer, signed))
        yield Case("what a beacon said", "fairness.beacons", "check_signatures", (lines, known))


def _proved() -> Iterable[Case]:
    record = (VECTORS / "bundles/ok-liars.cup").read_bytes()
    shown = next(line.data for line in events_of(record) if line.kind == "cup.revealed")
    others = [[slot, value ^ 1] for slot, value in shown["values"]]
    for opening in (shown, {**shown, "values": others}, {**shown, "deal": 7}):
        yield Case("dice that are proved", "fairness.proving", "prove_opening", (record, opening))
    for name, alone, said in shared_records():
        if name == "a match, without its board" and said is None:
            mine = next(line.data for line in events_of(alone) if line.kind == "cup.revealed")
            yield Case("dice of a board", "fairness.proving", "prove_opening", (alone, mine))


# ---- what stands in them ------------------------------------------------------------------------


def _parameters(test: Callable[..., None]) -> list[Any]:
    """Return what another test gives its examples."""
    return next(mark.args[1] for mark in test.pytestmark if mark.name == "parametrize")  # type: ignore[attr-defined]


def _replaced(test: Callable[..., None], text: str) -> list[str]:
    return [text, *(text.replace(what, instead) for what, instead in _parameters(test))]


def _texts() -> Iterable[Case]:
    asked: dict[tuple[str, str], list[Any]] = {
        ("log.notes", "parse"): [test_notes.EXAMPLE, *_parameters(test_notes.test_anything_else_is_no_note)],
        ("log.notes", "key_of"): [test_notes.EXAMPLE_KEY, *_parameters(test_notes.test_anything_else_is_no_key)],
        ("log.policies", "policy_of"): [
            test_policies.NESTED,
            *_parameters(test_policies.test_anything_else_is_no_policy),
            "\n".join(f"log {Key(str(at), ED25519, at.to_bytes(32))}" for at in range(257)) + "\nquorum none",
        ],
        ("log.policies", "parse"): [b"quorum none\n#\xff"],
        ("log.checkpoints", "checkpoint_of"): _replaced(
            test_checkpoints.test_anything_else_is_no_checkpoint, test_checkpoints.PLAIN
        ),
        ("log.checkpoints", "decimal"): [str(2**63 - 1), str(2**63), "9" * 20, "9" * 5_000, "-1", "\u0664", ""],
        ("log.checkpoints", "hash_of"): ["AAAA", "A" * 43 + "="],
        ("log.proofs", "inclusion_of"): _replaced(
            test_proofs.test_anything_else_is_no_inclusion_proof, test_proofs.GOOD
        ),
        ("log.proofs", "consistency_of"): _replaced(
            test_proofs.test_anything_else_is_no_consistency_proof, test_proofs.GROWN
        ),
        ("log.canonical", "decode"): [bad.encode() for bad in test_canonical.VECTORS["bad"]]
        + [b"\xff", b"[]", b'{"a":[' + b"[" * 63 + b"]" * 63 + b"]}", b'{"a":"' + b"x" * 65_530 + b'"}'],
    }
    for (module, function), texts in asked.items():
        yield from (Case(f"{function} {text[:40]!r}", module, function, (text,)) for text in texts)


def _values() -> Iterable[Case]:
    for value in _parameters(test_canonical.test_a_value_outside_the_profile_has_no_line):
        yield Case(f"the line of {value!r}", "log.canonical", "encode", (value,))
    for value in ([2**53], test_canonical.nested(65), "x" * 65_534, {"b": 1, "a": [True, None, "é"]}):
        yield Case("the line of a value", "log.canonical", "encode", (value,))
    for m in (-1, 0, 1, 6, 256, 257):
        yield Case(f"one of {m}", "fairness.sampling", "sample", (range(256), m))
    pair, root = (NODE, NODE[::-1] + b""), merkle.node_hash(NODE, NODE)
    for size, index, leaf, path in (
        (2, 0, NODE, [NODE]), (2, 1, NODE, [NODE]), (2, 2, NODE, [NODE]), (2, -1, NODE, [NODE]), (0, 0, NODE, []),
        (2, 0, NODE, []), (2, 0, NODE, [*pair]), (1, 0, root, []), (2, 0, root, [NODE]),
    ):  # fmt: skip
        yield Case(f"{index} of {size}", "log.merkle", "includes", (root, size, index, leaf, path))
    yield Case("a leaf that is no hash", "log.merkle", "includes", (NODE * 2, 1, 0, NODE * 2, []))
    for old, old_root, new, proof in (
        (0, NODE, 2, []), (0, root, 2, []), (-1, NODE, 2, []), (3, NODE, 2, []), (2, root, 2, []), (2, NODE, 2, []),
        (2, root, 2, [NODE]), (1, NODE, 2, [NODE]), (1, root, 2, [NODE]), (1, NODE, 2, []), (1, NODE, 2, [NODE] * 2),
        (1, NODE, 2, [root]), (1, root, 1, []), (0, root, 0, []),
    ):  # fmt: skip
        yield Case(f"{old} before {new}", "log.merkle", "extends", (old, old_root, new, root, proof))
