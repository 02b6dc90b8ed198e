"""Strategy: how a seat may play, how its moves are read, and what a round is worth, in integers and fractions.

In reading order:

    sight          what one seat goes by
    knowledge      what a seat knew before others handled the dice in secret
    level_params   the constants of level 1
    weighing       moves thought of, each with an integer
    hands          multisets of hidden dice
    chance         words that whoever repeats an analysis draws again
    level_zero     chance alone
    level_one      simple odds, for every game
    tables         what stands between two rounds are worth
    folding        W of a round, from its end back
    reading        what others are likely to hold
    rollouts       what a position of any game is worth, by playing it on
    rolled_moves   level 3 where no round folds back
    duels          rounds of two seats that are solved
    bad_policy     what is wrong with a policy
    policies       how a seat plays and is read, as files
    level_two      it reads the others, and looks one move ahead
"""
