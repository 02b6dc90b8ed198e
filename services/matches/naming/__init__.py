"""Naming: what one may be called at a table. `law` says it; `scripts`, `lookalikes` and `bots` are what it looks at."""
