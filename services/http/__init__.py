"""HTTP: what the interface, the pages and the witness share."""
