"""The help of what is said of a house by others: `truecup monitor` and `truecup statistics`."""

from __future__ import annotations

from typing import Final

MONITOR: Final = """Follow the log of a house, and say what is wrong with it.

Each look takes the newest checkpoint, holds it to the policy, and to the one
seen last: the log may only grow. Every new entry and every tile above it has to
hash to the signed root. Then it flags two heads for one line of a stream, deals
that were sealed and whose match never ended, and matches that are not what the
log says of them.

FOLDER keeps what was seen, so that it can go on, and the two checkpoints that
prove a second history, should there be one. What cannot be believed changes
nothing there. Run it where the host cannot reach it; a few are enough.

With --compare nothing is followed: what lies in two folders, of two people who
watch the same house, is held against each other. A notebook of a monitor, records
(.cup), receipts and pairs of checkpoints count, as far as a log of the policy
signed them. Two roots for one number of entries, or two hashes for one line,
prove two histories; what no proof joins is named.

With --statistics the house's own counts are worked out again from the records
that its log knows to be over: one that its statistics leave out, or count
otherwise, is named. It also raises the alarm where deals were thrown away more
often than chance explains.

The policy file is looked for as "truecup audit" does: it has to come from
somewhere else than the house.

Exit codes: 0 all is well; 1 something is wrong; 2 something could not be
checked; 3 it cannot run. Without --once it goes on until Ctrl-C.

For example:
  truecup monitor https://dice.example --policy policy.txt --folder ~/seen
  truecup monitor http://127.0.0.1:8000 --folder seen --once --streams --json
  truecup monitor https://dice.example --folder ~/seen --statistics
  truecup monitor --compare ~/seen ~/what-bob-saw --policy policy.txt"""
STATISTICS: Final = """Count the dice of many records, and say whether they fell evenly.

The same counts, evidence and bounds that a house tells of itself on its
statistics page, worked out from records alone. A record counts if layers 1 and
2 of the audit find no fault in it, and each match counts once. Whether the log
vouches for the records is what "truecup audit" says.

One coin is bet against fair dice. If all dice are fair, the chance that it ever
becomes 20, however often you look and however many records you add, is at most
5 %. A coin that shrinks proves nothing. Take all records of a house, those of
matches in play among them: whoever picks records by their dice picks the result.

Exit codes: 0 nothing speaks against the dice; 1 something does, or a record is
at fault; 2 some dice are still hidden; 3 a file could not be read.

For example:
  truecup statistics records/           all .cup files of a folder
  truecup statistics *.cup --json       the JSON of GET /api/v1/statistics"""
