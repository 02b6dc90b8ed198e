"""Writing of pages: `renderer` has their templates and headers, `policies` what browsers hold them to (CSP), and
`languages` which language each is written in.
"""
