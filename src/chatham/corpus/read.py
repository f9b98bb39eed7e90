"""``read_corpus``: from whatever holds documents to a Corpus.

Every source is first read into one of two things, a table with texts or a bag of counted words;
from there on there are only two ways.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from chatham.corpus.baskets import read_baskets
from chatham.corpus.build import (
    Choices,
    corpus_from_counts,
    corpus_from_texts,
    corpus_of_bag,
    onto_vocabulary,
)
from chatham.corpus.corpus import Corpus
from chatham.corpus.readers import tables
from chatham.corpus.readers.bags import read_mtx, read_npz
from chatham.corpus.readers.columns import baskets_without_text
from chatham.corpus.readers.files import ending, read_lines
from chatham.corpus.readers.plain_text import read_folder, read_txt
from chatham.corpus.readers.sources import Bag, Table
from chatham.corpus.text.counting import Progress
from chatham.corpus.text.pruning import Pruning
from chatham.corpus.text.stop_words import Choice
from chatham.corpus.text.tokens import Split, Tokenizer
from chatham.corpus.tfidf import weighted
from chatham.errors import InputError
from chatham.naming import listed, nearest, shown
from chatham.notes import BASKETS, Note
from chatham.wording import Either, Otherwise, say

READERS: dict[str, Callable[[Path, str | None], Table | Bag]] = {
    **tables.READERS,
    ".txt": read_txt,
    ".npz": read_npz,
    ".mtx": read_mtx,
}


def read_corpus(
    source: Any,
    *,
    text: str | Sequence[str] | None = None,
    label: str | Sequence[Any] | None = None,
    id: str | Sequence[Any] | None = None,
    vocabulary: str | Path | Iterable[str] | None = None,
    encoding: str | None = None,
    stop_words: Choice = "auto",
    lowercase: bool = True,
    min_length: int = 2,
    numbers: bool = False,
    hyphens: bool = False,
    ngrams: tuple[int, int] = (1, 1),
    tokenizer: Split | None = None,
    min_df: float | None = None,
    max_df: float | None = None,
    max_features: int | None = None,
    max_features_by: str = "count",
    weighting: str = "counts",
    keep_texts: bool = True,
    progress: Progress | None = None,
) -> Corpus:
    """Read documents from a file, a folder, a list, a table or a matrix.

    Parameters
    ----------
    source : a path, list of strings, pandas Series or DataFrame, matrix of counts, or Corpus
        Files: .csv, .tsv, .jsonl, .parquet, .txt (one document per line), .npz and .mtx with a
        ``.vocab.txt`` beside them, UCI ``docword.NAME.txt`` with ``vocab.NAME.txt``; all but .npz
        and .parquet also as .gz. A folder of .txt files has one document per file.
    text, label, id : column names
        Several text columns are joined, as paragraphs: ``text=["title", "body"]``. Without names,
        the text is guessed from what the columns hold, and columns called ``label`` and ``id`` are
        used; the notes say so. Where nothing looks like text but there are users and items, as in
        a table of ratings, it is read as `read_baskets` does. Labels and ids may also be lists,
        one value per document.
    vocabulary : a file with one word per line, or a list
        The words of the columns of counts. For texts and for a Corpus: count these words only, in
        this order, whatever the other options say about words.
    encoding : of text files; by default their byte-order mark, else UTF-8.
    stop_words : "auto", None, a language, a file or a list of words
        Or several: ``"auto,mine.txt"``, or a list of them with lists of words among them,
        ``["auto", ["foo", "bar"]]``.
    lowercase, min_length, numbers, hyphens, ngrams
        What a word is; ``numbers`` keeps words of digits only, ``hyphens`` keeps compounds whole.
    tokenizer : your own function from a text to its words, replacing all of these but ``ngrams``
    min_df, max_df : number (int) or share (float) of documents that a word must, or may, occur in
        For texts by default at least 1, 2 or 5 documents (of fewer than 50, fewer than 1,000, or
        more) and at most half of them; counts are left as they are.
    max_features, max_features_by : keep this many words, the largest by "count" or by "tfidf"
    weighting : "counts" or "tfidf"
    keep_texts : False forgets the texts once they are counted
    progress : called as ``progress(done, total)`` while documents are counted

    >>> corpus = read_corpus(["Tea with milk.", "Milk, no sugar!", ""], stop_words="en")
    >>> corpus
    Corpus(3 documents, 1 empty, 3 words, 4 tokens)
    >>> corpus.vocabulary.tolist()
    ['milk', 'sugar', 'tea']
    """
    words = Tokenizer(lowercase, min_length, numbers, hyphens, _pair(ngrams), split=tokenizer)
    pruning = Pruning(min_df, max_df, max_features, max_features_by)
    choices = Choices(
        words, stop_words, pruning, weighting, _as_words(vocabulary), keep_texts, progress
    )
    if isinstance(source, Corpus):
        if any(option is not None for option in (text, label, id, encoding)):
            raise InputError("A Corpus has its texts, labels and ids already: leave these out.")
        return corpus_from_counts(onto_vocabulary(source, choices.vocabulary), choices)
    contents = _open(source, encoding)
    if isinstance(contents, Bag):
        return corpus_from_counts(corpus_of_bag(contents, text, label, id, choices), choices)
    baskets = {} if text or contents.text else baskets_without_text(contents.frame)
    if baskets:
        return _of_baskets(contents, baskets, choices)
    return corpus_from_texts(contents, text, label, id, choices)


def _of_baskets(table: Table, columns: dict[str, str], choices: Choices) -> Corpus:
    """A table without text, one row for each item that a basket has."""
    limits = choices.pruning
    corpus = read_baskets(
        table.frame.rename(columns=str),
        **columns,  # type: ignore[arg-type]
        vocabulary=choices.vocabulary,
        min_df=limits.min_df,
        max_df=limits.max_df,
        max_features=limits.max_features,
        max_features_by=limits.max_features_by,
    )
    by = f", by {shown(columns['rating'])}" if "rating" in columns else ""
    said = say(
        "No column looks like text, so items of the column {item} are counted for each {basket}"
        "{by}, a guess; {choose}.",
        item=shown(columns["item"]),
        basket=shown(columns["basket"]),
        by=by,
        choose=Either(
            "read_baskets takes other columns",
            Otherwise(say("pass {basket=} and {item=} to choose others"), "rename them for others"),
        ),
    )
    corpus.notes[:0] = [*table.notes, Note(said, BASKETS)]
    return weighted(corpus) if choices.weighting == "tfidf" else corpus


def _pair(ngrams: Any) -> Any:
    return tuple(ngrams) if isinstance(ngrams, list) else ngrams


def _as_words(vocabulary: Any) -> list[str] | None:
    if vocabulary is None:
        return None
    if isinstance(vocabulary, str | os.PathLike):
        return read_lines(Path(vocabulary))
    return [str(word) for word in vocabulary]


def _open(source: Any, encoding: str | None) -> Table | Bag:
    if isinstance(source, str | os.PathLike):
        return _open_path(Path(source), encoding)
    if sp.issparse(source) or (isinstance(source, np.ndarray) and source.ndim == 2):
        return Bag(source)
    if isinstance(source, pd.DataFrame):
        return Table(source)
    if isinstance(source, pd.Series):
        return Table(source.rename("text").to_frame(), text="text")
    # A set is left out: rows need an order.
    if isinstance(source, Iterable) and not isinstance(source, bytes | dict | set | frozenset):
        texts = pd.Series(list(source), dtype=object)
        return Table(pd.DataFrame({"text": texts}), text="text")
    raise InputError(
        say(
            "A corpus can't be read from a {kind}: give a path, a list of strings, a pandas Series "
            "or DataFrame, or a matrix of counts with {vocabulary=}.",
            kind=type(source).__name__,
        )
    )


def _open_path(path: Path, encoding: str | None) -> Table | Bag:
    if not _exists(path):
        # shown: someone may pass a text where a path is expected.
        raise InputError(
            say(
                "There is no file or folder {path}: check the name{otherwise}.",
                path=shown(path),
                otherwise=Either(", or pass texts as a list", ""),
            )
        )
    if path.is_dir():
        return read_folder(path, encoding)
    reader = READERS.get(ending(path))
    if reader is None:
        raise InputError(
            f"The extension of {path} isn't known; known are {listed(READERS)} and folders of .txt "
            f"files{nearest(ending(path), READERS) or '.'}"
        )
    return reader(path, encoding)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
