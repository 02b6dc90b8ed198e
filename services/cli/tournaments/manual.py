"""Help of the commands that look at the record of a tournament, and of those that hold one."""

from __future__ import annotations

from typing import Final

PLAYING: Final = {
    "simulate": """Play a whole tournament of house bots, in memory.

Nothing is started and nobody is asked: bots enter, draw lots, are paired and
play every match. The rounds, what pairing cost beside what it costs at least,
and the places are printed. With --out the record of the tournament, those of
its matches and the policy to audit them by are written into a new folder. With
--seed all chance follows from a number; with --kill it is stopped at random
steps and goes on from what was stored, which changes nothing.

For example:
  truecup tournament simulate
  truecup tournament simulate --preset knockout --entrants 32
  truecup tournament simulate --preset single --best-of 3
  truecup tournament simulate --preset last_longer --entrants 20 --bots
  truecup tournament simulate --preset duplicate --entrants 12 --luck
  truecup tournament simulate --entrants 64 --rounds 5 --out event
  truecup tournament simulate --seed 7 --kill --json""",
}
"""The command that plays one in memory."""

LOOKING: Final = {
    "standings": """Show the standings of a tournament, by its record or while it is held.

What is named is a record file, or a tournament of a service: by its id, at --url
or the `truecup up` of this machine, or by the address of its page. Its lines are
read and judged here as those of a file are, so nothing is believed; while it is
held, pairings by lots that are still closed are judged once it is over.
With --number an entrant's place is
explained: each round, each penalty, and what every tie-break is made of.
A record has no names, but for those that a service knows; --names FILE gives
them, a number, a comma and a name on each line. Sentences are in the language of --lang, or of the environment.

For example:
  truecup tournament standings event/tournament.cup
  truecup tournament standings http://127.0.0.1:8000/t/ID
  truecup tournament standings event/tournament.cup --round 2
  truecup tournament standings event/tournament.cup --number 7 --lang de""",
    "why": """Say why somebody sat at a table, by the tournament's record or its id.

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

HOLDING: Final = {
    "new": """Announce a tournament, and keep the token of its host.

The token lies in a file of the data folder that nobody else of this machine
reads; every command below finds it there, or is given another with --token.
No house but the one that gave it is shown a kept one.

One that counts for a season is announced with --season: the token of the season's
host is the kept one, or given with --season-token. Its matches are rated, unless
--no-rated says otherwise.

For example:
  truecup tournament new "Club night" --preset pods
  truecup tournament new "Night 3" --preset pods --season ID
  truecup tournament new "Cup" --preset knockout --rules cup.json --json""",
    "add": """Enter people by their names, and bots of the house.

Entry is opened if it is not. Each name comes back with a number and a token:
whoever has it plays as that entrant. The page of a table and truecup play draw
seeds of their own there, so that the house alone chooses no dice;
--no-own-seeds leaves that to the server.

For example:
  truecup tournament add ID Ann Bob "Eve Miller"
  truecup tournament add ID --bots 6""",
    "check-in": """Open the check-in, say who is there, and see who is missing.

For example:
  truecup tournament check-in ID
  truecup tournament check-in ID 3 7 12""",
    "start": """End the check-in: the lots are drawn, and the first round follows.

Whoever has not checked in by now is out. After a pause it goes on.

For example:
  truecup tournament start ID""",
    "pair": """Pair the next round now, without waiting for its time.

For example:
  truecup tournament pair ID""",
    "rule": """Say what a table counts as; it stands on record with the reason.

For example:
  truecup tournament rule ID --table 3 --ranking 7,2=5 --reason wrong_result
  truecup tournament rule ID --table 1 --ranking 4 --absent 9 --reason late""",
    "finish": """Hear no more appeals, and close the tournament.

By itself it closes a day after the end, or as its rules say. Appeals that wait
are decided first.

For example:
  truecup tournament finish ID""",
    "watch": """Follow a tournament: pairings, results, standings after each round.

For example:
  truecup tournament watch ID
  truecup tournament watch ID --json""",
}
"""Help of the commands that hold a tournament of a service."""
