"""Measurements, each beside its floor in the same run.

In reading order:

    bench       the short table of everything
    commands    what can be measured
    manual      the help of each
    sheets      figures beside their floors, and what is to be reached
    http        durable commands over HTTP
    socket      durable commands over the socket
    players     its clients, a program
    store       appends through the store
    rules       the rules alone
    replay      frames made again, and matches loaded
    fanout      one match and very many readers
    growth      very many stored matches
    stock       copies of a match, by the ten thousand
    profile     where the processor's time goes
    rig         a house to measure
    processes   what its processes cost
    machine     what it runs on
    bare        the floor of a route
    floors      the floors of a commit and of a hop
    raw         the floor of fan-out
    readers     very many readers
    wire        a client
    socketwire  a client of the socket
    tables      matches that are played
    choices     what is played there
    load        many clients
    matches     commands over HTTP
    delays      from a bid to a frame
    fairness    deals and audits
    results     the short table's figures
    figures     figures with their units
    analysis    analyses, and moves of the levels
    event       tournaments: their laws, and a house that holds one
    abuse       what others wait for while one client does its worst
"""
