"""The policy files that are shipped, by their hash."""
