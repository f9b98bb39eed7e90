"""What a session says about words: what a word is, and which words enter the vocabulary.

It is the session's `vocabulary`: the policy by which words are agreed on (`VocabularyRules`), stop
words and n-grams; or that items in baskets are counted (`items`) instead of words in texts.
Whatever decides what is counted is the same at every party.

Single stop words are merely not offered: if the other parties agree on such a word, everybody
counts it. So each party may guess the language of its own texts (`stop_words = "auto"`), and all
still count the same words. In n-grams stop words are removed before words are
joined, so there the session must say which.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from chatham.corpus import Corpus, Vectorizer, read_baskets, read_corpus
from chatham.corpus.corpus import derived
from chatham.corpus.text.stop_words import (
    AUTO,
    StopWords,
    choose_stop_words,
    language_code,
    sampled,
)
from chatham.corpus.text.tokens import Tokenizer
from chatham.errors import CountedError, InputError, SessionError
from chatham.federation.contents import text_digests
from chatham.federation.words.table import OWN_DF, WordTable, offered_words
from chatham.naming import plural
from chatham.notes import BASKETS, EMPTY, NO_STOP_WORDS, PRUNED, STOP_WORDS, Note, without
from chatham.wording import Parameter, say

NONE = "none"


Limit = int | float
"""A number of documents, or a share of them: 1.0 is all of them."""


@dataclass(frozen=True)
class VocabularyRules:
    """When a word enters the vocabulary; or `words`, a public list, of which only limits on
    documents take any out.

    >>> VocabularyRules.of({"min_df": 20}).min_parties
    2
    """

    min_parties: int = 2
    min_df: Limit = 5
    own_df: int = OWN_DF
    max_features: int | None = None
    words: tuple[str, ...] | None = None
    max_df: Limit | None = None

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> VocabularyRules:
        """Read and check what a session's file has under `vocabulary`."""
        names = [field.name for field in fields(cls)]
        if set(plain) - set(names):
            raise InputError(f"A vocabulary's policy may have {', '.join(names)} and nothing else.")
        values = dict(plain)
        if values.get("words") is not None:
            values["words"] = _listed(values["words"])
        return cls(**values)

    def __post_init__(self) -> None:
        """Refuse rules that would let a party's own words out, or no word in."""
        for name, least in (("min_parties", 2), ("own_df", 1), ("max_features", 1)):
            number = getattr(self, name)
            if name == "max_features" and number is None:
                continue
            if type(number) is not int or number < least:
                raise InputError(
                    say(
                        "{name} must be a whole number of at least {least}, not {number!r}.",
                        name=Parameter(name),
                        least=least,
                        number=number,
                    )
                )
        _check_limit("min_df", self.min_df)
        if self.max_df is not None:
            _check_limit("max_df", self.max_df)
            if type(self.min_df) is type(self.max_df) and self.min_df > self.max_df:
                raise InputError(
                    say(
                        "With {min_df=} and {max_df=} no word can enter: lower the one, or raise "
                        "the other.",
                        min_df=self.min_df,
                        max_df=self.max_df,
                    )
                )

    @property
    def has_shares(self) -> bool:
        """Whether a limit is a share, so that somebody must count all documents."""
        return any(isinstance(limit, float) for limit in (self.min_df, self.max_df))

    @property
    def limits_documents(self) -> bool:
        """Whether documents with a word must be counted: any limit may leave it out."""
        return (self.min_df, self.max_df, self.max_features) != (1, None, None)

    def limits(self, documents: int) -> tuple[float, float]:
        """In how many of so many documents a word must be, and may be.

        >>> VocabularyRules(min_df=0.1, max_df=0.5).limits(40)
        (4.0, 20.0)
        """
        fewest, most = (
            limit * documents if isinstance(limit, float) else limit
            for limit in (self.min_df, 1.0 if self.max_df is None else self.max_df)
        )
        return max(1.0, fewest), most if self.max_df is not None else math.inf


def _check_limit(name: str, limit: Any) -> None:
    number = type(limit) is int and limit >= 1
    share = type(limit) is float and 0.0 < limit <= 1.0
    if not (number or share):
        raise InputError(
            say(
                "{name} must be a whole number of documents, at least 1, or a share of them, such "
                "as 0.5, not {limit!r}.",
                name=Parameter(name),
                limit=limit,
            )
        )


def _listed(words: Any) -> tuple[str, ...]:
    listed = tuple(words) if isinstance(words, list | tuple) else ()
    if not listed or not all(isinstance(word, str) and word for word in listed):
        raise InputError("A public word list must be a list of at least one word, none empty.")
    return tuple(sorted(set(listed)))


@dataclass(frozen=True)
class WordRules:
    """A session's `vocabulary`, checked.

    >>> WordRules.of({"min_df": 10, "stop_words": "en"}).policy
    {'min_df': 10}
    """

    policy: Mapping[str, Any] = field(default_factory=dict)
    stop_words: str | tuple[Any, ...] = AUTO
    """A name, words, or "auto" and a tuple of more words."""
    ngrams: tuple[int, int] = (1, 1)
    items: bool = False

    @classmethod
    def of(cls, vocabulary: Mapping[str, Any]) -> WordRules:
        """Read and check what a session's file has under `vocabulary`."""
        policy = dict(vocabulary)
        words = policy.pop("stop_words", AUTO)
        ngrams, items = policy.pop("ngrams", [1, 1]), policy.pop("items", False)
        try:
            VocabularyRules.of(policy)
            Tokenizer(ngrams=tuple(ngrams) if isinstance(ngrams, list | tuple) else ngrams)
        except InputError as error:  # as plain text: it names fields of a file, not options
            raise SessionError(f"The session's vocabulary can't be agreed on: {error}") from None
        if type(items) is not bool:
            raise SessionError("The session's vocabulary has items that are neither true nor false")
        return cls(policy, _checked_stop_words(words, tuple(ngrams)), tuple(ngrams), items)

    @property
    def rules(self) -> VocabularyRules:
        """When a word enters the vocabulary."""
        return VocabularyRules.of(self.policy)

    @property
    def tokenizer(self) -> Tokenizer | None:
        """How the model's words are found in texts; None for items."""
        if self.items:
            return None
        if self.ngrams == (1, 1):
            return Tokenizer()  # the vocabulary decides which words count
        return Tokenizer(ngrams=self.ngrams, stop_words=self._stop_words([]).words)

    def read(self, source: Any, reading: Mapping[str, Any]) -> Corpus:
        """A party's documents with all their words, or baskets with all items."""
        if self.items != ("basket" in reading):
            raise InputError(
                say(
                    "This session is about items in baskets; say where they are with {basket=} and "
                    "{item=}."
                )
                if self.items
                else say(
                    "This session is about words in texts, and {basket=} reads items; leave it out."
                )
            )
        if self.items:
            return read_baskets(source, **reading)
        limits: dict[str, Any] = {
            "stop_words": None,
            "min_df": 1,
            "max_df": 1.0,
            "ngrams": self.ngrams,
        }
        if self.ngrams != (1, 1):
            limits["stop_words"] = self._stop_words([]).words
        try:
            corpus = read_corpus(source, **{**limits, **reading})
        except CountedError:
            raise InputError(
                "The session counts n-grams, but here words are counted already; give texts."
            ) from None
        if len(without(corpus.notes, BASKETS)) < len(corpus.notes):
            raise InputError(
                "This session is about words in texts, and nothing here looks like text; give a "
                "table that has a column of text."
            )
        return self._marked(derived(corpus, notes=_before_words_are_agreed(corpus)))

    def offered(self, corpus: Corpus) -> WordTable:
        """The words that a party offers: those in enough of its own documents, except stop words;
        or those of a public list, however rare they are here."""
        if self.rules.words is not None:
            return _among(offered_words(corpus, 1), set(self.rules.words))
        table = offered_words(corpus, self.rules.own_df)
        tokenizer = None if corpus.vectorizer is None else corpus.vectorizer.tokenizer
        if tokenizer is None or not tokenizer.stop_words or self.ngrams != (1, 1):
            return table
        return _among(table, {word for word in table.words if not tokenizer.stops(word)})

    def counted(self, corpus: Corpus) -> Corpus:
        """The corpus as the session counts words, whichever were left out when it was read."""
        if corpus.vectorizer is None or corpus.vectorizer.tokenizer is None or self.items:
            return corpus
        if corpus.vectorizer.tokenizer.split is not None or corpus.vectorizer.tokenizer.given:
            return corpus  # its owner's function decides what a word is, or its owner did
        return derived(corpus, vectorizer=Vectorizer(self.tokenizer, corpus.vocabulary))

    def _marked(self, corpus: Corpus) -> Corpus:
        """The corpus without texts, its tokenizer knowing the stop words that it won't offer."""
        if corpus.texts is None and self.stop_words == AUTO:
            return corpus
        chosen = self._stop_words(sampled(corpus.texts or []))
        given = getattr(getattr(corpus.vectorizer, "tokenizer", None), "given", False)
        tokenizer = Tokenizer(ngrams=self.ngrams, stop_words=chosen.words, given=given)
        vectorizer = Vectorizer(tokenizer, corpus.vocabulary)
        notes = [*without(corpus.notes, NO_STOP_WORDS, PRUNED), _not_offered(chosen)]
        digests = None if corpus.texts is None else text_digests(corpus.texts)
        return derived(corpus, vectorizer=vectorizer, texts=None, notes=notes, digests=digests)

    def _stop_words(self, sample: list[str]) -> StopWords:
        choice = list(self.stop_words) if isinstance(self.stop_words, tuple) else self.stop_words
        return choose_stop_words(choice, sample, Tokenizer())


def _before_words_are_agreed(corpus: Corpus) -> list[str]:
    """The notes of reading, where there is no vocabulary yet that documents could be without."""
    number = int(corpus.empty.sum())
    if not number:
        return list(corpus.notes)
    blank = sum(not text.strip() for text in corpus.texts or ())
    why = f" ({blank:,} had no text at all)" if blank else ""
    note = f"{plural(number, 'document')} without any word that could be counted, kept{why}."
    return [*without(corpus.notes, EMPTY), Note(note, EMPTY)]


def _not_offered(chosen: StopWords) -> Note:
    """A note on the stop words that aren't offered; the session decides, so no advice."""
    if chosen.description is None:
        return Note(f"No stop words were left out{chosen.why}.", NO_STOP_WORDS)
    return Note(f"Not offered: {chosen.description}.", STOP_WORDS)


def _among(table: WordTable, words: set[str]) -> WordTable:
    indices = [i for i, word in enumerate(table.words) if word in words]
    kept = [table.words[i] for i in indices]
    return WordTable(kept, table.frequencies[indices], table.documents)


def _checked_stop_words(words: Any, ngrams: tuple[int, ...]) -> str | tuple[Any, ...]:
    """Never a file's name: somebody else wrote the session, and the file would be mine."""
    guessed, own = (True, words[1]) if _beside_a_guess(words) else (words == AUTO, words)
    if guessed and ngrams != (1, 1):
        raise SessionError(
            "With n-grams a session must say which stop words, since parties could guess "
            "differently; name a language, or none."
        )
    if isinstance(own, list) and all(isinstance(word, str) for word in own):
        return (AUTO, tuple(own)) if guessed else tuple(own)
    if own is words and isinstance(words, str) and (words in (AUTO, NONE) or language_code(words)):
        return words
    raise SessionError(
        "The session's stop words must be auto, none, a language, a list of words, or auto and "
        "such a list"
    )


def _beside_a_guess(words: Any) -> bool:
    """Whether these are auto and a list of more words."""
    two = isinstance(words, list) and len(words) == 2
    return two and words[0] == AUTO and not isinstance(words[1], str)
