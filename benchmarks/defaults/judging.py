"""The same measures for all, from what a fit leaves behind.

What is kept of a fit (`Kept`) is all that its scores need, so that a measure that has changed since
can be taken again of everybody without fitting anything again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import normalized_mutual_info_score

import chatham as ch
from benchmarks.defaults.contenders import Found
from benchmarks.defaults.documents import Parts
from chatham.commons import Alone
from chatham.learners.held_out import halves
from chatham.measures.held_out.completion import Completion
from chatham.measures.subject import Subject

Array = NDArray[np.float64]

SEED_OF_COINS = 0
"""Which tokens of held-out documents are seen."""


@dataclass(frozen=True, eq=False)
class Kept:
    """What is left of a fit: topics, words, main topics, and weights of seen halves."""

    topics: tuple[Array, ...]
    words: list[list[str]]
    main: tuple[NDArray[np.int64], ...]
    weights: Array
    """Of the seen halves of held-out documents that have two, by the library's own inference."""

    def save(self, path: Path) -> None:
        """Write it to a file of arrays; in single precision, whose error no digit shown has."""
        path.parent.mkdir(parents=True, exist_ok=True)
        arrays: dict[str, Any] = {
            f"topics_{number}": each.astype(np.float32) for number, each in enumerate(self.topics)
        }
        arrays["main"] = np.array(self.main, dtype=np.int32)
        arrays["weights"] = self.weights.astype(np.float32)
        arrays["words"] = np.array(json.dumps(self.words))
        np.savez_compressed(path, **arrays)

    @classmethod
    def load(cls, path: Path) -> Kept:
        """What `save` wrote."""
        with np.load(path, allow_pickle=False) as arrays:
            topics = [arrays[name] for name in sorted(arrays.files) if name.startswith("topics")]
            return cls(
                tuple(each.astype(np.float64) for each in topics),
                json.loads(str(arrays["words"])),
                tuple(np.atleast_2d(arrays["main"]).astype(np.int64)),
                arrays["weights"].astype(np.float64),
            )


def keep(found: Found, parts: Parts) -> Kept:
    """Let the library weigh the seen halves, and forget the library."""
    seen, _ = seen_and_hidden(parts)
    return Kept(found.topics, found.words, found.main, found.weigh(seen))


def seen_and_hidden(parts: Parts) -> tuple[Any, Any]:
    """The halves of the held-out documents that have two, as `Completion` makes them."""
    seen, hidden = halves(parts.test.counts, SEED_OF_COINS)
    has_both = (np.diff(seen.indptr) > 0) & (np.diff(hidden.indptr) > 0)
    return seen[has_both], hidden[has_both]


def scores_of(kept: Kept, parts: Parts) -> dict[str, float | None]:
    """All scores of one fit by name."""
    completions = [completion(topics, parts) for topics in kept.topics]
    own = [completion(topics, parts, kept.weights) for topics in kept.topics]
    agreements = [nmi(main, parts) for main in kept.main]
    main = kept.main[int(np.argmax([-1.0 if each is None else each for each in agreements]))]
    return {
        "npmi": npmi(kept.words, parts),
        "completion": max(completions),
        "own_completion": max(own),
        "nmi": nmi(main, parts),
        "largest": float(np.bincount(main).max() / len(main)),
        "way": float(np.argmax(completions)),
    }


def npmi(words: list[list[str]], parts: Parts) -> float:
    """Mean NPMI of the top words within documents, training and held-out ones."""
    table = ch.evaluate(words, reference=parts.everything, measures=["npmi"])
    return float(table["value"].iloc[0])


def completion(topics: Array, parts: Parts, weights: Array | None = None) -> float:
    """Mean log-probability of a hidden word; without weights, the most likely ones are found.

    These are found by `ch.evaluate` in one way for any topics, by EM, so that nothing but the
    topics is compared.
    """
    if weights is None:
        words = [str(word) for word in parts.test.vocabulary]
        table = ch.evaluate(
            topics, held_out=parts.test, vocabulary=words, measures=[Completion(seed=SEED_OF_COINS)]
        )
        return float(table["value"].iloc[0])
    subject = Subject(parts.test.vocabulary.astype(object), topics, estimator=_Given(weights))
    return Completion(seed=SEED_OF_COINS).measure(subject, Alone(parts.test)).value


class _Given:
    """In place of an estimator: weights that are known already, for the seen halves in order."""

    def __init__(self, weights: Array) -> None:
        self.weights = weights

    def transform(self, counts: Any) -> Array:
        """The weights, of which there is one row for each document."""
        assert counts.shape[0] == len(self.weights)
        return self.weights


def nmi(main: NDArray[np.int64], parts: Parts) -> float | None:
    """Of main topics and labels, over the training documents with exactly one label."""
    if parts.classes is None:
        return None
    known = np.array([label is not None for label in parts.classes])
    return float(normalized_mutual_info_score(parts.classes[known].astype(str), main[known]))
