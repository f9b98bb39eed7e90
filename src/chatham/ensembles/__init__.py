"""Models merged after the fact: parties publish summaries once, and anybody merges them."""
