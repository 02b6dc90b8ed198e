"""What `truecup --help` and the help of each command say: everything a newcomer needs, in one place.

The first paragraph of a command's help is its line in the list of commands.
"""

from __future__ import annotations

from typing import Final

HELP: Final = """Play liar's dice, watch it, and prove that nobody, the server
included, chose a die.

Begin with "truecup up": it starts everything on this machine and prints one
address to open in a browser."""

EPILOGUE: Final = """Examples:
  truecup up                            start everything, with a demo table
  truecup play --game finska            play in this terminal, against bots
  truecup watch MATCH                   follow a match, in words
  truecup export MATCH --out match.cup  save the record of a match
  truecup audit match.cup               check it, anywhere, without the server
  truecup doctor                        see what this machine has and lacks

MATCH is the id of a match: the last part of the address of its page.

Exit codes: 0 all is well; 1 something was found to be wrong; 2 nothing is
wrong, but something is missing; 3 the command was not understood or could not
be carried out; 130 interrupted."""

COMMANDS: Final = {
    "up": """Start everything on this machine, and print its address.

A Postgres and a NATS are started with it, unless TRUECUP_DATABASE_URL and
TRUECUP_NATS_URL name yours. Three bots play at a demo table, so that there is
something to watch. Ctrl-C stops all of it.

For example:
  truecup up
  truecup up --port 0 --no-demo         any free port, no demo table
  truecup up --data ~/dice              keep everything in this folder""",
    "serve": """Run the service against a Postgres and a NATS of yours.

TRUECUP_DATABASE_URL and TRUECUP_NATS_URL say where they are, TRUECUP_ROLES
which parts run in this process: any of api, relay, dealer, bots.

For example:
  TRUECUP_ROLES=api,relay truecup serve
  truecup serve --host 0.0.0.0 --port 8000""",
    "migrate": """Bring a database of yours to the newest schema.

It may be run at any time and by several machines at once; what is there
already is left alone. "truecup up" does it by itself.

For example:
  TRUECUP_DATABASE_URL=postgres://... truecup migrate""",
    "play": """Play in this terminal.

Without MATCH it opens a table of its own with house bots. Type what you would
say: 5x3, two pair kings tens, keep 1 3, roll, believe, liar, spot on. When it
is your turn, everything you may type is listed. "quit" leaves, and keeps your
seat; "resign" gives the match up.

The server draws your seeds: to bring your own, play in the browser.

For example:
  truecup play
  truecup play --game finska --bots 1 --name Ada
  truecup play --option dice_per_player=3 --option palifico=true
  truecup play 3f0c... --url https://dice.example.org""",
    "watch": """Follow a match as it is played, in words.

You see what every spectator sees. When the connection breaks, it is taken up
again where it broke. It ends with the match.

For example:
  truecup watch 3f0c...
  truecup watch 3f0c... --url https://dice.example.org --json""",
    "replay": """Tell a match from its beginning, in words.

For example:
  truecup replay 3f0c...
  truecup replay 3f0c... --speed 10     ten times as fast as it was played
  truecup replay 3f0c... --json         every frame, one JSON document a line""",
    "export": """Save the record of a match, for anybody to audit.

For example:
  truecup export 3f0c... --out match.cup
  truecup export 3f0c... --out - | truecup audit -""",
    "audit": """Check records: was anything changed, chosen or played against the rules?

Three layers are checked. 1: no line was changed, left out or put in, and the
transparency log vouches for it. 2: every die follows from what the server and
the seats had fixed before. 3: every event follows from the rules of the game.
Nothing is asked of any server. The report also says which seats brought seeds
of their own, and what the server could have done in spite of it all.

The policy file names the keys of the log and of its witnesses. It has to come
from somewhere else than the record. Without one the log is not judged. It is
looked for in TRUECUP_POLICY, then in the data folder of this machine.

Exit codes: 0 all are fair; 1 a fault in any (its code and line are printed);
2 no fault, but some record is not complete; 3 a file could not be read.

For example:
  truecup audit match.cup --policy policy.txt
  truecup audit *.cup --json            one JSON document a file
  truecup audit match.cup --layers 1,2  without the rules of the game
  truecup export 3f0c... --out - | truecup audit -""",
    "prove": """Show an auditor single dice that a match kept secret.

Where deals publish only what was shown, folded dice stay secret for ever. Who
held them may still prove any of them: each opening is checked against the
record, and says nothing of other dice. A seat asks for its openings at
/api/v1/matches/MATCH/openings/folded. Whether the record itself is fair,
"truecup audit" says.

Exit codes: 0 all are proved; 1 any is not; 3 a file could not be read.

For example:
  truecup prove match.cup opening.json
  truecup prove match.cup openings.json --json""",
    "odds": """Say how likely a claim is, exactly.

Without a question it lists what may be asked, and what each question takes.
Every chance is an exact fraction; the decimals are for reading.

For example:
  truecup odds at_least tokens=10 chance=1/3 quantity=4
  truecup odds bid_holds quantity=5 face=3 seen=3,1,4,4,6 unseen=10 wild=true
  truecup odds shapes throw=hoyle
  truecup odds patterns --json""",
    "doctor": """See what this machine has and what it lacks, and what to do about it.

Exit codes: 0 nothing is wrong; 1 something is.

For example:
  truecup doctor
  truecup doctor --json""",
    "bench": """Measure this machine: commands a second, delays, rules.

Commands are sent over HTTP by 1, 16 and 64 clients that play real matches, and
every one is on disk before it is answered. Each figure is also given as a share
of what the machine can do at best, measured in the same run: a bare route, a
bare insert, a bare hop through NATS. Servers are started in a temporary folder,
unless TRUECUP_DATABASE_URL and TRUECUP_NATS_URL name yours.

For example:
  truecup bench
  truecup bench --seconds 30 --json""",
}
"""The help of each command, in the order in which they are listed."""
