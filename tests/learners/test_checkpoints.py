"""A fit goes on from the arrays that its steps declare, and from nothing else.

Between any two steps each holder's memory is written to bytes and read again into a new one: all
that was derived is gone, as after a crash or on another worker of a cluster.
"""

import io
import warnings

import numpy as np
import pytest

import chatham as ch
from chatham.commons import Memory
from tests.same_bytes_cases import Data, learners

DATA = Data()
LEARNERS = learners(DATA)


class Forgetful(ch.Simulated):
    """Holders of whom nothing is left between two steps but the arrays they kept."""

    restored = 0

    def _total(self, step, shared, precision):
        self._memories = [self._restored(memory) for memory in self._memories]
        return super()._total(step, shared, precision)

    def _restored(self, memory):
        file = io.BytesIO()
        np.savez(file, allow_pickle=False, **memory)
        file.seek(0)
        again = Memory(memory.index, memory.holders, memory.secret)
        again.update(np.load(file, allow_pickle=False))
        self.restored += len(again)
        return again


@pytest.mark.parametrize("name", LEARNERS)
def test_a_fit_goes_on_from_its_arrays_alone(name):
    parts = [DATA.counts[holder:90:3] for holder in range(3)]
    fits = []
    for commons in (ch.Simulated(parts), Forgetful(parts)):
        learner = learners(DATA)[name].set_params(random_state=3)
        if name != "lda samples":  # which take thirty sweeps
            learner.set_params(max_iter=min(learner.max_iter, 12))
        if name == "anchor inverse":  # which finds no correlations of the other mean here
            learner.set_params(mean_over="documents")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fits.append(learner.fit(commons))
    plain, restored = fits
    for attribute in ("components_", "prevalence_", "objective_", "n_iter_"):
        assert np.array_equal(getattr(plain, attribute), getattr(restored, attribute)), attribute
    if name.split()[0] in ("nmf", "lda", "plsa", "kmeans"):
        assert commons.restored > 0
