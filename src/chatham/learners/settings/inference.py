"""The inferences by name: how a learner may find the weights of new documents."""

METHODS = ("padd", "spi", "tli", "least-squares")
