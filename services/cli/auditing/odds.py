"""`truecup odds`: how likely a claim is."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from domain.statistics.questions import QUESTIONS
from services.audit.odds_questions import PLACES, Answered, QuestionCard, answer_of, question_cards
from services.cli.exits import FINE
from services.cli.screen import say, say_json
from services.client.house import CannotDo


def odds(
    question: str | None = None,
    /,
    *given: str,
    places: Annotated[int, Parameter(validator=Number(gte=1, lte=30))] = PLACES,
    json: bool = False,
) -> int:
    """Answer a question about odds.

    Args:
        question: What is asked; without one, everything that may be asked is listed.
        given: What the question takes, such as `tokens=10 chance=1/3 quantity=4`.
        places: Decimal places.
        json: Print one JSON document.
    """
    if question is None:
        cards = question_cards()
        say_json(cards) if json else _list(cards)
        return FINE
    found = _answer_lines(question, given, places)
    say_json(found) if json else _tell(found)
    return FINE


def _answer_lines(question: str, given: tuple[str, ...], places: int) -> Answered:
    if question not in QUESTIONS:
        raise CannotDo(f"no question is called {question}: `truecup odds` lists what may be asked")
    texts = [each.partition("=") for each in given]
    try:
        return answer_of(question, [(name, text) for name, _, text in texts], places)
    except ValueError as error:
        takes = next(_takes(card) for card in question_cards() if card.name == question)
        raise CannotDo(f"{error}; {question} takes {takes}") from error


def _takes(card: QuestionCard) -> str:
    wanted = card.parameters.get("required", [])
    names = (name if name in wanted else f"[{name}]" for name in card.parameters["properties"])
    return " ".join(names) or "nothing"


def _list(cards: tuple[QuestionCard, ...]) -> None:
    width = max(len(card.name) for card in cards)
    for card in cards:
        say(f"{card.name:<{width}}  {card.line}")
        say(f"{'':<{width}}  takes {_takes(card)}")


def _tell(found: Answered) -> None:
    width = max((len(figure.of) for figure in found.figures), default=0)
    for figure in found.figures:
        say("  ".join(part for part in (f"{figure.of:<{width}}", figure.decimal, figure.fraction) if part.strip()))
