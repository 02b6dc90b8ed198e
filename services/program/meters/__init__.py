"""Meters of a process: what its parts have counted, read when somebody asks. Names change only by addition.

In reading order:

    families     numbers in the form of Prometheus
    process      which program this is, its loop, its memory
    carriers     the store, the bus, the relay, streams
    traces       for a collector
    dealing      what a dealer does
"""
