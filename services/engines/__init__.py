"""Players as programs: the levels of the house, and TCE/1 for programs of others.

In reading order:

    level_names    names of levels and styles
    levels         the players of the house, and how each chooses
    solved_rounds  rounds that a shipped file plays, solved or a blueprint
    analyst        moves by what an analysis would have called best
    roller         moves by playing them on
    seen           a match as the frames of one seat tell it
    in_memory      a match played without a server
    lines          what an engine may say, and what it is told
    cell           what a program of others gives up before it starts
    process        an engine's process, within bounds
    hosting        an engine asked for moves, and what becomes of it when it fails
    serving        a player of the house as an engine
"""
