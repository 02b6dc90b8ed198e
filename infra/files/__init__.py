"""Files of this machine: written as a whole or not at all, and how many may be open."""
