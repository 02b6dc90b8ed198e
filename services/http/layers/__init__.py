"""Layers between the server and the handlers of an application.

In reading order:

    layered             layers, of which each handler has those that concern it
    finishing           requests that come while the program ends
    hosts               names the house answers to
    security_headers    headers every answer has
"""
