"""Seasons as records tell of them: how strong somebody is, and whether what counted follows from tournaments.

In reading order:

    ratings      how strong somebody is, from who came before whom
    counts       what a tournament counts for a season
    held         seasons held against the records of their tournaments
    sentences    what an audit of a season comes to
"""
