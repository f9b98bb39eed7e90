"""Ways to tell whether a topic model is good."""
