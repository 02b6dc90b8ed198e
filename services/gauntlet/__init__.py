"""Players measured against each other, with the same dice in every seat."""
