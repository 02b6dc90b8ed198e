"""Measurements, each beside its floor in the same run.

In reading order:

    bench       the table that people read
    commands    what can be measured
    rig         a house to measure
    machine     what it runs on
    bare        the floor of a route
    floors      the floors of a commit and of a hop
    wire        a client
    tables      matches that are played
    choices     what is played there
    load        many clients
    matches     commands over HTTP
    delays      from a bid to a frame
    fairness    deals and audits
    rules       the rules alone
    results     what came out
    figures     figures with their units
    abuse       what others wait for while one client does its worst
"""
