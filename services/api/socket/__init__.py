"""The socket: commands pipelined and matches followed over one WebSocket a client.

The law of the folder: whatever is said here is what HTTP says, of the same commands under the same keys, and of the
same frames. A repeat may take either way.

In reading order:

    messages      what is said, both ways
    refusing      a no
    session       one client
    acting        its commands
    watching      the matches it follows
"""
