"""The parts of `sample_size.py`: the true model, cases, ways to topics, picture and page."""
