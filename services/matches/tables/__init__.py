"""Tables that nobody asks for by hand: those that follow on others, and those of tournaments.

In reading order:

    rematches       the next table of the same people
    event_tables    tables of tournaments, opened by their director
"""
