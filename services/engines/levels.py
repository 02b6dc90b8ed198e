"""Levels: the players of the house, from chance alone to what has been solved, and how each of them chooses.

A player goes by what its seat has seen and by the chance it is given, so that the same of both gives the same move. A
level that cannot be played somewhere falls back to the one below, and says so.

Source: the laws of analysis, section on bots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Final, Protocol

from msgspec import Struct

from domain import commands
from domain.rules.rules import Counting, OwnCups, Rules
from domain.strategy.chance import Words
from domain.strategy.level_one.thinking import drawn
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.level_two import thinking as level_two
from domain.strategy.level_two.outlook import outlook_of
from domain.strategy.level_zero import move_at_random
from domain.strategy.sight import Sight
from services.engines.analyst import HALF_A_POINT, weigh_by_cup, weigh_by_worth
from services.engines.level_names import LEVELS, STEADY, Level, Style
from services.engines.roller import weigh_by_rolling
from services.engines.seen import SeenMatch
from services.engines.solved_rounds import weigh_by_blueprint, weigh_by_file

CHANCE_BYTES: Final = 32
"""Chance of one choice: four words of 64 bits."""
NEAR: Final[dict[Style, Fraction]] = {"cautious": Fraction(1, 128), "steady": Fraction(1, 64), "bold": Fraction(1, 24)}
"""How far below the best a move may be that a style of level 2 plays as well; those of level 3 differ alike."""
POWERS: Final[dict[Style, int]] = {"cautious": 16, "steady": 8, "bold": 4}
"""How much more a style of level 1 plays the better move: the k of its weights."""

BY_FILE: Final = ("L4", "L5")
"""Levels that look up what they do, where a file says it."""


class UnknownLevel(ValueError):  # noqa: N818 - named for what is the matter
    """There is no such player; the sentence lists which there are."""


class Thought(Struct, frozen=True):
    """What a player has chosen.

    Attributes:
        command: The move.
        level: The level it was chosen by; a lower one than the player's where that cannot be played here.
    """

    command: commands.Play
    level: str


class Chooser(Protocol):
    """Somebody of the house who plays."""

    name: str

    def choose(self, seen: SeenMatch, chance: bytes) -> Thought | None:
        """Return a move of the seat by `CHANCE_BYTES` of chance; None where it has nothing to do."""


def words_of(chance: bytes) -> tuple[int, ...]:
    """Return chance as words of 64 bits."""
    return tuple([int.from_bytes(chance[at : at + 8]) for at in range(0, CHANCE_BYTES, 8)])


class LevelPlayer:
    """A player of one level, in one style."""

    def __init__(self, level: Level, style: Style, *, evenly: bool = False) -> None:
        """Play at this level; `evenly`, so that how long it thinks does not hang on what its hand shows."""
        self.name = level if style == STEADY else f"{level}.{style}"
        self._style = style
        self._levels = LEVELS[LEVELS.index(level) :: -1]
        self._evenly = evenly

    def choose(self, seen: SeenMatch, chance: bytes) -> Thought | None:
        """Return a move of the seat by this chance, of the highest level up to its own that has something to say."""
        sight = seen.sight
        if sight is None:
            return None
        thoughts = self._thoughts(seen, sight, chance)
        first = next(thoughts, None)
        if self._evenly and first is not None and first.level in BY_FILE:
            # Whether a file has the hand decides what is done, and not how long that takes: the next level thinks, too.
            next((each for each in thoughts if each.level not in BY_FILE), None)
        return first

    def _thoughts(self, seen: SeenMatch, sight: Sight, chance: bytes) -> Iterator[Thought]:
        """Yield what each level would do that has something to say, its own first, asking one after the other."""
        ways = (WAYS_EVENLY if is_even(sight.state.rules) else _ODD_WAYS) if self._evenly else _WAYS
        for level in self._levels:
            command = None if level not in ways else ways[level](seen, sight, self._style, chance)
            if command is not None:
                yield Thought(command, level)


def by_odds(sight: Sight, style: Style, chance: bytes) -> commands.Play | None:
    """Return what level 1 does in this sight; None where it has nothing to do."""
    return drawn(sight, LEVEL_ONE.with_power(POWERS[style]), words_of(chance)[0])


Way = Callable[[SeenMatch, Sight, Style, bytes], commands.Play | None]
"""How a level chooses by what was seen, its last sight, and chance; None where it has nothing to say."""


def _by_chance(_seen: SeenMatch, sight: Sight, _style: Style, chance: bytes) -> commands.Play | None:
    return move_at_random(sight, words_of(chance))


def _by_odds(_seen: SeenMatch, sight: Sight, style: Style, chance: bytes) -> commands.Play | None:
    return by_odds(sight, style, chance)


def _by_reading(seen: SeenMatch, sight: Sight, style: Style, chance: bytes) -> commands.Play | None:
    found = level_two.weigh(outlook_of(sight, seen.beliefs(), Words(chance)), NEAR[style])
    return found.draw(words_of(chance)[0]).command if found.options else None


def near_of(style: Style) -> Fraction:
    """Return how near the best level 3 draws among moves, in this style."""
    return HALF_A_POINT * NEAR[style] * Fraction(1, NEAR[STEADY])


def _by_worth(seen: SeenMatch, sight: Sight, style: Style, chance: bytes) -> commands.Play | None:
    near = near_of(style)
    folded = weigh_by_worth(seen, sight, near, chance) or weigh_by_cup(seen, sight, near)
    found = folded or weigh_by_rolling(seen, sight, near, chance)
    return None if found is None else found.draw(words_of(chance)[0]).command


def _by_blueprint(seen: SeenMatch, sight: Sight, _style: Style, chance: bytes) -> commands.Play | None:
    found = weigh_by_blueprint(sight, [step.event for step in seen.course])
    return None if found is None else found.draw(words_of(chance)[0]).command


def _by_file(seen: SeenMatch, sight: Sight, _style: Style, chance: bytes) -> commands.Play | None:
    found = weigh_by_file(sight, [step.event for step in seen.course])
    return None if found is None else found.draw(words_of(chance)[0]).command


_WAYS: Final[dict[Level, Way]] = {
    "L0": _by_chance,
    "L1": _by_odds,
    "L2": _by_reading,
    "L3": _by_worth,
    "L4": _by_blueprint,
    "L5": _by_file,
}
"""Where one has nothing to say, the one below it is asked."""


def _by_folding(seen: SeenMatch, sight: Sight, style: Style, chance: bytes) -> commands.Play | None:
    found = weigh_by_worth(seen, sight, near_of(style), chance)
    return None if found is None else found.draw(words_of(chance)[0]).command


_ODD_WAYS: Final[dict[Level, Way]] = {"L0": _by_chance, "L1": _by_odds, "L5": _by_file}
WAYS_EVENLY: Final[dict[Level, Way]] = {**_WAYS, "L3": _by_folding}
"""Those of whoever thinks evenly, where all hands are as dear as each other, and elsewhere: there a file is read."""


def is_even(rules: Rules) -> bool:
    """Report whether looking ahead takes as long for any hand: counts over dice that stay as they fell."""
    return isinstance(rules.claims, Counting) and isinstance(rules.tokens, OwnCups) and rules.handling.law == "frozen"


def player_of(name: str, *, evenly: bool = False) -> Chooser:
    """Return the player that is called so: a level, or a level and a style with a point between them.

    Args:
        name: Its name.
        evenly: That how long it thinks is not to hang on its hand: then it looks ahead only where that is so.

    Raises:
        UnknownLevel: There is none.
    """
    said, _, style = name.partition(".")
    level = next((each for each in LEVELS if each == said), None)
    if level is None or (style and style not in POWERS):
        raise UnknownLevel(f"there is no player `{name}`: levels are {', '.join(LEVELS)}, styles {', '.join(POWERS)}")
    return LevelPlayer(level, next((each for each in POWERS if each == style), STEADY), evenly=evenly)
