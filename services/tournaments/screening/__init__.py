"""Screening of the house's tournaments for collusion: worked out beside everything else, read by officials alone.

In reading order:

    cases       what is kept of a screening, and which case stands for which pair
    working     what is worked out where it holds nobody up
    screener    who is screened when
"""
