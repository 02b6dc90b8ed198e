"""The help texts of `truecup` and of each command: everything a newcomer needs, in one place.

The first paragraph of a command's help is its line in the list of commands.
"""

from __future__ import annotations

from typing import Final

from services.cli.analysing.manual import ANALYSING
from services.cli.auditing.outside.manual import MONITOR, STATISTICS
from services.cli.operating.manual import BACKUP, ERASE, MOVE_SHARD, RESTORE, VERIFY, WITHDRAW
from services.cli.playing.manual import PLAYING

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

play, watch, replay, audit, analyse and statistics speak English, German or
Spanish: the language of LC_ALL, LC_MESSAGES or LANG, or of --lang en, de or es.

Exit codes: 0 all is well; 1 something was found to be wrong; 2 nothing is
wrong, but something is missing; 3 the command was not understood or could not
be carried out; 130 interrupted."""

COMMANDS: Final = {
    "up": """Start everything on this machine, and print its address.

A Postgres and a NATS are started with it, unless TRUECUP_DATABASE_URL and
TRUECUP_NATS_URL name yours, and two witnesses of the log, unless
TRUECUP_WITNESSES names others. Three bots play at a demo table, so that there
is something to watch; the next table opens while anybody looks on. Ctrl-C
stops all of it.

For example:
  truecup up
  truecup up --port 0 --no-demo         any free port, no demo table
  truecup up --data ~/dice              keep everything in this folder""",
    "serve": """Run the service against a Postgres and a NATS of yours.

TRUECUP_DATABASE_URL and TRUECUP_NATS_URL say where they are, TRUECUP_ROLES
which parts run in this process, all of them if nothing is said:

  api     serves pages and the interface, and may stand behind a balancer;
          needs no key, and hands commands to a dealer over NATS
  relay   tells viewers what happens; needs the key
  dealer  takes commands and keeps the log; needs the key
  bots    play for the house, beside a dealer in the same process

All that need the key need the same one. Give each process a login and a user
of its own, which may no more than it has to: .docs/roles.md lists what that
is, and "truecup doctor" says how far a login reaches.

TRUECUP_WITNESSES names the witnesses of the log, by verifier key and address,
separated by commas; TRUECUP_QUORUM says how many of them have to have seen a
deal before it goes on: all, none, or a number. Replace a witness by naming the
new one beside it first, and take it off when the matches of then are over.

Bots may play among themselves at TRUECUP_BOT_TABLES tables (100), of which one
address may start TRUECUP_BOT_TABLES_EACH (5); they end when nobody looks on.
One address may have opened TRUECUP_TABLES_EACH tables (30) that wait for players.

TRUECUP_PROXIES names the proxies in front of it, by address or network,
separated by commas. Only those are believed when they say whom they speak for
(X-Forwarded-For) and how they were reached (X-Forwarded-Proto); without it all
their visitors count as one, and share the bounds of one. Of several proxies in
a row name all: the client is the last in the list who is none of them. A proxy
has to write the header itself, over what its client sent. For nginx:
  location / {
    proxy_pass http://127.0.0.1:8000;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Proto $scheme;
    gzip off;
  }
  location = /api/v1/socket {
    proxy_pass http://127.0.0.1:8000;
    proxy_http_version 1.1;
    proxy_set_header Connection upgrade;
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Proto $scheme;
  }
Caddy does so by itself:
  dice.example.org {
    reverse_proxy 127.0.0.1:8000
  }

For example:
  TRUECUP_PROXIES=127.0.0.1,10.0.0.0/8 truecup serve
  TRUECUP_ROLES=api truecup serve
  TRUECUP_ROLES=relay,dealer,bots truecup serve
  TRUECUP_WITNESSES="w.example/w1+9f2c... https://w.example" truecup serve
  truecup serve --host 0.0.0.0 --port 8000""",
    "migrate": """Bring a database of yours to the newest schema.

It may be run at any time and by several machines at once; what is there
already is left alone. "truecup up" does it by itself. With TRUECUP_SHARDS it
does so for each of the house's databases, and lets one join that is empty.

For example:
  TRUECUP_DATABASE_URL=postgres://... truecup migrate""",
    "backup": BACKUP,
    "restore": RESTORE,
    "verify": VERIFY,
    "rewrap": """Wrap the stored secrets with a new key.

To change the key of an installation:
  1. Make a new one. Set TRUECUP_KEY to it, TRUECUP_KEY_BEFORE to the old one
     (or the _FILE of either to a file), and start the service again. Where the
     key was kept in the data folder: rename the file "key" to "key.before", set
     TRUECUP_KEY_BEFORE_FILE to that, and the new one is made by itself.
     From now on what is new is wrapped, issued and named with the new key, what
     the old key closed is still opened, tokens and repeated requests of before
     are answered as before, and the log is signed with both keys.
  2. Publish the new policy (GET /api/v1/log/policy) where the old one was, and
     tell your witnesses both keys. Records of now audit under either policy.
  3. Run "truecup rewrap", as often as you like, until it has nothing to do. It
     may be interrupted, and the service may run meanwhile; a "truecup up" has
     to be stopped, since the database is its own.
  4. After a day, when nobody repeats a request of before any more, unset
     TRUECUP_KEY_BEFORE, and start the service again. Tokens issued under the
     old key end there, so let matches of before end first. The old key may go:
     records of before audit under a policy that names it.

With several machines on one database, first set TRUECUP_KEY_BEFORE to the new
key on all of them, so that each understands it, and then do step 1 on each.

Exit codes: 0 all secrets are wrapped with the new key; 1 some are wrapped with
a key that is not at hand, and are left as they are.

For example:
  TRUECUP_KEY_FILE=new TRUECUP_KEY_BEFORE_FILE=old truecup rewrap""",
    "move-shard": MOVE_SHARD,
    "withdraw": WITHDRAW,
    "erase": ERASE,
    **PLAYING,
    "open": """Open all tables of a list, or none.

FILE is a spreadsheet (.csv) with the names of its columns in the first row:
game, and if need be seats, name, starts_at, custody, private, and seat 1,
seat 2 and so on with what those are called who sit there; or lines of JSON
(.ndjson, .jsonl), as POST /api/v1/matches/bulk has them (see /docs). At most
500 rows. A table with a time, at most a week ahead, starts then with whoever
has a seat.

It prints a row for each token, to be handed on: that of the host of each table,
and that of each seat with the link that leads there, once and never again. If
anything is wrong it says of every bad row what, opens nothing, and ends with 3.

For example:
  truecup open tables.csv > links.csv
  truecup open tables.ndjson --json --url https://dice.example.org""",
    "replay": """Tell a match from its beginning, in words.

For example:
  truecup replay 3f0c...
  truecup replay 3f0c... --speed 10     ten times as fast as it was played, over
                                        the whole terminal with the extra tui
  truecup replay 3f0c... --json         every frame, one JSON document a line""",
    "export": """Save the record of a match, for anybody to audit.

Beside it, under the same name with .access, goes the record of who was served
which hidden dice, and when the rules let them; it holds no values. What people
are called goes into a file with .names.ndjson, which may be thrown away.

For example:
  truecup export 3f0c... --out match.cup
  truecup export 3f0c... --out - | truecup audit -""",
    "audit": """Check records: was anything changed, chosen or played against the rules?

Three layers are checked. 1: no line was changed, left out or put in, and the
transparency log vouches for it. 2: every die follows from what the server and
the seats had fixed before. 3: every event follows from the rules of the game.
No server is believed. The report also says which seats brought seeds
of their own, and what the server could have done in spite of it all.

A folder stands for every .cup file below it, the address of a match for its
record. Two records that tell different histories of one match are found, though
each may hold in itself.

The access record says who was served which hidden dice. It is looked for beside
the record, as match.access, where "truecup export" puts it, and held against
the rules. Where the log vouches for a match and the rules are looked at, a match
without it is not complete; it proves what the operator wrote into it, and a leak
that was not written down leaves no trace. Receipts are what the server signed when it accepted a command: with
--receipts they are held against the records, and prove a rewritten history.
What people are called is held against the record with --names, or by the file
match.names.ndjson beside it: a name that was swapped afterwards is found. With
--seen so is what somebody else has seen of the log: a folder with the notebook of
a monitor, records, receipts. Two views of one log are found.

The policy file names the keys of the log and of its witnesses. It has to come
from somewhere else than the record. Without one the log is not judged. It is
looked for in TRUECUP_POLICY, then in the data folder of this machine.

One status covers a record and what lies beside it: a fault beats what was not
judged, and that beats what holds. Rules that nobody here knows are not judged.

Exit codes: 0 nothing is wrong or open in any; 1 a fault in any (its code and line are printed);
2 no fault, but something is not complete or was not judged; 3 a file could not
be read.

For example:
  truecup audit match.cup --policy policy.txt
  truecup audit tournament --html report.html
  truecup audit https://dice.example.org/m/3f0c...
  truecup audit match.cup --receipts receipts.txt
  truecup audit *.cup --json            one JSON document a record
  truecup audit *.cup --seen bobs/ --policy policy.txt
  truecup audit match.cup --layers 1,2  without the rules of the game
  truecup export 3f0c... --out - | truecup audit - --access match.access""",
    "witness": """Be a witness: sign what logs say of themselves, and never two histories.

A log sends its newest checkpoint, with a proof that it continues the one before
it (C2SP tlog-witness, POST /add-checkpoint). Whoever asks in a policy for this
witness's signature need not believe that the log shows everybody the same.

FOLDER keeps the witness's key, its verifier key (vkey), its address (url) and
what it has signed (witness.db). Never go back to an older copy of witness.db:
a witness that forgets can be made to sign a second history. Ask somebody who
is not the host to run it: your own witness makes a second history visible,
only one of others prevents it.

The logs it is told of with --log stay known; what is said of a log replaces
what was said of it before, so give all keys of a log whose key is changing.

For example:
  truecup witness --folder ~/w1 --name witness.example/w1 \\
    --listen 127.0.0.1:7380 --log dice.example/log+8ee2bf1f+AQ...""",
    "monitor": MONITOR,
    "statistics": STATISTICS,
    "prove": """Show an auditor single dice that a match kept secret.

Where deals publish only what was shown, folded dice stay secret for ever. Who
held them may still prove any of them: each opening is checked against the
record, and says nothing of other dice. A seat asks for its openings at
/api/v1/matches/MATCH/openings/folded. Whether the record itself is fair,
"truecup audit" says.

Exit codes: 0 all are proved; 1 any is not; 3 a file could not be read, or holds
no openings.

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
    **ANALYSING,
    "doctor": """See what this machine and its cluster have and lack, and what to do about it.

Exit codes: 0 nothing is wrong; 1 something is.

For example:
  truecup doctor
  truecup doctor --json""",
    "tournament": """Hold a tournament, rehearse one, and look at its record.

For example:
  truecup tournament new "Club night" --preset pods
  truecup tournament simulate --preset pods --entrants 16 --out event
  truecup audit event --policy event/policy.txt
  truecup tournament standings event/tournament.cup
  truecup tournament why event/tournament.cup --number 7 --with 12""",
    "season": """Hold a season: ratings, and a league of tournaments.

For example:
  truecup season new "Autumn league" --places 10,6,4,3,2,1
  truecup tournament new "Night 1" --preset pods --season ID
  truecup season show ID""",
    "player": """Be a player: somebody who is known beyond one tournament.

For example:
  truecup player new Ada
  truecup player show u0123456789abcdef01234567""",
    "bench": """Measure this machine: commands a second, delays, rules.

Commands are sent over HTTP by 1, 16 and 64 clients that play real matches, and
every one is on disk before it is answered. Each figure is also given as a share
of what the machine can do at best, measured in the same run: a bare route, a
bare insert, a bare hop through NATS. Servers are started in a temporary folder,
unless TRUECUP_DATABASE_URL and TRUECUP_NATS_URL name yours.

For example:
  truecup bench
  truecup bench --seconds 30 --json
  truecup bench abuse                   what others wait for under attack""",
}
"""The help of each command, in the order in which they are listed."""
