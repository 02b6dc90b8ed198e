"""The matches of the house: the command handler, the queries, and the secrets behind them."""
