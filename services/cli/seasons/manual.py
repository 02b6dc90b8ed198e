"""Help of the commands of seasons and players."""

from __future__ import annotations

from typing import Final

SEASON: Final = {
    "new": """Begin a season of a game, and keep the token of its host.

A season holds ratings: how strong everybody is, from every rated match. It is a league
besides where --places says what places of a tournament are worth, or --score that
its points count. The token lies in a file of the data folder that nobody else of
this machine reads, and tournaments are announced for the season with it.

For example:
  truecup season new "Autumn league" --places 10,6,4,3,2,1 --best 6
  truecup season new "Ratings of Mexican" --game mexican""",
    "show": """Show the table of a season, its ratings, and what is held for it.

For example:
  truecup season show ID
  truecup season show http://127.0.0.1:8000/seasons/ID --json""",
    "end": """End a season: who goes up and down stands in its last line.

Everything that is held for it has counted by then, however it came out.

For example:
  truecup season end ID""",
    "export": """Save the record of a season.

Beside the records of its tournaments, in one folder, `truecup audit` works out
every point and every rating again.

For example:
  truecup season export ID --out league/season.cup""",
}
"""Help of what is done with a season."""

PLAYER: Final = {
    "new": """Become a player under a name, and keep the token.

A player is known beyond one tournament: one id in all records, ratings, places.
With the token one enters tournaments; the page of a tournament asks for it.

For example:
  truecup player new Ada""",
    "show": """Show a player: ratings by season, and tournaments.

For example:
  truecup player show u0123456789abcdef01234567""",
    "renew": """Have another token; the one of before counts no more.

For example:
  truecup player renew u0123456789abcdef01234567""",
    "erase": """Erase the name, and the list of tournaments entered, for good.

The id stays in records, and every proof stays whole. Places, ratings and the
token go on under the id.

For example:
  truecup player erase u0123456789abcdef01234567""",
}
"""Help of what is done with a player."""
