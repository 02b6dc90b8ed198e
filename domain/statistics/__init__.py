"""What a claim is worth, and what all opened dice came to.

In reading order:

    odds          exact chances of claims
    tallies       opened dice, counted
    uniformity    whether they came evenly, as a bet against it
"""
