"""Commands for whoever runs a house.

In reading order:

    running       `truecup up`, `serve` and `migrate`
    until_stopped how a program runs until it is told to stop
    reaching      where others on the network open the house
    member        a process that these start
    checkup       `truecup doctor`
    backups       the database kept elsewhere, put back, held against its witnesses
    rewrap        secrets under another key
    moving        shards to another database
    withdrawing   comments that the law forbids
    erasing       names that people want gone
    manual        what the manual says of backups, moves and erasing
    witness       `truecup witness`
"""
