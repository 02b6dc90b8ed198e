"""Commands that seats with keys signed: what a seat asked for is no longer the word of the house (CUP/1 section 4.14).

In reading order:

    messages     the bytes that are signed, and the seal over positions of dice
    forms        the public form of each command, and the first line it leads to
    eras         the lines that one key signed: the last good signature says everything before it
    handling     dice that were handled under a seal, opened when the deal closes
    keyed_seats  the seats with keys, checked line by line
    entrants     the key that an entrant of a tournament registers for all seats of it
"""
