"""Analysis: what a finished match says about those who played it, as one canonical document.

In reading order:

    figures       numbers in millionths, with what vouches for them
    dice          what a record opens of its dice
    viewpoints    what everybody knows of them at an event
    chances       how likely a claim is, by odds alone
    labels        what a claim was, and what became of it
    accuracy      how near to the best decisions were
    decisions     what a move lost, and what that is called
    moments       which events somebody would want to be shown
"""
