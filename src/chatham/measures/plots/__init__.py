"""Pictures of scores; needs the extra `plot`."""
