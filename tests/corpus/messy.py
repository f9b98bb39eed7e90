"""Messy CSV files as people have them, with known truth: which columns are the text.

A file has a column of running text or of short texts, or none at all, among columns of addresses,
ids, dates, codes, names, labels and numbers, under names that are right, absent or wrong. It may be
written in any of several encodings and dialects, and it may be damaged. Nothing here knows how
Chatham guesses.
"""

from __future__ import annotations

import base64
import csv
import io
import json
import random
import string
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.corpus.languages import NAMES_OF_COLUMNS, SENTENCES, WITHOUT_SPACES

FIRST = [
    "Maria", "John", "Wei", "Fatima", "Lars", "Chiara", "Ahmed", "Yuki", "Ivan", "Sofia",
    "Pierre", "Ana", "Tom", "Leila",
]  # fmt: skip
LAST = [
    "Smith", "García", "Müller", "Chen", "Rossi", "Svensson", "Kowalski", "Haddad", "Tanaka",
    "Novak", "Dubois", "Silva",
]  # fmt: skip
CITIES = [
    "Paris", "Lyon", "Oslo", "Springfield", "Madrid", "Kyoto", "Lagos", "Porto", "Leeds",
    "Bremen", "Turin", "Quito",
]  # fmt: skip
STREETS = [
    "High", "Station", "Church", "Mill", "Park", "Victoria", "London", "Green", "Kings", "Queens",
]  # fmt: skip
MONTHS = [
    "January", "February", "March", "April", "May", "June", "July", "August",
    "September", "October",
]  # fmt: skip
DAYS = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
]  # fmt: skip
SITES = ("example.org", "news.example.com", "blog.example.net", "www.example.co.uk")

Maker = Callable[["Writer"], str]


class Writer:
    """Writes cells in one language, from one source of randomness."""

    def __init__(self, rng: random.Random, language: str) -> None:
        self.rng, self.language = rng, language

    def sentence(self) -> str:
        """A sentence, often with a part of another in it, so that few are the same."""
        sentences = SENTENCES[self.language]
        one, other = self.rng.choice(sentences), self.rng.choice(sentences)
        if self.language in WITHOUT_SPACES:
            middle = self.rng.randrange(3, len(one) // 2)
            return one[:middle] + other[self.rng.randrange(len(other) - 4) :]
        words, more = one.split(), other.split()
        place = self.rng.randrange(2, len(words))
        return " ".join([*words[:place], *more[self.rng.randrange(len(more) - 2) :]])

    def prose(self, least: int, most: int) -> str:
        """A few sentences, with quotation marks, line breaks and now and then an address in it."""
        parts = [self.sentence() for _ in range(self.rng.randint(least, most))]
        for position in range(len(parts)):
            luck = self.rng.random()
            if luck < 0.05:
                parts[position] = f'"{parts[position]}"'
            elif luck < 0.08:
                parts[position] += f" {url(self)}"
            elif luck < 0.11:
                parts[position] += f" ({self.rng.randrange(1900, 2030)})"
        return ("\n" if self.rng.random() < 0.1 else " ").join(parts)

    def short(self) -> str:
        """A headline: the beginning of a sentence."""
        sentence = self.sentence()
        if self.language in WITHOUT_SPACES:
            return sentence[: self.rng.randint(8, 14)]
        words = sentence.rstrip(".").split()[: self.rng.randint(5, 9)]
        titled = self.rng.random() < 0.3
        return " ".join(word.capitalize() if titled else word for word in words)

    def word(self) -> str:
        """One word, without punctuation."""
        sentence = self.rng.choice(SENTENCES[self.language])
        if self.language in WITHOUT_SPACES:
            start = self.rng.randrange(len(sentence) - 2)
            return sentence[start : start + 2]
        return self.rng.choice(sentence.split()).strip(".,।،")

    def digits(self, number: int) -> str:
        """So many digits."""
        return "".join(self.rng.choices(string.digits, k=number))

    def slug(self) -> str:
        """Words as addresses have them."""
        words = [self.rng.choice(SENTENCES["en"]).split()[0] for _ in range(2)]
        words += [self.rng.choice(STREETS) for _ in range(self.rng.randint(1, 4))]
        return "-".join(words).lower()


def url(w: Writer) -> str:
    """An address on the web, some of them long."""
    tail = query(w) if w.rng.random() < 0.3 else ""
    scheme = w.rng.choice(["https://", "http://"])
    return f"{scheme}{w.rng.choice(SITES)}/{w.rng.randint(2001, 2024)}/{w.slug()}{tail}"


def query(w: Writer) -> str:
    """What follows the question mark."""
    return f"?id={w.digits(6)}&utm_source={w.rng.choice(STREETS)}&q={w.slug()}"


def day(w: Writer) -> tuple[int, int, int]:
    """A year, a month and a day."""
    return w.rng.randint(1990, 2024), w.rng.randint(1, 10), w.rng.randint(1, 28)


def iso_date(w: Writer) -> str:
    """2024-02-07T10:15:00Z, or without the time."""
    date = "{}-{:02}-{:02}".format(*day(w))
    return date + w.rng.choice(["", "T10:15:00Z", " 08:30:12"])


def written_date(w: Writer) -> str:
    """As people and mail programs write dates."""
    year, month, number = day(w)
    name, weekday = MONTHS[month - 1], w.rng.choice(DAYS)
    return w.rng.choice([
        f"{weekday}, {number} {name} {year} 10:15:{w.rng.randint(10, 59)} +0000",
        f"{name} {number}, {year}",
        f"{weekday} {number} {name} {year} at {w.rng.randint(1, 12)}:30 PM",
        f"{number:02}-{name[:3].upper()}-{year} 15:01:01.79",
        f"{number}.{month}.{year}",
        f"{year}年{month}月{number}日",
    ])  # fmt: skip


def person(w: Writer) -> str:
    """First and last name."""
    return f"{w.rng.choice(FIRST)} {w.rng.choice(LAST)}"


def people(w: Writer) -> str:
    """Authors, one or more."""
    mark = w.rng.choice([", ", "; ", "|"])
    return mark.join(person(w) for _ in range(w.rng.randint(1, 6)))


def home(w: Writer) -> str:
    """Where somebody lives."""
    street = f"{w.rng.randint(1, 99)} {w.rng.choice(STREETS)} Street"
    return f"{street}, {w.rng.choice(CITIES)} {w.digits(5)}"


def tags(w: Writer) -> str:
    """Keywords with a mark between them."""
    mark = w.rng.choice(["|", ", ", ";", ","])
    return mark.join(w.word() for _ in range(w.rng.randint(2, 6)))


def settings(w: Writer) -> str:
    """An object as JSON."""
    return json.dumps({"id": int(w.digits(5) + "1"), "name": w.rng.choice(STREETS), "ok": True})


def code(w: Writer) -> str:
    """An order's number, a part's, a grant's."""
    return w.rng.choice([
        f"INV-{w.rng.randint(2010, 2024)}-{w.digits(4)}",
        f"{w.rng.choice('ABCDEFG')}{w.digits(3)}.{w.digits(2)}",
        f"978-{w.digits(1)}-{w.digits(4)}-{w.digits(4)}-{w.digits(1)}",
        "".join(w.rng.choices(string.ascii_uppercase + string.digits, k=8)),
    ])  # fmt: skip


NOT_TEXT: dict[str, Maker] = {
    "url": url,
    "permalink": lambda w: f"/{w.rng.randint(2001, 2024)}/{w.rng.randint(1, 12)}/{w.slug()}/",
    "slug": lambda w: w.slug(),
    "email": lambda w: f"{w.rng.choice(FIRST).lower()}.{w.digits(2)}@{w.rng.choice(SITES)}",
    "links": lambda w: " ".join(url(w) for _ in range(w.rng.randint(1, 4))),
    "path": lambda w: f"/home/{w.rng.choice(FIRST).lower()}/{w.slug()}/{w.digits(3)}.txt",
    "file": lambda w: f"{w.slug()}_{w.digits(2)}.{w.rng.choice(['jpg', 'pdf', 'html'])}",
    "ip": lambda w: ".".join(str(w.rng.randrange(256)) for _ in range(4)),
    "uuid": lambda w: str(uuid.UUID(int=w.rng.getrandbits(128))),
    "hash": lambda w: f"{w.rng.getrandbits(160):040x}",
    "number": lambda w: str(w.rng.randrange(100_000)),
    "code": code,
    "date": iso_date,
    "published": written_date,
    "time": lambda w: str(1_500_000_000 + w.rng.randrange(10**8)),
    "price": lambda w: f"{w.rng.choice('$€£')}{w.rng.randrange(1000)}.{w.digits(2)}",
    "share": lambda w: f"{w.rng.random():.4f}",
    "phone": lambda w: f"+{w.digits(2)} {w.digits(3)} {w.digits(4)} {w.digits(3)}",
    "place": lambda w: f"{w.rng.uniform(-90, 90):.5f}, {w.rng.uniform(-180, 180):.5f}",
    "flag": lambda w: w.rng.choice(["True", "False"]),
    "language": lambda w: w.rng.choice(["en", "de", "fr", "zh-CN"]),
    "author": person,
    "authors": people,
    "address": home,
    "tags": tags,
    "data": settings,
    "image": lambda w: base64.b64encode(w.rng.randbytes(w.rng.randint(30, 90))).decode(),
    "empty": lambda w: "",
}  # fmt: skip
"""Kinds of columns that hold no text, by the name that fits them."""


def labels(w: Writer) -> Maker:
    """Few labels for many rows."""
    names = [" ".join(w.word() for _ in range(w.rng.randint(1, 3))) for _ in range(4)]
    return lambda w: w.rng.choice(names)


def biography(w: Writer) -> Maker:
    """What a few authors say of themselves: running text, but the same again and again."""
    some = [w.prose(1, 4) for _ in range(3)]
    return lambda w: w.rng.choice(some)


def notice(w: Writer) -> Maker:
    """One notice that every row carries, and that may be long."""
    one = w.prose(1, 8)
    return lambda w: one


REPEATED = {"category": labels, "section": labels, "about_author": biography, "licence": notice}


@dataclass
class Messy:
    """A file's bytes, its name, and what is in it."""

    content: bytes
    name: str
    header: list[str]
    body: list[str]
    """The column of the text; empty if the file has none."""
    may_join: list[str] = field(default_factory=list)
    """The body's title: it must be joined if it is called a title, and may be if not."""
    must_join: bool = False
    rows: list[list[str]] = field(default_factory=list)
    damage: str = ""
    """How the file was damaged; then it may be refused."""

    def is_right(self, guessed: list[str]) -> bool:
        """Whether these are the columns of the text."""
        if not self.body:
            return not guessed
        if sorted(guessed) == sorted([*self.may_join, *self.body]):
            return True
        return sorted(guessed) == sorted(self.body) and not self.must_join


ANYTHING = ["permalink", "url", "col3", "field", "value", "data", "x", "notes", "info", "misc"]


def messy(seed: int) -> Messy:
    """The file of that seed."""
    rng = random.Random(seed)
    w = Writer(rng, rng.choice(sorted(SENTENCES)))
    n_rows = rng.choice([3, 8, 20, 60])
    # A file with three rows can't show that a column repeats itself.
    kinds = rng.sample(sorted(NOT_TEXT), rng.randint(1, 8))
    columns = {kind: [NOT_TEXT[kind](w) for _ in range(n_rows)] for kind in kinds}
    if n_rows >= 20:
        for kind in rng.sample(sorted(REPEATED), rng.randint(0, 2)):
            maker = REPEATED[kind](w)
            columns[kind] = [maker(w) for _ in range(n_rows)]
    body, title = _texts(w, n_rows, columns)
    order = list(columns)
    rng.shuffle(order)
    names, named_rightly = _names(w, order, body, title)
    for kind in order:
        if kind not in (body, title) and rng.random() < 0.3:
            columns[kind] = [_or_missing(w, value, 0.3) for value in columns[kind]]
    if body and rng.random() < 0.3:
        columns[body] = [_or_missing(w, value, 0.1) for value in columns[body]]
    rows = [list(row) for row in zip(*(columns[kind] for kind in order), strict=True)]
    content, name, damage = _written(rng, names, rows)
    of_kind = dict(zip(order, names, strict=True))
    return Messy(
        content=content,
        name=name,
        header=names,
        body=[of_kind[body]] if body else [],
        may_join=[of_kind[title]] if title else [],
        must_join=bool(title) and named_rightly,
        rows=rows,
        damage=damage,
    )


def _texts(w: Writer, n_rows: int, columns: dict[str, list[str]]) -> tuple[str, str]:
    """Add the columns that hold text; a file in ten has none, and one in five only short ones."""
    luck = w.rng.random()
    if luck < 0.1:
        return "", ""
    if luck < 0.3:
        columns["BODY"] = [w.short() for _ in range(n_rows)]
        return "BODY", ""
    most = w.rng.choice([3, 5, 9])
    columns["BODY"] = [w.prose(2, most) for _ in range(n_rows)]
    if w.rng.random() < 0.3:  # the beginning alone, as feeds have it
        columns["summary"] = [text[: len(text) // 4 + 5] for text in columns["BODY"]]
    if w.rng.random() < 0.4:
        columns["TITLE"] = [w.short() for _ in range(n_rows)]
        return "BODY", "TITLE"
    return "BODY", ""


def _names(w: Writer, order: list[str], body: str, title: str) -> tuple[list[str], bool]:
    """Names that fit, names that say nothing, or names of other columns."""
    known = NAMES_OF_COLUMNS.get(w.language, NAMES_OF_COLUMNS["en"])
    known = known if w.rng.random() < 0.5 else NAMES_OF_COLUMNS["en"]
    fitting = {
        kind: {body: w.rng.choice(known["body"]), title: w.rng.choice(known["title"])}.get(
            kind, kind
        )
        for kind in order
    }
    names = list(fitting.values())
    way = w.rng.choice(["right", "right", "absent", "nothing", "shifted", "wrong"])
    if way == "absent":
        pattern = w.rng.choice(["col{}", "V{}", "Unnamed: {}", "{}", "field_{}"])
        return [pattern.format(number) for number in range(len(names))], False
    if way == "nothing":
        return [f"{w.rng.choice(ANYTHING)}_{number}" for number in range(len(names))], False
    if way == "shifted":  # an index column was written without a name for it, say
        return [*names[1:], names[0]], False
    if way == "wrong":  # the body is called an address, or an address is called the text
        other = w.rng.randrange(len(names))
        own = order.index(body) if body else 0
        names[own], names[other] = names[other], names[own]
        return names, own == other or order[other] != title
    return names, True


def _or_missing(w: Writer, value: str, share: float) -> str:
    return w.rng.choice(["", "NA", "null", "-", "nan"]) if w.rng.random() < share else value


def _written(rng: random.Random, names: list[str], rows: list[list[str]]) -> tuple[bytes, str, str]:
    """As bytes, in one of many ways; a file in five is damaged."""
    delimiter = rng.choice([",", ",", ";", "\t"])
    page = io.StringIO(newline="")
    writer = csv.writer(
        page,
        delimiter=delimiter,
        quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
        lineterminator=rng.choice(["\n", "\r\n"]),
    )
    writer.writerows([names, *rows])
    text = page.getvalue()
    encoding = rng.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16"])
    content = text.encode(encoding)
    name = "messy.tsv" if delimiter == "\t" and rng.random() < 0.5 else "messy.csv"
    if rng.random() >= 0.2:
        return content, name, ""
    damage = rng.choice(["cut", "field", "quote", "bytes", "latin"])
    return _damaged(rng, content, text, encoding, delimiter, damage), name, damage


def _damaged(
    rng: random.Random, content: bytes, text: str, encoding: str, delimiter: str, damage: str
) -> bytes:
    if damage == "cut":
        return content[: rng.randrange(len(content) // 2, len(content))]
    if damage == "latin":  # some lines from elsewhere
        lines = text.split("\n")
        return b"\n".join(
            line.encode("latin-1", "replace") if rng.random() < 0.3 else line.encode("utf-8")
            for line in lines
        )
    if damage == "bytes":
        broken = bytearray(content)
        for _ in range(rng.choice([1, 5, 30])):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        return bytes(broken)
    place = rng.randrange(len(text))
    return (text[:place] + {"field": delimiter, "quote": '"'}[damage] + text[place:]).encode(
        encoding
    )
