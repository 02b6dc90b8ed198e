"""Manual of what operators do to keep what there is, to move it, or to erase it: `truecup backup` to `erase`."""

from __future__ import annotations

from typing import Final

BACKUP: Final = """Take a backup of the database, while people play.

FOLDER gets one state of everything that is in it: a file for each table, and a
manifest with their hashes and how far the log was. Any Postgres from 15 on can
be filled with it, the one of "truecup up" as well as yours. The login has to be
one that may read all of it, such as one in the role pg_read_all_data.

Of a house with several databases (TRUECUP_SHARDS) FOLDER has one such folder
for each, all of one moment: for some milliseconds nothing is stored elsewhere
than at the home. No shard may be moving, and the logins own the tables.

The key is not in it, since whoever has both can read the hidden dice of open
deals. --with-key writes it to a file of its own (those of before into another
one beside it, which ends in .before), to be kept elsewhere.

A backup is of the moment it was taken. What was answered behind it is lost with
a disk unless the write-ahead log is archived as well, and a house on an older
state would fork its log: .docs/when-parts-die.md has the steps. It holds names
of people; .docs/operations.md says what that means for you.

For example:
  TRUECUP_DATABASE_URL=postgres://... truecup backup monday
  truecup backup monday --with-key house.key"""

RESTORE: Final = """Put a backup into an empty database, and verify it.

The database has to have nothing in it, and the login to be the one that is to
own the tables. Without TRUECUP_DATABASE_URL it goes into the data folder, where
"truecup up" must not have been before; put the key there first, as "key". What
the backup says of itself is held against its files before anything is written,
and a restore that is interrupted leaves nothing in the database.

A house with several databases goes into as many, under the names they had in
TRUECUP_SHARDS, or into none. If that is interrupted, empty those it has filled.

Then it is verified, as "truecup verify" does, with the same exit codes.

For example:
  TRUECUP_DATABASE_URL=postgres://... truecup restore monday
  truecup restore monday --data ~/dice"""

VERIFY: Final = """Hold the database against itself, and against what its witnesses have seen.

Each stream has to be a chain, what lists and counts have made of it is made
again, and the transparency log has to follow from the streams, the tree from
the log, and each checkpoint from the tree. Then the
witnesses are asked (TRUECUP_WITNESSES, or those in the data folder) how much of
the log they have seen. They sign nothing new for that. Do it after each restore,
recovery or promotion, before a house is started; it may also run beside one.
With TRUECUP_SHARDS all databases are held against each other, as of one moment.

  NEWEST   no witness has seen more than there is
  OLDER    one has: a house started here would fork its log
  FORKED   one has signed another history
  UNKNOWN  nothing is wrong, but too few said how much they have seen
  REBUILD  only lists or counts are wrong, which come of the lines again
  BROKEN   the database does not hold in itself

Witnesses know the entries of the log. What was answered since the last one, a
second at most in a house that ran, only the write-ahead log knows.

With --rebuild, and no program of the house running, lists and counts that are
wrong are thrown away; whoever starts next makes them again, with nothing lost.

Exit codes: 0 newest; 1 older, forked or broken; 2 unknown; 3 it could not be
restored or read; 4 rebuild.

For example:
  truecup verify
  TRUECUP_DATABASE_URL=postgres://... TRUECUP_WITNESSES="..." truecup verify --json"""

WITHDRAW: Final = """Withdraw a comment because the law says so.

Its words are erased for good. The line that names them by a hash stays, with
one behind it that says who withdrew them and why, and every proof stays whole.
Hosts and authors withdraw comments on the page of the replay.

The ids of the match and of the comment stand in what
GET /api/v1/matches/MATCH/comments answers. The service may run meanwhile, but a
"truecup up" has to be stopped, since the database is its own. Repeated, it
changes nothing more.

For example:
  TRUECUP_DATABASE_URL=postgres://... truecup withdraw MATCH COMMENT
  truecup withdraw MATCH COMMENT --reason personal"""

MOVE_SHARD: Final = """Move a shard to another database of the house, while it is played.

TRUECUP_DATABASE_URL names the home and TRUECUP_SHARDS the others, each with a
login that owns the tables, as for "truecup migrate". The shard is copied while
play goes on; then nothing is appended to it for less than two seconds, in which
the rest is copied and both sides are held against each other: every line, the
end of every stream. Whoever acts meanwhile waits, or repeats.

It may be killed at any moment. Before it says that the shard is closed where it
was, play goes on there; run it again, or with --abort. Behind that the shard
waits to be opened: run it again at once. What was copied stays where it was,
closed, and is of use if the shard comes back; --drop drops it, if the shard is
open elsewhere and all of that is there, held against each other once more. It
may be killed as well, and is run again. There is no other copy then.

For example:
  truecup move-shard 3 b                to the database that is called b
  truecup move-shard 3 home             and back
  truecup move-shard 3 --abort
  truecup move-shard 3 --drop           where it was"""

ERASE: Final = """Erase what somebody is called, because the person wants it or the law says so.

PLAYER is the id that stands in records and views: p... at a table, u... of a
player who is known beyond one, that of an entrant. Instead of it, a match and
a seat name whoever took the seat last. The name goes, the salt that a record
commits to it with, and the list of tournaments that a player has entered; the
id stays, pages call it "erased", and every record and proof is as it was.

Each seat at a table is a name of its own, so a person who played at several
tables without being a player of the house is erased at each. Names of bots are
the house's, and stay. What somebody wrote about a match is withdrawn with
"truecup withdraw". Backups of the database keep what they held until they are
thrown away. The person can do the same with the token of the seat or of the
player: DELETE /api/v1/matches/MATCH/seats/me/name, or "truecup player erase".

The service may run meanwhile, and forgets the name within two seconds; a
"truecup up" has to be stopped, since the database is its own. Repeated, it
changes nothing more.

For example:
  TRUECUP_DATABASE_URL=postgres://... truecup erase p4f0c9b7ad2e83f6151c0d2e4
  truecup erase MATCH 3"""
