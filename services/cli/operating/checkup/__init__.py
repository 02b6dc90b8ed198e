"""`truecup doctor`: what a house lacks, in plain words.

In reading order:

    doctor        the command
    checks        what it looks at on this machine
    cluster       what it looks at on others
    bus           what it hears on the bus
"""
