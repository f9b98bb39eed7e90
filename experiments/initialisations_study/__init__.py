"""What `initialisations.py` is made of: documents, ways to begin, trials, tables, pictures."""
