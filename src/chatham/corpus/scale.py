"""What a rating of one counts unless told otherwise; `--help` says it without loading pandas."""

SCALE = 2.0
