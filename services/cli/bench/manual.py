"""The help texts of the benches of one thing, and of what attacks a service."""

from __future__ import annotations

from typing import Final

BENCHES: Final = {
    "http": """Measure durable commands over HTTP, and how soon a spectator sees them.

One client and many, which play real matches; every command is on disk before it
is answered. Beside them in the same run: a bare route behind the same server, a
bare commit, a bare hop through NATS; each figure is the median of five. With
--profile follows where the service's time of a core goes, by part.

For example:
  truecup bench http
  truecup bench http --processes 2 --profile
  truecup bench http --seconds 60 --json""",
    "socket": """Measure durable commands over the socket, one at a time and pipelined.

One client, 16 and many, each with one WebSocket, which play real matches; every
command is on disk before it is answered. First each waits for its answer before
the next, then it has sixteen under way. Beside them in the same run: a bare
route behind the same server, asked over HTTP, and a bare commit; each figure is
the median of five. With --profile follows where the service's time of a core
goes when sixteen clients pipeline, by part.

For example:
  truecup bench socket
  truecup bench socket --profile
  truecup bench socket --processes 2 --seconds 60 --json""",
    "store": """Measure appends through the store, and the bytes an event takes.

One writer, 64 and 512, each with a match of its own; every append is a bid with
its stored answer, and is on disk before the next. Beside them in the same run: a
bare commit of a row, and INSERT ... SELECT unnest of 100 rows a commit; each
figure is the median of five.

For example:
  truecup bench store
  truecup bench store --seconds 60 --json""",
    "rules": """Measure the rules of every game, on one core, without anything around them.

Random legal matches with as many seats as a game takes, up to ten: played, with
the moves of all seats asked before every command, and apart from that deciding
with evolving, the moves of the seat that acts, and the moves of all. Beside them
in the same run: a bare struct replaced; each figure is the median of five.

For example:
  truecup bench rules
  truecup bench rules --seconds 60 --json""",
    "replay": """Measure replays of stored matches, and a match loaded and decided on.

Sessions of six seats with 100, 1,000 and more events, in nobody's memory: every
frame a spectator gets, beside taking each line apart once; and a match of 1,000
events loaded and decided on, beside a bare read of its lines. Each figure is the
median of five.

For example:
  truecup bench replay
  truecup bench replay --longest 10000 --json""",
    "signing": """Measure what it takes a client to sign a command.

Beside a bare signature of as many bytes; the lines that it is signed over are
held, as they are in one's turn, and the key is written to its file.

For example:
  truecup bench signing
  truecup bench signing --seconds 1 --json""",
    "fanout": """Measure one match with very many readers, on one process of the service.

Every reader follows the stream of a spectator. Printed are the memory a reader
takes at rest, the time from a bid until the last reader has its frame, and the
frames a second that reach all of them when somebody bids without a pause; beside
them in the same run raw sockets that are written the same bytes. Each figure is
the median of five, but for the memory. It needs Linux.

For example:
  truecup bench fanout
  truecup bench fanout --readers 5000 --json""",
    "growth": """Measure a house with very many stored matches beside one with few.

The matches are made, not played: one real match, copied under other ids, with
everything it leaves in the tables. At 10,000, at 100,000 and so on follow an
append, the load of a match, a page of the lobby, a record and a proof of the log,
each beside the same in a database of a thousand, by turns; each figure is the
median of five. A thousand matches of either have been looked at before, and are
looked at again; a record is also read that nobody has looked at. Servers are
always started in a temporary folder, and 100,000 matches take some gigabytes of
it.

For example:
  truecup bench growth --matches 10000
  truecup bench growth --matches 1000000 --seconds 60 --json""",
    "analysis": """Measure analyses: moves of the levels, records told, what is said live.

On a core, in matches of common hand that level 1 plays: a move of levels 1, 2
and 3 with two, six and ten seats; odds, labels and counts of a record; a whole
analysis of two and of six seats, by one process and by two, which must come to
the same; what a caster is told of an event; the memory of a job. Beside them in
the same run: offers and view, look-ups in tables, deals folded back, lines
folded, the spectator's frame. Each figure is the median of five matches, but for
the memory. What is waited for hangs on what else the machine does. It needs
Linux and takes some minutes; --quick measures small matches.

For example:
  truecup bench analysis
  truecup bench analysis --repetitions 1
  truecup bench analysis --quick --json""",
    "tournament": """Measure a large tournament: its laws, and a house that holds one.

On one core, each figure the median of five: the first and the last round paired
in fours, with its cost beside its bound; standings, whole and after one result;
the tournament's own record audited, and those of its matches. Then in a house of
two processes, once: everybody enters and checks in over 50 connections, readers
follow the stream of lines, and bots of the house play a round, while a page that
watches asks for the standings at each result. Beside them in the same run: lots,
a sort, lines taken apart, a bare route, raw sockets, bare commits and a bare hop
through NATS. It needs Linux.

For example:
  truecup bench tournament
  truecup bench tournament --entrants 64 --rounds 3 --readers 100 --json""",
}
"""The help of each bench of one thing."""

ABUSE: Final = """Attack a service of this machine, and see how others fare.

One client without a token does its worst, or a crowd does what crowds do, and
beside it an honest one plays: asks for the process's health and its own view,
acts, and holds a seat's stream. Printed are its p50 and p99 before and during
each attack, and the memory of the service before, at most and afterwards. Then
follows whether the laws held: what others wait for, memory that comes back,
seats that are served, and requests that are answered.

Servers are started in a temporary folder, unless TRUECUP_DATABASE_URL and
TRUECUP_NATS_URL name yours. Nothing but this machine is attacked. It needs
Linux, and takes about ten minutes.

Exit codes: 0 all laws held; 1 one was broken; 3 it cannot run.

For example:
  truecup bench abuse
  truecup bench abuse --only "endless header" --only readers
  truecup bench abuse --quick --seconds 5 --json"""
