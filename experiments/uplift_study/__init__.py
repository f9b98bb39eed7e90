"""What parties of a given size gain from learning together: see `uplift.py`."""
