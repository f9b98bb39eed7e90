"""What the experiments on looking at topics have in common: corpora, models, options."""
