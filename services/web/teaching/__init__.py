"""Teaching: how each game is played, from the very value that the engine plays by.

In reading order:

    rulebook  the rules of a game or of a table in sentences
    ladders   what beats what, drawn
    examples  a round of each game, played by the engine
    lesson    the first lesson, every number of which is worked out
"""
