"""Start of a program: the one way in which it says that it cannot."""

from __future__ import annotations


class CannotStart(Exception):  # noqa: N818 - named for what happened
    """A server did not come up; the message says what to do about it."""
