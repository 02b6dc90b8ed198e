"""Drivers that know no dice: they carry bytes, tell the time, draw chance, keep keys.

In reading order:

    config       settings from the environment
    clock        time
    entropy      chance
    keys         signatures
    sealing      secrets at rest
    measures     what is measured, in plain numbers
    store        the event store
    bus          the NATS connection
    feed         frames and signals over it
    handoff      commands from node to node over it
    posting      requests to other houses and witnesses
    abroad       requests to addresses that others name
    drand        the public beacon
    telemetry    logs
    printable    text that is safe to show
    network      the addresses of this machine
    files        files written as a whole, and how many may be open
"""
