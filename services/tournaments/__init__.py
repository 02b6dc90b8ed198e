"""The tournaments of the house: the command handler, and what can be read of them without a server.

In reading order:

    requests    what a command came to, who a token speaks for
    seasons     for which season a tournament may be held, and by whom
    boards      boards of duplicate rounds: opened, moved on, read
    cached      a tournament in memory, folded line by line
    reads       queries of tournaments, by id
    ways        how commands come to be decided: in a queue, when they are due, as a list
    deciding    load, decide, append, answer: for all who wait at once
    handler     the command handler
    frames      what a line says and moves, made once for all who follow
    streams     lines as they come
    people      a player, with the tournaments entered
    tables      the match of a table: its id, its rules, who sits there
    shown       what follows from the records of matches and is shown beside, such as luck
    screening   pairs that stand out, for officials alone
"""
