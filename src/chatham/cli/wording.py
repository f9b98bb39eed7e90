"""The library's sentences in the words of the command line.

The library speaks of keywords and functions, which nobody can give to a command.
"""

from __future__ import annotations

import re

KEYWORDS = (
    "text", "label", "id", "vocabulary", "encoding", "stop_words", "ngrams", "min_df", "max_df",
    "max_features_by", "max_features", "weighting", "basket", "item", "rating", "names", "title",
    "scale", "least", "anchors",
)  # fmt: skip
UNMISTAKABLE = tuple(name for name in KEYWORDS if "_" in name)
"""Keywords that are no ordinary words, and so are options wherever they stand."""

BEFORE, AFTER = r"(?<![\w'/.-])", r"(?![\w'/]|\.\w)"
"""Neither in quotation marks nor part of a path: there the user's own words stand."""

KEYWORD = re.compile(rf"{BEFORE}({'|'.join(KEYWORDS)})=(?=([\w'\"(\[-])?)")
BARE = re.compile(rf"{BEFORE}({'|'.join(UNMISTAKABLE)}){AFTER}")

PHRASES = (
    ("encoding='latin-1' (--encoding latin-1)", "--encoding latin-1"),
    ("words below min_length", "words of a single letter"),
    ("or look at the tokenizer and stop words", "or look at --stop-words"),
    (" (see revived_)", ""),
    (": lower least.", ": lower --least."),
    ("scale must be", "--scale must be"),
    ("basket and item are both", "--basket and --item are both"),
    ("with ch.fit('anchor', ...)", "with --model anchor"),
    (
        "give correlations=, dual= or a model that has them, or take method='least-squares'",
        "use a model that has them, as --model anchor gives, or --inference least-squares",
    ),
    (" See chatham.corpus.stop_word_languages().", ""),
    (", or put texts into a list", ""),
    (
        "give a function that splits it, as tokenizer=function",
        "separate the words with spaces first",
    ),
)
"""What only makes sense in Python, and what to say instead."""


def as_options(sentence: str) -> str:
    """A sentence of the library in the words of the command line.

    >>> as_options("The text is a guess; pass text= to choose another (min_df=5).")
    'The text is a guess; pass --text to choose another (--min-df 5).'
    >>> as_options("Counts need words: lower min_df, or pass vocabulary=.")
    'Counts need words: lower --min-df, or pass --vocabulary.'
    """
    for phrase, instead in PHRASES:
        sentence = sentence.replace(phrase, instead)
    sentence = KEYWORD.sub(lambda found: _option(found[1]) + " " * bool(found[2]), sentence)
    return BARE.sub(lambda found: _option(found[1]), sentence)


def _option(keyword: str) -> str:
    return f"--{keyword.replace('_', '-')}"


def is_news(note: str) -> bool:
    """Which words count is the model's choice here, and who has none of them is warned of."""
    of_the_model = ("Only the words of the vocabulary", "Left out", "No stop words")
    return not note.startswith(of_the_model) and "without any word of the" not in note
