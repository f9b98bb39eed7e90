"""The result of a fit: a topic model, its tables, its file, and the learners by name."""
