"""``read_corpus``: from whatever holds documents to a Corpus.

Every source is first read into one of two things, a table with texts or a bag of counted words;
from there on there are only two ways.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from chatham.corpus.baskets import read_baskets
from chatham.corpus.build import (
    Choices,
    corpus_from_counts,
    corpus_from_texts,
    corpus_of_bag,
    onto_vocabulary,
)
from chatham.corpus.checks import whole
from chatham.corpus.corpus import Corpus
from chatham.corpus.readers.columns import baskets_without_text
from chatham.corpus.readers.files import read_lines
from chatham.corpus.readers.opening import opened
from chatham.corpus.readers.sources import Bag, Reading, Table
from chatham.corpus.text.counting import Progress
from chatham.corpus.text.pruning import Pruning
from chatham.corpus.text.stop_words import Choice
from chatham.corpus.text.tokens import Split, Tokenizer
from chatham.corpus.tfidf import weighted
from chatham.errors import InputError
from chatham.naming import path_shown, shown
from chatham.notes import BASKETS, Note
from chatham.wording import Either, Otherwise, say


def read_corpus(
    source: Any,
    *,
    text: str | int | Sequence[str] | None = None,
    label: str | int | Sequence[Any] | None = None,
    id: str | int | Sequence[Any] | None = None,
    vocabulary: str | Path | Iterable[str] | None = None,
    encoding: str | None = None,
    format: str | None = None,
    delimiter: str | None = None,
    header: bool = True,
    skip_bad_rows: bool = False,
    stop_words: Choice = "auto",
    lowercase: bool = True,
    min_length: int = 2,
    numbers: bool = False,
    hyphens: bool = False,
    entities: bool = True,
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
    """Read documents from files, a folder, an archive, a list, a table or a matrix.

    Parameters
    ----------
    source : a path, a pattern, "-", a list of texts or of paths, a table, a matrix, or a Corpus
        Files: .csv, .tsv, .jsonl, .json, .parquet, .xlsx, .txt (one document per line), .npz and
        .mtx with a ``.vocab.txt`` beside them, UCI ``docword.NAME.txt`` with ``vocab.NAME.txt``;
        also as .gz or .xz. In a folder or a .zip each file of text is a document, and tables are
        read one after the other, as are the files of a pattern (``"news/*.csv"``) or of a list of
        `Path`. ``"-"`` is standard input. A document may also be a list of words, which are
        then taken as they are. A table is a pandas Series or DataFrame.
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
    format : "csv", "tsv", "jsonl", "json", "parquet", "xlsx", "txt", "npz", "mtx" or "docword"
        What files are, whatever their extension; standard input has none.
    delimiter : the character between columns; by default what the first lines show
    header : False where the first line is a document: columns then are 1, 2 and so on
    skip_bad_rows : True leaves out rows that can't be parsed; the notes say how many
    stop_words : "auto", None, a language, a file or a list of words
        Or several: ``"auto,mine.txt"``, or a list of them with lists of words among them,
        ``["auto", ["foo", "bar"]]``.
    lowercase, min_length, numbers, hyphens, entities, ngrams
        What a word is; ``numbers`` keeps words of digits only, ``hyphens`` keeps compounds whole,
        ``entities`` reads ``&amp;`` as the character that HTML writes so.
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
    words = Tokenizer(
        lowercase, min_length, numbers, hyphens, _pair(ngrams), split=tokenizer, entities=entities
    )
    pruning = Pruning(min_df, max_df, max_features, max_features_by)
    choices = Choices(
        words, stop_words, pruning, weighting, _as_words(vocabulary), keep_texts, progress
    )
    reading = Reading(format, encoding, delimiter, header, skip_bad_rows)
    if isinstance(source, Corpus):
        if any(option is not None for option in (text, label, id)) or reading != Reading():
            raise InputError("A Corpus has its texts, labels and ids already: leave these out.")
        return corpus_from_counts(onto_vocabulary(source, choices.vocabulary), choices)
    contents = opened(source, reading)
    text, label, id = _names(text), _name(label), _name(id)
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


def _name(column: Any) -> Any:
    """A column by its number is one by its name: without a header, numbers are names."""
    return str(column) if whole(column) else column


def _names(columns: Any) -> Any:
    several = isinstance(columns, list | tuple)
    return [_name(column) for column in columns] if several else _name(columns)


def _as_words(vocabulary: Any) -> list[str] | None:
    if vocabulary is None:
        return None
    if isinstance(vocabulary, str | os.PathLike):
        if not os.path.exists(vocabulary):
            raise InputError(f"There is no file {path_shown(vocabulary)}: check the name.")
        return read_lines(Path(vocabulary))
    return [str(word) for word in vocabulary]
