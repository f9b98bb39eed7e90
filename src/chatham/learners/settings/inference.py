"""The inferences by name: how a learner may be told to find the weights of new documents."""

METHODS = ("padd", "spi", "tli", "least-squares")
