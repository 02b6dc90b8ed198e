"""The help of the commands about analyses and strength, as plain text: 80 signs a line, examples last."""

from __future__ import annotations

from typing import Final

ANALYSING: Final[dict[str, str]] = {
    "analyse": """Judge the play of a finished match from its record.

The record is audited first, as "truecup audit" does it: one with a fault is
not analysed. Then every claim is told by what its claimant knew: how likely it
was to the public, to each seat and by all dice, whether it was a bluff, and
what became of it. A seat is never judged by dice that it could not see.

--json prints the whole analysis, one canonical document: the same bytes for
the same record, policies and samples, on any machine. --policy names a policy
that is shipped, or a file; the house's own are taken for what nobody names.

A long match is told by several processes at once, as many as there are cores
or --jobs says; a bar on stderr shows how far it is once a second has gone by.

--html writes one page that needs no network: what happened, the analysis, the
record with the auditor that checks it, and the comments that lie beside the
record as ID.comments.ndjson. It writes over no file without --force.

Exit codes: 0 all of it; 1 the record is at fault; 2 the match is not over, so
that only its closed rounds are told, or there is nothing to analyse.

For example:
  truecup analyse match.cup
  truecup analyse match.cup --seat 2          what seat 2 claimed, in words
  truecup analyse match.cup --rounds 3-5 --json
  truecup analyse match.cup --html match.html
  truecup analyse match.cup --policy level1 --policy weighted --json""",
    "gauntlet": """Measure players against each other, with the same dice in every seat.

A block is one seed: in every match of it the same die of the same cup and roll
shows the same, and every player has every seat once. So one block is one fair
observation, and few of them say much. Two players sit against each other, one
alone and the other in all other seats, then the other way round; more of them
take a seat each. A session, which nobody wins, counts units over 20 rounds.

Players are levels of the house, with a style if you like, policies, which are
level 1 where they say nothing, and programs that speak TCE/1: `L2`, `L1.bold`,
`policy:1v1-d6-quantity_first-always-no`, "engine:./mine --fast". A program has
no network, environment or files of ours; what it says on stderr goes to a
temporary folder.
Where one plays, every match has dice of its own, which it cannot remember from
the match before; --duplicate says that you trust it.

With --adjusted the difference is told a second time, less what the dice brought
each seat by an analysis of every match. That is 0 on average whoever plays.

For example:
  truecup gauntlet L1 L0
  truecup gauntlet L1.bold L1 --seats 3 --option dice_per_player=3 --blocks 500
  truecup gauntlet L1 "engine:./mine" --until 0.02 --json
  truecup gauntlet --ladder ladder.json""",
    "engine": """Be a player of the house as a program, by TCE/1.

Lines come in on standard input and go out on standard output: a word, then a
JSON object where the word has one. The protocol is in .docs/engines.md.

For example:
  truecup engine L1
  truecup gauntlet L1 "engine:truecup engine L1" --blocks 2""",
    "policy": """List, show, solve, verify and fit policies.

A policy is a file that says, in whole numbers, how likely which move is: level
1, by which the house reads what others do; models of who loses a round; and
rounds of two seats that are solved, or learnt as blueprints. A policy is known
by its name and the hash of its bytes, and is refused whole if anything in it is not as it should be.

For example:
  truecup policy list
  truecup policy solve --dice 1v2 --system no_decrease""",
}
"""The help of each command, in the order in which they are listed."""

POLICY: Final[dict[str, str]] = {
    "list": """List the policies that are shipped, and those that this machine has solved.

Of a solved one the last column says what the round is worth to who opens it,
+1 won and -1 lost: what the file guarantees, and no more.

For example:
  truecup policy list
  truecup policy list --json""",
    "show": """Show what a policy says, or how it plays a hand.

For example:
  truecup policy show level1
  truecup policy show 1v1-d6-quantity_first-always-no --hand 3
  truecup policy show 1v1-d6-quantity_first-always-no --hand 3 --after 1x2""",
    "solve": """Solve rounds of two seats in which nothing is done but to bid and to challenge.

How long that takes is said before. What comes out is proved, and kept in the
data folder under its hash; what is there already is passed over, so that Ctrl-C
loses nothing that is done. It takes the extra solve (pip install
'truecup[solve]').

Rounds too large to be solved, with up to about four dice each, have a blueprint:
--blueprint lets both seats play against themselves, remembering three claims.
It is a model that guarantees nothing. The same passes and seed give the same
again on this machine; Ctrl-C keeps it as far as it has come.

For example:
  truecup policy solve --dice 1v1 --system all --wild never
  truecup policy solve --dice 1v2 --dice 2v1 --system no_decrease
  truecup policy solve --dice 2v2 --system face_first --faces 3
  truecup policy solve --blueprint --dice 2v2 --dice 1v2 --dice 2v1""",
    "verify": """Work out anew what a policy guarantees against every reply, in fractions.

How it was found proves nothing, and is not asked for. A blueprint guarantees
nothing; of it a reply is looked for that beats it, and what that wins is what
the blueprint gives away at least.

Exit codes: 0 it is as it says; 1 it is refused, with the reason.

For example:
  truecup policy verify 1v1-d6-quantity_first-always-no
  truecup policy verify mine.policy --json""",
    "pin": """Print a trust policy, which is something else, as a DNS record.

The policy that names the keys of a house's log and of its witnesses has to come
another way than its records. This prints it as the data of a TXT record, for the
zone of somebody who vouches for it. Whoever checks gives --policy the answer as
"dig +short TXT" prints it, or the file of an installed package, whose hash a lock
file may hold, as package:NAME/FILE.

For example:
  truecup policy pin policy.txt
  dig +short TXT _cup1.dice.example | truecup audit match.cup --policy /dev/stdin
  truecup audit match.cup --policy package:dice-policies/dice_policies/dice.txt""",
    "fit": """Fit the round model anew: who loses a round, by what each has.

Level 1 plays rounds of common hand against itself, for each number of seats as
many, with stacks of one to ten dice drawn at random. What comes out is kept in
the data folder; nothing takes it by itself.

For example:
  truecup policy fit mine
  truecup policy fit mine --rounds 50000 --policy mine.policy""",
    "cup": """Say what a blind cup of two seats is worth, and how often to lift it.

Two seats pass two dice that only the roller sees, claims rise, and nothing else
is done. All of it is worked out in fractions; the chances are one best answer
among several.

For example:
  truecup policy cup
  truecup policy cup mia --after 5-1""",
}
"""The help of what is done with policies."""
