"""Commentary: words of people about a match, in a stream of its own, chained like any and erasable."""
