"""Where in a text a tokenizer's words stand, so that they can be shown there.

Words are found in another spelling of the text than people see: entities are read as characters,
letters are lower-cased and composed, soft hyphens vanish. Here each word is found exactly as the
tokenizer finds it, and its first and last character are led back to the text as it was given.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from chatham.corpus.given_words import Words
from chatham.corpus.text.tokens import (
    ENTITY,
    NGRAM_JOINER,
    SOFT_HYPHEN,
    Tokenizer,
    normalise,
    unescaped,
    word_pattern,
)

NOWHERE = -1
"""The place of a word that an own tokenizer made and that isn't in the text."""


class Place(NamedTuple):
    """A term, and where in the text it begins and ends; an n-gram from its first to its last word.

    What a tokenizer drops between the words of an n-gram lies between its ends too.
    """

    term: str
    begin: int
    end: int


def places_of_terms(tokenizer: Tokenizer, text: str) -> list[Place]:
    """The terms of a text that may be in a vocabulary, in the tokenizer's order.

    Without n-grams the vocabulary alone says which words count, so that none is dropped here.

    >>> places_of_terms(Tokenizer(ngrams=(1, 2)), "Topic &amp; MODELS")
    [Place(term='topic', begin=0, end=5), Place(term='models', begin=12, end=18),
     Place(term='topic_models', begin=0, end=18)]
    """
    words = places_of_words(tokenizer, text)
    if tokenizer.ngrams == (1, 1):
        return words
    words = [word for word in words if tokenizer.keeps(word.term)]
    shortest, longest = tokenizer.ngrams
    return [
        _joined(words[start : start + length])
        for length in range(shortest, longest + 1)
        for start in range(len(words) - length + 1)
    ]


def places_of_words(tokenizer: Tokenizer, text: str) -> list[Place]:
    """The words of a text before anything is dropped, as `Tokenizer.words` finds them.

    >>> places_of_words(Tokenizer(), "Caf\\u0065\\u0301s, R&amp;D")
    [Place(term='cafés', begin=0, end=6), Place(term='r', begin=8, end=9),
     Place(term='d', begin=14, end=15)]
    """
    if isinstance(text, Words):
        return _one_after_another(text.words)
    if tokenizer.given or tokenizer.needs_split or tokenizer.split is not None:
        return _sought(tokenizer.words(text), text)
    if not tokenizer.entities or "&" not in text:
        return _spelled(tokenizer, text)
    read, begins, ends = _with_entities_read(text)
    return [Place(word, begins[b], ends[e - 1]) for word, b, e in _spelled(tokenizer, read)]


def _joined(words: list[Place]) -> Place:
    placed = [word for word in words if word.begin != NOWHERE]
    whole = len(placed) == len(words)
    return Place(
        NGRAM_JOINER.join(word.term for word in words),
        placed[0].begin if whole else NOWHERE,
        placed[-1].end if whole else NOWHERE,
    )


def _one_after_another(words: Iterable[str]) -> list[Place]:
    """Words that were given, with a blank between them, as a document of them reads."""
    places, begin = [], 0
    for word in words:
        places.append(Place(word, begin, begin + len(word)))
        begin += len(word) + 1
    return places


def _sought(words: Iterable[str], text: str) -> list[Place]:
    """Words as an own tokenizer made them, each looked for behind the one before."""
    lowered = text.lower()
    spellings = [text, lowered] if len(lowered) == len(text) else [text]
    places, behind = [], 0
    for word in words:
        found = [spelling.find(word, behind) for spelling in spellings] if word else []
        begin = min((place for place in found if place >= 0), default=NOWHERE)
        end = NOWHERE if begin == NOWHERE else begin + len(word)
        behind = max(behind, end)
        places.append(Place(word, begin, end))
    return places


def _spelled(tokenizer: Tokenizer, text: str) -> list[Place]:
    """The words of a text without entities."""
    normal = normalise(text, tokenizer.lowercase)
    pattern = word_pattern(normal.isascii(), tokenizer.hyphens)
    words = [Place(word[0], *word.span()) for word in pattern.finditer(normal)]
    if _letter_by_letter(text, tokenizer.lowercase):
        return words
    begins, ends = _led_back(text, tokenizer.lowercase)
    if len(begins) != len(normal):  # letters that compose in ways which aren't foreseen here
        return _sought([word.term for word in words], text)
    return [Place(word, begins[b], ends[e - 1]) for word, b, e in words]


def _letter_by_letter(text: str, lowercase: bool) -> bool:
    """Whether each character of the normal spelling stands for the one in its place."""
    lowered = text.lower() if lowercase else text
    return text.isascii() or (
        len(lowered) == len(text)
        and SOFT_HYPHEN not in text
        and unicodedata.is_normalized("NFC", lowered)
    )


def _led_back(text: str, lowercase: bool) -> tuple[list[int], list[int]]:
    """For each character of the normal spelling, from where to where it stands in the text.

    A letter and its marks are one piece, as they compose.
    """
    before = zip(" " + text, text, strict=False)
    starts = [i for i, (last, character) in enumerate(before) if not _compose(last, character)]
    begins: list[int] = []
    ends: list[int] = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        length = len(normalise(text[start:end], lowercase))
        begins += [start] * length
        ends += [end] * length
    return begins, ends


def _compose(last: str, character: str) -> bool:
    """Whether a character may become one with the one before: a mark, the rest of a syllable."""
    if unicodedata.category(character).startswith("M"):
        return last != " "
    rest = "\u1161" <= character <= "\u1175" or "\u11a8" <= character <= "\u11c2"
    return rest and unicodedata.name(last, "").startswith("HANGUL")


def _with_entities_read(text: str) -> tuple[str, list[int], list[int]]:
    """The text with its entities read, and where each of its characters stands in the text."""
    begins: list[int] = []
    ends: list[int] = []
    read: list[str] = []
    for piece in re.finditer(f"({ENTITY.pattern})|[^&]+|&", text):
        begin, end = piece.span()
        written = unescaped(piece[0]) if piece[1] else piece[0]
        read.append(written)
        same = not piece[1] or written == piece[0]
        begins += range(begin, end) if same else [begin] * len(written)
        ends += range(begin + 1, end + 1) if same else [end] * len(written)
    return "".join(read), begins, ends
