"""From texts to counts: tokens, stop words, vocabulary, weighting."""
