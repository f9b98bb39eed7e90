"""Merging summaries: from what several parties published to one topic model.

The result is a topic model like any other, over the words of all parties, and also knows what it
was made from: which base topic went where, and how well it explains each party's documents at the
least. Those who have a base model can place documents without fitting: p(y|d) = Σ_z p(z|d) p(y|z)
(Shen et al., eq. 5).
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chatham.corpus import Tokenizer, Vectorizer
from chatham.ensembles.agreement import Agreement, agreement_of
from chatham.ensembles.alignment import Aligned, aligned
from chatham.ensembles.file import read_summary
from chatham.ensembles.lda import merge_lda
from chatham.ensembles.mixture import Mixture
from chatham.ensembles.nmf import largest_error, merge_nmf, true_error
from chatham.ensembles.own_documents import own_counts
from chatham.ensembles.plsa import least_likelihood, merge_plsa, own_mixture, true_likelihood
from chatham.ensembles.starts import check_number, similarity
from chatham.ensembles.summary import Summary
from chatham.errors import InputError
from chatham.learners.base import TopicLearner
from chatham.learners.fitted import Fitted
from chatham.learners.parameters import check_jobs, check_seed
from chatham.model.edits import check_unedited
from chatham.model.registry import make_estimator
from chatham.model.topic_model import TopicModel
from chatham.naming import plural, shown, value_shown
from chatham.notes import ChathamWarning
from chatham.wording import say

Array = NDArray[np.float64]
Source = Summary | str | PathLike[str]

PUBLISHED = 0.8
"""The least similarity of a topic with itself as it was published: it was rounded, and PLSA's are
those of one further step."""


class MergedModel(TopicModel):
    """A topic model that was merged from summaries, with what it was made from.

    `parts` are the summaries, aligned; `shares` has p(y|z) of each party's base topics; `true` what
    the topics are worth to parties whose documents were at hand.
    """

    def __init__(
        self,
        estimator: TopicLearner,
        vocabulary: Any,
        *,
        vectorizer: Any,
        parts: Aligned,
        mixture: Mixture,
    ) -> None:
        super().__init__(estimator, vocabulary, vectorizer=vectorizer)
        self.parts = parts
        self.mixture = mixture
        self.true: dict[str, float] = {}

    @property
    def parties(self) -> list[str]:
        """The parties, as the merge calls them."""
        return list(self.parts.names)

    @property
    def shares(self) -> dict[str, Array]:
        """p(y|z) by party: of a base topic's words (row), those that come from each topic."""
        return dict(zip(self.parts.names, self.mixture.shares, strict=True))

    @property
    def agreement(self) -> Agreement:
        """Which base topic went where, and how far the parties agree."""
        return agreement_of(self.parts, self.mixture.shares, self.topics)

    @property
    def bounds(self) -> pd.DataFrame:
        """What the merged topics are worth to each party at the least, by the summaries alone.

        Columns party, own, bound. For NMF the party's squared error
        ½‖X − WT‖² with its own topics, and what it is at most with the merged ones; for PLSA the
        log-likelihood of its documents with its own topics, and what it is at least with the
        merged ones, both over the words that it published. For LDA no bound is known. Where
        documents of a party were at hand, the column true has what the merged topics are worth to
        them, with the best weights.
        """
        bound_of = KINDS[self.parts.kind].bound
        rows = []
        for party, name in enumerate(self.parties):
            if bound_of is not None:
                own, bound = bound_of(self.parts, self.mixture, party)
                rows.append({"party": name, "own": own, "bound": bound})
        table = pd.DataFrame(rows, columns=["party", "own", "bound"])
        if self.true:
            table["true"] = [self.true.get(name) for name in self.parties]
        return table

    def place(self, documents: Any, model: TopicModel, party: str) -> Array:
        """The weights of documents by a party's own model: p(y|d) = Σ_z p(z|d) p(y|z).

        `model` is the one that the party published. Topics that weren't published have no say: a
        document that has no others gets the average weights.
        """
        check_unedited(model, "a published summary has")
        summary, shares = self._part(party)
        _check_published(model, summary, party)
        weights = model.transform(documents)[:, list(summary.numbers)]
        totals = weights.sum(axis=1, keepdims=True)
        placed = weights / np.where(totals > 0, totals, 1.0) @ shares
        return np.where(totals > 0, placed, self.prevalence)

    def _part(self, party: str) -> tuple[Summary, Array]:
        place = number_of(self.parts.names, party)
        return self.parts.summaries[place], self.mixture.shares[place]


def _check_published(model: TopicModel, summary: Summary, party: str) -> None:
    """Refuse a model that isn't the one of which a summary was published."""
    column = {word: number for number, word in enumerate(model.vocabulary)}
    if model.algorithm != summary.kind:
        difference = f"it is of {model.algorithm}, and the summary of {summary.kind}"
    elif model.n_topics <= max(summary.numbers):
        difference = (
            f"it has {plural(model.n_topics, 'topic')}, and topic {max(summary.numbers)} was "
            "published"
        )
    elif missing := sum(word not in column for word in summary.vocabulary):
        difference = f"it lacks {plural(missing, 'word')} of the summary's"
    else:
        columns = [column[word] for word in summary.vocabulary]
        own = model._fitted.components_[list(summary.numbers)][:, columns]
        alike = [similarity(*pair) for pair in zip(own, summary.topics, strict=True)]
        if min(alike) >= PUBLISHED:
            return
        difference = f"its topic {summary.numbers[int(np.argmin(alike))]} is another one"
    raise InputError(
        f"This isn't the model that {party} published: {difference}; give the one that was "
        "published."
    )


def merge(
    summaries: Sequence[Source],
    n_components: int | None = None,
    *,
    random_state: int = 0,
    n_jobs: int | None = None,
    parties: Mapping[str, str] | None = None,
    documents: Mapping[str, Any] | None = None,
    **settings: Any,
) -> MergedModel:
    """One topic model from the summaries of several, all of one kind.

    `summaries` are such, or their files. `n_components` is the number of topics, by default as many
    as the summary with most has. With `parties`, names with public keys, a summary that none of
    them has signed is refused. `documents` are those of one or more parties, by the parties' names,
    as for `ch.publish`: beside their bounds then stands what is true of these documents. What else
    may be set depends on the kind:

    - nmf: `weights` "thesis" or "gram", `init`, `max_iter`, `tol`, `l1_topics`, `l2_topics`,
      `l1_weights`, `l2_weights`;
    - plsa: `init` ("base" for chosen base topics, "random", or topics), `n_init`, `max_iter` and
      `tol`;
    - lda: `rescale` (True for ⌈O/2C⌉ in place of the counts O of C parties, or a number in place of
      2C), `init`, and the parameters of `ch.LDA`.

    >>> import chatham as ch
    >>> parties = ch.sample_corpus().parties(by="community")
    >>> published = [ch.publish(ch.fit("plsa", party, n_components=5, random_state=0), name=name)
    ...              for name, party in parties.items()]
    >>> model = ch.merge(published, n_components=6)
    >>> model.n_topics, model.agreement.has.shape
    (6, (3, 6))
    """
    random_state = check_seed(random_state)
    if isinstance(summaries, str | Path | Summary):
        raise InputError("merge takes a list of summaries, or of their files; put it in a list.")
    read = [each if isinstance(each, Summary) else read_summary(each) for each in summaries]
    for source, summary in zip(summaries, read, strict=True):
        _check_signer(source, summary, parties)
    names = names_of(summaries, read)
    _check_different(names, read, one_each=parties is not None)
    together = aligned(read, names)
    k = max(each.n_topics for each in read) if n_components is None else n_components
    kind = KINDS[together.kind]
    _check_settings(together.kind, kind, settings)
    own = _own_documents(together, kind, documents or {})
    check_jobs(make_estimator(together.kind, {"n_jobs": n_jobs}))
    estimator = _estimator(together, kind, k, random_state, settings)
    check_number(k, together)
    mixture = kind.merge(together, k, seed=random_state, **kind.jobs(n_jobs), **settings)
    model = _model(together, mixture, estimator)
    if kind.true is not None:
        for party, rows in own.items():
            value = kind.true(together, model.mixture, party, rows)
            model.true[together.names[party]] = value
    return model


def _own_documents(together: Aligned, kind: Kind, documents: Mapping[str, Any]) -> dict[int, Any]:
    """Parties' own documents over their own words, by the number of the party."""
    if documents and kind.true is None:
        raise InputError(
            f"For {together.kind} no bound is known, and so there is none to see beside documents; "
            "merge without them."
        )
    return {
        number: own_counts(together, number, each)
        for name, each in documents.items()
        for number in [number_of(together.names, name)]
    }


def number_of(names: Sequence[str], party: str) -> int:
    """Which summary of the merge is this party's."""
    if party not in names:
        raise InputError(
            f"No summary of this merge is called {shown(party)}; choose one of "
            f"{', '.join(map(repr, names))}."
        )
    return list(names).index(party)


def names_of(sources: Sequence[Source], summaries: Sequence[Summary]) -> list[str]:
    """What the parties are called: as they say, else as their files; each by a different name."""
    names: list[str] = []
    for number, (source, summary) in enumerate(zip(sources, summaries, strict=True), start=1):
        stem = "" if isinstance(source, Summary) else Path(source).stem
        name = summary.name or stem or f"summary {number}"
        taken = [other for other in names if other == name or other.startswith(f"{name} (")]
        names.append(f"{name} ({len(taken) + 1})" if taken else name)
    return names


def _check_signer(source: Source, summary: Summary, parties: Mapping[str, str] | None) -> None:
    """Refuse a summary that isn't signed by one of the parties, if they are named."""
    if parties is None:
        return
    signer = summary.signer
    called = f"'{source}'" if not isinstance(source, Summary) else f"of {summary.name or 'nobody'}"
    if signer is None or parties.get(signer.name) != signer.key:
        problem = (
            "is not signed"
            if signer is None
            else f"is signed with another key than that of {signer.name}"
            if signer.name in parties
            else f"is signed by {signer.name}, who is not among the parties"
        )
        raise InputError(
            say(
                "The summary {called} {problem}; ask its owner for one that is signed, or leave "
                "{parties} out.",
                called=called,
                problem=problem,
            )
        )


def _check_different(names: Sequence[str], summaries: Sequence[Summary], one_each: bool) -> None:
    """Refuse what would count twice: the same summary again, or a second one by the same key."""
    for number, (name, summary) in enumerate(zip(names, summaries, strict=True)):
        for other, before in zip(names[:number], summaries[:number], strict=True):
            if one_each and summary.signer.key == before.signer.key:  # type: ignore[union-attr]
                raise InputError(
                    f"{other} and {name} are signed with the same key, and a party counts once; "
                    "give its latest summary alone."
                )
            if summary.says_the_same(before):
                raise InputError(
                    f"{other} and {name} are the same summary, which would count twice; give each "
                    "once."
                )


@dataclass(frozen=True)
class Kind:
    """How summaries of one kind are merged, and what the merged estimator's parameters are."""

    merge: Callable[..., Mixture]
    parameters: Callable[[Aligned, Mapping[str, Any]], dict[str, Any]]
    bound: Callable[[Aligned, Mixture, int], tuple[float, float]] | None = None
    """What a party's own topics are worth to it, and the bound of what the merged ones are."""
    true: Callable[[Aligned, Mixture, int, Any], float] | None = None
    """What the merged ones are worth to it, by its documents."""
    passes_on: str = ""
    """The learner whose parameters may be set too."""

    def jobs(self, n_jobs: int | None) -> dict[str, Any]:
        """The number of threads, if it is used."""
        return {"n_jobs": n_jobs} if "n_jobs" in inspect.signature(self.merge).parameters else {}

    def stopping(self) -> dict[str, Any]:
        """When a merge ends if nothing else is set."""
        taken = inspect.signature(self.merge).parameters
        return {name: taken[name].default for name in ("max_iter", "tol") if name in taken}

    def names(self) -> list[str]:
        """What may be set."""
        own = [
            name
            for name, parameter in inspect.signature(self.merge).parameters.items()
            if parameter.kind is parameter.KEYWORD_ONLY and name not in ("seed", "n_jobs")
        ]
        if not self.passes_on:
            return own
        more = type(make_estimator(self.passes_on, {}))
        reserved = {"n_components", "random_state", "n_jobs", "verbose", *own}
        return own + [name for name in more._parameter_names() if name not in reserved]


def _check_settings(called: str, kind: Kind, settings: Mapping[str, Any]) -> None:
    names = kind.names()
    for name in settings:
        if name not in names:
            raise InputError(
                f"Merging summaries of {called} has no setting {value_shown(name)}; it has "
                f"{', '.join(map(repr, names))}."
            )


def _of_plsa(together: Aligned, settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: settings[name] for name in ("n_init", "max_iter", "tol") if name in settings}


def _of_lda(together: Aligned, settings: Mapping[str, Any]) -> dict[str, Any]:
    of_the_merge = ("rescale", "init", "alpha", "learn_priors")  # priors of pseudo-documents
    return {name: value for name, value in settings.items() if name not in of_the_merge}


def _of_nmf(together: Aligned, settings: Mapping[str, Any]) -> dict[str, Any]:
    penalties = ("l1_topics", "l2_topics", "l1_weights", "l2_weights", "max_iter", "tol")
    given = {name: settings[name] for name in penalties if name in settings}
    return {**together.summaries[0].settings, **given}


def _likelihoods(together: Aligned, mixture: Mixture, party: int) -> tuple[float, float]:
    summary = together.summaries[party]
    mixed = own_mixture(together, mixture, party)
    return float(summary.statistics["log_likelihood"]), least_likelihood(summary, mixed)


KINDS: dict[str, Kind] = {
    "nmf": Kind(merge_nmf, _of_nmf, largest_error, true_error),
    "plsa": Kind(merge_plsa, _of_plsa, _likelihoods, true_likelihood),
    "lda": Kind(merge_lda, _of_lda, passes_on="lda"),
}


def _estimator(
    together: Aligned, kind: Kind, k: int, seed: int, settings: Mapping[str, Any]
) -> TopicLearner:
    """The estimator that the merged model will have; wrong parameters are refused now."""
    parameters = {**kind.stopping(), **kind.parameters(together, settings)}
    return make_estimator(together.kind, {"n_components": k, "random_state": seed, **parameters})


def _model(together: Aligned, mixture: Mixture, estimator: TopicLearner) -> MergedModel:
    """The mixture as a fitted estimator with words, topics numbered by size."""
    mixture, sizes = by_size(together, mixture)
    estimator.n_features_in_ = len(together.vocabulary)
    learned = {name: value for name, value in mixture.more.items() if name in estimator.learned}
    fitted = Fitted(
        mixture.topics, sizes, mixture.objective, mixture.n_iter, learned,
        converged=mixture.converged,
    )  # fmt: skip
    estimator._keep(fitted)
    return MergedModel(
        estimator,
        together.vocabulary,
        vectorizer=vectorizer_of(together, mixture),
        parts=together,
        mixture=mixture,
    )


def by_size(together: Aligned, mixture: Mixture) -> tuple[Mixture, Array]:
    """The mixture with its topics ordered by size, the largest first, and the sizes."""
    sizes = np.sum(
        [each.sizes @ mine for each, mine in zip(together.summaries, mixture.shares, strict=True)],
        axis=0,
    )
    order = np.argsort(-np.round(sizes / sizes.sum(), 9), kind="stable")
    more = {
        name: value[order] if np.shape(value) == (len(order),) and name == "alpha_" else value
        for name, value in mixture.more.items()
    }
    ordered = Mixture(
        np.ascontiguousarray(mixture.topics[order]),
        [np.ascontiguousarray(mine[:, order]) for mine in mixture.shares],
        mixture.objective,
        mixture.n_iter,
        mixture.converged,
        more,
        mixture.coordinates and [np.ascontiguousarray(w[:, order]) for w in mixture.coordinates],
    )
    return ordered, sizes[order]


def vectorizer_of(together: Aligned, mixture: Mixture) -> Vectorizer | None:
    """How texts become counts, if all parties split them in the same way."""
    settings = [each.tokenizer for each in together.summaries]
    alike = all(each == settings[0] for each in settings)
    if not alike:
        warnings.warn(
            "The parties split texts into words in different ways, so the merged model reads "
            "counts and corpora, and no plain texts.",
            ChathamWarning,
            stacklevel=4,
        )
    tokenizer = Tokenizer.from_dict(settings[0]) if alike and settings[0] is not None else None
    idf = mixture.more.get("idf")
    if tokenizer is None and idf is None:
        return None
    words = together.vocabulary.astype(str)
    return Vectorizer(tokenizer, words, "counts" if idf is None else "tfidf", idf)
