"""Trouble of a socket as the message that says so."""

from __future__ import annotations

import structlog

from services.api.refusals import problem, problem_of
from services.api.socket.messages import MessageId, SpokenRefusal, encode_problem

log = structlog.get_logger(__name__)


def refusal_of(name: MessageId | None, trouble: Exception) -> SpokenRefusal:
    """Return the message that says no; a fault of ours is logged by its place in the code, and not told."""
    response = problem_of(trouble)
    if response is None:
        log.error("api.broken", method="socket", path="/api/v1/socket", exc_info=trouble)
        response = problem("broken")
    assert response.status_code is not None, "a problem has one"
    return SpokenRefusal(response.status_code, encode_problem(name, response.content))
