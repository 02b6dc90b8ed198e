"""The matches of the house: the command handler, the queries, and the secrets behind them.

In reading order:

    requests      what is asked, and what it comes to
    optimistic    the loop of every handler: decide, append, and decide again where somebody else was first
    handler       the command handler: read, decide, append, answer
    seating       who may sit down, and who still sits
    turns         one command of a match at a time
    chance        chance for commands
    anchors       lines for the transparency log
    attendance    tables that only bots play
    heart         time that nobody kept
    looks         when somebody last looked
    audience      which seats somebody listens for
    witnesses     who watches over the log
    tables        tables that follow on others, and those of tournaments
    secrets       tokens, keys, the vault
    naming        which names people may have
    reads         what is read of matches
    watching      what those see who sit nowhere
"""
