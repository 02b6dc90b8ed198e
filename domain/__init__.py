"""The rules of every game, and of fairness: pure functions over values.

A match is asked for something in `commands`, and what happens stands in the log as `events`; a rule that says no is in
`errors`. The rooms, in the order in which they stand on each other:

    log                    formats that anybody can check: canonical lines, trees, notes, receipts
    events                 what happened, as the log says it
    fairness               dice nobody chose: commitments, openings, the audit of both
    ids, errors, seats     what integers mean; codes of refusals; who holds which seat
    faults                 what is wrong with the shape of what came, in words
    commands               what may be asked for
    rules                  a game as a value: orders, claims, ladders, laws of handling
    games                  the fourteen games, a file each
    table                  one game: its state, what may be done, what that leads to
    match                  a match around it: seats, deals, clocks, absence, its lines
    tournaments            many matches: who sits with whom, and who stands where
    seasons                many tournaments: leagues, and how strong everybody is
    commentary             what people say about a match
    audit                  a record replayed, and who was served which dice
    statistics             what a claim is worth; what all opened dice came to
    strategy               how a seat may play, how its moves are read, what a round is worth
    analysis               what a finished match says about those who played it
"""
