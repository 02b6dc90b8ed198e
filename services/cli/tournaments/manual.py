"""Help of the commands that look at the record of a tournament."""

from __future__ import annotations

from typing import Final

LOOKING: Final = {
    "standings": """Show the standings of a tournament, from its record alone.

Every line of the record is judged first. With --number an entrant's place is
explained: each round, each penalty, and what every tie-break is made of.
A record has no names; --names FILE gives them, a number, a comma and a name on
each line. Sentences are in the language of --lang, or of the environment.

For example:
  truecup tournament standings event/tournament.cup
  truecup tournament standings event/tournament.cup --round 2
  truecup tournament standings event/tournament.cup --number 7 --lang de""",
    "why": """Say why somebody sat at a table, from the tournament's record alone.

Who sits together is what costs least, by scores and by who has met. What each
two at the table cost is told, and what the cheapest exchange would have cost
more that seats the entrant with somebody else.

For example:
  truecup tournament why event/tournament.cup --number 7
  truecup tournament why event/tournament.cup --number 7 --with 12 --round 2""",
    "certificate": """Check the certificate of a pairing, and print it with its input.

The file needs nothing else but the roll that was opened, which the record has:
anybody can hold it against the laws of tournaments. Exit code 1 says that it
does not hold.

For example:
  truecup tournament certificate event/tournament.cup --round 2 --out round-2.json
  truecup tournament certificate event/tournament.cup --json""",
    "export": """Write a tournament down for spreadsheets, chess programs, calendars, print.

For example:
  truecup tournament export event/tournament.cup --as results --out results.csv
  truecup tournament export event/tournament.cup --as trf --title "Club night"
  truecup tournament export event/tournament.cup --as by-name --round 2 --names names.csv""",
}
