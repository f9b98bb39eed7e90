"""Several numbers of topics: a model of each, and what speaks for which.

No measure says how many topics there are. Words tend to belong together most where topics are few
and plain, and unseen documents are predicted best where they are many; so each model is measured in
several ways, and the choice stays with whoever reads the topics. A share of the documents is held
out before anything is fitted, and no model sees them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from chatham.corpus import Corpus
from chatham.corpus.checks import whole
from chatham.errors import InputError
from chatham.measures.compare import compare
from chatham.model.fit import as_corpus, check_number_of_topics, fit_learner, learner_for_text
from chatham.model.topic_model import TopicModel
from chatham.naming import plural
from chatham.wording import say

HELD_OUT = 0.1
"""The share of the documents that no model sees."""
FEWEST = 20
"""Documents at least: of fewer, a tenth is one or none."""
SAYS = {
    "npmi": "words that belong together most",
    "completion": "predicts held-out documents best",
    "rmse_held_out": "predicts held-out ratings best",
    "topic_diversity": "topics that share the fewest words",
}
"""The measures, and what it means to be best by one. Seconds aren't among them: the first fit takes
longer, since it loads what the others find."""

Begin = Callable[[int, int, int], None]
"""Called with the number of topics, the number of the fit, and how many there are, before it."""
Keep = Callable[[int, TopicModel], None]
"""Called with the number of topics and the model, as soon as it is fitted."""


@dataclass(frozen=True, eq=False)
class Several:
    """Models of one corpus with different numbers of topics, side by side."""

    models: dict[int, TopicModel]
    """By the number of topics."""
    train: Corpus
    held_out: Corpus
    comparison: pd.DataFrame
    """`compare` of the models: a row for each measure, and one for the seconds of each fit."""

    @property
    def table(self) -> pd.DataFrame:
        """One row for each number of topics: its value by each measure, and its seconds."""
        values = self.comparison.set_index("measure")[[str(k) for k in self.models]]
        turned = values.T.reset_index(drop=True).infer_objects()
        turned.columns = [str(name) for name in values.index]
        turned.insert(0, "topics", list(self.models))
        return turned

    @property
    def reasons(self) -> dict[int, list[str]]:
        """What speaks for each number of topics: by which measures it is best, alone."""
        best = dict(zip(self.comparison["measure"], self.comparison["best"], strict=True))
        return {
            k: [words for measure, words in SAYS.items() if best.get(measure) == str(k)]
            for k in self.models
        }


def fit_several(
    name: Any,
    corpus: Any,
    n_components: Sequence[int],
    *,
    held_out: float = HELD_OUT,
    random_state: int = 0,
    weighting: str = "auto",
    begin: Begin | None = None,
    keep: Keep | None = None,
    **parameters: Any,
) -> Several:
    """Fit a model with each of several numbers of topics, and compare them.

    A share `held_out` of the documents is set aside first, the same for all; copies of a document
    stay on one side. The models are fitted to the others, so a model of all documents is another
    fit, with `fit`. They are compared by NPMI (how well a topic's words belong together, counted
    in the documents that it was fitted to), `completion` (how well one half of a held-out document
    predicts the other), `topic_diversity`, and the seconds that a fit took. `corpus`, `weighting`
    and the other parameters are those of `fit`. Leads can be small: see whether they stay with
    another `random_state`.

    >>> import chatham as ch
    >>> corpus = ch.sample_corpus().rows(range(400))
    >>> several = ch.fit_several("nmf", corpus, [5, 10], random_state=0, max_iter=20)
    >>> len(several.models[10].topics), len(several.held_out)
    (10, 40)
    >>> list(several.table)
    ['topics', 'npmi', 'completion', 'topic_diversity', 'seconds']
    >>> several.reasons[10]
    ['words that belong together most']
    """
    sizes = checked_sizes(n_components)
    own = {**parameters, "random_state": random_state}
    learners = {k: learner_for_text(name, {**own, "n_components": k}, weighting) for k in sizes}
    whole_corpus = as_corpus(corpus)
    if whole_corpus is None:
        raise InputError(
            say(
                "Documents are held out of a corpus, and a matrix or a commons is none; make one "
                "of a matrix and its words, with ch.Corpus."
            )
        )
    check_enough(whole_corpus)
    check_number_of_topics(max(sizes), whole_corpus.n_words)
    train, unseen = whole_corpus.split(held_out, random_state=random_state)
    models, seconds = {}, {}
    for number, (k, learner) in enumerate(learners.items(), start=1):
        if begin is not None:
            begin(k, number, len(sizes))
        began = time.perf_counter()
        models[k] = fit_learner(learner, train, weighting=weighting)
        seconds[k] = time.perf_counter() - began
        if keep is not None:
            keep(k, models[k])
    return Several(models, train, unseen, _compared(models, train, unseen, seconds, parameters))


def checked_sizes(sizes: Any) -> list[int]:
    """Numbers of topics, two different ones at least."""
    listed = list(sizes) if isinstance(sizes, Sequence) and not isinstance(sizes, str) else []
    if not all(whole(k) and k >= 1 for k in listed) or len(set(listed)) < max(2, len(listed)):
        raise InputError(
            say(
                "{n_components} must be a list of two or more different whole numbers of at least "
                "1, such as [10, 20, 40]. Got {it!r} instead.",
                it=sizes if isinstance(sizes, str | int | float) else listed,
            )
        )
    return [int(k) for k in listed]


def check_enough(corpus: Corpus) -> None:
    """Refuse a corpus too small to hold any of it out."""
    filled = corpus.n_documents - int(corpus.empty.sum())
    if filled < FEWEST:
        raise InputError(
            f"Several numbers of topics are compared on held-out documents, and of "
            f"{plural(filled, 'document')} with words too few are left; bring at least {FEWEST}, "
            "or fit one number of topics at a time."
        )


def _compared(
    models: Mapping[int, TopicModel],
    train: Corpus,
    unseen: Corpus,
    seconds: Mapping[int, float],
    parameters: Mapping[str, Any],
) -> pd.DataFrame:
    table = compare(
        {str(k): model for k, model in models.items()},
        train,
        held_out=unseen,
        measures=list(SAYS),
        strict=False,
        n_jobs=parameters.get("n_jobs"),
    )
    quickest, second = sorted(seconds, key=seconds.__getitem__)[:2]
    lead = 1 - seconds[quickest] / seconds[second]
    row = ["seconds", False, *seconds.values(), str(quickest), str(second), lead]
    rows = [*table.values.tolist(), row]
    timed = pd.DataFrame(rows, columns=table.columns, dtype=object)  # None stays None
    timed.attrs["skipped"] = table.attrs["skipped"]
    return timed
