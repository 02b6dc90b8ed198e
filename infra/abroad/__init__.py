"""Requests to others: what they do to a connection ends nothing here, and where they name the address it leads abroad.

In reading order:

    outgoing    a client whose connections may be reset
    addresses   which may be posted to
    pinned      a post to one of them
"""
