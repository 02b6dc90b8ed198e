"""Files of a tournament, for programs of others.

In reading order:

    filing      why a table is as it is, its certificate, spreadsheets, chess, calendars
    bundling    all records of it in one file
"""
