"""A log seen from outside, by those who trust neither it nor each other.

In reading order:

    pins      policies as text of the domain name system
    sights    what two were shown of a log, held against each other
"""
