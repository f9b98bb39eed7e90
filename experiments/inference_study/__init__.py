"""Document inference: which way to the weights of documents is best, and where."""
