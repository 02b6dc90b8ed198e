"""An audit's report in plain words: what was proved, what was not, and what the server could still do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from msgspec import Struct, convert

from projections.view import SeatView, View
from services.audit.findings import voided
from services.audit.verdict import Void

Report = Mapping[str, Any]
Mark = Literal["yes", "no", "open"]

FAULTS: Final[dict[str, str]] = {
    "E_FORMAT": "the record is not written as it should be",
    "E_CHAIN": "a line does not follow the one before it, so something was changed, added or left out",
    "E_ORDER": "a step happened when it could not happen",
    "E_COMMIT": "a commitment does not fit what was shown later",
    "E_MIX": "the seeds do not come to what the dice were rolled from",
    "E_SLOT": "dice were rolled that do not exist, or twice",
    "E_PATH": "dice were shown that are not among those fixed before the deal",
    "E_KEY": "a key does not fit the commitment to its die",
    "E_VALUE": "a die shows another face than its key and the seeds come to",
    "E_SECRET": "the published secret does not rebuild the dice of its deal",
    "E_WITHHELD": "a deal was begun, and its secret was never published",
    "E_ABORT": "a deal was given up although nobody withheld a seed",
    "E_BEACON": "the public beacon does not say what the record says",
    "E_LOG": "the transparency log does not vouch for the record",
    "E_RULES": "something happened that the rules of the game do not allow",
    "E_ACCESS": "hidden dice were served to somebody who may not know them, or it is not on record who saw what",
}
"""The codes of CUP/1 section 4.10, and layer 3."""

STATES: Final = {
    "committed": "its dice fixed",
    "sealed": "its seeds fixed",
    "logged": "in the log",
    "fixed": "its seeds opening",
    "ready": "in play",
    "voided": "given up",
    "closed": "closed",
}
"""How far a deal has come."""

LAYERS: Final = 3
NAMED_MAX: Final = 3
"""How many viewers without a seat a sentence names."""
UNJUDGED: Final = "who won was not checked: no engine here knows this game, or not every option of it"


class Finding(Struct, frozen=True):
    """One thing an audit looked at, and whether it holds; `open` is what it cannot say."""

    mark: Mark
    text: str


class Sight(Struct, frozen=True):
    """What one viewer was served of hidden dice."""

    who: str
    rolls: int
    dice: int


class Verdict(Struct, frozen=True):
    """The report in one sentence."""

    mark: Mark
    title: str
    text: str


OWNED: Final = (
    "Nobody chose a die, if seats drew their own seeds as the record says, and nothing in the record was changed "
    "afterwards."
)
ALONE: Final = (
    "Nothing in the record was changed afterwards. No seat brought a seed of its own, so that nobody chose the dice is "
    "the server's word."
)
"""What a record proves whose seeds were all drawn by the server."""


def verdict(report: Report) -> Verdict:
    """Return the verdict of a report."""
    match report["status"]:
        case "OK":
            return Verdict("yes", "Fair", f"{ALONE if _is_alone(report) else OWNED}{_besides(report)}")
        case "FAULT":
            why = FAULTS.get(report.get("code", ""), "the record does not hold")
            where = f"Line {report.get('line', 0)}{' of the access record' if _is_held(report) else ''}"
            return Verdict("no", "Not fair", f"{where}: {why} ({report.get('code', '?')}).")
        case _:
            return Verdict("open", "Not complete yet", f"{_lacking(report)}{_besides(report)}")


def _is_held(report: Report) -> bool:
    """Report whether the record itself is without fault, whatever lies beside it."""
    return report["status"] != "FAULT" or "record" in report


def _is_whole(report: Report) -> bool:
    """Report whether the record itself lacks nothing."""
    return bool(report.get("record", report["status"]) == "OK")


def _lacking(report: Report) -> str:
    """Return why the audit of a record without fault cannot say that it is fair."""
    if _is_unjudged(report):
        return f"What is there holds, but {UNJUDGED}."
    if not _is_whole(report):
        return "What is there holds. The match is still played, or its last proof is on its way."
    if report.get("seen") is None:
        return "The record holds. Who saw which hidden dice nobody can say: there is no access record."
    return "The record holds. The record of who saw which hidden dice is not complete, or its proof is on its way."


def _is_unjudged(report: Report) -> bool:
    """Report whether the rules were asked for and nobody here knows them."""
    return "rules" in report and LAYERS not in report.get("layers", ())


def _besides(report: Report) -> str:
    """Return to whom hidden dice went that has no seat, as a sentence behind others; empty for nobody."""
    noticed = (report.get("seen") or {}).get("noticed", ())
    who = list(dict.fromkeys(each["viewer"] for each in noticed))
    more = f" and {len(who) - NAMED_MAX} more" if len(who) > NAMED_MAX else ""
    return f" Hidden dice were served to {', '.join(who[:NAMED_MAX])}{more}, who have no seat." if who else ""


def findings(report: Report) -> tuple[Finding, ...]:
    """Return what the audit looked at; after a fault, nothing is said of what comes behind it."""
    if not _is_held(report):
        return (Finding("no", verdict(report).text), Finding("open", "What stands behind that line was not looked at."))
    return (*_proved(report), *_layer_three(report))


def _proved(report: Report) -> tuple[Finding, ...]:
    deals = report.get("deals", {})
    dice = sum(len(deal.get("values", ())) for deal in deals.values())
    voids = report.get("voids", ())
    return (
        Finding("yes", "Every line carries the hash of the line before it: no event was changed, added or left out."),
        Finding("yes", f"All dice of {_counted(len(deals), 'deal')} were fixed before any seed was known."),
        Finding("yes", f"{_counted(len(voids), 'deal')} voided."),
        *(Finding("open", f"{_sentence(voided(convert(void, Void)))}.") for void in voids),
        Finding("yes", "Every seed is the one its seat had committed to, and all of them went into the dice."),
        Finding("yes", f"{_counted(dice, 'opened die', 'opened dice')} recomputed, each the only one possible."),
        *_unseeded(report),
        *_beacons(report),
        _anchoring(report),
    )


def _unseeded(report: Report) -> tuple[Finding, ...]:
    """Return the deals whose seeds the server drew alone, beside others for which seats drew theirs."""
    deals = report.get("seeds", {}).get("unseeded", ())
    if not deals or _is_alone(report):
        return ()
    named = f"{'deals' if len(deals) > 1 else 'deal'} {', '.join(map(str, deals))}"
    return (Finding("open", f"No seat drew its own seed in {named}: there you trust the server."),)


def _beacons(report: Report) -> tuple[Finding, ...]:
    match report.get("beacons"):
        case "checked":
            return (Finding("yes", "The public beacon signed what the dice waited for, after all seeds were fixed."),)
        case "unchecked":
            return (Finding("open", "The beacon's signature was not checked."),)
        case _:
            return ()


def _anchoring(report: Report) -> Finding:
    if report.get("anchored") and not _is_whole(report):
        return Finding(
            "yes", "The transparency log held every deal before its seeds were opened, under the key of its policy."
        )
    if report.get("anchored"):
        return Finding("yes", "The transparency log vouches for the record, signed by the key of its policy.")
    return Finding("open", "The transparency log has not vouched for the end of the record yet.")


def _layer_three(report: Report) -> tuple[Finding, ...]:
    layers = report.get("layers", (1, 2, LAYERS))
    if _is_unjudged(report):
        return (Finding("open", f"{_sentence(UNJUDGED)}."),)
    if not _is_whole(report):
        return (Finding("open", "The match is not over, so dice that are hidden now have still to be opened."),)
    if LAYERS in layers:
        return (Finding("yes", "The whole match was played again under its rules and came to the same result."),)
    return (Finding("open", "Whether the rules of the game were kept was not looked at."),)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _counted(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def own_seeds(view: View) -> tuple[SeatView, ...]:
    """Return the seats that drew their own seeds."""
    return tuple(seat for seat in view.seats if seat.custody == "client")


def entropy(view: View) -> Finding:
    """Return what the seats' own seeds come to."""
    own = own_seeds(view)
    if not own:
        return Finding("open", "No seat drew its own seeds: you trust the server, which says that it drew at random.")
    names = ", ".join(seat.name for seat in own)
    honest = "One honest seed in a deal is enough for dice that nobody chose."
    return Finding("yes", f"The record says that these drew their own seeds: {names}. {honest}")


def disclosure(report: Report) -> Finding | None:
    """Return what the record of who saw what comes to; None where there is none."""
    seen = report.get("seen")
    if seen is None:
        return None
    match seen["status"]:
        case "OK" if seen.get("noticed"):
            lines = ", ".join(f"{each['viewer']} (line {each['line']})" for each in seen["noticed"][:NAMED_MAX])
            more = f" and {len(seen['noticed']) - NAMED_MAX} more lines" if len(seen["noticed"]) > NAMED_MAX else ""
            return Finding("open", f"Hidden dice were served to viewers without a seat: {lines}{more}.")
        case "OK":
            return Finding(
                "yes", "Every seat was served the hidden dice that the rules let it know, and nobody any others."
            )
        case "FAULT":
            why = FAULTS.get(seen.get("code", ""), "the access record does not hold")
            return Finding("no", f"Line {seen.get('line', 0)} of the access record: {why}.")
        case _:
            return Finding(
                "open", "Nothing is wrong so far; whether it is complete can be told when the match is over."
            )


def sights(report: Report, view: View) -> tuple[Sight, ...]:
    """Return what each viewer was served, seats by their names."""
    names = {f"seat/{seat.seat}": f"{seat.name} (seat {seat.seat})" for seat in view.seats}
    viewers = report.get("seen", {}).get("viewers", {})
    return tuple(Sight(names.get(who, who), seen["rolls"], seen["dice"]) for who, seen in viewers.items())


def published(view: View) -> Finding:
    """Return what the deals of a match publish when they end."""
    if view.policy == "all":
        return Finding("yes", "A deal that is over publishes its secret: every die of it, shown or not, is recomputed.")
    return Finding(
        "open",
        "Dice that the rules did not show stay secret for ever, by the rules of this table. They were fixed like all "
        "others; whoever held them, or the house, can prove any single one of them.",
    )


_OFTEN: Final = (
    "With one deal a match it knows the dice of later rounds early; a deal each round limits that to the round.",
    "It can refuse to go on, or blame a seat for a seed that never came. Either is in the record for all to see.",
    "It cannot hear what players tell each other by other means, and neither can any audit.",
    "The page you read is its page. The commands below do not need it.",
)


def powers(report: Report | None = None) -> tuple[str, ...]:
    """Return what the server could still do: in the match of this report, or in any."""
    if report is None:
        chosen = "It cannot choose them where a seat draws its own seeds; where none does, that is its word alone."
    elif _is_alone(report):
        chosen = "All seeds were its own, so that it did not choose them is its word alone."
    else:
        chosen = "It cannot choose them if, as the record says, a seat drew a seed that it did not know."
    return (f"It can see the hidden dice while the match is played: it deals them. {chosen}", *_OFTEN)


def _is_alone(report: Report) -> bool:
    """Report whether nothing is known of a seat that brought a seed of its own."""
    return not report.get("seeds", {}).get("own")
