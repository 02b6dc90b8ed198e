"""Writing of pages: `renderer` has their templates, `policies` what binds them (CSP), `languages` what they speak."""
