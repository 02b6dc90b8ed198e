"""Findings of an audit in sentences: what was proved, what was not, what is worth knowing, what nobody can prove.

The sentences stand in the catalogue; here is which of them a verdict comes to. `services/web/static/words/audited.js`
chooses the same headline and findings for what the auditor of the pages finds, and a test holds the two against each
other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal

from msgspec import UNSET, Struct

from services.audit.acts import EventFacts, act_sentences, appeal_sentences, gap_sentence, recovery_sentences
from services.audit.laws.sentences import earlier_sentence, idle_sentence, lot_sentences
from services.audit.people.sentences import name_sentences
from services.audit.receipts import told_of_notes
from services.audit.seasons.sentences import season_powers, season_sentences
from services.audit.seeds import Seeds, Void, numbered, own_seeds_words, seat_facts, signing_sentences
from services.audit.verdict import DICE, RULES, Verdict
from services.words.catalogue import CATALOGUE, Facts, count_noun, join_names, say

Mark = Literal["yes", "no", "open", "note"]

NAMED_MAX: Final = 3
"""How many of those a sentence names to whom hidden dice went, and who have no seat."""
ACCESS: Final = "E_ACCESS"


class Finding(Struct, frozen=True):
    """One thing an audit looked at.

    Attributes:
        mark: Whether it is proved (`yes`), at fault (`no`), not proved (`open`), or no fault and worth knowing
            (`note`).
        text: A sentence.
    """

    mark: Mark
    text: str


class Findings(Struct, frozen=True):
    """The sentences about one record; after a fault in it the headline, and that nothing behind was looked at.

    Attributes:
        status: The verdict in a few words, with code and line of a fault.
        mark: What it comes to.
        title: The headline for people.
        text: What the headline means.
        findings: What was looked at, in order.
        seeds: Who drew the seeds; None where nobody can say.
        served: How many hidden dice each viewer was served, on record.
        possible: What the server could have done in spite of it all.
    """

    status: str
    mark: Mark = "open"
    title: str = ""
    text: str = ""
    findings: tuple[Finding, ...] = ()
    seeds: Finding | None = None
    served: tuple[Finding, ...] = ()
    possible: tuple[str, ...] = ()

    def marked(self, mark: Mark) -> tuple[str, ...]:
        """Return the sentences with this mark."""
        return tuple(each.text for each in self.findings if each.mark == mark)


def findings(verdict: Verdict, *, judged_log: bool) -> Findings:
    """Return what to say about a verdict.

    Args:
        verdict: What the audit found.
        judged_log: Whether a policy said whom to believe about the log.
    """
    facts = _facts(verdict)
    head = (say(CATALOGUE["audit"]["status"], facts), *_headline(verdict, facts))
    if verdict.record is UNSET:
        return Findings(*head, (Finding("open", CATALOGUE["audit"]["findings"]["behind"]),))
    lines = (_finding("yes", "chain"), *_log_findings(verdict, judged_log=judged_log))
    if verdict.season is not UNSET:
        told = (Finding("yes", each) for each in season_sentences(verdict.counts))
        return Findings(*head, (*lines, *told), possible=season_powers())
    looked_at = (
        *lines,
        *_dice_findings(verdict),
        *_signing_findings(verdict),
        *_rules_findings(verdict),
        *_note_findings(verdict),
        *_access_findings(verdict, facts),
        *(Finding(*each) for each in name_sentences(verdict.names)),
        _finding("open", "talk"),
    )
    seeds, served = _seeds_finding(verdict), tuple(_served_findings(verdict))
    return Findings(*head, looked_at, seeds, served, powers(verdict))


def _finding(mark: Mark, key: str, **facts: str) -> Finding:
    return Finding(mark, say(CATALOGUE["audit"]["findings"][key], facts))


def _facts(verdict: Verdict) -> Facts:
    """Return the arguments of headlines."""
    code = "" if verdict.code is UNSET else verdict.code
    line = {
        "line": str(verdict.line or 0) if verdict.line is not UNSET else "0",
        "access": "yes" if code == ACCESS else "no",
    }
    # What is wrong with an access record has a code of its own there.
    inner = verdict.seen.code if verdict.seen is not UNSET and code == ACCESS else None
    why = CATALOGUE["audit"]["faults"].get(inner or code, CATALOGUE["audit"]["faults"]["other"])
    return line | {
        "status": verdict.status,
        "code": code,
        "place": say(CATALOGUE["audit"]["place"], line),
        "where": say(CATALOGUE["audit"]["where"], line),
        "why": why,
        "judged": "no" if _is_unjudged(verdict) else "yes",
        "besides": _besides(verdict),
    }


def _is_unjudged(verdict: Verdict) -> bool:
    """Report whether the rules were asked for and nobody here knows them."""
    return verdict.rules is not UNSET and RULES not in verdict.layers


def _besides(verdict: Verdict) -> str:
    """Return to whom hidden dice went that has no seat, as a sentence behind others; empty for nobody."""
    noticed = () if verdict.seen is UNSET else verdict.seen.noticed
    viewers = list(dict.fromkeys(each.viewer for each in noticed))
    named, more = viewers[:NAMED_MAX], str(max(0, len(viewers) - NAMED_MAX))
    row = ", ".join(named) if len(viewers) > NAMED_MAX else join_names(named)
    return say(CATALOGUE["audit"]["besides"], {"viewers": row, "more": more}) if viewers else ""


# ---- the headline ---------------------------------------------------------------------------------


def _headline(verdict: Verdict, facts: Facts) -> tuple[Mark, str, str]:
    """Return mark, title and text of the headline."""
    titles, texts = CATALOGUE["audit"]["titles"], CATALOGUE["audit"]["texts"]
    match verdict.status:
        case "FAULT":
            return "no", say(titles["fault"], facts), say(texts["fault"], facts)
        case "INCOMPLETE":
            return "open", titles["incomplete"], say(texts[_gap(verdict)], facts)
        case "OK" if verdict.anchored is not True:
            return "open", titles["unanchored"], say(texts["unanchored"], facts)
        case "OK":
            text, is_ruled = chance_of(verdict), RULES in verdict.layers
            fair, kept = ("fair", "kept") if is_ruled else ("dice", "unchanged")
            more = {
                "ruled": say(CATALOGUE["audit"]["ruled"], {"ruled": "yes" if is_ruled else "no"}),
                "deals": numbered("deals", _seeds(verdict).unseeded),
            }
            # The log's key is the server's own: what only that vouches for can be written anew (CUP/1 section 1, A4).
            if verdict.witnessed is False:
                return "open", titles["unwitnessed"], say(texts["unwitnessed"], {**facts, **more})
            return "yes", titles[fair if text == "owned" else kept], say(texts[text], {**facts, **more})


def chance_of(verdict: Verdict) -> str:
    """Return who had a say in the dice, as a key of the catalogue: fair dice take a seat's own seed in every deal."""
    seeds = _seeds(verdict)
    if DICE not in verdict.layers or verdict.season is not UNSET:
        return "unchanged"
    if _is_left_to_beacon(verdict):
        return "beacon"
    return "alone" if not seeds.own else "owned in part" if seeds.unseeded else "owned"


def _is_left_to_beacon(verdict: Verdict) -> bool:
    """Report whether in every deal without a seat's own seed a public beacon spoke last, and signed it.

    Source: CUP/1 section 5.3.
    """
    return verdict.beacons == "checked" and verdict.alone == () and bool(_seeds(verdict).unseeded)


def _gap(verdict: Verdict) -> str:
    """Return why an audit without a fault leaves something open, as a key of the catalogue."""
    if verdict.shared == "unchecked":
        return "boardless"
    if _is_unjudged(verdict):
        return "unjudged"
    if verdict.record != "OK":
        return "unfinished"
    if verdict.seen is not UNSET and verdict.seen.status == "INCOMPLETE":
        return "served in part"
    if verdict.seen is UNSET and verdict.anchored is True:
        return "unserved"
    return "receipts"


# ---- what was looked at ---------------------------------------------------------------------------


def _log_findings(verdict: Verdict, *, judged_log: bool) -> Iterator[Finding]:
    """Yield what the log's word is worth: without witnesses it is the operator's; before the end, not for the end."""
    if not judged_log:
        yield _finding("open", "log none")
    elif verdict.anchored is not True:
        yield _finding("open", "log unproved")
    elif verdict.record != "OK":
        yield _finding("yes", "log deals")
        yield _finding("open", "another end")
    else:
        yield _finding("yes", "log witnessed" if verdict.witnessed is True else "log whole")
    if judged_log and verdict.anchored is True and verdict.witnessed is False:
        yield _finding("open", "another history")
    if verdict.misdated is not UNSET:
        lines = count_noun(len(verdict.misdated), "line")
        yield _finding("note", "misdated", lines=lines, line=str(verdict.misdated[0]))


def _dice_findings(verdict: Verdict) -> Iterator[Finding]:
    if verdict.shared == "unchecked":
        return
    if DICE not in verdict.layers:
        yield _finding("open", "dice unasked")
    else:
        deals: dict[str, Any] = verdict.deals if isinstance(verdict.deals, dict) else {}
        shown = sum(len(deal.get("values", ())) for deal in deals.values())
        voids = _voids(verdict)
        yield _finding("yes", "dice fixed", deals=count_noun(len(deals), "deal"), voided=str(len(voids)))
        yield _finding("yes", "seeds")
        yield _finding("yes", "dice", dice=str(shown))
        yield from map(_void_finding, voids)
    if verdict.beacons is not UNSET:
        yield _finding("yes" if verdict.beacons == "checked" else "open", f"beacon {verdict.beacons}")
    if verdict.policy == "shown":
        yield _finding("open", "kept secret")
    elif DICE in verdict.layers:
        yield _finding("yes", "published")
    seeds = _seeds(verdict)
    if seeds.unseeded and seeds.own and not _is_left_to_beacon(verdict):
        yield _finding("open", "unseeded", deals=numbered("deals", seeds.unseeded))
    if seeds.drawn and DICE in verdict.layers:
        count = count_noun(len(seeds.drawn), "deal")
        yield _finding("note", "drawn", count=count, deals=numbered("deals", seeds.drawn))
    if seeds.reused:
        yield _finding("note", "reused", seats=numbered("seats", seeds.reused))


def _void_finding(void: Void) -> Finding:
    """Return what an audit may say of a deal that was thrown away.

    The record cannot show what the server was sent and did not write, so never that nobody had seen a die of it.
    Source: CUP/1 section 4.8.
    """
    if not void.logged:
        return _finding("note", "void early", deal=str(void.deal))
    return _finding("note", "void late", deal=str(void.deal), **seat_facts(void.seats))


def _signing_findings(verdict: Verdict) -> Iterator[Finding]:
    if verdict.keyless is not UNSET:
        seats = {} if verdict.seats is UNSET else verdict.seats
        yield from (Finding(mark, text) for mark, text in signing_sentences(seats, verdict.keyless))


def _rules_findings(verdict: Verdict) -> Iterator[Finding]:
    if _is_unjudged(verdict):
        yield _finding("open", "rules unknown" if verdict.shared is UNSET else "rules board")
    elif RULES not in verdict.layers:
        yield _finding("open", "rules unasked")
    elif verdict.record == "OK" and verdict.event is not UNSET:
        yield from _event_findings(verdict, verdict.event)
    elif verdict.record == "OK":
        yield _finding("yes", "rules kept")
    else:
        yield _finding("yes", "rules so far")
        yield _finding("open", "rules end")


def _event_findings(verdict: Verdict, event: EventFacts) -> Iterator[Finding]:
    """Yield that the laws of tournaments were kept, by which package, at what cost, and what officials did besides."""
    words = CATALOGUE["terminal"]["tournament"]["audit"]
    yield Finding("yes", words["laws kept"])
    if verdict.dutch is not UNSET:
        yield Finding("yes" if verdict.dutch == "checked" else "open", words[f"dutch {verdict.dutch}"])
    gap = gap_sentence(event)
    if gap is not None:
        yield Finding("yes", gap)
    told = (*act_sentences(event), *recovery_sentences(event), *appeal_sentences(event))
    yield from (Finding("note", sentence) for sentence in told)
    if verdict.lots is not UNSET:
        yield from (Finding("note", sentence) for sentence in lot_sentences(verdict.lots))
    if verdict.earlier is not UNSET:
        yield Finding("note", earlier_sentence(verdict.earlier))
    if verdict.idle is not UNSET:
        yield Finding("note", idle_sentence(verdict.idle))


def _note_findings(verdict: Verdict) -> Iterator[Finding]:
    told = told_of_notes(verdict.receipts, verdict.refusals, judged=verdict.witnessed is not UNSET)
    return (_finding(mark, key, **facts) for mark, key, facts in told)


def _access_findings(verdict: Verdict, facts: Facts) -> Iterator[Finding]:
    """Yield who saw which hidden dice, by the word of whoever wrote the access record."""
    seen = verdict.seen
    if verdict.tournament is not UNSET:
        return  # Lots are hidden from everybody alike.
    if seen is UNSET:
        yield _finding("open", "access unasked" if verdict.rules is UNSET else "access none")
        return
    noticed = "yes" if seen.noticed else "no"
    match seen.status:
        case "FAULT":
            yield _finding("no", "access fault", where=facts["where"], why=facts["why"])
        case "INCOMPLETE":
            ruled = "yes" if RULES in verdict.layers else "no"
            yield _finding("open", "access in part", ruled=ruled, noticed=noticed)
        case "OK":
            yield _finding("yes", "access kept", noticed=noticed)
    for each in seen.noticed[:NAMED_MAX]:
        yield _finding("note", "access noticed", viewer=each.viewer, line=str(each.line))
    if len(seen.noticed) > NAMED_MAX:
        yield _finding("note", "access more", lines=count_noun(len(seen.noticed) - NAMED_MAX, "line"))
    yield _finding("open", "access silent")


def _served_findings(verdict: Verdict) -> Iterator[Finding]:
    """Yield what each viewer was served, seat by seat."""
    for viewer, totals in {} if verdict.seen is UNSET else verdict.seen.viewers.items():
        dice, rolls = count_noun(totals.dice, "hidden die"), count_noun(totals.rolls, "roll")
        yield _finding("yes", "served", viewer=viewer, dice=dice, rolls=rolls)


# ---- who brought chance, and what is still possible -----------------------------------------------


def _seeds_finding(verdict: Verdict) -> Finding | None:
    """Return which seats drew their own seeds, as the record says; None where layer 2 was not asked for."""
    if DICE not in verdict.layers:
        return None
    words, seeds = CATALOGUE["audit"]["seeds"], _seeds(verdict)
    if verdict.tournament is not UNSET and not _is_left_to_beacon(verdict):
        lots = CATALOGUE["terminal"]["tournament"]["audit"]["lots"]
        return Finding("yes" if seeds.own else "open", say(lots, {"count": str(len(seeds.own))}))
    if verdict.shared is not UNSET:
        return Finding("yes" if verdict.shared == "checked" else "open", words[f"board {verdict.shared}"])
    if not seeds.own and not seeds.server:
        return Finding("open", words["nobody"])
    if _is_left_to_beacon(verdict):
        return Finding("yes", words["beacon"])
    if not seeds.own:
        return Finding("open", words["server"])
    return Finding("open" if seeds.unseeded else "yes", own_seeds_words(seeds))


def powers(verdict: Verdict | None = None) -> tuple[str, ...]:
    """Return what the server could still do: in the match of this verdict, or in any."""
    words = CATALOGUE["audit"]["powers"]
    if verdict is not None and verdict.tournament is not UNSET:
        told = CATALOGUE["terminal"]["tournament"]["audit"]["powers"]
        return (told["lots" if _seeds(verdict).own else "choose"], told["people"], told["rulings"], words["refuse"])
    choose = (words["choose any"],) if verdict is None else _choices(verdict)
    return (words["see"], *choose, words["early"], words["refuse"])


def _choices(verdict: Verdict) -> Iterator[str]:
    """Yield of which deals the server could choose the dice, by who drew the seeds and whether a beacon spoke."""
    seeds = _seeds(verdict)
    words, own = CATALOGUE["audit"]["powers"], seeds.own
    if not own and not seeds.server:
        return
    if _is_left_to_beacon(verdict):
        yield words["choose beacon"]
        return
    if not own:
        yield words["choose all"]
        return
    if seeds.unseeded:
        yield say(words["choose deals"], {"deals": numbered("deals", seeds.unseeded)})
    die = say(CATALOGUE["audit"]["dice"], {"other deals": "yes" if seeds.unseeded else "no"})
    facts = {"die": die, "own": numbered("seats", own), "own.number": str(len(own))}
    server = {"server": numbered("seats", seeds.server)} if seeds.server else {}
    yield say(words["choose none" if server else "choose never"], facts | server)


def _seeds(verdict: Verdict) -> Seeds:
    return Seeds((), ()) if verdict.seeds is UNSET else verdict.seeds


def _voids(verdict: Verdict) -> tuple[Void, ...]:
    return () if verdict.voids is UNSET else verdict.voids
