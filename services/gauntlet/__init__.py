"""Players measured against each other, with the same dice in every seat.

In reading order:

    gauntlet      block after block, until enough is known
    plans         who sits where in the matches of a block
    duels         one match, with the dice of its block
    contenders    who is measured: players of the house, programs of others
    adjusting     the luck of the dice, which is taken out of what they came to
    named         a policy as a player
    measuring     what they came to, and how sure that is
    ladder        every level against the one below
"""
