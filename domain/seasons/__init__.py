"""Seasons: what counts beyond one tournament, for a league and for ratings, as lines and as their fold.

In reading order:

    members      who is known beyond one tournament
    rules        the rules object of a season
    events       its lines
    counting     what a season sees of a tournament: points by place or by score, and what was played
    season       the season as its stream leaves it
    standings    the table of the league, and who goes up and down
    deciding     commands, and what they lead to
    record       its lines as bytes
"""
