"""Phases of a game: where each event leads, and what may be asked for in which.

The law of the file: a phase changes here or in the file of an interlude, and nowhere else. `TRANSITIONS` is the whole
machine of the table; `evolve` reads it, `LAWFUL` is what the checks read, and the view shows the phase as it is. An
interlude has phases of its own, into which its own events lead.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from msgspec import Struct

from domain import commands, events

Phase: TypeAlias = str
"""One of those below, or of an interlude."""
BETWEEN_ROUNDS: Final = "between_rounds"
CHOOSING: Final = "choosing"
TO_ROLL: Final = "to_roll"
CLAIMING: Final = "claiming"
RESPONDING: Final = "responding"
HOLDING: Final = "holding"
ANSWERING_ALL: Final = "called"
"""All others have doubted the claimant, who raises or has it counted; the log and the wire say `called`."""
AWAITING_BOARD: Final = "awaiting_board"
"""The round is over here, and waits to be judged until it is over at every table with the same dice."""
FINISHED: Final = "finished"
CORE: Final = (
    BETWEEN_ROUNDS,
    CHOOSING,
    TO_ROLL,
    CLAIMING,
    RESPONDING,
    HOLDING,
    ANSWERING_ALL,
    AWAITING_BOARD,
    FINISHED,
)

Cups = Literal["own", "passed"]
"""Whether every seat has a cup, or one is passed on: the two families differ in who waits for whom."""


class Trigger(Struct, frozen=True):
    """What makes a phase change: an event, and what the rules or the event say where that matters."""

    event: type[events.BaseEvent]
    case: str = ""


class Transition(Struct, frozen=True):
    """A row of the machine: in these phases, this happens, and the game is in that phase; None leaves it as it is."""

    phases: tuple[Phase, ...]
    trigger: Trigger
    own: Phase | None
    passed: Phase | None


_IN_PLAY: Final = (TO_ROLL, CLAIMING, RESPONDING, HOLDING, ANSWERING_ALL)
_BEFORE: Final = (BETWEEN_ROUNDS, TO_ROLL, CHOOSING)
CHOICE: Final = "whoever is drawn chooses"
KNOWN: Final = "who opens next is known"
LAID: Final = "all dice of the passed cup"
BLIND: Final = "believing leads to a roll"
BINDS: Final = "whoever handles dice has to claim a hand"
IN_STEP: Final = "tables with the same dice keep step"
DOUBTED: Final = "a doubt waits to be judged"

TRANSITIONS: Final[tuple[Transition, ...]] = (
    # "The highest die begins" (common hand); the one who throws it may choose instead (bar Liars).
    Transition((BETWEEN_ROUNDS,), Trigger(events.FirstDrawn), BETWEEN_ROUNDS, TO_ROLL),
    Transition((BETWEEN_ROUNDS,), Trigger(events.FirstDrawn, CHOICE), CHOOSING, CHOOSING),
    # "Highest die is boss and picks who opens" (bar Liars). A game that is given its starter comes here without a draw.
    Transition((BETWEEN_ROUNDS, CHOOSING), Trigger(events.FirstChosen), BETWEEN_ROUNDS, TO_ROLL),
    # Where everybody has a cup, the table rolls all of them at once; a passed cup waits for its first roll.
    Transition((BETWEEN_ROUNDS, TO_ROLL), Trigger(events.RoundOpened), CLAIMING, TO_ROLL),
    # Whoever has rolled the passed cup knows what lies in it, so the seat "must claim" and "may not doubt". Where all
    # have cups there is no row: `RoundOpened` has led to the claims before any of them is rolled.
    Transition((TO_ROLL,), Trigger(events.Rolled, LAID), None, HOLDING),
    # "Believe it and take the cup": to look at the dice (Finska), or to roll them unseen (Mexican).
    Transition((RESPONDING,), Trigger(events.Accepted), None, HOLDING),
    # "The old dice are never seen by anyone; the accepter is `to_roll`" (Mexican): a look here would give them away.
    Transition((RESPONDING,), Trigger(events.Accepted, BLIND), None, TO_ROLL),
    # Whoever has rolled again may no longer doubt, and has to name a hand (individual hand, Finska).
    Transition((CLAIMING, RESPONDING, HOLDING), Trigger(events.Arranged, BINDS), HOLDING, HOLDING),
    # "A stronger claim wipes the challenges collected so far" (Salomon 1986), so even the called claimant who raises
    # has a claim that waits to be answered afresh.
    Transition((CLAIMING, RESPONDING, HOLDING, ANSWERING_ALL), Trigger(events.Bid), RESPONDING, RESPONDING),
    # A hand is named by whoever has looked or thrown, and the next seat challenges or accepts it (Finska, Stanford). No
    # game of the house that names hands asks a claimant whom all have doubted.
    Transition((CLAIMING, RESPONDING, HOLDING), Trigger(events.HandClaimed), RESPONDING, RESPONDING),
    # "If everybody challenges, the caller may raise or have the number counted" (Salomon 1986).
    Transition((RESPONDING,), Trigger(events.DoubtedByAll), ANSWERING_ALL, ANSWERING_ALL),
    # A verdict ends the round; who has lost the cup rolls it next.
    # A seat that gives the match up is judged too, and may do so at any time: hence the phases before a round.
    Transition((*_IN_PLAY, *_BEFORE), Trigger(events.Judged), BETWEEN_ROUNDS, BETWEEN_ROUNDS),
    # Nobody is known to open where letters are drawn anew each round (the Wizard), or where another bout is set.
    Transition((*_IN_PLAY, *_BEFORE), Trigger(events.RoundClosed), BETWEEN_ROUNDS, BETWEEN_ROUNDS),
    # A round with a passed cup begins with the starter's roll: there is nothing for the table to deal.
    Transition((*_IN_PLAY, *_BEFORE), Trigger(events.RoundClosed, KNOWN), BETWEEN_ROUNDS, TO_ROLL),
    # "Last player with dice wins" (common hand); `wins_needed` rounds end it as well (individual hand).
    Transition((*_IN_PLAY, *_BEFORE), Trigger(events.Won), FINISHED, FINISHED),
    # "The first player to lose `hands_to_lose` hands buys; the match ends there" (bar Liars, for drinks).
    Transition((*_IN_PLAY, *_BEFORE), Trigger(events.Lost), FINISHED, FINISHED),
    # An open session has "no winner, the ledger is the result" (Mexican).
    Transition((*_IN_PLAY, *_BEFORE, AWAITING_BOARD), Trigger(events.SessionClosed), FINISHED, FINISHED),
    # "When a table's round is challenged (or ended by the clock)" it waits: with a die shown here, others would know
    # what lies in a cup of theirs. Only games in which every seat has a cup are dealt so.
    Transition((RESPONDING,), Trigger(events.Challenged, IN_STEP), AWAITING_BOARD, None),
    Transition((RESPONDING,), Trigger(events.SpotOnCalled, IN_STEP), AWAITING_BOARD, None),
    Transition((*_IN_PLAY, *_BEFORE), Trigger(events.RoundClosed, IN_STEP), AWAITING_BOARD, None),
    Transition((AWAITING_BOARD,), Trigger(events.Released), BETWEEN_ROUNDS, None),
    # Judged "as ever", as if the doubt had just come.
    Transition((AWAITING_BOARD,), Trigger(events.Released, DOUBTED), RESPONDING, None),
)
_BY_TRIGGER: Final = {(row.trigger.event, row.trigger.case): row for row in TRANSITIONS}


def phase_after(phase: Phase, cups: Cups, event: type[events.BaseEvent], case: str = "") -> Phase:
    """Return the phase that follows this one when this happens."""
    # The phases of the row are not compared: folding is total, and whether this may happen here was decided before.
    # Tests hold every step of matches of all games against them.
    row = _BY_TRIGGER[event, case]
    return (row.own if cups == "own" else row.passed) or phase


_CLAIMS: Final = {
    # A called claimant may make "a stronger claim (a rebid)" (Salomon 1986).
    "own": frozenset({CLAIMING, RESPONDING, HOLDING, ANSWERING_ALL}),
    # Whoever is handed a cup believes or lifts first: a claim without believing would skip the choice.
    "passed": frozenset({HOLDING}),
}
# With cups of their own seats handle dice before anything stands, too: a push, or the die shown for a first call (Stud
# Liars).
_HANDLING: Final = {"own": frozenset({CLAIMING, RESPONDING, HOLDING}), "passed": frozenset({HOLDING})}
# A doubt before the opening claim, or by a seat that has to claim, has a code of its own (`no_standing_claim`,
# `must_claim`) and is not in the wrong phase. While a claimant answers all others, a doubt is.
_GOING: Final = dict.fromkeys(("own", "passed"), frozenset({CLAIMING, RESPONDING, HOLDING, TO_ROLL}))


def _only(*phases: Phase) -> dict[str, frozenset[Phase]]:
    return dict.fromkeys(("own", "passed"), frozenset(phases))


LAWFUL: Final[dict[type[commands.Command], dict[str, frozenset[Phase]]]] = {
    commands.Bid: _CLAIMS,
    commands.ClaimHand: _CLAIMS,
    commands.Declare: _CLAIMS,
    commands.Challenge: _GOING,
    commands.SpotOn: _GOING,
    commands.Pass: _GOING,
    commands.Arrange: _HANDLING,
    commands.Roll: _only(TO_ROLL),
    commands.Accept: _only(RESPONDING),
    commands.Catch: _only(RESPONDING),
    # Only the called claimant "chooses count, or a stronger claim" (Salomon 1986).
    commands.AskCount: _only(ANSWERING_ALL),
    # The called player may ask for the bills only when the counts are told (the Wizard).
    commands.DemandBills: _only(BETWEEN_ROUNDS),
    commands.ChooseFirst: _only(CHOOSING),
    commands.DealRound: _only(BETWEEN_ROUNDS),
}
"""In which phases a command can be asked for, where every seat has a cup and where one is passed on."""
