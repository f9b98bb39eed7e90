"""The bundled sample as three parties, and what one of them sees of a fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

import chatham as ch
from chatham.audit.observing import Observed, Round


@dataclass
class Sample:
    """The bundled sample, weighted as `ch.fit` does, and three parties: one for each community."""

    counts: sp.csr_array
    """The others' documents: the truth, which an attack is compared with."""
    idf: Any
    """Everybody knows it: it follows from sums."""
    parts: list[sp.csr_array]
    """Everybody's rows; the curious party's first."""


def sample(curious: str = "resources") -> Sample:
    """The bundled sample as three parties' rows."""
    from chatham.corpus.text.weighting import own_idf

    corpus = ch.sample_corpus()
    by_party = corpus.parties(by="community")
    names = [curious, *sorted(set(by_party) - {curious})]
    counts = [sp.csr_array(by_party[name].counts, dtype=np.float64) for name in names]
    idf = own_idf(sp.vstack(counts, format="csr"))
    parts = [sp.csr_array(each @ sp.diags_array(idf)) for each in counts]
    return Sample(sp.csr_array(sp.vstack(counts[1:], format="csr")), idf, parts)


def overheard(parts: Any, learner: Any, **more: Any) -> tuple[list[Round], Any]:
    """What the first party sees of a fit, and the model."""
    secrets = [b"secret %d" % party for party in range(len(parts))]
    commons = Observed(parts, secrets=secrets, **more)
    return commons.rounds, learner.fit(commons)
