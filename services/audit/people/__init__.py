"""People of a match in an audit: what they are called, held against the record.

In reading order:

    sentences     what became of their names, in words
"""
