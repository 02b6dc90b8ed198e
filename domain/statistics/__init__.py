"""Statistics: odds of claims, all opened dice counted, and pairs that play together.

In reading order:

    odds          exact chances of claims
    questions     what may be asked of them
    luck          how far hands were above or below their mean
    tallies       opened dice, counted
    uniformity    whether they came evenly, as a bet against it
    screening     pairs that spare or help each other more than chance does
"""
