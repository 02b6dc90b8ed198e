"""Projections: each viewer's fold of the log, with no dice but those the viewer may know.

In reading order:

    words               faces and claims in words
    around              the course of a match in a view
    view                a match as one viewer sees it
    frames              one event and the view after it
    history             frames of a whole match
    glass               the same with every die that was published later
    lobby               rows of the lobby
    sheets              what the dice of a match came to
    saying              what people type, as commands
    served_dice         which hidden dice a view holds
    unshown_openings    openings of dice that were never shown, for their owner
    lengths             answers as long as with any other dice
    commentary          what people say about a match
    casting             what may be said of a match while it is played, and automatic words
    seasons             leagues, ratings, players
    tournaments         tournaments, with standings, pairings and what explains them
"""
