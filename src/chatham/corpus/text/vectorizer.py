"""How a text becomes a row of counts, kept so that new texts become rows in the same way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chatham.corpus.checks import missing, string_array
from chatham.corpus.given_words import Words, as_words, is_list
from chatham.corpus.text.tokens import Split, Tokenizer
from chatham.errors import InputError
from chatham.naming import plural
from chatham.wording import say

if TYPE_CHECKING:
    import scipy.sparse as sp

    from chatham.corpus.text.counting import Progress

WEIGHTINGS = ("counts", "tfidf")

LARGEST_IDF = 1e6
"""An idf is a logarithm, below 50 for any conceivable number of documents."""


@dataclass(frozen=True, eq=False)
class Vectorizer:
    """A tokenizer, a frozen vocabulary and, for tf-idf, the training documents' idf.

    ``tokenizer`` is None where only counts were given; then texts can't become rows, but counts
    of new documents can still be weighted, with ``weigh``.

    >>> vectorizer = Vectorizer(Tokenizer(), np.array(["milk", "tea"]))
    >>> vectorizer.counts(["Tea, tea!", "no word known"]).toarray().tolist()
    [[0, 2], [0, 0]]
    """

    tokenizer: Tokenizer | None
    vocabulary: NDArray[np.str_]
    weighting: str = "counts"
    idf: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        """Refuse a weighting that can't be carried out."""
        check_weighting(self.weighting)
        if (self.weighting == "tfidf") != (self.idf is not None):
            raise InputError("A tf-idf vectorizer needs its idf, and only a tf-idf one has it.")
        if self.idf is not None and self.idf.shape != (len(self.vocabulary),):
            raise InputError(
                f"The vectorizer has {plural(self.idf.size, 'idf value')} for "
                f"{plural(len(self.vocabulary), 'word')}: the numbers must be equal."
            )

    def counts(self, texts: Iterable[str | None], progress: Progress | None = None) -> sp.csr_array:
        """Count the vocabulary's words in each text, and weight them if the corpus was weighted."""
        if self.tokenizer is None:
            raise InputError(
                "Texts can't become counts here, since the corpus was given as counts: "
                "give counts of the same vocabulary instead."
            )
        from chatham.corpus.text.counting import count_terms

        clean = as_texts(texts)
        counts, _ = count_terms(clean, self.tokenizer, self.vocabulary, progress)
        return self.weigh(counts)

    def weigh(self, counts: sp.csr_array) -> sp.csr_array:
        """Weight plain counts as the training documents were weighted.

        >>> import scipy.sparse as sp
        >>> Vectorizer(None, np.array(["tea"])).weigh(sp.csr_array([[2]])).toarray().tolist()
        [[2]]
        """
        if self.idf is None:
            return counts
        from chatham.corpus.text.weighting import weight_by_idf

        return weight_by_idf(counts, self.idf)

    def with_tokenizer(self, function: Split) -> Vectorizer:
        """Supply the function that couldn't be saved.

        >>> vectorizer = Vectorizer(Tokenizer(), np.array(["Tea"])).with_tokenizer(str.split)
        >>> vectorizer.counts(["Tea tea"]).toarray().tolist()
        [[1]]
        """
        tokenizer = self.tokenizer or Tokenizer()
        return replace(self, tokenizer=replace(tokenizer, split=function, needs_split=False))

    def with_columns(self, columns: NDArray[np.int64]) -> Vectorizer:
        """Keep only some words.

        >>> both = Vectorizer(None, np.array(["milk", "tea"]))
        >>> both.with_columns(np.array([1])).vocabulary.tolist()
        ['tea']
        """
        idf = None if self.idf is None else self.idf[columns]
        return replace(self, vocabulary=self.vocabulary[columns], idf=idf)

    def to_dict(self) -> dict[str, Any]:
        """Give all but the vocabulary as plain JSON values.

        >>> Vectorizer(None, np.array(["tea"])).to_dict()
        {'tokenizer': None, 'weighting': 'counts', 'idf': None}
        """
        return {
            "tokenizer": None if self.tokenizer is None else self.tokenizer.to_dict(),
            "weighting": self.weighting,
            "idf": None if self.idf is None else self.idf.tolist(),
        }

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any], vocabulary: Iterable[str]) -> Vectorizer:
        """Read back what ``to_dict`` returned, with the vocabulary that was stored elsewhere.

        >>> saved = Vectorizer(Tokenizer(), np.array(["tea"])).to_dict()
        >>> Vectorizer.from_dict(saved, ["tea"]).counts(["Tea!"]).toarray().tolist()
        [[1]]
        """
        if not isinstance(saved, Mapping):
            raise InputError("The saved vectorizer is damaged: it isn't a mapping.")
        settings, idf = saved.get("tokenizer"), saved.get("idf")
        return cls(
            tokenizer=None if settings is None else Tokenizer.from_dict(settings),
            vocabulary=_as_words(vocabulary),
            weighting=saved.get("weighting", "counts"),
            idf=None if idf is None else _as_idf(idf),
        )


def check_weighting(weighting: object) -> None:
    """Refuse a weighting that doesn't exist."""
    if weighting not in WEIGHTINGS:
        raise InputError(say("{weighting} must be 'counts' or 'tfidf', not {it!r}.", it=weighting))


def _as_idf(values: object) -> NDArray[np.float64]:
    try:
        idf = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        idf = np.array([np.nan])
    # Comparisons with NaN are false, so it is refused here too.
    if idf.ndim != 1 or not ((idf > 0) & (idf <= LARGEST_IDF)).all():
        raise InputError(
            "The saved vectorizer is damaged: idf must be a list of finite numbers "
            f"above 0, up to {LARGEST_IDF:,.0f}."
        )
    return idf


def _as_words(vocabulary: Iterable[str]) -> NDArray[np.str_]:
    words = list(vocabulary)
    if not all(isinstance(word, str) for word in words):
        raise InputError("The saved vectorizer is damaged: a word isn't a string.")
    return string_array(words, "word")


def as_texts(texts: Iterable[Any]) -> list[str]:
    """Make a list of strings, a missing text becoming an empty one and a list its words.

    >>> as_texts(["tea", None, float("nan")])
    ['tea', '', '']
    """
    if isinstance(texts, str | bytes):
        raise InputError("Give a list of texts, not one string: put it into a list, [text].")
    clean = [_document(text) for text in texts]
    for row, text in enumerate(clean):
        if not isinstance(text, str):
            raise InputError(
                f"Text number {row} isn't a string but of type {type(text).__name__}: "
                "texts must be strings or lists of words, or None where there is none."
            )
    return [text if isinstance(text, Words) else str(text) for text in clean]


def _document(text: Any) -> Any:
    if not isinstance(text, str) and is_list(text):
        return as_words(text)
    return "" if missing(text) else text
