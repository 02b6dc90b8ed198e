"""The language of a terminal: what is asked for, or else what the environment says."""

from __future__ import annotations

import pytest

from services.cli.playing.phrases import help_lines, meant, phrase
from services.cli.tongue import language_of
from services.client.house import CannotDo
from services.words.catalogue import speaking


@pytest.mark.parametrize(
    ("arguments", "environment", "language", "rest"),
    [
        (["play"], {}, "en", ["play"]),
        (["play"], {"LANG": "de_DE.UTF-8"}, "de", ["play"]),
        (["watch", "x"], {"LANG": "de_DE.UTF-8", "LC_MESSAGES": "es_ES"}, "es", ["watch", "x"]),
        (["audit"], {"LC_ALL": "C", "LANG": "de"}, "en", ["audit"]),
        (["replay"], {"LC_ALL": "", "LANG": "es"}, "es", ["replay"]),
        (["play", "--lang", "de", "--plain"], {"LANG": "es"}, "de", ["play", "--plain"]),
        (["audit", "--lang=es", "a.cup"], {}, "es", ["audit", "a.cup"]),
        (["up"], {"LANG": "de"}, "en", ["up"]),
        (["up", "--lang", "de"], {}, "en", ["up", "--lang", "de"]),
        ([], {"LANG": "de"}, "en", []),
    ],
)
def test_a_terminal_speaks_what_is_asked_for_or_what_its_environment_says(
    arguments: list[str], environment: dict[str, str], language: str, rest: list[str]
) -> None:
    assert language_of(arguments, environment) == (language, rest)


@pytest.mark.parametrize("arguments", [["play", "--lang", "tlh"], ["play", "--lang"], ["audit", "--lang=", "a.cup"]])
def test_a_language_that_nobody_speaks_here_is_refused(arguments: list[str]) -> None:
    with pytest.raises(CannotDo, match="takes one of en, de, es"):
        language_of(arguments, {})


def test_words_are_typed_in_the_own_language_or_in_english() -> None:
    with speaking("de"):
        assert (meant("Hilfe"), meant("help"), meant("Revanche")) == ("help", "help", "rematch")
        assert meant("ayuda") is None
        assert help_lines()[0].startswith("Tipp, was du sagen w")
        assert phrase("time", time="0:30") == "Der Tisch spielt f\u00fcr dich in 0:30"
