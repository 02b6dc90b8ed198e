"""Work beside requests: failures contained, waits, turns of the event loop, what changed in the log.

In reading order:

    startup          which release a program is of, and the one way in which it says that it cannot start
    failures         one broken match harms itself only
    waiting          trouble that is waited out
    together         several works at once
    single_flight    made once for all who ask
    caches           values kept, so many; pages kept, of so many bytes
    slices           long work, a little at a time
    wakeups          many at once, some in each pass
    changes          which matches have moved
    worker           a process of its own for what takes long
    settling         how little such a process takes
    limits           how long a step of very many may take
"""
