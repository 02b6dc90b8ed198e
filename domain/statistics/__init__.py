"""Statistics: odds of claims, and all opened dice counted.

In reading order:

    odds          exact chances of claims
    tallies       opened dice, counted
    uniformity    whether they came evenly, as a bet against it
"""
