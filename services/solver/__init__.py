"""Policies solved offline; what proves them is `domain.strategy`."""
