"""Statistics: odds of claims, and all opened dice counted.

In reading order:

    odds          exact chances of claims
    luck          how far hands were above or below their mean
    tallies       opened dice, counted
    uniformity    whether they came evenly, as a bet against it
"""
