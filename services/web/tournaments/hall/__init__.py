"""In the hall: what is looked at while tables play, and what is printed for them.

In reading order:

    tables      all tables that play, at once
    papers      cards for the tables, slips for results, the certificate of a place
"""
