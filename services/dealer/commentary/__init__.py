"""Comments on nodes without the dealer's role.

remote    what is public, from the store; all else asked of a dealer
"""
