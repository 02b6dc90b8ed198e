"""Removing any check from the auditor fails the suite (CUP/1 section 14.7).

Each check of layers 1 and 2 is taken out, one at a time, of an auditor of its own; then the records that others
published and those that are forged here are put to it, until one of them has another status, code or line.
"""

from __future__ import annotations

import sys

from tests.fairness.mutants import PREFIX, ROOT, Sources, Suite, sites_of
from tests.fairness.suite import answered, cases
from tests.sizes import spread

PASSED_OVER = {
    "domain.log.tiles": "a record has no tiles",
    "domain.log.witnessing": "what a witness checks before it signs is in the witness's own tests",
    "domain.log.monitoring": "what a monitor looks for is in the monitor's own tests",
    "domain.log.receipts": "a receipt is its holder's, and no part of a record",
    "domain.fairness.names": "what people are called lies beside a record; its own tests look at it",
    "domain.fairness.signing.entrants": "what entrants sign is for layer 3 of a tournament; its own tests look at it",
    "domain.fairness.misdated": "what witnesses date otherwise is no fault; its own tests look at it",
    "domain.fairness.custody": "whose seeds the server drew is counted beside a verdict; its own tests look at it",
    "domain.log.refusals": "a refusal is its holder's, and no part of a record",
    "domain.fairness.shared": "what a board says is gathered from a record that was judged; its own tests look at it",
}
"""Modules beside the auditor's, each with the reason why an audit of a record does without it."""
AUDITOR = [
    f"domain.{folder}.{path.stem}"
    for folder in ("log", "fairness", "fairness.signing")
    for path in sorted((ROOT / "domain" / folder.replace(".", "/")).glob("*.py"))
    if path.stem != "__init__"
]

SOONER = "what a line longer than any has in it is refused by `encode` too: this only refuses it before it is read"
WORDS = "no object is of the type None: only the words are others, and a test of their own looks at them"
NO_SEED = "who has opened all seeds has none left to open, which is out of turn as well"
NO_BEACON = "a deal knows of its beacon when it is sealed, and has all seeds open only after it was logged"
DEAL_AT = "self._deal_at(members.deal, "
DICE_SAID = "self.dice and (not any((deal.is_unknown for deal in self.dealing.deals)))"
NOT_OF_A_RECORD = "it looks at receipts, which are their holders' and no part of a record"
POINT = ("is_strict_key(key)", "pow(u * v, (_FIELD - 1) // 2, _FIELD) == 1")
NAMED_ALONE = "which keys may be named is the rules' to say: no record asks it of a key that has signed"
SAME = {
    "canonical decode: len(line) > LINE_BYTES_MAX => False": SOONER,
    "canonical decode: raise NotCanonical('the line has more than 65,535 bytes') => pass": SOONER,
    **{
        f"dealing _deal_step {step}: {DEAL_AT}{at}) => {DEAL_AT}{at}, '{stage}')": why
        for step, at, stages, why in (
            ("_on_seed_opened", "'logged'", ("fixed", "ready"), NO_SEED),
            ("_on_deal_fixed", "'logged'", ("committed", "sealed", "voided"), NO_BEACON),
            ("_on_deal_ready", "'logged', 'fixed'", ("committed", "sealed", "voided"), NO_BEACON),
        )
        for stage in stages
    },
    "faults __init__: super().__init__(f'{code}: {why}') => pass": (
        "a report has the code and the words of a fault, not its text"
    ),
    **{
        f"audit report: {DICE_SAID} => {left}": "dice that nobody could check only make the words others"
        for left in (DICE_SAID.removeprefix("self.dice and ").removeprefix("(").removesuffix(")"), "self.dice")
    },
    **{f"points is_point: {' and '.join(POINT)} => {left}": NAMED_ALONE for left in ("True", *POINT)},
    "policies is_signed any: verify(key.public_key, text, line.value) => True": NOT_OF_A_RECORD,
    "policies is_signed: any((line is not None and verify(key.public_key, text, line.value) for key in policy.logs "
    "for line in [note.by(key)])) => True": NOT_OF_A_RECORD,
    "proving prove_opening: deal is None or deal.mix is None or deal.is_unknown => deal is None or deal.is_unknown": (
        "a deal whose seeds never opened has no rolls, and so none of its dice was rolled"
    ),
    "shapes members_of: shape is None => False": WORDS,
    "shapes members_of: raise Fault('E_FORMAT', 'there is no event of this type') => pass": WORDS,
}
"""The checks whose absence nobody can tell from a status, a code or a line, each with its reason."""


def test_no_check_can_be_taken_out_of_the_auditor_unseen() -> None:
    sources = Sources(AUDITOR)
    suite = Suite(sources, cases(), answered)
    sites = [site for module in AUDITOR if module not in PASSED_OVER for site in sites_of(sources, module)]
    assert len(sites) > 400, "the checks are found"
    assert {site.name for site in sites} >= SAME.keys()
    some = spread(sites, 4, lambda site: site.module)
    unseen = {site.name: site.line for site in some if not suite.notices(site)}
    assert {name: line for name, line in unseen.items() if name not in SAME} == {}
    left = {site.name for site in sites if site not in some}
    assert SAME.keys() - left <= unseen.keys(), "an exception that is none any more is taken off the list"


def test_the_auditor_everybody_else_uses_is_left_alone() -> None:
    sources = Sources(AUDITOR)
    with sources.executed() as modules:
        assert modules["domain.fairness.audit"] is not sys.modules["domain.fairness.audit"]
        assert modules["domain.fairness.chain"].Fault is modules["domain.fairness.faults"].Fault
    assert not [name for name in sys.modules if name.startswith(PREFIX)]
