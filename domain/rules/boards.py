"""Games for duplicate boards: those that can be played with the same dice at several tables.

What decides is what the rules say, and no name: everybody has dice of an own cup, which lie as they fell, a claim is of
a count, and one doubt ends the round.

Source: the laws of tournaments, duplicate boards.
"""

from __future__ import annotations

from domain.rules.rules import Counting, OwnCups, Rules


def why_no_boards(rules: Rules) -> str:
    """Return what keeps a game from being played with the same dice at several tables, in words; empty if nothing."""
    reasons = {
        "not everybody has dice in a cup of their own": not isinstance(rules.tokens, OwnCups),
        "claims are not of a count": not isinstance(rules.claims, Counting),
        "dice are handled between the roll and the verdict": rules.handling.law != "frozen" or bool(rules.interludes),
        "a pass is judged before the round is over": rules.doubt.pass_once,
        "a claim is judged once all others have doubted it": rules.doubt.who == "all",
        "who opens is drawn anew each round": "letters" in {rules.match.next_start, rules.match.first},
        "seats play two at a time": rules.match.bouts is not None,
    }
    return next((why for why, holds in reasons.items() if holds), "")
