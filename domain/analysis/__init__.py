"""Analysis: what a finished match says about those who played it, as one canonical document.

In reading order:

    figures       numbers in millionths, with what vouches for them
    dice          dice of a record, as far as it opens them
    viewpoints    what everybody knows of them at an event
    chances       how likely a claim is, by odds alone
    labels        what a claim was, and what became of it
    following     a record, split into rounds, with what everybody knew
    claims        each claim, as an analysis tells it
    report        the document
    means         the policies it is made with
    readings      the chance of a claim by what everybody's moves say
    telling       decisions, told
    doings         what was done, with what followed of itself
    judging       rounds that fold, doing by doing
    cupping       blind cups of two seats
    rolling       all others
    rounds        rounds, told
    sums          what a seat lost by all its decisions
    joining       an analysis, from its parts
    hints         what it would say of a decision that is still to be made
    accuracy      how near to the best decisions were
    decisions     what a move lost, and what that is called
    moments       which events somebody would want to be shown
    worths        what moments and moves were worth, and luck
"""
