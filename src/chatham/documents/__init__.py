"""Documents as topics see them: the topic each word is from, passages, those that show a topic."""
