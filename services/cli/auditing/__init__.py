"""Commands for whoever checks.

In reading order:

    audit         `truecup audit`
    sources       the files it is given
    judging       many records, on all cores
    held          results of tournaments held against their matches
    reports       what it says
    export        a record as a file
    prove         a single die
    statistics    all dice of some records
    odds          what a claim is worth
    outside       looking at a house from outside
"""
