"""The package that programs of others import.

In reading order:

    client    with which they play, watch, replay and verify
    sync      the same for who awaits nothing
    learn     every game as an environment to learn in
"""
