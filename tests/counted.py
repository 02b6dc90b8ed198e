"""The tests that count branches: with `--cov` the rest run as they are, and are not traced.

Rules and views are pure, and these walk every branch of them. What starts real servers is tested without being counted,
and so is what takes checks out one by one or holds one auditor against the other, which walks no branch of its own: the
sources that it changes would count as ours.

To be traced makes any Python twice as dear, whether it is ours or not. So what counts is imported first, and from then
on nothing is traced but those tests: no collecting, and nothing that the process does besides.
"""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import PurePath
from typing import Final

import domain
import projections

ROOMS: Final = frozenset(
    {"analysis", "domain", "fairness", "log", "playthroughs", "rules", "seasons", "signed", "tournaments"}
)
FILES: Final = frozenset({"commentary/test_commentary.py", "relay/test_frames.py", "webhooks/test_messages.py"})
WALK_NONE: Final = (
    "test_every_check*.py",
    "domain/test_every_ruling.py",
    "domain/test_refusals.py",
    "domain/test_secrecy.py",
    "fairness/test_chances.py",
    "fairness/test_rules_in_javascript.py",
    "fairness/test_two_auditors.py",
)
"""Files of those rooms that are not counted: what they walk again and again, others walk once and plainly."""


def counts_branches(file: PurePath) -> bool:
    """Report whether the tests of a file count branches.

    Args:
        file: Its path in the folder of all tests.
    """
    return (file.parts[0] in ROOMS or file.as_posix() in FILES) and not any(map(file.match, WALK_NONE))


def import_what_counts() -> None:
    """Import all that counts: every line at the top is walked by that, and none of them by a test."""
    for room in (domain, projections):
        for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            importlib.import_module(module.name)
