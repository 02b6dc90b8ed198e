"""Measurements, each beside its floor in the same run.

In reading order:

    commands  what can be measured
    manual    the help of each
    bench     the short table of everything
    http      durable commands over HTTP
    socket    durable commands over the socket
    store     appends through the store
    rules     the rules alone
    replay    frames made again, and matches loaded
    fanout    one match and very many readers
    growth    very many stored matches
    delays    from a bid to a frame
    fairness  deals and audits
    analysis  analyses, and moves of the levels
    event     tournaments: their laws, and a house that holds one
    abuse     what others wait for while one client does its worst
    profile   where the processor's time goes
    rig       a house to measure, and floors
    clients   who asks, and what they play
    sheets    figures, and what they are figures of
"""
