"""Decisions of a tournament: what is asked for, refused or done, and what is due by itself.

In reading order:

    decide      a command, and the lines it leads to
    due         what the director does by itself, and when
    people      entry, check-in, byes, who leaves and who comes back
    keys        which keys entrants sign with
    waits       who is ready for a table, in an arena
    ladders     who challenges whom, and what is answered
    drawing     the tournament's own deal of lots
    rounds      stages and rounds: paired, started, recorded, closed
    by_hand     tables as officials set them, and what is taken back for it
    supposing   the next round with lots of zeros, for officials
    rulings     what officials say about tables and entrants
    course      the lines of one command as they come about
"""
