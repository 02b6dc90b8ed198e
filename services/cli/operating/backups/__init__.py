"""`truecup backup`, `restore` and `verify`: what a house has, kept elsewhere, put back, and held against its witnesses.

In reading order:

    sights       what a witness has seen of a log, held against what there is
    asking       the witnesses asked
    rebuilding   what lists and counts have made of lines, made again
    verifying    a database held against itself
    verdict      what both come to, in words
    places       which database is meant, the one that `truecup up` has among them
    backup, restore
"""
