"""Clients of a house that is measured, and what they play.

In reading order:

    wire        a client
    socketwire  a client of the socket
    choices     what is played
    tables      matches that are played
    matches     a whole match to audit
    load        many clients
    players     clients of the socket, a program
    readers     very many readers
    signing     a client that signs, `truecup bench signing`
"""
