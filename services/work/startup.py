"""Start of a program: which release it is of, and the one way in which it says that it cannot."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version


class CannotStart(Exception):  # noqa: N818 - named for what happened
    """A server did not come up; the message says what to do about it."""


@cache
def program_version() -> str:
    """Return the release of this program."""
    try:
        return version("truecup")
    except PackageNotFoundError:
        return "not installed"
