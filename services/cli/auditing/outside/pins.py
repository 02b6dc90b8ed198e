"""Pins of trust policies: a file, an answer of the domain name system, or a file of an installed package.

A policy has to come another way than what it judges: a record that names its own keys proves nothing.
"""

from __future__ import annotations

from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from domain.log.notes import Malformed
from domain.log.outside import pins
from domain.log.policies import Policy, parse
from services.cli.auditing.sources import Unread, small
from services.cli.exits import FINE
from services.cli.screen import say
from services.client.house import CannotDo

PACKAGE: Final = "package:"


def pinned(path: Path) -> bytes:
    """Return the text of a policy, wherever it is pinned.

    Args:
        path: A file that is the policy or what `dig +short TXT` printed, or `package:NAME/FILE`, a file of an installed
            package, of which no line is run.

    Raises:
        Unread: It is not there.
        Malformed: The answer has no policy.
    """
    found = small(_file_of_package(str(path).removeprefix(PACKAGE))) if str(path).startswith(PACKAGE) else small(path)
    return pins.policy_in_txt(found) if pins.is_txt(found) else found


def policy_in(path: Path | None) -> Policy | None:
    """Return the policy in a file; None if there is none to read.

    Raises:
        CannotDo: It cannot be read, or is no policy.
    """
    if path is None:
        return None
    try:
        return parse(pinned(path))
    except Unread as trouble:
        raise CannotDo(f"the policy {path} cannot be read: {trouble}") from trouble
    except Malformed as trouble:
        raise CannotDo(f"the policy {path} is not one: {trouble}") from trouble


def pin(policy: Path, /) -> int:
    """Print a trust policy as a TXT record.

    Args:
        policy: The file that names the keys of a log and of its witnesses.
    """
    try:
        text = pinned(policy)
        parse(text)
        say(pins.txt_of(text))
    except (Malformed, Unread) as trouble:
        raise CannotDo(f"the policy {policy} cannot be pinned: {trouble}") from trouble
    return FINE


def _file_of_package(name: str) -> Path:
    package, _, file = name.partition("/")
    try:
        found: Distribution = distribution(package)
    except (PackageNotFoundError, ValueError) as trouble:
        raise Unread(f"no package {package} is installed") from trouble
    listed = next((each for each in found.files or () if str(each) == file), None)
    if listed is None:
        raise Unread(f"the package {package} has no file {file}")
    return Path(str(listed.locate()))
