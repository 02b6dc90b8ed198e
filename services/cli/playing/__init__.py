"""Commands for whoever plays, watches or replays a match.

In reading order:

    play         `truecup play`
    lines        a seat, line by line
    felt         a seat over the whole terminal, and tables to choose from
    engine       a seat that a program of others plays
    asking       what both ask for, and how a match at a table ends
    prompts      what a player may type
    watch        `truecup watch`
    replay       `truecup replay`
    words        events and views in words
    advice       odds at the table, and hints
    phrases      sentences of the terminal, and words that are typed
    powers       host powers, and what is typed for them
    keyed        `truecup key`
    manual       the help of all of these
    names        names of hands and faces
"""
