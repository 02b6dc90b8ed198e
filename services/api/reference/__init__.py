"""The interface described, for programs that read descriptions and for people.

In reading order:

    openapi     the interface, described
    asyncapi    the socket, described, with what is beside it
    channels    streams, and subjects of the bus
    schemas     what structs look like as JSON
    events      what frames tell, a schema a type
    members     what members mean
    examples    bodies and answers
    links       which operation goes on from an answer
"""
