"""The service's time of a processor, by part.

In reading order:

    parts       which part of the service a stack belongs to
    sampler     stacks, by the processor's time that they took
    profiled    the service with a sampler in it, a program of the bench's own
    asking      what it says while clients play
"""
