"""Models merged from what parties published about theirs, without their documents."""
