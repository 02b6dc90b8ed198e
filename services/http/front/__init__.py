"""The doors of a server: connections, rates, queues, streams.

In reading order:

    server             the server
    protocol           one connection
    sockets            how many there may be
    proxies            who is believed about addresses
    addresses          whose a request is
    flow               in which steps it is read and written
    gate               what every request passes first
    rates              how often
    queues             how many at once
    bounded_streams    streams that end
    upgrades           WebSocket connections
    drain              ending well
"""
