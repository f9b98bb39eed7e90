"""What taking part gives away: what an adversary sees of a fit, and what it can make of it."""
