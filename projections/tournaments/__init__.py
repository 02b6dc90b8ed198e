"""Tournaments as people see them: pure functions over a folded tournament and the names that people have.

In reading order:

    numbers     fractions for people
    people      entrants by number and name
    dues        what happens next, or who is waited for
    rulings     what officials did and why, appeals, and who reads the texts beside lines
    rounds      pairings and results of a round
    parts       what a score and a tie-break are made of, round by round
    standings   who stands where, and why
    entrants    the list of all, and one with the whole way
    overview    the list of tournaments, and the view of one for everybody
    brackets    eliminations, with where winners and losers go
    cards       what an entrant needs to know now
    pairings    what a round was paired from, and its certificate
    officials   what officials see besides, such as the next round as it would be paired now
    reasons     why a table is as it is
    watching    what a line moves, for whoever watches
    formats     what single formats have to show besides
    exports     files for spreadsheets, programs of chess, calendars and printers
"""
