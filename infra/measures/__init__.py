"""Measures as plain numbers: whoever counts adds one to a number, and whoever asks reads it.

In reading order:

    buckets   how values lie between bounds
    writes    what came of writes to the store
    watches   where the time of a command goes
    tracing   the same over all processes, where somebody traces
    otel      for a collector
    lines     lines of the log, so many a second
    slow      those about slow ones
"""
