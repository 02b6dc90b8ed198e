"""All three layers of an audit together, and what they come to (CUP/1 section 4.10).

Nothing here asks a server, reads a clock or needs a data folder: the record, a policy from elsewhere, and the domain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from msgspec import UNSET, Struct, UnsetType, to_builtins
from msgspec.structs import replace

from domain.audit import replay
from domain.audit.access_audit import Disclosure, judge, served_besides
from domain.audit.boards import replay_board
from domain.audit.rulings import ReplayResult
from domain.audit.seasons import replay_season
from domain.audit.signing.refused import Moment, RefusalComparison, hold_refusals
from domain.audit.tournaments import replay_tournament
from domain.fairness.audit import AuditReport, audit_lines
from domain.fairness.beacons import Beacons, SignatureCheck, check_signatures
from domain.fairness.faults import CODES
from domain.fairness.names import NamesFound, SeatName, check_names
from domain.fairness.records import RecordLine
from domain.fairness.shared import BOARD, SharedDeal
from domain.log.policies import NONE, Policy
from domain.log.receipts import Contradiction, ReceiptComparison, compare, is_of_command
from domain.seasons.counting import TournamentOutcome, outcome_of
from domain.tournaments.options import idle_options
from infra.keys import ed25519_verify
from services.audit.acts import EventFacts, facts_of_event
from services.audit.beacons import known_beacons
from services.audit.dutch import check_dutch
from services.audit.laws.lots import LotFacts, lot_facts
from services.audit.seasons.held import CountedTournament, counted_of
from services.audit.seeds import MATCH, Seeds, Void, keyless_of, seeds_of, voids_of
from services.audit.tables import (
    BoardRecord,
    MatchResult,
    TableRecord,
    WantedBoard,
    board_record,
    boards_of,
    results_of,
    shared_of,
    shares_dice,
    table_of,
)

LAYERS: Final = (1, 2, 3)
DICE: Final = 2
RULES: Final = 3
TOURNAMENT: Final = "tournament.created"
"""The first line of a tournament's record."""
SEASON: Final = "season.created"
"""The first line of a season's record."""


class Verdict(Struct, frozen=True):
    """What an audit found.

    Attributes:
        status: Whether no fault was found, one was, or something was not judged: the worst of the record, its access
            record and the receipts.
        layers: The layers that were checked.
        message: What was found, in a sentence.
        code: What is wrong; absent when nothing is. `E_ACCESS` is for whatever is wrong with the access record,
            `E_RECEIPT` for a receipt that contradicts the record, `E_NAMES` for a name that it does not commit to.
        line: Where, from 1, or 0 for the file as a whole; absent when nothing is wrong. It is a line of the access
            record where the code is `E_ACCESS`.
        anchored: Whether a log that the policy believes vouches for the record.
        witnessed: Whether the policy asks for witnesses; absent without one.
        head: The hash of the last line.
        deals: What is proved of each deal, by its number.
        seats: What is proved of each seat of a match that has or had a key, by its number; absent where none had one.
        misdated: The lines, from 1, whose time is more than a minute off the times of witnesses around them; absent
            where none is.
        keyless: The seats of a match that have no key; absent where layer 2 was not asked for.
        rules: What layer 3 found, in a sentence; absent where it was not asked for.
        seeds: Who drew the seeds.
        match: Which match it is the record of.
        beacons: Whether the signatures of the public beacons were checked; absent where no deal waited for one.
        alone: Where some deal waited for a beacon, the deals that had neither a beacon nor any seat's own seed.
        policy: What deals publish when they end: `all` dice, or those `shown`.
        seen: Who was served which hidden dice; absent where no access record was given.
        receipts: What receipts say to the record; absent where none were given.
        refusals: What refusals and commands that were kept say to it; absent where none were given.
        names: Whether people are called what the lines commit to; absent where no names were given.
        record: What the record comes to by itself, whatever lies beside it; absent where it is at fault.
        voids: The deals that were thrown away, in their order; absent where the record is at fault.
        tournament: Which tournament it is the record of; absent where it is of a match.
        results: What a tournament says of its matches, once all three layers are without fault.
        event: What a tournament says of officials and of what pairing cost, once it is without fault.
        lots: Which rolls of a tournament drew several rounds, or one that was taken back.
        earlier: The lines of a tournament, from 1, that follow from its laws as they were before they were mended.
        idle: The options of its rules that changed nothing, and are refused today.
        dutch: Whether rounds that a package has paired were worked out again; absent where none has.
        outcome: What a season sees of a tournament that is closed and without fault, where it is held for one.
        season: Which season it is the record of; absent where it is of anything else.
        counts: What a season says of tournaments, once all three layers are without fault.
        table: What a match at a table of a tournament says to that, once all three layers are without fault.
        boards: What a tournament asks of the records of its duplicate boards; absent where it has none.
        board: What the record of a duplicate board says, once all three layers are without fault.
        shared: Whether the dice of a match that shares them were held against the record of their board.
    """

    status: Literal["OK", "FAULT", "INCOMPLETE"]
    layers: tuple[int, ...]
    message: str
    code: str | UnsetType = UNSET
    line: int | UnsetType = UNSET
    anchored: bool | UnsetType = UNSET
    witnessed: bool | UnsetType = UNSET
    head: str | UnsetType = UNSET
    deals: dict[str, Any] | UnsetType = UNSET
    seats: dict[str, Any] | UnsetType = UNSET
    misdated: list[int] | UnsetType = UNSET
    keyless: tuple[int, ...] | UnsetType = UNSET
    rules: str | UnsetType = UNSET
    seeds: Seeds | UnsetType = UNSET
    match: str | UnsetType = UNSET
    beacons: Literal["checked", "unchecked"] | UnsetType = UNSET
    alone: tuple[int, ...] | UnsetType = UNSET
    policy: str | UnsetType = UNSET
    seen: Disclosure | UnsetType = UNSET
    receipts: ReceiptComparison | UnsetType = UNSET
    refusals: RefusalComparison | UnsetType = UNSET
    names: NamesFound | UnsetType = UNSET
    record: Literal["OK", "INCOMPLETE"] | UnsetType = UNSET
    voids: tuple[Void, ...] | UnsetType = UNSET
    tournament: str | UnsetType = UNSET
    results: tuple[MatchResult, ...] | UnsetType = UNSET
    table: TableRecord | UnsetType = UNSET
    dutch: Literal["checked", "unchecked"] | UnsetType = UNSET
    event: EventFacts | UnsetType = UNSET
    lots: LotFacts | UnsetType = UNSET
    earlier: tuple[int, ...] | UnsetType = UNSET
    idle: tuple[str, ...] | UnsetType = UNSET
    outcome: TournamentOutcome | UnsetType = UNSET
    season: str | UnsetType = UNSET
    counts: tuple[CountedTournament, ...] | UnsetType = UNSET
    boards: tuple[WantedBoard, ...] | UnsetType = UNSET
    board: BoardRecord | UnsetType = UNSET
    shared: Literal["checked", "unchecked"] | UnsetType = UNSET


class Evidence(Struct, frozen=True):
    """What may be given along with a record.

    Attributes:
        access: Its access record; None without one.
        receipts: Receipts and refusals of its stream, as the notes they are, and commands that were kept.
        board: The record of the board whose dice it shares; None without one.
        names: What people are called, by a file of names; None without one.
    """

    access: bytes | None = None
    receipts: tuple[str, ...] = ()
    board: bytes | None = None
    names: tuple[SeatName, ...] | None = None


NOTHING_BESIDE: Final = Evidence()
NO_ACCESS: Final = "no access record was given, so who saw which hidden dice was not judged"


def verdict_of(
    record: bytes,
    policy: Policy | None,
    layers: tuple[int, ...] = LAYERS,
    known: Beacons | None = None,
    beside: Evidence = NOTHING_BESIDE,
) -> Verdict:
    """Return what an audit of this record finds.

    Args:
        record: The record file.
        policy: Whom to believe about the log; without one it is not judged.
        layers: Which layers to check: 1, or 1 and 2, or all three.
        known: The public beacons that count; None for those known here.
        beside: What was given along with it. With all three layers nothing anchored is fair without an access record.

    Cost: linear in the record; layer 3 costs about what playing the match cost the server.
    """
    known = known or known_beacons()
    lower = tuple(layer for layer in layers if layer != RULES)
    shared = shared_of(record, beside.board, policy, known.chains)
    audited = audit_lines(record, policy, ed25519_verify, lower, known.chains, None if shared is None else shared.dice)
    verdict = _verdict_of_layers(audited.report, lower)
    if verdict.status == "FAULT":
        return verdict
    signatures = check_signatures(audited.lines, known) if DICE in layers else None
    verdict = _with_beacons(_with_facts(verdict, audited.lines, policy), audited.lines, signatures)
    if verdict.status == "FAULT":
        return verdict
    if audited.lines[0].kind in {TOURNAMENT, SEASON, BOARD}:
        return _with_laws(verdict, audited.lines, audited.raw, layers)
    verdict, ruling = _with_shared(verdict, audited.lines, shared), ReplayResult(judged=False)
    moments: dict[int, Moment] | None = {} if DICE in layers and any(map(is_of_command, beside.receipts)) else None
    if RULES in layers:
        ruling = replay.replay(list(audited.lines), shared, audited.raw, moments)
        verdict = _with_rules(verdict, audited.lines, ruling)
    if verdict.status == "FAULT":
        return verdict
    whole = replace(verdict, table=table_of(audited.lines, ruling, verdict.seats), record=verdict.status)
    return _with_evidence(whole, audited.raw, ruling, policy, beside, moments)


def _with_shared(verdict: Verdict, lines: Sequence[RecordLine], shared: SharedDeal | None) -> Verdict:
    """Return the verdict with whether the dice of a match were held against those of its board, if it has one."""
    if not shares_dice(lines):
        return verdict
    return replace(verdict, shared="unchecked" if shared is None else "checked")


def _with_facts(verdict: Verdict, lines: Sequence[RecordLine], policy: Policy | None) -> Verdict:
    """Return the verdict with what its lines say of the match: whose it is, who drew seeds, what was voided."""
    first = lines[0].data
    match, kept = (str(first.get(name, "")) for name in ("match", "policy"))
    witnessed = UNSET if policy is None else policy.quorum != NONE
    event = str(first["tournament"]) if lines[0].kind == TOURNAMENT else UNSET
    season = str(first["season"]) if lines[0].kind == SEASON else UNSET
    keyed = {} if verdict.seats is UNSET else verdict.seats
    keyless = keyless_of(lines, keyed) if DICE in verdict.layers and lines[0].kind == MATCH else UNSET
    verdict = replace(verdict, tournament=event, season=season, keyless=keyless)
    return replace(verdict, seeds=seeds_of(lines), match=match, policy=kept, witnessed=witnessed, voids=voids_of(lines))


# ---- what lies beside the record ------------------------------------------------------------------


def _with_evidence(
    verdict: Verdict,
    raw: Sequence[bytes],
    ruling: ReplayResult,
    policy: Policy | None,
    beside: Evidence,
    moments: dict[int, Moment] | None,
) -> Verdict:
    """Return the verdict on a record without fault with what lies beside it: one status, the worst of all.

    Source: CUP/1 section 4.10, beside the record.
    """
    if beside.receipts:
        verdict = replace(verdict, receipts=compare(raw, beside.receipts, policy, ed25519_verify))
    if moments is not None:
        held = hold_refusals(raw, moments, beside.receipts, policy, ed25519_verify)
        verdict = replace(verdict, refusals=held)
    # An access record is held against the rules, since only they tell who may know what.
    if beside.access is not None:
        verdict = replace(verdict, seen=judge(beside.access, raw, ruling, policy, ed25519_verify))
    if beside.names is not None and verdict.match is not UNSET:
        verdict = replace(verdict, names=check_names(verdict.match, raw, beside.names))
    return _verdict_if_contradicted(verdict, policy) or _lacking(verdict, policy)


def _verdict_if_contradicted(verdict: Verdict, policy: Policy | None) -> Verdict | None:
    """Return the verdict on a record that something beside it stands against; None if nothing does."""
    against = contradictions(verdict)
    if policy is not None and against:
        first, note = against[0]
        why = f"{first.why} ({note} {first.number})"
        return replace(verdict, status="FAULT", message=why, code="E_RECEIPT", line=first.line)
    seen, names = verdict.seen, verdict.names
    if seen is UNSET or seen.status != "FAULT":
        if names is UNSET or names.line is None:
            return None
        why = "a name is told that the record does not commit to"
        return replace(verdict, status="FAULT", message=why, code="E_NAMES", line=names.line)
    line = UNSET if seen.line is None else seen.line
    why = f"its access record is at fault: {seen.message}"
    return replace(verdict, status="FAULT", message=why, code="E_ACCESS", line=line)


def contradictions(verdict: Verdict) -> list[tuple[Contradiction, str]]:
    """Return what speaks against the record of what the server signed, in the order of the lines, and what it is."""
    receipts = () if verdict.receipts is UNSET else verdict.receipts.contradicted
    refusals = () if verdict.refusals is UNSET else verdict.refusals.contradicted
    found = [*((each, "receipt") for each in receipts), *((each, "refusal") for each in refusals)]
    return sorted(found, key=lambda each: each[0].line)


def _lacking(verdict: Verdict, policy: Policy | None) -> Verdict:
    """Return the verdict with what nobody could judge, and with dice that went to somebody without a seat."""
    lacks: list[str] = []
    if verdict.seen is UNSET:
        if verdict.anchored is True and RULES in verdict.layers:
            lacks.append(f"but {NO_ACCESS}")
    elif verdict.seen.status == "INCOMPLETE":
        lacks.append(f"but {verdict.seen.message}")
    if policy is None and contradictions(verdict):
        lacks.append("but receipts speak against it, and without a policy nobody can say whose they are")
    besides = [] if verdict.seen is UNSET or lacks else [served_besides(verdict.seen.noticed)]
    message = "; ".join(filter(None, (verdict.message, *lacks, *besides)))
    return replace(verdict, status="INCOMPLETE" if lacks else verdict.status, message=message)


def _with_beacons(verdict: Verdict, lines: Sequence[RecordLine], found: SignatureCheck | None) -> Verdict:
    """Return the verdict with what became of the beacons' signatures.

    Layers 1 and 2 let one deal wait for a beacon and the next for none; that the rules ask for it in all is layer 3's.
    """
    if found is None:
        return verdict
    if found.line is not None:
        why = f"{CODES['E_BEACON']}: the beacon's key did not make this signature"
        return Verdict("FAULT", verdict.layers, why, "E_BEACON", found.line)
    spoken = {line.data["deal"] for line in lines if line.kind == "deal.ready" and line.data["beacon"] is not None}
    unseeded = () if verdict.seeds is UNSET else verdict.seeds.unseeded
    alone = tuple(deal for deal in unseeded if deal not in spoken)
    return replace(verdict, beacons="checked" if found.checked else "unchecked", alone=alone)


def _verdict_of_layers(report: AuditReport, layers: tuple[int, ...]) -> Verdict:
    """Return the verdict of layers 1 and 2."""
    found = {name: value for name, value in to_builtins(report).items() if value is not None}
    return Verdict(layers=layers, **found)


def _with_rules(verdict: Verdict, lines: Sequence[RecordLine], ruling: ReplayResult) -> Verdict:
    """Return the verdict with what the rules of the game say to it."""
    if not ruling.judged:
        return replace(verdict, status="INCOMPLETE", message=f"{ruling.why}; {verdict.message}", rules=ruling.why)
    layers = (*verdict.layers, RULES)
    if ruling.line is not None:
        return Verdict("FAULT", layers, f"{CODES[ruling.code]}: {ruling.why}", ruling.code, ruling.line)
    if verdict.status == "OK" and ruling.upto < lines[-1].number:
        why = f"{verdict.message}; but the rules could be replayed only up to line {ruling.upto}: {ruling.why}"
        return replace(verdict, status="INCOMPLETE", layers=layers, message=why, rules=ruling.why)
    return replace(verdict, layers=layers, rules=ruling.why)


def _with_laws(verdict: Verdict, lines: Sequence[RecordLine], raw: Sequence[bytes], layers: tuple[int, ...]) -> Verdict:
    """Return the verdict on a record of a tournament or a season with what its laws say; no hidden dice are in it."""
    if RULES not in layers:
        return replace(verdict, record=_as_record(verdict))
    if verdict.season is not UNSET:
        return _with_counts(verdict, verdict.season, lines)
    if lines[0].kind == BOARD:
        return _with_board(verdict, lines)
    ruling = replay_tournament(lines, raw, ed25519_verify)
    judged = (*verdict.layers, RULES)
    if ruling.code is not None:
        assert ruling.line is not None, "a fault is somewhere"
        return Verdict("FAULT", judged, f"{CODES[ruling.code]}: {ruling.why}", ruling.code, ruling.line)
    again = check_dutch(ruling.packaged)
    if again.line is not None:
        why = f"{CODES['E_PAIRING']}: the package comes to other tables"
        return Verdict("FAULT", judged, why, "E_PAIRING", again.line)
    dutch = ("unchecked" if again.unchecked else "checked") if ruling.packaged else UNSET
    verdict = replace(verdict, layers=judged, rules=ruling.why, results=results_of(ruling), dutch=dutch)
    verdict = replace(verdict, boards=boards_of(ruling) or UNSET)
    verdict = replace(verdict, event=facts_of_event(lines[: ruling.upto]))
    verdict = replace(verdict, lots=lot_facts(lines[: ruling.upto]), earlier=ruling.earlier or UNSET)
    if verdict.status == "OK" and ruling.upto < lines[-1].number:
        why = f"{verdict.message}; but the laws could be replayed only up to line {ruling.upto}: {ruling.why}"
        verdict = replace(verdict, status="INCOMPLETE", message=why)
    verdict = replace(verdict, record=_as_record(verdict))
    assert ruling.tournament is not None, "nothing is wrong with it"
    idle = tuple(name for name, _ in idle_options(ruling.tournament.rules))
    verdict = replace(verdict, idle=idle or UNSET)
    assert verdict.head is not UNSET, "it has a last line"
    held_for_season = verdict.record == "OK" and ruling.tournament.rules.season is not None
    return replace(verdict, outcome=outcome_of(ruling.tournament, verdict.head)) if held_for_season else verdict


def _with_counts(verdict: Verdict, season: str, lines: Sequence[RecordLine]) -> Verdict:
    """Return the verdict on a season's record with what its laws say to it."""
    ruling = replay_season(lines)
    judged = (*verdict.layers, RULES)
    if ruling.code is not None:
        assert ruling.line is not None, "a fault is somewhere"
        return Verdict("FAULT", judged, f"{CODES[ruling.code]}: {ruling.why}", ruling.code, ruling.line)
    counts = counted_of(ruling, season, lines[0].data["rules"])
    verdict = replace(verdict, layers=judged, rules=ruling.why, counts=counts)
    return replace(verdict, record=_as_record(verdict))


def _with_board(verdict: Verdict, lines: Sequence[RecordLine]) -> Verdict:
    """Return the verdict on the record of a board with what the laws say to it; no hidden dice are served from it."""
    ruling, judged = replay_board(lines), (*verdict.layers, RULES)
    if ruling.line is not None:
        return Verdict("FAULT", judged, f"{CODES['E_RULES']}: {ruling.why}", "E_RULES", ruling.line)
    verdict = replace(verdict, layers=judged, rules=ruling.why, board=board_record(lines))
    if verdict.status == "OK" and ruling.upto < lines[-1].number:
        why = f"{verdict.message}; but the laws could be replayed only up to line {ruling.upto}: {ruling.why}"
        verdict = replace(verdict, status="INCOMPLETE", message=why)
    return replace(verdict, record=_as_record(verdict))


def _as_record(verdict: Verdict) -> Literal["OK", "INCOMPLETE"]:
    return "OK" if verdict.status == "OK" else "INCOMPLETE"
