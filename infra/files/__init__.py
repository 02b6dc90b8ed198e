"""Files of this machine: how they are written, and how many may be open.

In reading order:

    whole    written as a whole or not at all
    limit    how many may be open, sockets among them
"""
