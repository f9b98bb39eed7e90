"""From a table of texts, or from counts, to a Corpus: stop words, vocabulary, weighting, notes."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.corpus.checks import as_counts, as_vocabulary, string_array, whole_as_integers
from chatham.corpus.corpus import Corpus, derived, of_words
from chatham.corpus.given_words import Words
from chatham.corpus.readers.columns import Columns, header_notes, take_apart
from chatham.corpus.readers.sources import Bag, Table, with_numbers
from chatham.corpus.scripts import spaceless_scripts, spaceless_warning
from chatham.corpus.text.counting import Progress, count_terms
from chatham.corpus.text.pruning import Pruning
from chatham.corpus.text.reachable import unreachable_notes
from chatham.corpus.text.stop_words import AUTO, Choice, choose_stop_words, sampled, to_guess
from chatham.corpus.text.tokens import Tokenizer, unescaped
from chatham.corpus.text.vectorizer import Vectorizer, as_texts, check_weighting
from chatham.corpus.tfidf import weighted
from chatham.errors import CountedError, InputError
from chatham.naming import plural
from chatham.notes import EMPTY, VOCABULARY, ChathamWarning, Note
from chatham.wording import Either, Otherwise, say

ONLY_THE_VOCABULARY = Note(
    "Only the words of the vocabulary that was given are counted.", VOCABULARY
)
NO_GUESS_FOR_COUNTS = "Stop words are guessed for texts only, and these are counts: all words stay."
NONE_OF_A_LANGUAGE = "Stop words are guessed for texts only, and these are counts."


@dataclass(frozen=True)
class Choices:
    """What the user chose about words, wherever they come from."""

    tokenizer: Tokenizer
    stop_words: Choice
    pruning: Pruning
    weighting: str
    vocabulary: list[str] | None
    keep_texts: bool
    progress: Progress | None

    def __post_init__(self) -> None:
        """Refuse a weighting that doesn't exist before anything is read."""
        check_weighting(self.weighting)


def corpus_from_texts(table: Table, text: Any, label: Any, id: Any, choices: Choices) -> Corpus:
    """Count the words of a table's texts."""
    if len(table.frame) == 0:
        raise InputError("There are no documents: give at least one.")
    parts = take_apart(table.frame, text or table.text, label, id, needs_text=True)
    header = header_notes(table.frame.columns) if table.header and text is None else []
    if table.all_strings:
        parts.metadata = with_numbers(parts.metadata)
    texts = as_texts(parts.texts or [])
    choices = _for_words(texts, choices)
    notes = [*table.notes, *header, *parts.notes]
    tokenizer = _with_stop_words(texts, choices, notes)
    counts, words = _vocabulary_counts(texts, tokenizer, choices, notes)
    vectorizer = Vectorizer(tokenizer, string_array(words, "word"))
    corpus = _corpus(parts, counts, words, texts if choices.keep_texts else None, vectorizer, notes)
    notes.extend(_empty_notes(corpus, sum(not text.strip() for text in texts)))
    return weighted(corpus) if choices.weighting == "tfidf" else corpus


def _corpus(
    parts: Columns,
    counts: Any,
    words: Any,
    texts: list[str] | None,
    vectorizer: Vectorizer | None,
    notes: list[str],
) -> Corpus:
    return Corpus(
        counts=counts,
        vocabulary=words,
        ids=parts.ids,  # type: ignore[arg-type]
        labels=parts.labels,  # type: ignore[arg-type]
        texts=texts,
        metadata=parts.metadata,
        vectorizer=vectorizer,
        notes=notes,
        label_name=parts.label_name,
    )


def _with_stop_words(texts: list[str], choices: Choices, notes: list[str]) -> Tokenizer:
    sample = sampled(texts)
    own = choices.tokenizer.split is not None or choices.tokenizer.given
    scripts = [] if own else spaceless_scripts(sample)
    notes += [] if own else _entity_notes(texts, choices.tokenizer)
    if scripts:
        _warn(spaceless_warning(scripts), notes)
    if choices.vocabulary is not None and choices.tokenizer.ngrams == (1, 1):
        return choices.tokenizer  # the vocabulary itself says which words count
    chosen = choose_stop_words(choices.stop_words, sample, choices.tokenizer)
    notes.append(chosen.note)
    return replace(choices.tokenizer, stop_words=chosen.words)


def _for_words(texts: list[str], choices: Choices) -> Choices:
    """Choices for lists of words, where nothing is left to choose of what a word is."""
    n_words = sum(isinstance(text, Words) for text in texts)
    if n_words == 0:
        return choices
    if any(text and not isinstance(text, Words) for text in texts):
        raise InputError(
            "Some documents are lists of words and others are texts: give all of them in one form."
        )
    if choices.vocabulary is None and replace(choices.tokenizer, ngrams=(1, 1)) != Tokenizer():
        raise InputError(
            say(
                "{lowercase}, {min_length}, {numbers}, {hyphens}, {entities} and {tokenizer} say "
                "how texts become words, and here documents are lists of words: leave them out."
            )
        )
    return replace(choices, tokenizer=Tokenizer(ngrams=choices.tokenizer.ngrams, given=True))


def _entity_notes(texts: list[str], tokenizer: Tokenizer) -> list[str]:
    if not tokenizer.entities:
        return []
    number = sum("&" in text and unescaped(text) != text for text in texts)
    if number == 0:
        return []
    documents = plural(number, "document")
    return [f"HTML entities such as &amp; are read as their characters, in {documents}."]


def _warn(message: str, notes: list[str]) -> None:
    notes.append(message)
    warnings.warn(message, ChathamWarning, stacklevel=5)  # read_corpus's caller


def _vocabulary_counts(
    texts: list[str], tokenizer: Tokenizer, choices: Choices, notes: list[str]
) -> tuple[sp.csr_array, list[str]]:
    if choices.vocabulary is not None:
        notes.append(ONLY_THE_VOCABULARY)
        for message in unreachable_notes(choices.vocabulary, tokenizer):
            _warn(message, notes)
        return count_terms(texts, tokenizer, choices.vocabulary, choices.progress)
    counts, words = count_terms(texts, tokenizer, progress=choices.progress)
    if not words:
        raise InputError(
            say(
                "No word is left in {documents}: there is no text, or only stop words, numbers and "
                "words {short}.",
                documents=plural(len(texts), "document"),
                short=Either(say("below {min_length}"), "of a single letter"),
            )
        )
    limits = choices.pruning.for_texts(len(texts))
    columns = limits.keep(counts)
    notes.append(limits.note(len(words), len(columns)))
    return counts[:, columns], [words[column] for column in columns]


def _empty_notes(corpus: Corpus, n_blank: int) -> list[str]:
    n_empty = int(corpus.empty.sum())
    blank = f" ({n_blank:,} had no text at all)" if n_blank else ""
    message = f"{plural(n_empty, 'document')} without any word of the vocabulary, kept{blank}."
    return [Note(message, EMPTY)] if n_empty else []


def corpus_of_bag(bag: Bag, text: Any, label: Any, id: Any, choices: Choices) -> Corpus:
    """Combine counts with the files beside them, before the user's choices apply."""
    words = choices.vocabulary if choices.vocabulary is not None else bag.words
    if words is None:
        looked = f"; looked for {' and '.join(bag.looked_for)}" if bag.looked_for else ""
        raise InputError(
            say(
                "Counts need the words of their columns{looked}: {how}.",
                looked=looked,
                how=Otherwise(say("pass {vocabulary=}"), "put them into such a file, one a line"),
            )
        )
    n_rows = bag.counts.shape[0]
    if n_rows == 0:
        raise InputError("There are no documents: give counts of at least one.")
    rows = pd.DataFrame(index=pd.RangeIndex(n_rows)) if bag.rows is None else bag.rows
    if len(rows) != n_rows:
        raise InputError(
            f"The table beside the counts has {plural(len(rows), 'row')} and the counts have "
            f"{n_rows:,}: "
            "both must have one for each document."
        )
    parts = take_apart(rows, text, label, id, needs_text=False)
    notes = bag.notes if choices.vocabulary is None else []
    if to_guess(choices.stop_words):
        alone = choices.stop_words == AUTO
        notes = [*notes, NO_GUESS_FOR_COUNTS if alone else NONE_OF_A_LANGUAGE]
    texts = None if parts.texts is None else as_texts(parts.texts)
    kept_texts = texts if choices.keep_texts else None
    corpus = _corpus(parts, bag.counts, words, kept_texts, None, [*notes, *parts.notes])
    return derived(corpus, counts=whole_as_integers(corpus.counts))


def onto_vocabulary(corpus: Corpus, vocabulary: list[str] | None) -> Corpus:
    """Give a corpus the columns of another vocabulary; words it doesn't have get zero counts."""
    if vocabulary is None:
        return corpus
    vectorizer = corpus.vectorizer
    if vectorizer is not None and vectorizer.idf is not None:
        raise InputError("A corpus weighted by tf-idf can't change its vocabulary: read it again.")
    position = {word: column for column, word in enumerate(vocabulary)}
    target = np.array([position.get(str(word), -1) for word in corpus.vocabulary])
    entries = corpus.counts.tocoo()
    in_vocabulary = target[entries.col] >= 0
    coordinates = (entries.row[in_vocabulary], target[entries.col[in_vocabulary]])
    moved = sp.coo_array((entries.data[in_vocabulary], coordinates), (len(corpus), len(vocabulary)))
    words = as_vocabulary(vocabulary, len(vocabulary), len(corpus))
    return derived(
        corpus,
        counts=as_counts(moved),
        vocabulary=words,
        vectorizer=None if vectorizer is None else replace(vectorizer, vocabulary=words),
        notes=[*corpus.notes, ONLY_THE_VOCABULARY],
    )


def corpus_from_counts(corpus: Corpus, choices: Choices) -> Corpus:
    """Leave out words of a corpus that is already counted, and weight it, as the user chose."""
    if replace(choices.tokenizer) != Tokenizer():
        raise CountedError(
            say(
                "{these} how texts become words, and here words are counted already: give the "
                "texts instead.",
                these=Either(
                    say(
                        "{lowercase}, {min_length}, {numbers}, {hyphens}, {ngrams} and {tokenizer} "
                        "change"
                    ),
                    say("{ngrams} changes"),
                ),
            )
        )
    notes = list(corpus.notes)
    columns = _kept_columns(corpus, choices, notes)
    forgotten = {} if choices.keep_texts else {"texts": None}
    pruned = of_words(corpus, columns, notes=notes, **forgotten)
    notes.extend(note for note in _empty_notes(pruned, 0) if note not in notes)
    return weighted(pruned) if choices.weighting == "tfidf" else pruned


def _kept_columns(corpus: Corpus, choices: Choices, notes: list[str]) -> NDArray[np.int64]:
    columns = np.arange(corpus.n_words)
    if choices.stop_words is not None and choices.stop_words != AUTO:
        chosen = choose_stop_words(choices.stop_words, [], choices.tokenizer, guess=False)
        stops = replace(choices.tokenizer, stop_words=chosen.words).stops
        columns = np.array(
            [column for column in columns if not stops(str(corpus.vocabulary[column]))],
            dtype=np.int64,
        )
        notes.append(chosen.note)
    if columns.size == 0:
        raise InputError("No word is left: all words of the vocabulary are stop words.")
    if not choices.pruning.is_set:
        return columns
    limits = choices.pruning.for_counts()
    pruned = columns[limits.keep(corpus.counts[:, columns])]
    notes.append(limits.note(len(columns), len(pruned)))
    return pruned
