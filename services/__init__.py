"""The programs: what joins rules, views and drivers into something people can use.

In reading order:

    work          beside requests: failures contained, waits, turns of the loop
    words         sentences on matches and audits, from one catalogue
    evaluators    what rounds are worth, many deals at once
    policies      how seats may play and be read: files by their hash
    audit         verdict, findings, receipts
    engines       players as programs, of the house and of others
    gauntlet      players measured against each other
    live          what an analysis says of a match while it is played
    solver        policies solved
    seasons       what counts beyond one tournament: ratings
    matches       the command handler, queries, secrets
    analysis      analyses as jobs
    tournaments   the same of tournaments
    webhooks      addresses of others that are told of them
    commentary    words of people about a match
    http          what the interface, the pages and the witness share
    client        a seat as a program has it
    api           the JSON interface
    web           the pages
    relay         frames and rows from the log
    dealer        deals, what is due, the log of the house
    bots          the seats of the house
    witness       a witness
    learn         the games as environments to learn in
    monitor       a monitor
    local         embedded servers
    program       the wiring
    cli           the command
"""
