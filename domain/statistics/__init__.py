"""Statistics: odds of claims, all opened dice and all deals counted, and pairs that play together.

In reading order:

    odds          exact chances of claims
    questions     what may be asked of them
    luck          how far hands were above or below their mean
    deals         deals that were thrown away, and those in which the house drew a seed
    tallies       opened dice, counted
    uniformity    whether they came evenly, as a bet against it
    screening     pairs that spare or help each other more than chance does
"""
