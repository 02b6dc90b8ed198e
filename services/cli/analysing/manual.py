"""The help of the commands about analyses and strength, as plain text: 80 signs a line, examples last."""

from __future__ import annotations

from typing import Final

ANALYSING: Final[dict[str, str]] = {
    "gauntlet": """Measure players against each other, with the same dice in every seat.

A block is one seed: in every match of it the same die of the same cup and roll
shows the same, and every player has every seat once. So one block is one fair
observation, and few of them say much. Two players sit against each other, one
alone and the other in all other seats, then the other way round; more of them
take a seat each. A session, which nobody wins, counts units over 20 rounds.

Players are levels of the house, with a style if you like, and programs that
speak TCE/1: `L2`, `L1.bold`, "engine:./mine --fast". A program has no network,
environment or files of ours; what it says on stderr goes to a temporary folder.

For example:
  truecup gauntlet L1 L0
  truecup gauntlet L1.bold L1 --seats 3 --option dice_per_player=3 --blocks 500
  truecup gauntlet L1 "engine:./mine" --until 0.02 --json""",
    "engine": """Be a player of the house as a program, by TCE/1.

Lines come in on standard input and go out on standard output: a word, then a
JSON object where the word has one. The protocol is in .docs/engines.md.

For example:
  truecup engine L1
  truecup gauntlet L1 "engine:truecup engine L1" --blocks 2""",
}
"""The help of each command, in the order in which they are listed."""
