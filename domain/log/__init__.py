"""Formats of the transparency log that anybody can check (C2SP), and the canonical line.

In reading order:

    canonical      one line of JSON, the same bytes whoever writes it
    notes          signed notes
    merkle         trees of leaves (RFC 6962)
    checkpoints    signed heads of a tree
    proofs         inclusion and consistency, as records carry them
    tiles          the tree as files
    policies       whose word is enough
    receipts       the word of the house for a line
    refusals       the word of the house for a command that it did not take
    witnessing     cosigning heads
    monitoring     following a log that somebody else keeps
    outside        the log seen from outside: pins, sights
"""
