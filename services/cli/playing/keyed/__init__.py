"""Keys of seats as they are looked after: a copy is kept, a key is brought, a lost one is replaced.

In reading order:

    keys  `truecup key` and what stands below it
"""
