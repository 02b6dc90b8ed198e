"""The help texts of what is played and watched in a terminal."""

from __future__ import annotations

from typing import Final

PLAYING: Final = {
    "play": """Play in this terminal.

With the extra tui (pip install 'truecup[tui]') the table is drawn over the
whole terminal: arrows and Enter choose, "/" types, "o" shows odds, "l" doubts,
"?" helps. Without it, or with --plain, everything is told line by line, which
reads well aloud, and typed; colours are never the only sign, and NO_COLOR is
honoured.

Without MATCH it opens a table of its own with house bots; drawn, and with
nothing else said, it shows the lobby first: tables at which people wait,
practice, a table of your own. Type what you would
say: 5x3, two pair kings tens, keep 1 3, roll, believe, liar, spot on. When it
is your turn, everything you may type is listed. Besides there are "help",
"dice", "who", "odds", "repeat" (what was said last), "rematch" (the same people
again, when the match is over), and "quit", which leaves and keeps your seat;
"resign" gives the match up, and "end match" ends it for everybody, if the table
is yours, as soon as the round is over.

With --private the table is in no list; it prints an invitation, which others
open in a browser or hand to "truecup play" as it is. With --bots 0 it waits for
people: "bot" seats one of the house, "start" begins.

Whoever does not act in time is acted for by the table, and is out of the match
after some turns in a row: three of three minutes each, unless its host said
otherwise. Nobody wins by being away when others leave because of it. Ctrl-C
leaves the seat as it is, and says how to come back.

You draw your own seeds, which are kept in a file until the log has the deal,
and every die of yours is held against what was fixed before; --no-own-seeds
leaves the drawing to the server. What you ask for is signed with a key that is
made for your seat and kept beside your receipts, so that nobody else, the house
included, can play your turn; "key" tells of it, and it comes along with the
link to your seat. No bot stands in for you then, and no host takes you out;
--no-own-key does without. The link that it prints when you leave, and
the one that a page shows, lead to your seat with your seeds: in a browser, or
as "truecup play LINK" at another terminal. What the server signs for you is kept in a
file, and whatever it shows is held against that: it ends with 1, and an alarm,
if the server shows another history, dice that were not fixed, or something in
your name that you have not signed.

For example:
  truecup play
  truecup play --game finska --bots 1 --name Ada
  truecup play --option dice_per_player=3 --option palifico=true
  truecup play --private --table "Friday night"
  truecup play --engine ./mine          a program that speaks TCE/1 plays
  truecup play --plain
  truecup play 3f0c... --url https://dice.example.org""",
    "key": """Look after the key with which a seat signs.

What a seat asks for is signed with a key that is made where it is played, and
that the house never sees. Whoever has the key and the token plays the seat.

  truecup key show MATCH       the public half of the key that is here
  truecup key export MATCH     the key itself, to keep a copy of it
  truecup key import MATCH KEY a key from elsewhere: 64 digits, or a file
  truecup key give MATCH SEAT KEY --host TOKEN
                               as the host, another key for a seat

Each takes --token TOKEN, which "truecup play" prints when you leave, or the
link to the seat in the place of MATCH.

A key that is lost is not found again. Then its player shows the host the key
of another device ("truecup key show"), and the host gives it to the seat. For
two minutes the old key may say no, with any command; after that the next
command from the new device makes the new key hold. The record says so for ever.

For example:
  truecup key export 3f0c... --token truecup_seat_... --out my.key
  truecup key import 3f0c... my.key --token truecup_seat_...""",
    "watch": """Follow a match as it is played, in words.

You see what every spectator sees, over the whole terminal with the extra tui,
and line by line without it or with --plain. When the connection breaks, it is taken up
again where it broke. It ends with the match.

For example:
  truecup watch 3f0c...
  truecup watch 3f0c... --url https://dice.example.org --json""",
}
"""By the name of the command, in the order of the list."""
