"""Removing any check from the auditor fails the suite (CUP/1 section 14.7).

Each check of layers 1 and 2 is taken out, one at a time, of an auditor of its own; then the records that others
published and those that are forged here are put to it, until one of them has another status, code or line.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from types import ModuleType

from tests.fairness.mutants import PREFIX, Site, Sources, sites_of
from tests.fairness.suite import Case, answered, cases

LOG = [f"domain.log.{name}" for name in ("canonical", "checkpoints", "merkle", "notes", "policies", "proofs")]
FAIRNESS = [
    f"domain.fairness.{name}"
    for name in (
        "anchors", "audit", "beacons", "chain", "choices", "deal", "dealing", "faults", "openings", "records",
        "sampling", "shapes",
    )
]  # fmt: skip
AUDITOR = [*LOG, *FAIRNESS]

SOONER = "what a line longer than any has in it is refused by `encode` too: this only refuses it before it is read"
WORDS = "no object is of the type None: only the words are others, and a test of their own looks at them"
NO_SEED = "who has opened all seeds has none left to open, which is out of turn as well"
NO_BEACON = "a deal knows of its beacon when it is sealed, and has all seeds open only after it was logged"
SAME = {
    "canonical decode: len(line) > LINE_BYTES_MAX => False": SOONER,
    "canonical decode: raise NotCanonical('the line has more than 65,535 bytes') => pass": SOONER,
    "canonical _refuse: raise NotCanonical(f'{token[:32]} is not an integer') => pass": (
        "whatever stands for a float does not give the float back, so the line is not canonical either way"
    ),
    **{
        f"dealing _deal_step {step}: self._at(members.deal, {at}) => self._at(members.deal, {at}, '{stage}')": why
        for step, at, stages, why in (
            ("_seed_opened", "'logged'", ("fixed", "ready"), NO_SEED),
            ("_fixed", "'logged'", ("committed", "sealed", "voided"), NO_BEACON),
            ("_ready", "'logged', 'fixed'", ("committed", "sealed", "voided"), NO_BEACON),
        )
        for stage in stages
    },
    "faults __init__: super().__init__(f'{code}: {why}') => pass": (
        "a report has the code and the words of a fault, not its text"
    ),
    "shapes shaped: shape is None => False": WORDS,
    "shapes shaped: raise Fault('E_FORMAT', 'there is no event of this type') => pass": WORDS,
}
"""The checks whose absence nobody can tell from a status, a code or a line, each with its reason."""


class Suite:
    """All questions with what the auditor as it is answers, and where it looked when it refused."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.cases = cases()
        self.refused: dict[tuple[str, int], list[int]] = defaultdict(list)
        with sources.executed() as modules:
            self._watch(modules)
            self.truth = [self._asked(modules, at, case) for at, case in enumerate(self.cases)]

    def _asked(self, modules: dict[str, ModuleType], at: int, case: Case) -> str:
        self.now = at
        return answered(case, modules)

    def _watch(self, modules: dict[str, ModuleType]) -> None:
        """Let every exception of these modules note where it is raised, and on whose behalf."""
        for module in modules.values():
            for kind in list(vars(module).values()):
                if isinstance(kind, type) and issubclass(kind, Exception) and kind.__module__ == module.__name__:
                    kind.__init__ = self._noting(kind.__init__)  # type: ignore[misc]

    def _noting(self, init: object) -> object:
        def noting(*arguments: object) -> None:
            frame = sys._getframe(1)  # noqa: SLF001 - the only way to ask who calls
            while frame is not None:
                module = str(frame.f_globals.get("__name__"))
                if module.startswith(PREFIX):
                    self.refused[module.removeprefix(PREFIX), frame.f_lineno].append(self.now)
                frame = frame.f_back
            init(*arguments)

        return noting

    def notices(self, site: Site) -> bool:
        """Report whether any answer is another without this check; those that were refused there are asked first."""
        near = [at for line in range(site.line - 1, site.line + 6) for at in self.refused[site.module, line]]
        with self.sources.executed(site) as modules:
            return any(
                answered(self.cases[at], modules) != self.truth[at]
                for at in dict.fromkeys([*near, *range(len(self.cases))])
            )


def test_no_check_can_be_taken_out_of_the_auditor_unseen() -> None:
    sources = Sources(AUDITOR)
    suite = Suite(sources)
    sites = [site for module in AUDITOR for site in sites_of(sources, module)]
    unseen = {site.name: site.line for site in sites if not suite.notices(site)}
    assert len(sites) > 400, "the checks are found"
    assert {name: line for name, line in unseen.items() if name not in SAME} == {}
    assert SAME.keys() <= unseen.keys(), "an exception that is none any more is taken off the list"


def test_every_exception_has_the_module_it_had() -> None:
    """The mutation run leaves nothing behind, and the real auditor is the one that was there before."""
    sources = Sources(AUDITOR)
    with sources.executed() as modules:
        assert modules["domain.fairness.audit"] is not sys.modules["domain.fairness.audit"]
        assert modules["domain.fairness.chain"].Fault is modules["domain.fairness.faults"].Fault
    assert not [name for name in sys.modules if name.startswith(PREFIX)]
