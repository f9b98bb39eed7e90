"""A published summary: topics with what merging them needs, and nothing of any document.

All arrays are sums over documents. Their shapes follow from the numbers of topics and of words, so
a summary is as large for ten documents as for ten million. What each kind of model publishes is
declared in `STATISTICS`; a summary that breaks a rule is refused, whoever made it.

The kinds of models, and what a merge needs of each beside its topics:

- NMF, X ≈ WT⁰: the Gram matrix G = WᵀW and the gradient g = Wᵀ(WT⁰ − X), from which the error of
  any other topics is bounded (`bounds`); each word's squared error, of which the model's own error
  is half the sum; and, where words were weighted by idf, that idf and the document frequencies it
  came from, since every party has its own and a merge needs one for all. Documents count by their
  importance where the loss is relative, and rows by their weights. With weights of cells Ψ
  (thesis, Corollary 4) there is no one G: instead there is what a squared error in each topic and
  word costs, Σᵢ Ψᵢⱼ Wᵢₜ² and (Gⱼ1)ₜ with Gⱼ = Wᵀdiag(Ψ:ⱼ)W. All Gⱼ would be as many numbers again
  for each topic, and tell which words are of the same documents.
- PLSA: the expected counts O_zw = Σ_d n(d,w)·p(z|d,w), of which p(w,z) is the share and p(z) the
  row sums (Shen et al., eq. 3), and the log-likelihood that they improve on.
- LDA: how often each word was drawn from each topic (Shen et al., section IV-A), and α.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.corpus.text.tokens import Tokenizer
from chatham.corpus.text.vectorizer import LARGEST_IDF, Vectorizer
from chatham.errors import InputError
from chatham.learners.settings.learned import LARGEST, SMALLEST
from chatham.model.vocabulary import as_vocabulary
from chatham.naming import is_name, plural

Array = NDArray[np.float64]

FEWEST = 5
"""A topic that fewer documents carry isn't published, nor a word that fewer documents have."""
CARRIES = 0.1
"""The share of a document's words from which on it carries a topic."""

MOST_TOPICS = 2_000
MOST_CELLS = 1 << 28
"""Of topics × words."""
MOST_DOCUMENTS = 1 << 50

IDF, FREQUENCIES = "idf", "document_frequencies"
CELL_SQUARES, CELL_COSTS, STEPS = "cell_squares", "cell_costs", "steps"

STATISTICS: dict[str, dict[str, str]] = {
    "nmf": {
        "gram": "kk", "gradient": "kd", "errors": "d", IDF: "d", FREQUENCIES: "d",
        CELL_SQUARES: "kd", CELL_COSTS: "kd", STEPS: "k",
    },
    "plsa": {"expected": "kd", "log_likelihood": ""},
    "lda": {"counts": "kd", "alpha": "k"},
}  # fmt: skip
"""What each kind of model publishes beside topics and their sizes: the axes of each array."""
NOT_FOR_OTHERS = (
    "Kept at home by a model that grows, and not for others: its sums are exact, over all words "
    "and topics, and lead to documents; 'chatham publish' makes a summary that others may have."
)
OF_WEIGHTED = (IDF, FREQUENCIES)
"""What is there only if words were weighted by idf."""
OF_CELLS = (CELL_SQUARES, CELL_COSTS, STEPS)
"""What is there only if cells have weights: what errors cost, and the grid of g."""
SETTINGS: dict[str, dict[str, tuple[Any, ...]]] = {
    "nmf": {"constraint": ("simplex", "none"), "loss": ("absolute", "relative")},
    "plsa": {},
    "lda": {},
}
"""What else a merge must know of how topics were fitted, with the values that it may have."""


@dataclass(frozen=True)
class Signer:
    """Whose a summary is: a name, and the key with which it was signed."""

    name: str
    key: str
    """The public key, 64 hexadecimal digits."""


@dataclass(frozen=True, eq=False)
class Summary:
    """Topics over words, how large each is, and the sums of its kind.

    `sizes` are sums over documents of topics' shares; `tokens` is how many words were counted in
    all. `numbers` are the topics' numbers in the model that they are from.
    """

    kind: str
    vocabulary: NDArray[np.object_]
    topics: Array
    sizes: Array
    documents: int
    tokens: float
    statistics: Mapping[str, Array]
    settings: Mapping[str, Any] = field(default_factory=dict)
    numbers: tuple[int, ...] = ()
    tokenizer: Mapping[str, Any] | None = None
    """How texts become words; None where only counts were given."""
    name: str = ""
    """Whose it is, as the publisher says; who signed it is `signer`."""
    signer: Signer | None = None
    kept: bool = False
    """Whether it is kept at home, by a model that grows: then it is exact, with all words and
    topics, and isn't for others."""
    exact: bool = False
    """Whether topics and sums are told to the last digit."""

    def __post_init__(self) -> None:
        """Refuse what can't be the summary of a model."""
        check(self)

    @property
    def n_topics(self) -> int:
        """How many topics are published."""
        return len(self.topics)

    def says_the_same(self, other: Summary) -> bool:
        """Whether both tell the same of the same documents, whoever they are from."""
        return (
            self.kind == other.kind
            and self.documents == other.documents
            and np.array_equal(self.vocabulary, other.vocabulary)
            and np.array_equal(self.topics, other.topics)
            and np.array_equal(self.sizes, other.sizes)
        )

    @property
    def reveals(self) -> list[str]:
        """What it reveals, in words; the same as the file says."""
        return revealed(self)

    @property
    def shares(self) -> Array:
        """Each topic's share of the documents."""
        return self.sizes / max(float(self.sizes.sum()), np.finfo(float).tiny)

    @property
    def is_weighted(self) -> bool:
        """Whether its words were weighted by idf."""
        return IDF in self.statistics

    @property
    def by_cell(self) -> bool:
        """Whether cells have weights."""
        return STEPS in self.statistics

    @property
    def vectorizer(self) -> Vectorizer | None:
        """How texts become counts of its words; None where only counts were given."""
        if self.tokenizer is None:
            return None
        return Vectorizer(Tokenizer.from_dict(dict(self.tokenizer)), self.vocabulary.astype(str))

    def __repr__(self) -> str:
        """Say the size in one line."""
        whose = f"{self.name}, " if self.name else ""
        whose = f"kept at home, {whose}" if self.kept else whose
        return (
            f"Summary({whose}{self.kind}, {plural(self.n_topics, 'topic')}, "
            f"{plural(len(self.vocabulary), 'word')}, {plural(self.documents, 'document')})"
        )


def revealed(summary: Summary) -> list[str]:
    """Sentences for the person who is about to publish it, and for whoever reads it."""
    if summary.kept:
        return [NOT_FOR_OTHERS]
    k, d = summary.n_topics, len(summary.vocabulary)
    sentences = [
        f"It was made from {plural(summary.documents, 'document')} with "
        f"{summary.tokens:,.0f} tokens; both numbers are exact.",
        f"{plural(d, 'word')}: each is in at least {FEWEST} different documents, and rarer words "
        "are left out.",
        f"{plural(k, 'topic')} over these words, each with its size and its number in your model: "
        f"at least {FEWEST} different documents carry each (a tenth of their words or more).",
        *_OF_KIND[summary.kind](summary),
        "A topic that rests on few documents leads to them, and whoever has a document may "
        "recognise that it was there.",
        "Nothing in it grows with the number of documents, and it holds no document, id or label.",
        "Whoever has another summary of nearly the same documents can subtract the two, and is "
        "left with the sums of those that came or went: don't publish again for small changes.",
    ]
    if summary.exact and summary.kind != "lda":
        sentences.append(
            "Topics and sums are told to the last digit, as you asked: from such sums groups of "
            "words of single documents were found (docs/security.md), even though each word is in "
            "five documents or more."
        )
    if summary.tokenizer is not None:
        sentences.append("How your texts were split into words, with your list of stop words.")
    return sentences


def _of_nmf(summary: Summary) -> list[str]:
    weighted = ["For each word in how many of your documents it is, and its weight (idf); exactly."]
    by_cell = (
        "For each topic and word how much an error there counts, by your weights of cells"
        f"{'' if summary.exact else ', on a grid'}."
    )
    unexplained = "of weight × what the model leaves unexplained"
    told = f"{unexplained}, and for each word the sum of squares of that; exactly."
    if not summary.exact:
        told = f"{unexplained}, on a grid; for each word the sum of squares of that, to nine bits."
    return [
        "For each pair of topics the sum over documents of weight × weight; for each topic and "
        f"word {told}",
        *([by_cell] if summary.by_cell else []),
        *(weighted if summary.is_weighted else []),
    ]


def _of_plsa(summary: Summary) -> list[str]:
    how = "exactly" if summary.exact else "in whole tokens"
    return [
        "For each topic and word how often the word is expected to come from the topic, over all "
        f"documents, {how}, and so how often each word occurs in all of them, exactly; "
        "the documents' log-likelihood."
    ]


def _of_lda(summary: Summary) -> list[str]:
    return [
        "For each topic and word how often the word was drawn from the topic, over all documents, "
        "and so how often each word occurs in all of them; the prior α of each topic."
    ]


_OF_KIND = {"nmf": _of_nmf, "plsa": _of_plsa, "lda": _of_lda}


# Rules


def check(summary: Summary) -> None:
    """Refuse a summary that no model has; a file that holds one is damaged, or hostile."""
    if summary.kind not in STATISTICS:
        raise InputError(
            f"A summary can't be of {str(summary.kind)[:40]!r}; it is of nmf, plsa or lda."
        )
    k, d = _size(summary)
    as_vocabulary(summary.vocabulary, d)
    _check_scalars(summary, k)
    _check_settings(summary)
    _check_numbers("topics", summary.topics, (k, d), least=0.0)
    _check_numbers("sizes", summary.sizes, (k,), least=0.0)
    axes = _axes(summary)
    for name, letters in axes.items():
        least = -LARGEST if name in ("gradient", "log_likelihood") else 0.0
        shape = tuple({"k": k, "d": d}[letter] for letter in letters)
        _check_numbers(name, summary.statistics[name], shape, least)
    _check_topics(summary)
    _INVARIANTS[summary.kind](summary)


def _size(summary: Summary) -> tuple[int, int]:
    shape: tuple[int, ...] = np.shape(summary.topics)
    if len(shape) != 2 or not 0 < shape[0] <= MOST_TOPICS or shape[1] < 1:
        raise InputError(
            f"A summary has from 1 to {MOST_TOPICS:,} topics over at least one word; got an array "
            f"of shape {tuple(shape)}."
        )
    if shape[0] * shape[1] > MOST_CELLS:
        raise InputError(
            f"A summary of {shape[0]:,} topics over {shape[1]:,} words is too large; at most "
            f"{MOST_CELLS:,} cells can be read, so keep fewer words."
        )
    return int(shape[0]), int(shape[1])


def _check_scalars(summary: Summary, k: int) -> None:
    fewest = 1 if summary.kept else FEWEST
    if type(summary.documents) is not int or not fewest <= summary.documents < MOST_DOCUMENTS:
        raise InputError(
            f"A summary is of {plural(fewest, 'document')} or more; this one has "
            f"{str(summary.documents)[:40]}."
        )
    if type(summary.tokens) is not float or not 0 < summary.tokens <= LARGEST:
        raise InputError("A summary's number of tokens must be above zero and finite.")
    if type(summary.exact) is not bool:
        raise InputError("A summary says whether its sums are exact, and nothing else of it.")
    numbers = summary.numbers
    plain = all(type(number) is int and 0 <= number < 1 << 31 for number in numbers)
    if len(numbers) != k or not plain or sorted(set(numbers)) != list(numbers):
        raise InputError(f"A summary's {k:,} topics must have their numbers, each once, in order.")
    named = isinstance(summary.name, str) and (not summary.name or is_name(summary.name))
    if not named:
        raise InputError(
            "The name of a summary has 1 to 60 letters, digits, blanks or characters such as . , "
            "& ' -, and doesn't begin or end with a blank."
        )


def _check_settings(summary: Summary) -> None:
    allowed = SETTINGS[summary.kind]
    fits = set(summary.settings) == set(allowed) and all(
        summary.settings[name] in values for name, values in allowed.items()
    )
    if not fits:
        raise InputError(
            f"A summary of {summary.kind} must say {', '.join(allowed) or 'nothing'} of its fit, "
            "each with a value that this Chatham knows."
        )


def _axes(summary: Summary) -> dict[str, str]:
    """The arrays that it must have; those of weighted words all or none, and those of cells."""
    axes = dict(STATISTICS[summary.kind])
    for together in (OF_WEIGHTED, OF_CELLS):
        if not any(name in summary.statistics for name in together):
            axes = {name: axis for name, axis in axes.items() if name not in together}
    if set(summary.statistics) != set(axes):
        raise InputError(
            f"A summary of {summary.kind} has the arrays {', '.join(axes)}; this one has "
            f"{', '.join(str(name)[:40] for name in summary.statistics) or 'none'}."
        )
    return axes


def _check_numbers(name: str, array: Any, shape: tuple[int, ...], least: float) -> None:
    if not isinstance(array, np.ndarray) or array.dtype != np.float64 or array.shape != shape:
        form = f"{getattr(array, 'dtype', type(array).__name__)} of {np.shape(array)}"
        raise InputError(f"A summary's {name!r} must be float64 of shape {shape}; it is {form}.")
    if not ((array >= least) & (array <= LARGEST)).all():  # also false for NaN
        raise InputError(
            f"A summary's {name!r} holds numbers below {least:g} or above {LARGEST:g}, or NaN, "
            "which no model gives."
        )


def _check_topics(summary: Summary) -> None:
    sums = summary.topics.sum(axis=1)
    if summary.settings.get("constraint") == "none":
        if sums.min() < SMALLEST:
            raise InputError("A summary's topic has no word; leave it out.")
    elif (np.abs(sums - 1.0) > 1e-6).any():
        raise InputError("A summary's topics are not probabilities: a row doesn't sum to one.")
    if summary.kind != "nmf" and summary.sizes.sum() > summary.documents * (1 + 1e-6):
        raise InputError("A summary's topics are larger than all its documents.")
    if summary.sizes.sum() <= 0:
        raise InputError("A summary's topics have no size: no document has any of them.")


def _check_nmf(summary: Summary) -> None:
    gram = summary.statistics["gram"]
    scale = float(np.diag(gram).max())
    if not np.allclose(gram, gram.T, rtol=1e-9, atol=1e-12 * scale) or scale < SMALLEST:
        raise InputError("A summary's 'gram' must be symmetric and not zero, as every WᵀW is.")
    if float(np.linalg.eigvalsh(gram / scale)[0]) < -1e-9 * len(gram):
        raise InputError("A summary's 'gram' has a negative eigenvalue, which no WᵀW has.")
    if summary.by_cell:
        _check_cells(summary)
    if not summary.is_weighted:
        return
    idf, frequencies = (summary.statistics[name] for name in OF_WEIGHTED)
    if idf.min() < SMALLEST or idf.max() > LARGEST_IDF:
        raise InputError(f"A summary's 'idf' must be above 0 and up to {LARGEST_IDF:,.0f}.")
    fewest = 0 if summary.kept else FEWEST
    within = (frequencies >= fewest) & (frequencies <= summary.documents)
    if not within.all() or (frequencies % 1 != 0).any():
        raise InputError(
            f"A summary's 'document_frequencies' must be whole numbers from {fewest} to the number "
            "of documents."
        )


def _check_cells(summary: Summary) -> None:
    squares, costs, _ = (summary.statistics[name] for name in OF_CELLS)
    if (costs < squares * (1 - 1e-9)).any():
        raise InputError(
            "A summary's 'cell_costs' are below its 'cell_squares', which are part of them."
        )
    if (squares.max(axis=1) < SMALLEST).any():
        raise InputError("A summary's topic costs nothing in any word; leave it out.")


def _check_plsa(summary: Summary) -> None:
    _check_tokens(summary, "expected")
    if (summary.topics[summary.statistics["expected"] > 0] <= 0).any():
        raise InputError(
            "A summary expects words from a topic that doesn't have them, which no model does."
        )
    if float(summary.statistics["log_likelihood"]) > 0:
        raise InputError("A summary's 'log_likelihood' is above zero, which no logarithm of a "
                         "probability is.")  # fmt: skip


def _check_lda(summary: Summary) -> None:
    _check_tokens(summary, "counts")
    if summary.statistics["alpha"].min() < SMALLEST:
        raise InputError("A summary's 'alpha' must be above zero.")


def _check_tokens(summary: Summary, name: str) -> None:
    counted = summary.statistics[name]
    if abs(counted.sum() - summary.tokens) > 1e-6 * summary.tokens:
        raise InputError(f"A summary's {name!r} doesn't add up to its number of tokens.")
    if (counted.sum(axis=1) <= 0).any():
        raise InputError("A summary's topic has no token; leave it out.")


_INVARIANTS = {"nmf": _check_nmf, "plsa": _check_plsa, "lda": _check_lda}
