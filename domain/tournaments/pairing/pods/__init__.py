"""The law `pods/1`: who sits with whom at tables of 2 to 8, from scores, lots and what was met before.

In reading order:

    inputs     what a pairing is made from, and nothing else
    costs      what it costs to seat two at one table
    optimum    the cheapest grouping of up to 16
    search     a cheap grouping of more, found in steps that everybody repeats
    bounds     what no grouping costs less than
    law        a round, paired
"""
