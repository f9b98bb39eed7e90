"""What `ch.fit` does by default, beside what the peers do: six corpora, two sizes, three seeds."""
