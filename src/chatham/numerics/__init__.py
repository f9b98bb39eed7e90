"""Plain arrays in, plain arrays out: projections, descent on the simplex, keyed randomness."""
