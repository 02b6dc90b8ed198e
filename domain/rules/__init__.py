"""A game as a value: rules, and the orders, claims, ladders and laws that they name."""
