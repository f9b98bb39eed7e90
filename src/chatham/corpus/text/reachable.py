"""Which words of a given vocabulary no text could ever be counted for, as no word is spelt so."""

from __future__ import annotations

from collections.abc import Iterable

from chatham.corpus.text.tokens import NGRAM_JOINER, Tokenizer
from chatham.naming import plural
from chatham.wording import say


def unreachable_notes(vocabulary: Iterable[str], tokenizer: Tokenizer) -> list[str]:
    """Say how many words of a vocabulary the tokenizer never gives.

    >>> unreachable_notes(["Apple", "tea"], Tokenizer())[0][:60]
    'The tokenizer never gives 1 word of the vocabulary, so it is'
    >>> unreachable_notes(["Apple", "tea"], Tokenizer(lowercase=False))
    []
    """
    if tokenizer.split is not None or tokenizer.needs_split:
        return []  # what a function gives can't be known
    number = sum(not reachable(word, tokenizer) for word in vocabulary)
    if number == 0:
        return []
    they = "it is" if number == 1 else "they are"
    return [
        say(
            "The tokenizer never gives {words} of the vocabulary, so {they} counted zero: write "
            "words as it does, in lower case unless {lowercase=False}.",
            words=plural(number, "word"),
            they=they,
        )
    ]


def reachable(term: str, tokenizer: Tokenizer) -> bool:
    """Say whether some text has this term: a term's own words are its only possible source.

    >>> [reachable(term, Tokenizer(ngrams=(1, 2))) for term in ("tea", "green_tea", "a_b_c")]
    [True, True, False]
    """
    if tokenizer.ngrams == (1, 1):
        return tokenizer.words(term) == [term]
    words = term.split(NGRAM_JOINER)
    shortest, longest = tokenizer.ngrams
    return shortest <= len(words) <= longest and all(
        tokenizer.keeps(word) and tokenizer.words(word) == [word] for word in words
    )
