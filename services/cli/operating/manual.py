"""Manual of what operators do because the law says so: `truecup withdraw` and `erase`."""

from __future__ import annotations

from typing import Final

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
