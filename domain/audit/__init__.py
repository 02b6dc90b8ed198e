"""The audit of the rules: a record replayed, and who was served which dice.

In reading order:

    published       what a record shows of the dice of each deal
    access          the access stream: who was served which hidden dice, on record, and who may know them
    rulings         what layer 3 finds in a match
    board_order     a match held against the rounds of its board
    signing         commands that seats signed, as the referee takes them, and beside the record those it does not have
    behind          the command behind a line, told from the first line that it left
    replay          layer 3: every command decided anew and compared line by line
    access_audit    whether they were allowed to
    boards          the stream of a duplicate board, decided anew
    asked           the command behind a line of a tournament, told from the first line that it left
    tournaments     the stream of a tournament, decided anew: lots, pairings, results, standings, prizes
    seasons         the stream of a season, decided anew: what counts once, who goes up and down
"""
