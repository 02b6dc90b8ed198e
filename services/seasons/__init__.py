"""Seasons: what counts beyond one tournament, and players with a name of their own.

In reading order:

    requests    what a command came to, what there is not
    players     people who are known beyond one tournament
    reads       queries of seasons, by id
    handler     the command handler
"""
