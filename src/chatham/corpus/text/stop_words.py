"""Stop words: of a language, from a file, from a list, or of the language the texts seem to be in.

The lists come from the data package ``stopwordsiso`` (58 languages, offline); why that one, and why
some English words on it are kept as words, is in ``docs/decisions/0002-stop-words.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import stopwordsiso

from chatham.corpus.given_words import Words
from chatham.corpus.readers.files import read_lines
from chatham.corpus.text.tokens import Tokenizer, normalise, split_words
from chatham.errors import InputError
from chatham.naming import nearest, plural
from chatham.notes import NO_STOP_WORDS, STOP_WORDS, Note
from chatham.wording import Either, say

AUTO = "auto"
NONE = "none"
SAMPLED_DOCUMENTS = 1000
SAMPLED_CHARACTERS = 5000
SMALLEST_SHARE = 0.15
"""A third or more of running text is stop words; of prepared word lists, hardly any."""

FEWEST_WORDS = 50
FEWEST_STOP_WORDS = 5
"""With fewer words, or fewer distinct stop words among them, a language may match by chance."""

CLEAR_LEAD = 1.25
"""The best language's stop words must be this many times as frequent as the next one's."""

ENGLISH = "en"
LANGUAGE_NAMES = {
    "af": "Afrikaans", "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "br": "Breton",
    "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek",
    "en": "English", "eo": "Esperanto", "es": "Spanish", "et": "Estonian", "eu": "Basque",
    "fa": "Persian", "fi": "Finnish", "fr": "French", "ga": "Irish", "gl": "Galician",
    "gu": "Gujarati", "ha": "Hausa", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian",
    "hu": "Hungarian", "hy": "Armenian", "id": "Indonesian", "it": "Italian", "ja": "Japanese",
    "ko": "Korean", "ku": "Kurdish", "la": "Latin", "lt": "Lithuanian", "lv": "Latvian",
    "mr": "Marathi", "ms": "Malay", "nl": "Dutch", "no": "Norwegian", "pl": "Polish",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovenian",
    "so": "Somali", "st": "Sotho", "sv": "Swedish", "sw": "Swahili", "th": "Thai",
    "tl": "Tagalog", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese",
    "yo": "Yoruba", "zh": "Chinese", "zu": "Zulu",
}  # fmt: skip
# These share so many stop words that neither stands out from the other, and choosing the wrong one
# does little harm.
RELATED_LANGUAGES = (
    frozenset({"da", "no", "sv"}),
    frozenset({"ca", "es", "gl", "pt"}),
    frozenset({"id", "ms"}),
    frozenset({"af", "nl"}),
    frozenset({"cs", "sk"}),
    frozenset({"hr", "sl"}),
    frozenset({"bg", "ru", "uk"}),
    frozenset({"hi", "mr"}),
    frozenset({"st", "zu"}),
)
# The English list combines many older ones, and so has names, nouns and internet country codes that
# topics are made of ("computer", "netscape", "mt" for machine translation). These stay words.
ENGLISH_TOPIC_WORDS = frozenset(
    """
    abroad ai area areas arpa au bd bill billion buy caption computer copy cry cv date fire ga
    gov group groups home homepage html information interest interests invention join keys kg km
    man md member members men mg microsoft mill million ml mm move mp ms msie mt mug netscape
    novel null number numbers nz open order orders page pages problem problems qa research ring
    room rooms run sd section sensible serious shell significant site state states stop sub
    system test text thick thin trillion tv uk uucp value web webpage website width wonder words
    world young younger youngest
    """.split()  # noqa: SIM905
)


def stop_word_languages() -> dict[str, str]:
    """List the languages with stop words: ISO 639-1 code and English name.

    >>> stop_word_languages()["cy"] if "cy" in stop_word_languages() else "no Welsh"
    'no Welsh'
    >>> stop_word_languages()["de"]
    'German'
    """
    return {code: LANGUAGE_NAMES.get(code, code) for code in sorted(stopwordsiso.langs())}


@cache
def language_stop_words(code: str) -> frozenset[str]:
    """Give a language's stop words as the tokenizer would write them.

    >>> words = language_stop_words("en")
    >>> "the" in words, "didn" in words, "computer" in words
    (True, True, False)
    """
    words = prepared(stopwordsiso.stopwords(code))
    return words - ENGLISH_TOPIC_WORDS if code == "en" else words


def prepared(words: Iterable[str]) -> frozenset[str]:
    """Normalise stop words, and add the pieces that an apostrophe leaves.

    >>> sorted(prepared(["Didn't"]))
    ['didn', "didn't", 't']
    """
    whole = {normalise(word.strip().replace("\u2019", "'")) for word in words} - {""}
    pieces = {piece for word in whole if "'" in word for piece in split_words(word)}
    return frozenset(whole | pieces)


def language_code(language: str) -> str | None:
    """Find a language by its code or its English name.

    >>> language_code("Portuguese"), language_code("pt"), language_code("Klingon")
    ('pt', 'pt', None)
    """
    folded = language.strip().casefold()
    for code, name in stop_word_languages().items():
        if folded in (code, name.casefold()):
            return code
    return None


def detect_language(texts: Iterable[str], tokenizer: Tokenizer) -> tuple[str, float] | None:
    """Find the language whose stop words cover the largest share of the words.

    It must stand out from all others that aren't related to it. A few words don't
    distinguish languages, so a short text is English or nothing.

    >>> detect_language(["the cat is on the mat"], Tokenizer())[0]
    'en'
    >>> detect_language(["entropy gradient manifold"], Tokenizer()) is None
    True
    """
    totals = _totals(texts, tokenizer)
    covered = {code: _covered(totals, code) for code in stop_word_languages()}
    best = max(covered, key=lambda code: covered[code])
    lead = CLEAR_LEAD
    if not _enough(totals, best):
        best, lead = ENGLISH, 1 / CLEAR_LEAD  # no other language may clearly beat it
    share = covered[best] / max(totals.total(), 1)
    stands_out = all(
        covered[best] >= lead * rival
        for code, rival in covered.items()
        if code != best and not _related(code, best)
    )
    return (best, share) if share >= SMALLEST_SHARE and stands_out else None


def _totals(texts: Iterable[str], tokenizer: Tokenizer) -> Counter[str]:
    totals: Counter[str] = Counter()
    for text in texts:
        totals.update(map(normalise, tokenizer.words(text)))
    return totals


def _covered(totals: Counter[str], code: str) -> int:
    return sum(totals[word] for word in language_stop_words(code) if word in totals)


def _enough(totals: Counter[str], code: str) -> bool:
    n_distinct = sum(word in totals for word in language_stop_words(code))
    return totals.total() >= FEWEST_WORDS and n_distinct >= FEWEST_STOP_WORDS


def _related(one: str, other: str) -> bool:
    return any({one, other} <= family for family in RELATED_LANGUAGES)


@dataclass(frozen=True)
class StopWords:
    """Stop words that were chosen, and how."""

    words: frozenset[str]
    description: str | None
    """What they are, in a few words; None where there are none."""
    why: str = ""
    """Why there are none, after a colon."""
    guessed: bool = False

    @property
    def note(self) -> Note:
        """What was done.

        >>> StopWords(frozenset(), None, ": no language stands out", guessed=True).note
        'No stop words were left out: no language stands out; pass stop_words= to choose.'
        """
        advice = say("; pass {stop_words=} to choose") if self.guessed else ""
        if self.description is None:
            all_stay = say("No stop words were left out{why}{advice}.", why=self.why, advice=advice)
            return Note(all_stay, NO_STOP_WORDS)
        none = f" and none of a language{self.why}" if self.why else ""
        some = say(
            "Left out {words}{none}{advice}.", words=self.description, none=none, advice=advice
        )
        return Note(some, STOP_WORDS)


def sampled(texts: Sequence[str]) -> list[str]:
    """The beginnings of some texts, from which the language is guessed.

    >>> len(sampled(["tea"] * 7000)), sampled(["milk"])
    (1000, ['milk'])
    """
    # Evenly spaced, not the first ones: files are often sorted by source or language.
    step = max(1, len(texts) // SAMPLED_DOCUMENTS)
    return [_beginning(text) for text in texts[::step]]


def _beginning(text: str) -> str:
    if isinstance(text, Words):
        return text.beginning(SAMPLED_CHARACTERS)
    return text[:SAMPLED_CHARACTERS]


Choice = str | Path | Iterable[Any] | None
"""A language, a file, a list of words, "auto" or none; or several of these in a list."""


def choices_in(written: str) -> list[str]:
    """The choices that commas separate, unless the whole is the name of a file.

    >>> choices_in("auto, mine.txt")
    ['auto', 'mine.txt']
    """
    if _is_file(written):
        return [written]
    return [part.strip() for part in written.split(",")]


def _is_file(name: str | Path) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # too long for a name, or with a zero in it
        return False


def to_guess(choice: Choice) -> bool:
    """Whether the stop words of a language are to be guessed, alone or among others.

    >>> to_guess("auto"), to_guess("auto,en"), to_guess(["auto"]), to_guess(["auto", ["tea"]])
    (True, True, False, True)
    """
    return AUTO in [part for part in _parts(choice) if isinstance(part, str)]


def choose_stop_words(
    choice: Choice, sample: list[str], tokenizer: Tokenizer, guess: bool = True
) -> StopWords:
    """Find the stop words that the user chose, and describe them; "auto" is none without a guess.

    >>> chosen = choose_stop_words(["Foo"], [], Tokenizer())
    >>> sorted(chosen.words), chosen.note
    (['foo'], 'Left out 1 stop word of a list that was given.')
    >>> choose_stop_words(["en", ["foo", "bar"]], [], Tokenizer()).note
    'Left out English stop words and 2 stop words of a list that was given.'
    """
    parts = _parts(choice)
    if len(parts) > 1 and (None in parts or NONE in parts):
        raise InputError(say("{stop_words} has none among others: leave it out, or the others."))
    chosen = [_chosen(part, sample, tokenizer) for part in parts if guess or part != AUTO]
    return chosen[0] if len(chosen) == 1 else _together(chosen)


def _parts(choice: Choice) -> list[Any]:
    """One choice, or several: a list is one of words as long as all in it are strings."""
    if isinstance(choice, str):
        return list(choices_in(choice))
    if choice is None or isinstance(choice, Path):
        return [choice]
    listed = _listed(choice)
    several = any(isinstance(each, Path | list | tuple | set | frozenset) for each in listed)
    return listed if several else [listed]


def _chosen(choice: Any, sample: list[str], tokenizer: Tokenizer) -> StopWords:
    if choice is None or choice == NONE:
        return StopWords(frozenset(), None)
    if choice == AUTO:
        return _detected(sample, tokenizer)
    if isinstance(choice, str | Path):
        return _named(choice)
    words = prepared(_checked(choice))
    return StopWords(words, f"{plural(len(words), 'stop word')} of a list that was given")


def _together(parts: list[StopWords]) -> StopWords:
    # What was guessed is said last, as it comes with its reason.
    in_order = sorted(parts, key=lambda part: part.guessed)
    described = [part.description for part in in_order if part.description is not None]
    first, last = described[:-1], described[-1] if described else None
    return StopWords(
        frozenset[str]().union(*(part.words for part in parts)),
        f"{', '.join(first)} and {last}" if first else last,
        "".join(part.why for part in parts if part.description is None),
        guessed=any(part.guessed for part in parts),
    )


def _detected(sample: list[str], tokenizer: Tokenizer) -> StopWords:
    detected = detect_language(sample, tokenizer)
    if detected is None:
        too_short = _totals(sample, tokenizer).total() < FEWEST_WORDS
        why = (
            "there is too little text to guess the language"
            if too_short
            else "no language stands out as one whose stop words cover 15 % of the words"
        )
        return StopWords(frozenset(), None, f": {why}", guessed=True)
    code, share = detected
    description = f"{_of_language(code)}, a guess, as they are {share:.0%} of the words"
    return StopWords(language_stop_words(code), description, guessed=True)


def _of_language(code: str) -> str:
    return f"{LANGUAGE_NAMES.get(code, code)} stop words"


def _named(choice: str | Path) -> StopWords:
    code = language_code(str(choice))
    if code is not None:
        return StopWords(language_stop_words(code), _of_language(code))
    path = Path(choice)
    if not _is_file(path):
        languages = stop_word_languages()
        language_names = [*languages, *languages.values()]
        raise InputError(
            say(
                "{stop_words=!r} is neither a language with stop words nor a file{nearest}{see}",
                stop_words=str(choice),
                nearest=nearest(str(choice), language_names) or ".",
                see=Either(" See chatham.corpus.stop_word_languages().", ""),
            )
        )
    words = prepared(read_lines(path))
    return StopWords(words, f"{plural(len(words), 'stop word')} of the file {path.name}")


def _listed(words: Iterable[Any]) -> list[Any]:
    try:
        return list(words)
    except TypeError:
        raise InputError(
            say(
                "{stop_words} must be a language, a file, a list of words, 'auto' or None, not "
                "{kind}.",
                kind=type(words).__name__,
            )
        ) from None


def _checked(words: Iterable[Any]) -> list[str]:
    words = _listed(words)
    if not all(isinstance(word, str) for word in words):
        raise InputError(
            say("{stop_words} must be a list of strings: something in it isn't a string.")
        )
    return words
