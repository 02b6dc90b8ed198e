"""Requests to addresses that others name, none of which may lead into the networks of this machine.

In reading order:

    addresses   which may be posted to
    pinned      a post to one of them
"""
