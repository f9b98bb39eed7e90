"""Uplift: how much better the common model is for a party than one of its own (thesis, 3.3).

A party of the audited size is drawn from the corpus, again and again; those who have the rest are
the others. A fifth of its documents it holds out. It learns from the others of its documents alone,
and together with all parties, as a session fits: with noise, without rare words. Both models are
measured on what it held out, and the differences have an interval over the draws.

Which measures there are is a matter of the learner. Where topics are distributions over words:
document completion (half of a held-out document's words predict the other half), and whether a
topic's words occur together in the party's own documents (NPMI). Those held out are too few to
count pairs in, so NPMI is about all of them, which flatters the party's own model: it has seen
most. Otherwise: how much of the squared length of held-out rows the model explains,
1 − ‖X − WT‖²/‖X‖².
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import stdtrit
from sklearn.base import clone

from chatham.audit.audited_corpus import AuditedCorpus
from chatham.audit.intervals import Estimate
from chatham.audit.mechanisms import Overheard
from chatham.commons import Alone
from chatham.commons.privacy import Privacy
from chatham.errors import InputError
from chatham.learners.base import TopicLearner
from chatham.measures.coherence.pairwise import NPMI
from chatham.measures.held_out.completion import Completion
from chatham.measures.measure import UndefinedError
from chatham.measures.settings import check_whole
from chatham.measures.subject import subject_of_model
from chatham.model.topic_model import TopicModel
from chatham.naming import plural
from chatham.notes import ChathamWarning
from chatham.numerics.threads import threads

Rows = NDArray[np.int64]

DRAWS = 6
HELD_OUT = 0.2
"""Of a party's documents."""
FEWEST_PARTIES, MOST_PARTIES = 3, 10
"""A session has at least three. More than ten in a simulation would only take longer."""
MEANINGS = {
    "completion": "mean log-probability of a hidden word of the party's held-out documents",
    "npmi": "NPMI of topics' top words in the party's own documents, which its own model has seen",
    "explained": "share of the squared length of the party's held-out rows that is explained",
}


@dataclass(frozen=True)
class Gain:
    """One measure, of which more is better: alone, together, and the difference."""

    measure: str
    alone: Estimate
    together: Estimate
    difference: Estimate

    @property
    def meaning(self) -> str:
        """What is measured."""
        return MEANINGS[self.measure]

    @property
    def in_words(self) -> str:
        """The difference as a sentence."""
        found = self.difference
        if self.measure == "completion":
            value, low, high = (math.exp(each) for each in _ends(found))
            return (
                f"Each word of a document that neither has seen is {value:.2f} times ({low:.2f} to "
                f"{high:.2f}) as probable with it."
            )
        if self.measure == "npmi":
            return (
                "How far its topics' words occur together in the party's own documents (NPMI, from "
                f"−1 to 1) differs by {_signed(found, 1, 2)}, though only the party's own model "
                "was made for just these."
            )
        return f"What it explains of held-out documents differs by {_signed(found, 100, 1)} points."

    @property
    def verdict(self) -> str:
        """Whether the common model is better, by the interval."""
        low, high = self.difference.low, self.difference.high
        return "better" if low > 0 else "worse" if high < 0 else "no clear difference"


@dataclass(frozen=True)
class Uplift:
    """What a party gains by taking part."""

    party: int
    """How many documents it has."""
    parties: int
    """How many parties there are, itself included."""
    documents: int
    """How many documents all of them have."""
    draws: int
    gains: tuple[Gain, ...]

    @property
    def in_words(self) -> str:
        """Who learns with whom, and what is better."""
        who = (
            f"A party of {plural(self.party, 'document')} learns with others, {self.parties} "
            f"parties that have {self.documents:,} documents together ({self.draws} draws). "
            "Compared with a model of its own documents alone, the common one is "
        )
        kinds = {gain.verdict for gain in self.gains}
        said = kinds.pop() if len(kinds) == 1 else "better in one way and not in another"
        whole = {"no clear difference": "not clearly different"}.get(said, said)
        return f"{who}{whole}. " + " ".join(gain.in_words for gain in self.gains)

    def to_dict(self) -> dict[str, Any]:
        """All of it in JSON's terms."""
        return {
            "summary": self.in_words,
            "party": self.party,
            "parties": self.parties,
            "documents": self.documents,
            "draws": self.draws,
            "gains": [
                {
                    "measure": gain.measure,
                    "meaning": gain.meaning,
                    "verdict": gain.verdict,
                    **{
                        name: vars(getattr(gain, name))
                        for name in ("alone", "together", "difference")
                    },
                }
                for gain in self.gains
            ],
        }


@dataclass(frozen=True)
class Deal:
    """Who has which documents: the party's, those that it holds out, and the others'."""

    train: Rows
    held_out: Rows
    others: tuple[Rows, ...]


def measure_uplift(
    corpus: AuditedCorpus,
    learner: TopicLearner,
    size: int,
    *,
    exact_totals: bool = False,
    privacy: Privacy | None = None,
    draws: int = DRAWS,
    level: float = 0.95,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Uplift:
    """What a party of this many documents gains from learning with those who have the rest."""
    check_whole("draws", draws, least=2)
    check_can_be_dealt(len(corpus), size)
    alone: list[dict[str, float]] = []
    together: list[dict[str, float]] = []
    for draw in range(draws):
        dealt = deal(len(corpus), size, seed, draw)
        commons = session_of(corpus, dealt, seed + draw, exact_totals, privacy)
        one = scores_of_draw(corpus, learner, dealt, commons, seed + draw, n_jobs)
        alone.append(one[0])
        together.append(one[1])
        if progress is not None:
            progress(draw + 1, draws)
    names = [name for name in MEANINGS if all(name in each for each in (*alone, *together))]
    gains = tuple(
        _gain(name, [each[name] for each in alone], [each[name] for each in together], level)
        for name in names
    )
    return Uplift(size, len(dealt.others) + 1, len(corpus), draws, gains)


def check_can_be_dealt(documents: int, size: int) -> None:
    """Refuse a party that leaves others nothing, or that has nothing to hold out."""
    if size < 2 or documents - size < FEWEST_PARTIES - 1:
        raise InputError(
            f"What a party of {plural(size, 'document')} would gain can't be measured with "
            f"{documents:,} in all: it needs two itself, and two others one each; take another "
            "party size."
        )


def deal(documents: int, size: int, seed: int, draw: int) -> Deal:
    """One draw: documents dealt at random, a fifth of the party's held out."""
    draws = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(4, draw)))
    order = draws.permutation(documents)
    n_others = min(max(round(documents / size), FEWEST_PARTIES), MOST_PARTIES) - 1
    n_others = min(n_others, documents - size)
    unseen = min(max(round(HELD_OUT * size), 1), size - 1)
    others = np.array_split(order[size:], n_others)
    return Deal(
        np.sort(order[unseen:size]),
        np.sort(order[:unseen]),
        tuple(np.sort(part) for part in others),
    )


def session_of(
    corpus: AuditedCorpus, dealt: Deal, seed: int, exact_totals: bool, privacy: Privacy | None
) -> Overheard:
    """The party and the others, as in a session."""
    parts = [corpus.rows[rows] for rows in (dealt.train, *dealt.others)]
    return Overheard(parts, coalition=(), seed=seed, exact_totals=exact_totals, privacy=privacy)


def scores_of_draw(
    corpus: AuditedCorpus,
    learner: TopicLearner,
    dealt: Deal,
    commons: Overheard,
    seed: int,
    n_jobs: int | None,
) -> tuple[dict[str, float], dict[str, float]]:
    """The party's scores with a model of its own, and with the common one."""
    own = corpus.rows[dealt.train]
    return (
        scores(corpus, fitted(learner, own, seed, n_jobs), dealt),
        scores(corpus, fitted(learner, commons, seed, n_jobs), dealt),
    )


def fitted(learner: TopicLearner, rows: Any, seed: int, n_jobs: int | None) -> TopicLearner:
    """A copy of the learner, fitted."""
    copied: TopicLearner = clone(learner).set_params(n_jobs=n_jobs)
    if copied.random_state is None:
        copied.set_params(random_state=seed % 2**32)
    with warnings.catch_warnings():
        # That a small party's own model is poor is what is measured here.
        warnings.simplefilter("ignore", ChathamWarning)
        return copied.fit(rows)


def scores(corpus: AuditedCorpus, model: TopicLearner, dealt: Deal) -> dict[str, float]:
    """What can be measured of this model, of which more is better."""
    if model._gives_directions or model._observes:
        return {"explained": explained(model, corpus.rows[dealt.held_out])}
    subject = subject_of_model(TopicModel(model, corpus.vocabulary, vectorizer=corpus.vectorizer))
    own = np.sort(np.concatenate([dealt.train, dealt.held_out]))
    measured = ((Completion(), dealt.held_out), (NPMI(), own))
    found = {}
    for measure, documents in measured:
        commons = Alone(corpus.counts[documents])
        with threads(None), commons.fitting():
            try:
                found[measure.name] = float(measure.measure(subject, commons).value)
            except UndefinedError:  # a held-out document of one word has no half to predict
                continue
    return found


def explained(model: TopicLearner, rows: sp.csr_array) -> float:
    """1 − ‖X − WT‖²/‖X‖², without ever forming WT."""
    weights, components = model.transform(rows), model.components_
    length = float(rows.multiply(rows).sum())
    inner = float((weights * (rows @ components.T)).sum())
    rebuilt = float(((weights @ (components @ components.T)) * weights).sum())
    return (2 * inner - rebuilt) / length if length else 0.0


def _gain(name: str, alone: Sequence[float], together: Sequence[float], level: float) -> Gain:
    differences = [b - a for a, b in zip(alone, together, strict=True)]
    return Gain(name, *(mean_over_draws(each, level) for each in (alone, together, differences)))


def mean_over_draws(values: Sequence[float], level: float = 0.95) -> Estimate:
    """The mean with Student's interval, which is right if the draws' values are about Gaussian.

    >>> mean_over_draws([1.0, 2.0, 3.0])
    Estimate(estimate=2.0, low=-0.484..., high=4.484..., level=0.95, caveat='asymptotic')
    """
    n, mean = len(values), float(np.mean(values))
    half = float(stdtrit(n - 1, 0.5 + level / 2)) * float(np.std(values, ddof=1)) / math.sqrt(n)
    return Estimate(mean, mean - half, mean + half, level, "asymptotic")


def _ends(found: Estimate) -> tuple[float, float, float]:
    return found.estimate, found.low, found.high


def _signed(found: Estimate, times: float, digits: int) -> str:
    value, low, high = (f"{times * each:+.{digits}f}" for each in _ends(found))
    return f"{value} ({low} to {high})".replace("-", "−")
