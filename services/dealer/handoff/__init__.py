"""Handing over: nodes that hold no key ask a dealer for what only a dealer may decide or show.

In reading order: `messages.py` is what is said, `remote.py` the house as a node without the dealer's role has it,
`desk.py` where a dealer answers.
"""
