"""Questions about odds as people send them: texts by name in, exact fractions with their decimals out."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.statistics.odds import decimal
from domain.statistics.questions import QUESTIONS, answer

PLACES: Final = 6
"""Decimal places of an answer."""


class QuestionCard(Struct, frozen=True):
    """What may be asked: its line for people, and the JSON Schema of what it takes."""

    name: str
    line: str
    parameters: dict[str, Any]


class OddsFigure(Struct, frozen=True):
    """A number: exactly, and with decimals. `of` says which row of a table it is."""

    of: str
    fraction: str
    decimal: str


class Answered(Struct, frozen=True):
    """An answer: one figure, or a table of them in reading order."""

    question: str
    line: str
    figures: tuple[OddsFigure, ...]


def question_cards() -> tuple[QuestionCard, ...]:
    """Return every question, in reading order."""
    return tuple(QuestionCard(name, question.line, schema_of(name)) for name, question in QUESTIONS.items())


@cache
def schema_of(name: str) -> dict[str, Any]:
    """Return the JSON Schema of what a question takes."""
    return dict(msgspec.json.schema(QUESTIONS[name].params)["$defs"][name])


def answer_of(name: str, given: Iterable[tuple[str, str]], places: int = PLACES) -> Answered:
    """Return the answer to a question; lists are texts with commas, and an empty text is an empty list.

    Raises:
        KeyError: No question has this name.
        ValueError: It cannot be asked so; the message is a sentence.
    """
    question, known = QUESTIONS[name], schema_of(name)["properties"]
    lists = {key for key, schema in known.items() if schema.get("type") == "array"}
    read: dict[str, str | list[str]] = {}
    for key, text in given:
        if key in read:
            raise ValueError(f"{key} is given twice")
        read[key] = (text.split(",") if text else []) if key in lists else text
    found = answer(name, read)
    rows = {"": found} if isinstance(found, Fraction) else found
    figures = tuple(OddsFigure(of, str(number), decimal(number, places)) for of, number in rows.items())
    return Answered(name, question.line, figures)
