"""Documents whose true weights are known, or nearly so: the three settings of Lee (section 4.4).

Semi-synthetic and semi-real documents are drawn, so their weights are known; for fully-real ones a
long run of Gibbs with the topics fixed stands in for the truth (footnote 12).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import chatham as ch
from chatham.commons import as_commons
from chatham.corpus.synthetic.compositions import Dirichlet, LogisticNormal
from chatham.corpus.synthetic.corpora import Synthetic, synthetic_corpus
from chatham.learners.inference.padd import ROUNDS, learn_dual
from inference_study.ways import Chain, Known, gibbs_weights, uttered

Array = NDArray[np.float64]

CONCENTRATION = 5.0
"""Σα of the semi-synthetic compositions: Dir(5/K)."""
UNSEEN = 0.1
REFINED = 20
"""Sweeps for the topics of semi-real documents, in the place of a correlated topic model."""


FEWER_ROUNDS = (1, 5)
"""Of PADD's master problem: how much of A₀ it is made to reach."""

SHORT, LONG = Chain(20, 30), Chain(50, 250)
"""Gibbs as one of the ways, as in `LDA.transform`; and as the truth, shorter than the source's."""


@dataclass(frozen=True)
class Plan:
    """How much is done, and how the topics are found."""

    documents: int = 1000
    """Drawn, in each corpus and for each K."""
    real: int = 400
    """Training documents whose true weights a long run of Gibbs finds."""
    chain: Chain = SHORT
    long: Chain = LONG
    min_anchor_df: float = 0.02
    beta: float = 0.1
    seed: int = 0
    n_jobs: int | None = None


@dataclass(frozen=True, eq=False)
class Case:
    """Documents with their true weights, and what inferences are told."""

    setting: str
    corpus: ch.Corpus
    truth: Array
    known: Known


def semi_synthetic(corpus: ch.Corpus, k: int, plan: Plan) -> Iterator[Case]:
    """SS: topics B₀ and A₀ of the corpus, compositions from Dir(5/K), which is not A₀'s.

    SPI and PADD are told A₀ as in the source. In "SS, true A" they are told the drawn weights' own
    moments instead; the others aren't told any A.
    """
    model = anchor_words(corpus, k, plan, refine=0)
    prior = np.full(k, CONCENTRATION / k)
    drawn = _drawn(corpus, model.components_, plan, Dirichlet(prior))
    told = Known.of(model.components_, model.correlations_, prior)
    yield Case("SS", drawn.corpus, drawn.weights, told)
    told = replace(told, correlations=drawn.correlations)
    yield Case("SS, true A", drawn.corpus, drawn.weights, told)


def semi_real(corpus: ch.Corpus, k: int, plan: Plan) -> Iterator[Case]:
    """SR: refined topics, and compositions from the logistic normal of the corpus's own weights.

    The source learns both by Gibbs sampling of a correlated topic model. A and α are those of the
    drawn weights.
    """
    model = anchor_words(corpus, k, plan, refine=REFINED)
    prior = LogisticNormal.of(model.transform(corpus.counts))
    drawn = _drawn(corpus, model.components_, plan, prior)
    yield Case("SR", drawn.corpus, drawn.weights, Known.of(model.components_, drawn.correlations))


def fully_real(corpus: ch.Corpus, k: int, plan: Plan) -> Iterator[Case]:
    """FR: real documents, seen in training and not; PADD's dual is learned on the seen ones.

    Unseen documents come again with a dual that was learned in fewer rounds.
    """
    seen, unseen = corpus.split(UNSEEN, random_state=plan.seed)
    model = anchor_words(seen, k, plan, refine=0)
    known = Known.of(model.components_, model.correlations_)
    with_dual = replace(known, dual=_dual(seen, known))
    some = np.random.default_rng(plan.seed).permutation(len(seen))[: plan.real]
    yield _judged_by_gibbs("FR, seen", seen.rows(np.sort(some)), with_dual, plan)
    case = _judged_by_gibbs("FR, unseen", unseen, with_dual, plan)
    yield case
    for rounds in FEWER_ROUNDS:
        told = replace(known, dual=_dual(seen, known, rounds))
        yield replace(case, setting=f"FR, unseen, rounds: {rounds}", known=told)


SETTINGS: dict[str, Callable[[ch.Corpus, int, Plan], Iterator[Case]]] = {
    "SS": semi_synthetic,
    "SR": semi_real,
    "FR": fully_real,
}


def anchor_words(corpus: ch.Corpus, k: int, plan: Plan, **more: Any) -> ch.AnchorWords:
    """A fitted model; what the results depend on is said here and not left to defaults."""
    return ch.AnchorWords(
        k, min_anchor_df=plan.min_anchor_df, beta=plan.beta, random_state=plan.seed,
        n_jobs=plan.n_jobs, **{"inference": "posterior", **more},
    ).fit(corpus.counts)  # fmt: skip


def _dual(corpus: ch.Corpus, known: Known, rounds: int = ROUNDS) -> Array:
    commons = as_commons(corpus.counts)
    with commons.fitting():
        return learn_dual(commons, known.topics, known.correlations, rounds=rounds)


def _judged_by_gibbs(setting: str, documents: ch.Corpus, known: Known, plan: Plan) -> Case:
    """Documents with the words that some topic utters; the truth from a long run."""
    counts = uttered(documents.counts, known.topics)
    spoken = ch.Corpus(counts[np.diff(counts.indptr) > 0], documents.vocabulary)
    truth = gibbs_weights(spoken.counts, known.topics, known.alpha, plan.long, plan.seed + 1)
    return Case(setting, spoken, truth, known)


def _drawn(corpus: ch.Corpus, topics: Array, plan: Plan, prior: Any) -> Synthetic:
    """Documents as long as the corpus's are on average."""
    length = round(corpus.n_tokens / len(corpus))
    return synthetic_corpus(
        topics, plan.documents, lengths=length, prior=prior, vocabulary=corpus.vocabulary,
        random_state=plan.seed, n_jobs=plan.n_jobs,
    )  # fmt: skip
