"""Commands for whoever checks: audit, export, prove, statistics, odds, monitor."""
