"""The command `truecup`: one module a command, each loaded only when it is asked for.

In reading order:

    main         finds the command and runs it
    manual       what `--help` says
    settings     settings of a command
    house        a house that is asked over HTTP
    asking       requests, each done once however often it is sent
    kept         tokens that a house has shown once
    screen       what is said, and where
    tongue       in which language it is said
    exits        exit codes
    playing      play, watch, replay
    opening      a list of tables, opened
    auditing     audit, export, prove, statistics, odds, monitor
    analysing    analyses, policies, engines, the gauntlet
    tournaments  a tournament of house bots, played in memory
    seasons      seasons held, and players, of a service
    ledger       the log of what is played in memory, with its anchors
    operating    up, serve, migrate, doctor, rewrap, move-shard, witness
    bench        measurements, each beside its floor
"""
