"""The pages people open: the lobby, a table, its replay, its audit, and what each problem means.

Pages are written here once, as HTML that reads without a script; their live parts are small modules in `static`, which
use the public JSON interface like any other client.

In reading order:

    pages        the pages
    sites        what the pages know of the house
    invitations  a table's address for others, and its code
    people       what whoever sits at a table is called
    front        which tables the front page shows
    manifest     the house as something to install
    writing      what writes pages, and in which language
    options      forms for house rules
    strengths    how strong the levels of bots were measured to be
    teaching     how each game is played
    tournaments  events, their rounds and places
    seasons      leagues, ratings, players
    watching     stages without a house around them
    telling      verdicts in words
    onefile      a match as one file, with its record and the auditor
    reference    the interface as a page
    assets       files and how long they are kept
    modules      what a script loads with it
"""
