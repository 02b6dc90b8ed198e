"""The rules of every game, and of fairness: pure functions over values.

Read it in this order. A match is asked for something in `commands`, and what happens stands in the log as `events`; a
rule that says no is in `errors`.

    rules, games            what a game is, as a value
    orders, claims          which claims there are, and when one outranks another
    places, state           where dice lie, and what everybody may know
    moves, table            who may do what, and what it leads to: the law of the house
    dice                    how many a deal holds, and how a round deals them
    judging, settling       what follows a doubt, and what a verdict costs
    settings, match         what is frozen when a match is opened, and what is remembered of it
    ceremony, clocks        how dice come about, whose time runs
    deciding                a command on a match, decided; what follows of itself follows at once
    record                  a match as lines, and back
    log, fairness           formats that prove it, dice nobody chose, the audit
    referee                 layer 3 of the audit: the rules, replayed
"""
