"""The default count for a rating of 1; `--help` shows it without loading pandas."""

SCALE = 2.0
