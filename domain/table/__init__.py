"""One game: its state, what may be asked of it, and what that leads to.

In reading order:

    places        where dice lie, who may know them
    dealer        who knows the dice of a deal
    phases        the machine: where each event leads, what may be asked in which phase
    state         what everybody may know of a game
    offers        what may be offered to a seat
    interlude     where a game asks its interludes
    evolve        how events change the state
    checks        why a seat may not do something now
    moves         what each seat may do now
    dice          how many dice a deal holds, and how a round deals them
    handling      what seats do with dice
    settling      what a verdict costs
    ending        how a round ends, and a match
    bouts         who plays next, two at a time
    judging       what follows a doubt
    decide        a command on a game, decided
    interludes    what fits no axis, a file each
"""
