"""Several commands taken as one: all of them are stored, or none.

In reading order:

    commit    those of many streams, in one transaction of the database
    memory    those of one stream or of many, in the store's double
"""
