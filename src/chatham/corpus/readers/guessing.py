"""Which columns of a table hold its text, judged by what is in them and then by their names.

A file's header may be missing, shifted or misleading, and its longest strings are often addresses.
So each column of strings is sampled, and its words are counted: what stands between spaces and is
nothing but letters, as the words of prose are and addresses, dates, numbers and codes aren't. Where
there are no spaces between words, two letters count as a word. From that follows how much text a
row has; it counts for less if many of the words aren't plain, are capitalised or end in a comma, as
in names and lists, or if the same values come again and again. A name that says text is worth four
times as many words, but makes no text of anything that holds none.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from chatham.corpus.scripts import SPACELESS_SCRIPTS

SAMPLED_VALUES = 200
SAMPLED_CHARACTERS = 400
LETTERS_PER_WORD = 2
"""Of scripts without spaces between words."""

FEWEST_WORDS = 2
"""A row of text has as many words in the mean, unless its column is called text."""
FEWEST_PLAIN = 0.5
"""Of what stands between spaces in text, at least this share is nothing but letters."""
FEWEST_WORDS_OF_TITLE = 3
FEWEST_PLAIN_OF_TITLE, MOST_LISTED_OF_TITLE = 0.7, 0.2
"""Where people live there are more numbers, and lists of names have more commas."""
FEWEST_TO_REPEAT = 10
"""With fewer rows, nobody can tell labels from texts by how often they come again."""
FEWEST_ALIKE = 3
"""But so many that all say the same are a notice."""
REPEATED_SHARE = 0.3
"""Where fewer of the values than this are different, they are labels, or notices on every row."""

NAME_OF_TEXT, NAME_OF_PART = 2.0, 1.0
"""What a name is worth, in powers of two of the number of words."""

MISSING = frozenset({"na", "n/a", "nan", "null", "none", "<na>", "#n/a"})
"""What people write where there is no value, besides nothing at all and marks."""

# Folded: in lower case and without accents. English first, then other languages' words for it.
TEXT_NAMES = frozenset(
    """
    text texts body content contents document article abstract message comment review tweet post
    transcript speech story statement fulltext selftext paragraph passage answer utterance
    txt inhalt nachricht beitrag kommentar artikel rede volltext bewertung
    texte contenu corps commentaire avis
    texto contenido cuerpo mensaje comentario articulo resena
    testo contenuto corpo messaggio commento articolo recensione
    conteudo mensagem artigo
    tekst inhoud bericht innehall meddelande indhold innhold
    tresc wiadomosc komentarz artykul obsah zprava clanek
    szoveg teksti viesti sisalto metin icerik mesaj yorum
    teks isi pesan berita noidung vanban
    текст содержание содержимое сообщение комментарий статья зміст повідомлення съдържание
    κειμενο περιεχομενο μηνυμα
    نص النص المحتوى رسالة متن טקסט תוכן הודעה पाठ सामग्री संदेश
    正文 本文 内容 內容 文本 全文 文章 评论 評論 摘要 テキスト コメント 본문 내용 텍스트
    ข้อความ เนื้อหา
    """.split()  # noqa: SIM905
)
PART_NAMES = frozenset(
    """
    description summary excerpt caption note notes snippet preview lead teaser question remark
    remarks feedback
    beschreibung zusammenfassung description resume descripcion resumen descrizione riassunto
    descricao resumo omschrijving samenvatting beskrivning sammanfattning opis popis kuvaus aciklama
    описание περιγραφη الوصف תיאור विवरण 描述 简介 説明 설명 คำอธิบาย
    """.split()  # noqa: SIM905
)
TITLE_NAMES = frozenset(
    """
    title headline subject heading
    titel uberschrift schlagzeile betreff titre titulo titular asunto titolo oggetto assunto
    kop onderwerp rubrik overskrift tittel tytul naglowek nazev titulek nadpis otsikko cim targy
    baslik konu judul tieude titlu
    заголовок название тема τιτλος العنوان عنوان כותרת शीर्षक
    标题 標題 题目 題目 タイトル 件名 見出し 제목 ชื่อเรื่อง หัวข้อ
    """.split()  # noqa: SIM905
)

UNDIVIDED = str.maketrans("ıłøđ", "ilod")
"""Letters that Unicode doesn't take apart into a plain one and an accent."""
BASKET_NAMES = frozenset(
    "user customer member reviewer basket order session playlist cart invoice".split()  # noqa: SIM905
)
ITEM_NAMES = frozenset(
    "item movie film product song track artist book game anime recipe asin isbn".split()  # noqa: SIM905
)
RATING_NAMES = frozenset({"rating", "stars", "score"})

BETWEEN_NAMES = re.compile(r"[\W_]+|(?<=[^\W\d_A-Z])(?=[A-Z])")
EDGE = re.compile(r"^\W+|\W+$")
SEPARATORS = (",", ";", "|", "\u060c", "\u3001", "\uff0c", "\uff1b")
SPACELESS = re.compile(f"[{''.join(SPACELESS_SCRIPTS.values())}]")
APOSTROPHES = "'\u2019\u02bc\u05f4\u05f3"
MOST_PARTS = 2
"""A word has at most so many parts, as "well-known" has; an address has more."""
SOMETHING = re.compile(r"[^\W_]")
OBJECT = re.compile(r"[{\[]\s*[\"'\d{\[-]")
DIGIT = re.compile(r"\d")
ADDRESS = re.compile(
    r"[a-z][a-z0-9+.-]*://\S+|www\.\S+|[^\s@]+@[^\s@]+\.\S+|(?:/|\.{1,2}/|[a-z]:\\)\S*"
    r"|(?:[\w-]+\.)+[a-z]{2,}(?:/\S*)?",
    re.IGNORECASE,
)


def folded(name: object) -> str:
    """A name in lower case and without accents, by which names are compared.

    >>> folded("Título"), folded("Überschrift")
    ('titulo', 'uberschrift')
    """
    pieces = unicodedata.normalize("NFKD", str(name).strip().casefold().translate(UNDIVIDED))
    return "".join(piece for piece in pieces if unicodedata.category(piece) != "Mn")


def _in(names: Iterable[str]) -> frozenset[str]:
    return frozenset(map(folded, names))


TEXT, PART, TITLE = _in(TEXT_NAMES), _in(PART_NAMES), _in(TITLE_NAMES)


def called(name: object, names: frozenset[str]) -> bool:
    """Whether a name is one of these, or ends in one: what stands last says what a column holds.

    >>> [called(name, TEXT) for name in ("reviewText", "full_text", "text_id", "Content Type")]
    [True, True, False, False]
    """
    parts = [part for part in BETWEEN_NAMES.split(str(name)) if part and not part.isdigit()]
    return folded(name) in names or (bool(parts) and folded(parts[-1]) in names)


def worth(name: object) -> float:
    """What a column's name says for its being the text.

    >>> worth("body"), worth("title"), worth("permalink")
    (2.0, 1.0, 0.0)
    """
    if called(name, TEXT):
        return NAME_OF_TEXT
    return NAME_OF_PART if called(name, PART) or called(name, TITLE) else 0.0


@dataclass(frozen=True)
class Value:
    """What is in one cell, by what stands between its spaces."""

    pieces: float
    """How many there are; of scripts without spaces, as many words as that is about."""
    words: tuple[str, ...]
    """Those that are nothing but letters."""
    n_words: float
    listed: int
    """How many end in a mark that separates what is listed, or have one inside."""
    capitals: int
    small: int
    """How many words begin with a capital, and how many with a small letter, but for the first."""

    @classmethod
    def of(cls, text: str) -> Value:
        """Look at one cell.

        >>> Value.of("Tea, and more at https://example.org/tea").words
        ('tea', 'and', 'more', 'at')
        >>> Value.of("2024-02-07T10:15").words, Value.of('{"tea": "milk"}').words
        ((), ())
        """
        part = text[:SAMPLED_CHARACTERS]
        pieces = part.split()
        if OBJECT.match(text) and text[-1:] in "}]":
            pieces = [part]
        n_pieces = n_words = 0.0
        words, listed, capitals, small = [], 0, 0, 0
        for position, piece in enumerate(pieces):
            core = piece if piece.isalpha() else EDGE.sub("", piece)
            listed += piece.endswith(SEPARATORS) and position < len(pieces) - 1
            if not SOMETHING.search(core):
                continue  # a mark by itself, as behind a space or between words already split
            size = _size(core)
            n_pieces += size
            if not _is_plain(core, size):
                listed += any(mark in core for mark in SEPARATORS) and size == 1.0
                continue
            words.append(core.casefold())
            n_words += size
            if position and not core.isupper():  # neither an abbreviation nor "I", nor shouting
                capitals += core[:1].isupper()
                small += core[:1].islower()
        # What was cut off is taken to be like the rest.
        longer = len(text) / max(len(part), 1)
        return cls(n_pieces * longer, tuple(words), n_words * longer, listed, capitals, small)


def _size(core: str) -> float:
    """How many words a piece is: more than one only where none are separated by spaces."""
    letters = 0 if core.isascii() else len(SPACELESS.findall(core))
    return max(1.0, letters / LETTERS_PER_WORD)


def _is_plain(core: str, size: float) -> bool:
    """Whether a piece is a word of letters, or a phrase of a script without spaces."""
    if size > 1.0:
        return len(DIGIT.findall(core)) <= size and not ADDRESS.fullmatch(core)
    if core.isalpha():
        return True
    return core.count("-") < MOST_PARTS and any(map(str.isalpha, core)) and all(map(_in_word, core))


def _in_word(character: str) -> bool:
    """Whether a character may be in a word: a letter, a mark on one, or what joins two."""
    joins = character in APOSTROPHES or character == "-"
    return joins or character.isalpha() or unicodedata.category(character).startswith("M")


@dataclass(frozen=True)
class Evidence:
    """What speaks for a column's being the text."""

    name: str
    values: tuple[str, ...]
    """Those of the sample that aren't missing."""

    @cached_property
    def cells(self) -> list[Value]:
        """The values, looked at."""
        return [Value.of(value) for value in self.values]

    @cached_property
    def words(self) -> float:
        """How many words a row has, in the mean."""
        return sum(cell.n_words for cell in self.cells) / max(len(self.cells), 1)

    @cached_property
    def plain(self) -> float:
        """The share of plain words among what stands between spaces."""
        return self.words * len(self.cells) / max(sum(cell.pieces for cell in self.cells), 1)

    @cached_property
    def different(self) -> float:
        """The share of values that differ in their words: dates and templates differ in numbers."""
        return len({cell.words for cell in self.cells}) / max(len(self.cells), 1)

    @cached_property
    def listed(self) -> float:
        """How many marks that separate what is listed come on a word."""
        n_words = max(sum(len(cell.words) for cell in self.cells), 1)
        return sum(cell.listed for cell in self.cells) / n_words

    @property
    def repeats(self) -> bool:
        """Whether the same few values come again and again."""
        number = len(self.cells)
        if number < FEWEST_TO_REPEAT:
            return number >= FEWEST_ALIKE and len({cell.words for cell in self.cells}) == 1
        return self.different < REPEATED_SHARE

    @cached_property
    def prose(self) -> float:
        """From 0 to 1: how much the words look like prose, and not like names or lists."""
        cased = sum(cell.capitals + cell.small for cell in self.cells)
        small = sum(cell.small for cell in self.cells) / cased if cased else 1.0
        return (
            _rising(self.plain, FEWEST_PLAIN, 0.8)
            * (1 - 0.8 * _rising(self.listed, 0.2, 0.5))
            * (0.7 + 0.3 * _rising(small, 0.1, 0.4))
        )

    @property
    def is_text(self) -> bool:
        """Whether it may be the text, for want of anything better."""
        if worth(self.name) and self.plain >= FEWEST_PLAIN:
            return self.words >= (2 if self.repeats else 1)
        enough = self.prose * math.log2(1 + self.words) >= math.log2(1 + FEWEST_WORDS)
        return enough and not self.repeats

    @property
    def score(self) -> tuple[bool, float]:
        """By which columns are compared: what repeats itself is text only if nothing else is."""
        by_name = worth(self.name) * _rising(self.words, 1, 2)  # single words are hardly text
        return not self.repeats, self.prose * (math.log2(1 + self.words) + by_name)

    @property
    def unnamed(self) -> tuple[bool, float]:
        """The score that it would have if its name said nothing."""
        return not self.repeats, self.prose * math.log2(1 + self.words)

    @property
    def kind(self) -> str:
        """What a column that isn't text holds, in a word."""
        if not self.values:
            return "nothing"
        n = len(self.values)
        if sum(bool(ADDRESS.fullmatch(value)) for value in self.values) > n / 2:
            return "addresses"
        if sum(bool(DIGIT.search(value)) for value in self.values) > n / 2:
            return "numbers, dates or codes"
        return "labels" if self.repeats else "names or codes" if self.plain < 0.5 else "few words"


def _rising(value: float, low: float, high: float) -> float:
    """From 0 at the low end to 1 at the high one."""
    return min(1.0, max(0.0, (value - low) / (high - low)))


def evidence(name: str, column: pd.Series) -> Evidence:
    """A column's sample.

    >>> evidence("x", pd.Series(["https://example.org/a-b-c"] * 9)).kind
    'addresses'
    """
    # Evenly spaced, not the first ones: files are often sorted by source or date.
    step = max(1, len(column) // SAMPLED_VALUES)
    present = _present(column.iloc[::step])
    if step > 1 and len(present) < SAMPLED_VALUES // 4:
        present = _present(column)
        present = present[:: max(1, len(present) // SAMPLED_VALUES)]
    return Evidence(name, tuple(present))


def _present(values: Iterable[object]) -> list[str]:
    stripped = (value.strip() for value in values if isinstance(value, str))
    return [
        value for value in stripped if value.casefold() not in MISSING and SOMETHING.search(value)
    ]


def guess(frame: pd.DataFrame, columns: Sequence[Evidence]) -> list[str]:
    """The column of the text, after that of its title; none if nothing looks like text.

    >>> frame = pd.DataFrame({
    ...     "text": ["https://example.org/tea"], "title": ["The art of tea"],
    ...     "url": ["Take a warm pot, and never let the water cool."],
    ... })
    >>> guess(frame, [evidence(name, frame[name]) for name in frame])
    ['title', 'url']
    """
    texts = [column for column in columns if column.is_text]
    if not texts:
        return []
    body = max(texts, key=lambda column: column.score)
    if called(body.name, TITLE):
        # It is a title of what is longer and as much like prose, whatever that is called.
        longer = [each for each in texts if each.words > body.words]
        body = max(
            [each for each in longer if each.score > body.unnamed] or [body],
            key=lambda column: column.score,
        )
    longer = [each for each in texts if each.words > body.words and _begins(frame, body, each)]
    body = longer[0] if longer else body
    titles = [
        each.name for each in texts if _is_title(each, body) and not _begins(frame, each, body)
    ]
    return [*titles[:1], body.name]


def _is_title(title: Evidence, body: Evidence) -> bool:
    """Whether it is called a title, holds enough words, and is shorter than the body.

    Where the body is called text too, the names are to be trusted, and a title may be a word.
    """
    fewest = 1 if called(body.name, TEXT) else FEWEST_WORDS_OF_TITLE
    return (
        called(title.name, TITLE)
        and not title.repeats
        and title.plain >= FEWEST_PLAIN_OF_TITLE
        and title.listed <= MOST_LISTED_OF_TITLE
        and fewest <= title.words < body.words
    )


def _begins(frame: pd.DataFrame, part: Evidence, whole: Evidence) -> bool:
    """Whether most values of one column are the beginnings of another's, and would count twice."""
    sample = frame[[part.name, whole.name]].iloc[:: max(1, len(frame) // SAMPLED_VALUES)]
    pairs = [
        (
            " ".join(head.split()).casefold(),
            " ".join(text[: 2 * len(head) + 100].split()).casefold(),
        )
        for head, text in sample.itertuples(index=False)
        if isinstance(head, str) and isinstance(text, str) and head.strip() and text.strip()
    ]
    return 2 * sum(text.startswith(head) for head, text in pairs) > len(pairs)


def holds_running_text(column: pd.Series) -> bool:
    """Whether a column is text whatever it is called, and so neither ids nor labels.

    >>> holds_running_text(pd.Series(["alt.atheism/51119", "talk/9"]))
    False
    """
    return evidence("", column).is_text


def guess_baskets(frame: pd.DataFrame) -> dict[str, str]:
    """The columns of baskets, their items and ratings, where a table is one of these; or nothing.

    Only names can tell: numbers of users and of films look the same. But both must come again, and
    hardly ever the same one with the same other.

    >>> stars = {"userId": [1, 1, 2], "movieId": [7, 8, 7], "rating": [4, 5, 3]}
    >>> guess_baskets(pd.DataFrame(stars))
    {'basket': 'userId', 'item': 'movieId', 'rating': 'rating'}
    >>> guess_baskets(pd.DataFrame({"user": [1, 2], "year": [1999, 2001]}))
    {}
    """
    uses = {"basket": BASKET_NAMES, "item": ITEM_NAMES, "rating": RATING_NAMES}
    columns = [str(name) for name in frame.columns]
    fitting = {
        use: [column for column in columns if _names_use(column, names)]
        for use, names in uses.items()
    }
    if not (len(fitting["basket"]) == len(fitting["item"]) == 1 and len(fitting["rating"]) <= 1):
        return {}
    found = {use: names[0] for use, names in fitting.items() if names}
    pair = frame[[found["basket"], found["item"]]]
    if not all(pd.api.types.is_scalar(value) for column in pair for value in pair[column]):
        return {}
    again = all(pair[column].duplicated().any() for column in pair)
    numbers = "rating" not in found or _numbers(frame[found["rating"]])
    return found if again and numbers and 2 * pair.duplicated().sum() < len(pair) else {}


def _names_use(name: str, names: frozenset[str]) -> bool:
    """Whether a column has one of these names, or the id of such a thing."""
    parts = [part for part in BETWEEN_NAMES.split(name) if part]
    joined = folded("".join(parts))
    return joined in names or joined.removesuffix("id") in names


def _numbers(column: pd.Series) -> bool:
    present = column[column.notna() & (column != "")]
    return bool(pd.to_numeric(present, errors="coerce").notna().all())
