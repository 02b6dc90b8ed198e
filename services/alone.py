"""Trouble with one match is kept from all others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from infra.events import Unavailable
from services.keeping import AnotherHistory

log = structlog.get_logger(__name__)


@contextmanager
def alone(stream: str) -> Iterator[None]:
    """Keep a fault in one match from whoever looks after all; it is looked at again when something happens in it.

    That the store is not there is nobody's fault and everybody's trouble, and goes through. So does a history that was
    rewritten: a store that changes one match is not to be trusted with any.
    """
    try:
        yield
    except (Unavailable, AnotherHistory):
        raise
    except Exception:
        log.exception("match.stuck", stream=stream)
