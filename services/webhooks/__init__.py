"""Webhooks: addresses of others that are told what happens in a tournament, as Standard Webhooks has it.

In reading order:

    messages    what is sent: bodies and headers, for programs and for chats
    hooks       hooks made, listed, dropped and tried, for whoever holds a tournament
    teller      whoever tells them, from the log
"""
