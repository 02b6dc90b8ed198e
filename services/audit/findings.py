"""What an audit comes to, in sentences: what was proved, what was not, and what nobody can prove.

Every report says the same, on a terminal, on a page or in a file: the sentences are made here, once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import UNSET, Struct

from services.audit.verdict import RULES, Verdict, Void

DICE = 2


class Findings(Struct, frozen=True):
    """The sentences about one record; after a fault only the headline, since nothing behind it was looked at.

    Attributes:
        headline: The verdict in a few words, with code and line of a fault.
        proved: What is beyond doubt.
        unproved: What is not, and why.
        noticed: What is no fault, and worth knowing.
        possible: What the server could have done in spite of it all.
    """

    headline: str
    proved: tuple[str, ...] = ()
    unproved: tuple[str, ...] = ()
    noticed: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()


def findings(verdict: Verdict, *, judged_log: bool) -> Findings:
    """Return what to say about a verdict.

    Args:
        verdict: What the audit found.
        judged_log: Whether a policy said whom to believe about the log.
    """
    if verdict.record is UNSET:
        return Findings(f"FAULT {verdict.code} {_where(verdict.line)}")
    return Findings(
        _contradiction(verdict) or _headline(verdict),
        tuple(_proved(verdict)),
        tuple(_unproved(verdict, judged_log=judged_log)),
        tuple(_noticed(verdict)),
        tuple(_possible(verdict)),
    )


def _where(line: object) -> str:
    return f"in line {line}" if line else "in the file as a whole"


def _headline(verdict: Verdict) -> str:
    unjudged = verdict.rules is not UNSET and RULES not in verdict.layers
    return f"{verdict.status}: who won was not checked" if unjudged else verdict.status


def _contradiction(verdict: Verdict) -> str:
    """Return what stands against a record that holds in itself; nothing if nothing does."""
    if verdict.code == "E_RECEIPT" and verdict.receipts is not UNSET:
        first = verdict.receipts.contradicted[0]
        return f"FAULT E_RECEIPT in line {first.line}: {first.why} (receipt {first.number})"
    if verdict.seen is not UNSET and verdict.seen.status == "FAULT":
        return f"FAULT {verdict.seen.code} {_where(verdict.seen.line)} of its access record: {verdict.seen.message}"
    return ""


def _proved(verdict: Verdict) -> Iterator[str]:
    yield f"each line follows the one before it; the last has the hash {verdict.head}"
    if verdict.anchored is True:
        yield _anchoring(verdict)
    if DICE in verdict.layers:
        deals, voids = _deals(verdict), _voids(verdict)
        shown = sum(len(deal.get("values", ())) for deal in deals.values())
        told = f"{_count(len(deals), 'deal')} ({len(voids)} voided)"
        yield f"all {shown} dice that were shown, in {told}, follow from what was fixed before"
    if verdict.beacons == "checked":
        yield "the public beacon signed what the dice were mixed with, after all seeds were open"
    if RULES in verdict.layers and verdict.record == "OK":
        yield str(verdict.rules)
    # Without a policy nobody's signature is judged, so a receipt is nobody's word.
    if verdict.receipts is not UNSET and verdict.receipts.borne_out and verdict.witnessed is not UNSET:
        yield f"{_count(verdict.receipts.borne_out, 'receipt')} of the server's bear it out, up to their lines"
    if verdict.seen is not UNSET and verdict.seen.status == "OK":
        others = "" if verdict.seen.noticed else ", and nobody any others"
        yield f"on record, each seat was served the hidden dice that the rules let it know{others}"
    for viewer, seen in {} if verdict.seen is UNSET else verdict.seen.viewers.items():
        dice, rolls = _count(seen.dice, "hidden die", "hidden dice"), _count(seen.rolls, "roll")
        yield f"on record, {viewer} was served {dice} of {rolls}"


def _anchoring(verdict: Verdict) -> str:
    """Return what the log's word is worth: without witnesses it is the operator's; before the end, not for the end."""
    if verdict.record != "OK":
        return (
            "the log that the policy names held each deal before its seeds were opened; not yet the end of the record"
        )
    if verdict.witnessed is True:
        return "the log vouches for every line of it, and the witnesses that the policy asks for saw that log grow"
    return "the log that the policy names vouches for every line of it"


def _unproved(verdict: Verdict, *, judged_log: bool) -> Iterator[str]:
    yield from _unlogged(verdict, judged_log=judged_log)
    if DICE not in verdict.layers:
        yield "where the dice came from: layer 2 was not asked for"
    if RULES not in verdict.layers:
        yield "that the rules were kept: " + (
            str(verdict.rules) if verdict.rules is not UNSET else "layer 3 was not checked"
        )
    elif verdict.record == "INCOMPLETE":
        yield f"the end: {verdict.rules}"
    if verdict.beacons == "unchecked":
        yield "the beacon's signature: it takes truecup with its extra, truecup[beacon]"
    if verdict.policy == "shown":
        yield "dice that were never shown: they stay secret, and `truecup prove` checks any single one that is opened"
    yield from _unseen(verdict)
    yield "that players did not talk to each other behind the table"


def _unseen(verdict: Verdict) -> Iterator[str]:
    """Yield what nobody can tell of who saw which hidden dice."""
    if verdict.seen is UNSET and verdict.rules is UNSET:
        yield "who saw which hidden dice: only the rules tell who may know them, and layer 3 was not asked for"
        return
    if verdict.seen is UNSET:
        yield "who saw which hidden dice: no access record was given (see --access)"
        return
    if verdict.seen.status == "INCOMPLETE":
        yield f"who saw which hidden dice: {verdict.seen.message}"
    yield (
        "that nobody else saw them: an access record proves what the operator wrote into it, and a leak that was not "
        "written down leaves no trace"
    )


def _unlogged(verdict: Verdict, *, judged_log: bool) -> Iterator[str]:
    """Yield what the log does not vouch for."""
    if not judged_log:
        yield "that the log vouches for it: no policy says whose log to believe (see --policy)"
    elif verdict.anchored is not True:
        yield "that the log vouches for it: the record has no proof of it"
    elif verdict.witnessed is False:
        yield "that others were not shown another history: the policy asks for no witness (keep your receipts)"
    elif verdict.record == "INCOMPLETE":
        yield "that others were not shown another end"


def _noticed(verdict: Verdict) -> Iterator[str]:
    if verdict.seen is not UNSET:
        for each in verdict.seen.noticed:
            yield f"{each.viewer} has no seat and was served hidden dice, in line {each.line} of the access record"
    if verdict.receipts is not UNSET and verdict.receipts.strange:
        strange = len(verdict.receipts.strange)
        yield f"{_count(strange, 'receipt')} proved nothing: signed by nobody the policy believes, or malformed"
    if verdict.receipts is not UNSET and verdict.witnessed is UNSET:
        yield "nobody can say whose the receipts are: no policy says whose signature to believe (see --policy)"
    if verdict.receipts is not UNSET and verdict.receipts.later:
        yield f"{_count(verdict.receipts.later, 'receipt')} of lines that the record does not reach yet"
    if verdict.seeds is not UNSET and verdict.seeds.reused:
        yield f"{_seats(verdict.seeds.reused)} gave one seed in two deals: whoever saw it once knew it the second time"
    for void in _voids(verdict):
        yield voided(void)


def voided(void: Void) -> str:
    """Return what an audit may say of a deal that was thrown away.

    The record cannot show what the server was sent and did not write, so never that nobody had seen a die of it.
    Source: CUP/1 section 4.8.
    """
    if not void.logged:
        return f"deal {void.deal} was voided before the log had it"
    seats = f"{_seats(void.seats)} {'is' if len(void.seats) == 1 else 'are'} said to have withheld"
    seeds = ("its seed", "that seed") if len(void.seats) == 1 else ("their seeds", "those seeds")
    return (
        f"deal {void.deal} was voided after the log had it; {seats} {seeds[0]}; whoever had the secret of the deal and "
        f"{seeds[1]} could know the dice that were thrown away"
    )


def _possible(verdict: Verdict) -> Iterator[str]:
    yield "see the hidden dice while they were hidden, and tell others what it saw"
    if verdict.seeds is UNSET or not (verdict.seeds.own or verdict.seeds.server):
        return
    own, server, unseeded = verdict.seeds.own, verdict.seeds.server, verdict.seeds.unseeded
    if not own:
        yield "choose the dice, before anything was logged: it drew the seeds of all seats, and nobody else had a say"
        return
    if unseeded:
        deals = f"deal{'s' if len(unseeded) > 1 else ''} {_listed(unseeded)}"
        yield f"choose the dice of {deals}: it drew the seeds of all seats there, and nobody else had a say"
    die = "a die of any other deal" if unseeded else "a die"
    if server:
        yield f"not choose {die}, unless {_helpers(own)} helped it; for {_seats(server)} it drew seeds"
    else:
        told = "the record says that every seat drew its own seed"
        yield f"not choose {die}, unless all seats of its deal helped it: {told}"


def _helpers(own: Sequence[int]) -> str:
    """Return without whom no die could be chosen; not every one of several seats need be in every deal."""
    if len(own) == 1:
        return f"{_seats(own)}, of which the record says that it drew its own seed,"
    return f"all of {_seats(own)} that drew their own seed for its deal, as the record says,"


def _seats(seats: Sequence[int]) -> str:
    return f"seat{'s' if len(seats) > 1 else ''} {_listed(seats)}"


def _listed(numbers: Sequence[int]) -> str:
    *others, last = map(str, numbers)
    return f"{', '.join(others)} and {last}" if others else last


def _count(number: int, noun: str, nouns: str = "") -> str:
    return f"{number} {noun if number == 1 else nouns or noun + 's'}"


def _deals(verdict: Verdict) -> dict[str, Any]:
    return verdict.deals if isinstance(verdict.deals, dict) else {}


def _voids(verdict: Verdict) -> tuple[Void, ...]:
    return () if verdict.voids is UNSET else verdict.voids
