"""Lists in the bodies of requests: everything of a list is done, or nothing.

In reading order:

    reading    spreadsheets and lines of JSON, row by row
    bulk       tables opened in bulk
"""
