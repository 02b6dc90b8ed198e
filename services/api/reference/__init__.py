"""The interface described, for programs that read descriptions and for people.

In reading order:

    openapi     the interface, described
    asyncapi    the socket, described
    members     what members mean
"""
