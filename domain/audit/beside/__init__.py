"""What clients keep of commands that were signed, held against a record (CUP/1 section 4.14.7).

In reading order:

    kept     the text in which a client keeps a command that it has signed
    refused  refusals and kept commands, and what they prove
"""
