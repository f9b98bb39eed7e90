"""An audit in one call: from documents and a learner to the verdict.

Databases like that of a party are drawn from the corpus again and again, with a document and
without it; the fit is run on each as a session would run it; and an adversary who has the document
guesses whether it was there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.audit.audited_corpus import AuditedCorpus
from chatham.audit.mechanisms import FitMechanism
from chatham.audit.neighbours import (
    AT_A_TIME,
    DATABASES,
    CoinFlips,
    database_size,
    random_targets,
    targets_by_id,
)
from chatham.audit.one_run import OneRun, one_run
from chatham.audit.power import Needed, check_databases, databases_needed
from chatham.audit.samples import Plan
from chatham.audit.sampling import Cost, Progress, estimate_cost, run_database, sample
from chatham.audit.statistics import applicable
from chatham.audit.verdict import Verdict, judge
from chatham.commons.privacy import Privacy, check_privacy
from chatham.errors import InputError
from chatham.learners.base import TopicLearner
from chatham.model.fit import check_number_of_topics, learner_for_text
from chatham.naming import plural, shown
from chatham.numerics.threads import thread_count
from chatham.wording import say

PARTY_SIZE = 0.05
DOCUMENTS = 50
OTHERS = 2
"""The fewest parties beside a coalition that a session has: fewer could be subtracted."""
LEAST_DATABASES = 64
"""With fewer, coins may leave a document in, or out of, too few databases to judge it."""
FIRST_LOOK = 100.0
"""Seconds that a first look may take, so that two minutes are enough for all of it."""


@dataclass(frozen=True)
class Audit:
    """An audit that can be run: what will be run on what, and about which documents."""

    plan: Plan
    ids: tuple[str, ...]
    """The ids of the documents in question."""
    adversary: str
    """What the adversary sees and has, in words."""
    corpus: AuditedCorpus = field(repr=False)
    """All documents, those of the coalition included."""
    own: NDArray[np.int64] = field(repr=False)
    """The coalition's rows of it."""
    party_size: float
    """The share of the corpus that a database has."""

    @property
    def mechanism(self) -> FitMechanism:
        """What is run on every database."""
        assert isinstance(self.plan.mechanism, FitMechanism)
        return self.plan.mechanism

    @property
    def size(self) -> int:
        """How many documents a database has."""
        return self._design.size

    @property
    def rest(self) -> NDArray[np.int64]:
        """The rows of the corpus that databases are drawn from."""
        return np.delete(np.arange(len(self.corpus)), self.own)

    needed: Needed | None = None
    """What the power takes that was asked for, if one was."""

    @property
    def databases_each(self) -> int:
        """How many databases tell something about each document."""
        return self._design.databases_of_group

    @property
    def _design(self) -> CoinFlips:
        assert isinstance(self.plan.design, CoinFlips)
        return self.plan.design

    def cost(self, *, n_jobs: int | None = None) -> Cost:
        """What it will take, by timing a few fits."""
        return estimate_cost(self.plan, n_jobs=n_jobs)

    def first_look(self, cost: Cost, *, n_jobs: int | None = None) -> Audit | None:
        """The same with few databases, and if need be about fewer documents, within two minutes;
        None if the audit itself takes no longer, or even that would."""
        if cost.seconds <= FIRST_LOOK or self.databases_each <= LEAST_DATABASES:
            return None
        of_a_group = LEAST_DATABASES * cost.seconds_each / thread_count(n_jobs)
        groups = int(FIRST_LOOK / of_a_group)
        if groups < 1:
            return None
        at_most = max(int(AT_A_TIME * self._design.size), 1)
        chosen = self._design.targets[: groups * at_most]
        design = replace(self._design, targets=chosen, databases_of_group=LEAST_DATABASES)
        return replace(self, plan=replace(self.plan, design=design), ids=self.ids[: len(chosen)])

    def one_run(self, *, delta: float = 0.0, level: float = 0.95) -> OneRun | None:
        """A look at many documents together in one fit; None if the corpus has too few for it."""
        return one_run(
            self.plan.mechanism,
            self.plan.counts,
            self._design.size,
            seed=self.plan.seed,
            delta=delta,
            level=level,
        )

    def run(
        self,
        folder: str | PathLike[str] | None = None,
        *,
        n_jobs: int | None = None,
        progress: Progress | None = None,
        only: Collection[str] | None = None,
    ) -> Verdict:
        """Run it, or what of it isn't in the folder yet, and judge: all documents in question, or
        `only` some of them."""
        samples = sample(self.plan, folder, n_jobs=n_jobs, progress=progress)
        return judge(samples, self.ids, adversary=self.adversary, only=only)


def audit(
    corpus: Any,
    learner: Any,
    *,
    folder: str | PathLike[str] | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **more: Any,
) -> Verdict:
    """What taking part in a fit would give away, document by document.

    `corpus` and `learner` are as for `ch.fit`: a `Corpus`, texts, a path or a matrix; a name, a
    class or an estimator. Further parameters are those of `prepare` (`party_size`, `documents`,
    `databases`, `power`, `sees`, `colluding`, `others`, `exact_totals`, `privacy`, `weighting`,
    `seed`, `without`), and the learner's own. In a `folder`, what was observed is kept: an audit
    that was stopped goes on from there. `n_jobs` is scikit-learn's: None is one process, -1 one for
    each core. `progress` is told how many of how many databases are done.

    >>> import chatham as ch
    >>> counts = np.random.default_rng(0).poisson(1.0, (200, 30))
    >>> verdict = ch.audit(counts, "nmf", n_components=2, party_size=0.4, documents=["7"],
    ...                    databases=64)
    >>> verdict.documents[0].outcome
    'nothing found'
    """
    prepared = prepare(corpus, learner, keeps=folder is not None, **more)
    return prepared.run(folder, n_jobs=n_jobs, progress=progress)


def prepare(
    corpus: Any,
    learner: Any,
    *,
    party_size: float = PARTY_SIZE,
    documents: int | Sequence[str] | None = None,
    databases: int | None = None,
    power: float | None = None,
    sees: str = "model",
    colluding: float | Sequence[str] = 0.0,
    others: int = OTHERS,
    exact_totals: bool = False,
    privacy: Privacy | None = None,
    weighting: str = "auto",
    seed: int = 0,
    keeps: bool = False,
    without: Sequence[str] = (),
    **parameters: Any,
) -> Audit:
    """Check everything, and say what will be run.

    - `party_size`: the share of the corpus that the parties outside the coalition have together;
    - `documents`: the ids of those in question, or how many are chosen at random (50 by default);
    - `databases`: how many are drawn for each group of documents: 400, or as many as `power` takes;
    - `power`: with which probability a leak is to be found, if it is as large as that of one
      yes-or-no answer in an exact count over a database (`power.Needed`);
    - `sees`: "model", with its last round's denominators, or "transcript", every total;
    - `colluding`: what the adversary has in the fit: ids of its documents, or a share of the corpus
      that is chosen at random; none by default. Databases are drawn from the rest;
    - `others`: how many parties share a database, each of which adds its noise;
    - `exact_totals`: as in a session whose parties all know that totals are exact;
    - `privacy`: as in a session whose fit is differentially private, for NMF and SVD;
    - `seed`: decides all that is random, and is the learner's seed unless it has its own: parties
      all know it;
    - `keeps`: what is observed of the model is kept, for statistics that come later; otherwise, and
      of a transcript, only the values of today's statistics;
    - `without`: the ids of documents that are left out, as if the corpus didn't have them.
    """
    estimator, audited = _read(corpus, learner, weighting, parameters, seed, without)
    counts, ids = audited.rows, list(audited.ids)
    size = database_size(party_size, counts.shape[0])
    needed = None if power is None else databases_needed(power, size)
    databases = _databases(databases, needed)
    named = None if documents is None or isinstance(documents, int) else _named(documents, ids)
    if named is not None:
        _check_words(counts, named, ids)
    own = _own(colluding, counts, ids, named, seed)
    rest = np.delete(np.arange(counts.shape[0]), own)
    targets = _targets(counts, rest, named, documents, seed)
    mechanism = FitMechanism(
        estimator,
        own=(counts[own],) if len(own) else (),
        others=others,
        sees=sees,
        exact_totals=exact_totals,
        privacy=privacy,
    )
    estimator._check_privacy(privacy)
    check_privacy(privacy, others, exact_totals)
    design = CoinFlips(len(rest), np.searchsorted(rest, targets), size, databases)
    plan = Plan(mechanism, counts[rest], design, seed)
    if not keeps or sees == "transcript":
        _, seen = run_database(plan, 0)
        plan = replace(plan, values_of=tuple(each.name for each in applicable(seen)))
    adversary = _adversary(mechanism, len(own), size)
    named_ids = tuple(ids[row] for row in targets)
    return Audit(plan, named_ids, adversary, audited, own, party_size, needed)


def _databases(asked: int | None, needed: Needed | None) -> int:
    """How many databases there will be for each group of documents."""
    if asked is None:
        return DATABASES if needed is None else max(needed.databases, LEAST_DATABASES)
    if type(asked) is not int or asked < LEAST_DATABASES:
        raise InputError(
            say(
                "{databases} must be a whole number of at least {least}, since a document is "
                "judged by databases with it and without it; got {it!r}.",
                least=LEAST_DATABASES,
                it=asked,
            )
        )
    if needed is not None:
        check_databases(asked, needed)
    return asked


def _read(
    corpus: Any,
    learner: Any,
    weighting: str,
    parameters: dict[str, Any],
    seed: int,
    without: Sequence[str],
) -> tuple[TopicLearner, AuditedCorpus]:
    estimator = learner_for_text(learner, parameters, between_parties=True)
    if estimator.random_state is None:
        estimator.set_params(random_state=seed)
    audited = AuditedCorpus.read(corpus, estimator, weighting, without)
    if audited.has_words:
        estimator._index_words(audited.vocabulary)
    check_number_of_topics(estimator.n_components, audited.rows.shape[1])
    return estimator, audited


def _named(documents: Sequence[str], ids: list[str]) -> NDArray[np.int64]:
    """The rows of named documents, in the corpus's order."""
    wanted = [documents] if isinstance(documents, str) else list(dict.fromkeys(documents))
    return np.sort(targets_by_id(wanted, ids))


def _check_words(counts: sp.csr_array, named: NDArray[np.int64], ids: list[str]) -> None:
    empty = named[np.diff(counts.indptr)[named] == 0]
    if len(empty):
        raise InputError(
            f"Document {shown(ids[empty[0]])} has no word of the vocabulary, so there is nothing "
            "to recognise it by; ask about others."
        )


def _own(
    colluding: float | Sequence[str],
    counts: sp.csr_array,
    ids: list[str],
    named: NDArray[np.int64] | None,
    seed: int,
) -> NDArray[np.int64]:
    """The coalition's rows."""
    asked = np.empty(0, np.int64) if named is None else named
    if not isinstance(colluding, int | float):
        rows = _named(colluding, ids)
        both = np.intersect1d(rows, asked)
        if len(both):
            raise InputError(
                f"Document {shown(ids[both[0]])} is the adversary's own, so there is nothing to "
                "guess; ask about others."
            )
        return rows
    if not 0 <= colluding < 1:
        raise InputError(
            say(
                "{colluding} is the share of all documents that the adversary has, at least 0 and "
                "below 1; got {it!r}.",
                it=colluding,
            )
        )
    count = min(round(colluding * len(ids)), len(ids) - len(asked))
    draws = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(2,)))
    pool = np.delete(np.arange(len(ids)), asked)
    return np.sort(draws.choice(pool, count, replace=False))


def _targets(
    counts: sp.csr_array,
    rest: NDArray[np.int64],
    named: NDArray[np.int64] | None,
    documents: Any,
    seed: int,
) -> NDArray[np.int64]:
    """The rows of the documents in question; those chosen at random have words."""
    if named is not None:
        return named
    with_words = rest[np.diff(counts.indptr)[rest] > 0]
    count = min(DOCUMENTS, len(with_words)) if documents is None else documents
    return with_words[random_targets(count, len(with_words), seed)]


def _adversary(mechanism: FitMechanism, n_own: int, size: int) -> str:
    sees = {
        "model": "sees the final model, with the denominators of its last round",
        "transcript": "sees the totals of all rounds, and the final model",
    }[mechanism.sees]
    own = (
        f"has {plural(n_own, 'document')} of its own in the fit, and takes its part off every total"
        if n_own
        else "has no document of its own in the fit"
    )
    totals = "Totals are as in a session, with the noise and rounding that the learner has there."
    if mechanism.exact_totals:
        totals = "Totals are exact."
    if mechanism.privacy is not None:
        promised = mechanism.privacy
        totals = (
            "Totals have noise for differential privacy, "
            f"ε = {promised.epsilon:g} at δ = {promised.delta:g}."
        )
    shared = f"shared by {mechanism.others} parties" if mechanism.others > 1 else "one party's"
    return (
        f"It has the document, {sees}, and {own}. The others' "
        f"database has {plural(size, 'document')}, {shared}. {totals}"
    )
