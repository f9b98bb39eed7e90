"""Which words of a given vocabulary can never be counted, as the tokenizer never produces them."""

from __future__ import annotations

from collections.abc import Iterable

from chatham.corpus.text.tokens import NGRAM_JOINER, Tokenizer
from chatham.naming import plural
from chatham.wording import say


def unreachable_notes(vocabulary: Iterable[str], tokenizer: Tokenizer) -> list[str]:
    """Say how many words of a vocabulary the tokenizer never produces.

    >>> unreachable_notes(["Apple", "tea"], Tokenizer())[0][:63]
    'The tokenizer never produces 1 word of the vocabulary, so it is'
    >>> unreachable_notes(["Apple", "tea"], Tokenizer(lowercase=False))
    []
    """
    if tokenizer.split is not None or tokenizer.needs_split or tokenizer.given:
        return []  # what a function returns, or somebody gives, can't be known
    number = sum(not reachable(word, tokenizer) for word in vocabulary)
    if number == 0:
        return []
    they = "it is" if number == 1 else "they are"
    return [
        say(
            "The tokenizer never produces {words} of the vocabulary, so {they} never counted: "
            "write words as it does, in lower case unless {lowercase=False}.",
            words=plural(number, "word"),
            they=they,
        )
    ]


def reachable(term: str, tokenizer: Tokenizer) -> bool:
    """Say whether some text can have this term: only the term's own words can produce it.

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
