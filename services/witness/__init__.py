"""A witness: one small process that signs the heads of logs, and never two that contradict each other.

In reading order:

    witness        what it signs
    store          what it remembers
    application    its door
"""
