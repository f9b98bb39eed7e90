"""A ledger around a commons changes nothing of what crosses, a hidden norm included."""

import numpy as np

import chatham as ch
from chatham.commons import Recorded, Simulated

ROWS = np.random.default_rng(0).poisson(1.0, (30, 8)).astype(float)


class Hiding(Simulated):
    """Brings home a sum's direction in a way of its own, as parties do that hide the norm."""

    def __init__(self, parts):
        self.plain, self.normed = [], []
        super().__init__(parts)

    def _total(self, step, shared, precision):
        self.plain.append(step.__name__)
        return super()._total(step, shared, precision)

    def normed_sum(self, step, *shared, noise=0.0):
        self.normed.append(step.__name__)
        total = self._plain(step, shared)[0][0]
        return total / np.linalg.norm(total)


def test_a_norm_that_is_hidden_stays_hidden_in_a_recorded_commons():
    hiding = Hiding([ROWS[:10], ROWS[10:]])
    commons = Recorded(hiding)
    recorded = ch.SVD(2, sums="normed", max_iter=4, tol=0, random_state=0).fit(commons)
    assert hiding.normed == ["gram_image"] * 8
    assert "gram_image" not in hiding.plain
    entries = [entry for entry in commons.ledger if entry.statistic.endswith("gram_image")]
    assert [entry.shape for entry in entries] == [(8, 1)] * 8
    assert [entry.round for entry in entries] == list(range(2, 10))
    plain = ch.SVD(2, sums="normed", max_iter=4, tol=0, random_state=0).fit(ROWS)
    np.testing.assert_allclose(recorded.components_, plain.components_, atol=1e-12)
