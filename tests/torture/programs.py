"""What the tortured parties compute, and what must come out."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import scipy.sparse as sp

import chatham as ch
from tests.conftest import plant, split

WORDS, TOPICS, SWEEPS = 3000, 4, 3


def rows_of(parties):
    """Each party's counts."""
    counts, _, _ = plant(n=60 * parties, d=WORDS, k=TOPICS, length=100)
    return split(sp.csr_array(counts), parties)


def nmf(party):
    """A few sweeps of NMF, whose statistics take several packets."""
    learner = ch.NMF(TOPICS, init="random", max_iter=SWEEPS, tol=0, random_state=0, n_jobs=1)
    return learner.fit(party).components_


def lda(party):
    """A few sweeps of LDA, which has private memory."""
    learner = ch.LDA(TOPICS, max_iter=SWEEPS, random_state=0, n_jobs=1)
    return learner.fit(party).components_


PROGRAMS = {"nmf": nmf, "lda": lda}


def expected(stage):
    """The model that the simulation finds with the same rows and keys."""
    secrets = [one.derive(b"rows" + stage.session.hash) for one in stage.identities]
    simulated = ch.Simulated(stage.rows, secure=True, secrets=secrets)
    return sha256(np.ascontiguousarray(PROGRAMS[stage.program](simulated)).tobytes()).hexdigest()
