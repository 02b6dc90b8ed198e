"""The HTTP interface: commands in, views, frames and records out.

The law of the folder: nothing here knows a rule of a game or sees a die. A request becomes a command, whatever comes
back becomes a response, and every no becomes a problem document with a stable code.

In reading order:

    application        the routes together, with what every request passes
    dependencies       what the interface needs of the rest
    tournament_port    what it needs of tournaments
    routes             a file a subject
    lists              lists in bodies, and tables opened by one
    tournaments        the same of tournaments
    boards             the same of duplicate boards
    seasons            the same of seasons and players
    analysing          policies, analyses
    commentary         the same of what people say about matches
    requests           who asks, and under which key
    bodies             what requests say
    looking_on         what is noted of who follows a match
    playing            what is asked of a running match, done
    socket             the same over a WebSocket
    answers            what they are told
    refusals           every no as a problem document
    reference          the interface and the socket, described
    meters             what is counted
    kin                health and meters of several processes as one
    dear               reads that cost, and their queue
"""
