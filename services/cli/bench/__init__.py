"""`truecup bench`: what this machine can do, beside what it could do at best, measured in the same run."""
