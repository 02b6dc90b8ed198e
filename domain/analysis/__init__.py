"""Analysis: what a finished match says about those who played it, as one canonical document.

In reading order:

    figures    numbers in millionths, with what vouches for them
    record     what happened, and what everybody knew at it
    odds       how likely a claim is by odds alone, and what it is called
    grades     what decisions and moments are called, by their figures
    worths     what moments and moves were worth, and luck
    report     the document
    means      the policies it is made with
    claims     each claim, as an analysis tells it
    readings   the chance of a claim by what everybody's moves say
    judges     rounds judged, each by the means that its rules allow
    settings   what a round is judged by, and so which judge
    rounds     rounds, told
    dice_luck  what the dice of a round brought, whoever plays
    joining    an analysis, from its parts
    hints      what it would say of a decision that is still to be made
"""
