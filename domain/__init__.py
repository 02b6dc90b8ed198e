"""The rules of every game, and of fairness: pure functions over values.

Read it in this order. A match is asked for something in `commands`, and what happens stands in the log as `events`; a
rule that says no is in `errors`.

    rules, games            what a game is, as a value
    orders, claims          claims that count, and when one outranks another
    ladders                 claims that name hands, and how high each stands
    places, laws            where dice lie, who may know them, and how they may be handled
    state, evolving         what everybody may know of a game, and how events change it
    checks, offers, moves   who may do what: what refuses, and what is offered
    table                   what a command leads to: the law of the house
    dice, slips             how many a deal holds, and how a round deals them
    handling                what seats do with dice, and what begins there
    judging, settling       what follows a doubt, and what a verdict costs
    ending                  how a round ends, and a match
    odds                    what a claim is worth
    schedules, bouts        who plays whom, two at a time
    settings, seats         what is frozen when a match is opened, and who holds which seat
    match                   what is remembered of it
    ceremony, clocks        how dice come about, whose time runs
    absence                 who keeps a table waiting, and for how long
    deciding, course        a command on a match, decided; what follows of itself follows at once
    record                  a match as lines, and back
    log, fairness           formats that prove it, dice nobody chose, the audit
    shown, referee          what a record shows of dice; layer 3 of the audit: the rules, replayed
    tally, evenness         what all opened dice came to, and whether they came evenly
    access, disclosure      who saw what, on record; whether they were allowed to
"""
