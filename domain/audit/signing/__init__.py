"""Commands that seats signed, in a replay and beside a record (CUP/1 sections 4.14.5 and 4.14.7).

In reading order:

    signed   commands of seats with keys, as the referee takes them
    kept     the text in which a client keeps a command that it has signed
    refused  refusals and kept commands, held against a record, and what they prove
"""
