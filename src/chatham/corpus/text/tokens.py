"""From a text to its terms: Unicode words, lower-cased, in NFC, and n-grams of them.

A word is a run of letters, digits and the marks that belong to them (without the marks, Hindi or
Thai words would fall apart). Apostrophes separate words ("l'homme" holds "homme", and "John's"
holds "John"), except between Cyrillic letters, where they are part of the word. Hyphens separate
words unless ``hyphens=True``. HTML entities are read as the characters they stand for: texts from
web pages say ``R&amp;D``, where "amp" is no word. This happens here, and not when texts are read,
so that it happens once, and to new texts as to those of the training. A document that is given as
a list of words is taken as it is.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from html.entities import html5
from typing import Any

from chatham.corpus.given_words import Words
from chatham.errors import InputError
from chatham.wording import say

Split = Callable[[str], Iterable[str]]

LONGEST_TOKEN = 64
"""Longer ones are encoded attachments and the like, not words."""

NGRAM_JOINER = "_"
LETTER_APOSTROPHE = "\u02bc"
CYRILLIC_APOSTROPHE = re.compile("(?<=[\u0400-\u052f])['\u2019](?=[\u0400-\u052f])")
ENTITY = re.compile("&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
"""With its semicolon: without one, addresses such as ?id=1&region=2 would have entities too."""
SOFT_HYPHEN = "\u00ad"
HYPHEN = "[-\u2010\u2011]"
ASCII_WORD = "[a-zA-Z0-9]+"


def _marks(code_points: Iterable[int]) -> str:
    """List the combining marks among these characters, as inside a character class."""
    return "".join(
        chr(code_point)
        for code_point in code_points
        if unicodedata.category(chr(code_point)).startswith("M")
    )


@cache
def _unicode_word() -> str:
    r"""Write the pattern of runs of letters and digits, with marks between and after them.

    Python's \w leaves marks out. One class of them all would be a long list that is searched
    after each word; without those above U+FFFF it is a table, so these have a separate class,
    guarded by a test of their range: ordinary text is split six times faster.
    """
    # All marks lie in these three ranges of Unicode; the two joiners hold words together too.
    common = _marks(range(0x300, 0x10000)) + "\u200c\u200d"
    rare = _marks([*range(0x10000, 0x20000), *range(0xE0100, 0xE01F0)])
    mark = rf"(?:[{common}]|(?=[\U00010000-\U000e01ef])[{rare}])"
    return rf"[^\W_]+(?:{mark}+[^\W_]*)*"


@cache
def word_pattern(ascii_only: bool, hyphens: bool) -> re.Pattern[str]:
    """Write the pattern of the words of texts that are, or aren't, all ASCII."""
    word = ASCII_WORD if ascii_only else _unicode_word()
    return re.compile(rf"{word}(?:{HYPHEN}{word})*" if hyphens else word)


def unescaped(text: str) -> str:
    """A text with the characters that its HTML entities stand for; once, so &amp;lt; is &lt;.

    >>> unescaped("R&amp;D at caf&#233;s, &amp;lt; AT&T; page?a=1&copy=2")
    'R&D at cafés, &lt; AT&T; page?a=1&copy=2'
    """
    return ENTITY.sub(_character, text) if "&" in text else text


def _character(entity: re.Match[str]) -> str:
    if entity[0].startswith("&#"):
        return html.unescape(entity[0])
    # html.unescape would also find &not; in a name that there isn't, such as &nothing;
    return html5.get(entity[0][1:], entity[0])


def normalise(text: str, lowercase: bool = True) -> str:
    """Put a text into the one spelling in which words are compared.

    >>> normalise("E\u0301COLE") == "\u00e9cole"
    True
    """
    if text.isascii():
        return text.lower() if lowercase else text
    text = text.replace(SOFT_HYPHEN, "")  # soft hyphens only say where a line may break
    text = unicodedata.normalize("NFC", text.lower() if lowercase else text)
    return CYRILLIC_APOSTROPHE.sub(LETTER_APOSTROPHE, text)


def split_words(text: str, lowercase: bool = True, hyphens: bool = False) -> list[str]:
    """Find all words of a text, numbers and short words included.

    >>> split_words("L'été, don't re-read 3 e-mails!")
    ['l', 'été', 'don', 't', 're', 'read', '3', 'e', 'mails']
    >>> split_words("Don't re-read", hyphens=True)
    ['don', 't', 're-read']
    """
    text = normalise(text, lowercase)
    words: list[str] = word_pattern(text.isascii(), hyphens).findall(text)
    return words


@dataclass(frozen=True)
class Tokenizer:
    """Turn a text into terms; the settings are plain values, so they can be saved.

    ``split`` is your own function from a text to its tokens. It then alone decides what a token is:
    only stop words, tokens over 64 characters and empty ones are dropped after it. So it is where
    documents are ``given`` as lists of words.

    >>> Tokenizer(stop_words=frozenset({"the"}))("The cats of 1984, the CATS!")
    ['cats', 'of', 'cats']
    >>> Tokenizer(ngrams=(1, 2))("topic models")
    ['topic', 'models', 'topic_models']
    """

    lowercase: bool = True
    min_length: int = 2
    numbers: bool = False
    hyphens: bool = False
    ngrams: tuple[int, int] = (1, 1)
    stop_words: frozenset[str] = frozenset()
    split: Split | None = None
    needs_split: bool = False
    entities: bool = True
    given: bool = False

    def __post_init__(self) -> None:
        """Refuse settings that can't be met."""
        _check_ngrams(self.ngrams)
        if not isinstance(self.min_length, int) or self.min_length < 1:
            raise InputError(
                say(
                    "{min_length} must be a whole number of at least 1, not {it!r}.",
                    it=self.min_length,
                )
            )
        if self.split is not None and not callable(self.split):
            raise InputError(
                say(
                    "{tokenizer} must be a function from a text to its words, not {it!r}.",
                    it=self.split,
                )
            )

    def __call__(self, text: str) -> list[str]:
        """Give the terms of a text in their order, n-grams after the single words."""
        return self.join_ngrams([word for word in self.words(text) if self.keeps(word)])

    def words(self, text: str) -> list[str]:
        """Split a text, before anything is dropped."""
        if isinstance(text, Words):
            return list(text.words)
        if self.given and text:
            raise InputError(
                "The words of these documents were given as lists, so how a text is split isn't "
                "known: give new documents as lists of words too."
            )
        if self.split is not None:
            return _own_words(self.split, text)
        if self.needs_split:
            raise InputError(
                "This vectorizer was made with a tokenizer function, which isn't saved: "
                "pass it again with vectorizer.with_tokenizer(function)."
            )
        text = unescaped(text) if self.entities else text
        return split_words(text, self.lowercase, self.hyphens)

    def keeps(self, word: str) -> bool:
        """Say whether a word counts: long enough, not only digits, no stop word."""
        if not 0 < len(word) <= LONGEST_TOKEN or self.stops(word):
            return False
        if self.split is not None or self.given:
            return True
        return len(word) >= self.min_length and (self.numbers or _has_letter(word))

    def stops(self, word: str) -> bool:
        """Say whether a word is a stop word, in whatever case it is written."""
        return bool(self.stop_words) and (
            word in self.stop_words or normalise(word) in self.stop_words
        )

    def join_ngrams(self, words: list[str]) -> list[str]:
        """Join all runs of neighbouring words of the lengths in ``ngrams``."""
        shortest, longest = self.ngrams
        if (shortest, longest) == (1, 1):
            return words
        return [
            NGRAM_JOINER.join(words[start : start + length])
            for length in range(shortest, longest + 1)
            for start in range(len(words) - length + 1)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Give the settings as plain JSON values; of a function, only that there is one.

        >>> Tokenizer(min_length=3).to_dict()["min_length"]
        3
        """
        added = {name: True for name in ADDED_SETTINGS if getattr(self, name)}
        return {
            "lowercase": self.lowercase,
            "min_length": self.min_length,
            "numbers": self.numbers,
            "hyphens": self.hyphens,
            "ngrams": list(self.ngrams),
            "stop_words": sorted(self.stop_words),
            "custom": self.split is not None or self.needs_split,
            **added,
        }

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Tokenizer:
        """Read settings back, and refuse what can't be settings.

        >>> Tokenizer.from_dict(Tokenizer(ngrams=(1, 2)).to_dict()).ngrams
        (1, 2)
        """
        _check_settings(settings)
        return cls(
            lowercase=settings["lowercase"],
            min_length=settings["min_length"],
            numbers=settings["numbers"],
            hyphens=settings["hyphens"],
            ngrams=tuple(settings["ngrams"]),
            stop_words=frozenset(settings["stop_words"]),
            needs_split=settings["custom"],
            entities=settings.get("entities", False),
            given=settings.get("given", False),
        )


def _has_letter(word: str) -> bool:
    return any(map(str.isalpha, word))


def _own_words(split: Split, text: str) -> list[str]:
    try:
        words = list(split(text))
    except Exception as error:
        raise InputError(
            f"The tokenizer function failed with {type(error).__name__} on a text of {len(text):,} "
            "characters: it must take any text and give its words."
        ) from None
    if not all(isinstance(word, str) for word in words):
        raise InputError(
            "The tokenizer function gave something that isn't a string: it must give "
            "the words of one text as strings."
        )
    return words


def _check_ngrams(ngrams: Any) -> None:
    pair = isinstance(ngrams, tuple) and len(ngrams) == 2
    if not (pair and all(isinstance(n, int) for n in ngrams) and 1 <= ngrams[0] <= ngrams[1] <= 5):
        raise InputError(
            say(
                "{ngrams} must be two whole numbers, shortest and longest, between 1 and "
                "5, such as (1, 2), not {it!r}.",
                it=ngrams,
            )
        )


SETTING_TYPES = {
    "lowercase": bool,
    "min_length": int,
    "numbers": bool,
    "hyphens": bool,
    "ngrams": list,
    "stop_words": list,
    "custom": bool,
}

ADDED_SETTINGS = ("entities", "given")
"""Since version 0.5; files from before have words that were found without them, and stay as they
are when they are saved again."""


def _check_settings(settings: object) -> None:
    if not isinstance(settings, Mapping):
        raise InputError("The saved tokenizer settings are damaged: they aren't a mapping.")
    for name, kind in SETTING_TYPES.items():
        if not isinstance(settings.get(name), kind):
            raise InputError(
                f"The saved tokenizer settings are damaged: '{name}' must be a {kind.__name__}."
            )
    for name in ADDED_SETTINGS:
        if not isinstance(settings.get(name, False), bool):
            raise InputError(f"The saved tokenizer settings are damaged: '{name}' must be a bool.")
    if not all(isinstance(word, str) for word in settings["stop_words"]):
        raise InputError("The saved tokenizer settings are damaged: a stop word isn't a string.")
