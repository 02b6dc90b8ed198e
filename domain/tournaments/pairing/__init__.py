"""Pairing: who sits at which table of a round, and in which seat.

In reading order:

    lots       who comes first among equals, and ids that follow from a place
    sizes      how many tables of which sizes, and how many rest
    seating    the order of seats at a table, and the numbers of tables
    history    what tables leave behind: who has met, who sat next after whom
    pods       the law `pods/1`: who sits with whom
"""
