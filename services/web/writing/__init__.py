"""Writing of pages: `renderer` has their templates and headers, `languages` which language each is written in."""
