"""Readers of delimited text: comma-separated values, tab-separated ones, and their relatives.

Records go straight into columns, so that only the values themselves are in memory. A record that
can't be parsed is an error that says where it is, or is left out and counted.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice

import pandas as pd

from chatham.corpus.readers.files import NO_CHARACTER, OR_SKIP, File, lines_of, split_lines
from chatham.corpus.readers.sources import Reading, Table, left_out
from chatham.errors import InputError
from chatham.naming import plural
from chatham.wording import Otherwise, Sentence, say

DELIMITERS = (",", ";", "\t", "|")
NAMED_DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}
"""For a command line, where a tab is hard to type."""

LARGEST_FIELD = 2**26
"""In characters: a quotation mark that nobody closes swallows all that follows it."""

SAMPLED_LINES = 100
"""From which the delimiter is guessed."""

MOST_READ_AGAIN = 2**28
"""In characters: each lone quotation mark costs reading again what it swallowed."""


def read_csv(file: File, reading: Reading) -> Table:
    """Read columns separated by commas, or by what their first lines show; the notes say it."""
    lines = lines_of(file, reading.encoding, reading.skip_bad_rows)
    first = list(islice(lines, SAMPLED_LINES))
    delimiter = as_delimiter(reading.delimiter) or likely_delimiter(first)
    parsed = _parsed(chain(first, lines), delimiter, csv.QUOTE_MINIMAL, file, reading)
    if delimiter == "," or reading.delimiter is not None:
        return parsed.table()
    return parsed.table(f"Columns of {file.name} are separated by {delimiter!r}.")


def read_tsv(file: File, reading: Reading) -> Table:
    """Read tab-separated columns, with quoted fields or without."""
    delimiter = as_delimiter(reading.delimiter) or "\t"

    def parsed(quoting: int) -> _Parsed | InputError:
        lines = lines_of(file, reading.encoding, reading.skip_bad_rows)
        try:
            return _parsed(lines, delimiter, quoting, file, reading)
        except InputError as error:
            return error

    plain = parsed(csv.QUOTE_NONE)
    if isinstance(plain, _Parsed) and not plain.has_quotes:
        return plain.table()
    quoted = parsed(csv.QUOTE_MINIMAL)
    if isinstance(quoted, _Parsed) and not _swallowed(plain, quoted):
        return quoted.table()
    if isinstance(plain, InputError):
        raise plain
    # Many TSV files use no quoting, so that a quotation mark is just a character.
    return plain.table(f"Quotation marks in {file.name} are taken as plain characters.")


def _swallowed(plain: _Parsed | InputError, quoted: _Parsed) -> bool:
    """Whether every line is a row where quotation marks are characters, and else fewer are rows."""
    return (
        isinstance(plain, _Parsed)
        and plain.n_bad <= quoted.n_bad
        and plain.width > 1
        and plain.n_rows > quoted.n_rows
    )


def as_delimiter(written: str | None) -> str | None:
    r"""One character, which a command line may call by its name.

    >>> as_delimiter("tab"), as_delimiter("|")
    ('\t', '|')
    """
    if written is None:
        return None
    delimiter = NAMED_DELIMITERS.get(written, written)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise InputError(
            say(
                "{delimiter=!r} must be one character, or tab, comma, semicolon or pipe, and not a "
                "quotation mark.",
                delimiter=written,
            )
        )
    return delimiter


def likely_delimiter(lines: list[str]) -> str:
    r"""The character that separates these lines into equally many columns.

    >>> likely_delimiter(["id;text\n", "1;Tea, milk\n"]), likely_delimiter(["text\n", "Tea; milk"])
    (';', ',')
    """
    fits = {delimiter: _fit(lines, delimiter) for delimiter in DELIMITERS}
    return max(DELIMITERS, key=fits.__getitem__)


def _fit(lines: list[str], delimiter: str) -> tuple[float, int]:
    """Which share of the lines has as many columns as the first, and how many; one is none."""
    with _large_fields():
        try:
            records = [record for record in csv.reader(lines, delimiter=delimiter) if record]
        except csv.Error:
            return 0.0, 0
    # The last record may go on behind the sample.
    records = records[:-1] if len(lines) >= SAMPLED_LINES else records
    widths = [len(record) for record in records]
    if not widths or widths[0] == 1:
        return 0.0, 0
    return sum(width == widths[0] for width in widths) / len(widths), widths[0]


@contextmanager
def _large_fields() -> Iterator[None]:
    before = csv.field_size_limit(LARGEST_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(before)


@dataclass
class _Parsed:
    """Columns of values, and what was noticed on the way."""

    file: File
    names: list[str]
    columns: list[list[str]]
    header: bool
    has_quotes: bool = False
    n_blank: int = 0
    n_bad: int = 0
    first_bad: int = 0
    spans: list[int] = field(default_factory=list)
    """Of each field with line ends in it, how many lines it has."""

    @property
    def n_rows(self) -> int:
        return len(self.columns[0])

    @property
    def width(self) -> int:
        return len(self.names)

    def table(self, *notes: str) -> Table:
        """As a table; nobody but people can tell whether a first line is a header."""
        frame = pd.DataFrame(
            dict(zip(self.names, self.columns, strict=True)), columns=pd.Index(self.names)
        )
        notes = (*notes, *self._notes())
        return Table(frame, list(notes), all_strings=True, header=self.header)

    def _notes(self) -> Iterator[str]:
        # A lone quotation mark swallows whole records.
        if self.spans:
            number = len(self.spans)
            spanning = "1 quoted field spans" if number == 1 else f"{number:,} quoted fields span"
            longest = max(self.spans)
            yield f"{spanning} several lines of {self.file.name}, the longest {longest:,}."
        if self.n_blank:
            yield f"Skipped {plural(self.n_blank, 'blank line')} of {self.file.name}."
        yield from left_out(self.n_bad, f"line {self.first_bad:,}", self.file)


def _parsed(
    lines: Iterable[str], delimiter: str, quoting: int, file: File, reading: Reading
) -> _Parsed:
    """Parse all records; without a header, columns go by their numbers, counted from 1."""
    parsed: _Parsed | None = None
    records = _Records(lines, delimiter, quoting, file, reading)
    with _large_fields():
        for line, record in records:
            if not record:
                records.skip()
            elif parsed is None:
                names = _header(record, file, reading)
                parsed = _Parsed(file, names, [[] for _ in names], reading.header)
                if reading.header:
                    _note_spans(parsed, record)
                else:
                    _add(parsed, record)
            elif len(record) == parsed.width:
                for row in records.accept(record):
                    _add(parsed, row)
            else:
                records.refuse(line, _other_width(line, record, parsed))
    if parsed is None:
        raise InputError(f"The file {file} is empty: give one with a header and documents.")
    for row in records.settled():
        _add(parsed, row)
    parsed.n_blank, parsed.has_quotes = records.n_blank, records.has_quotes
    parsed.n_bad, parsed.first_bad = records.n_bad, records.first_bad
    return parsed


def _add(parsed: _Parsed, record: list[str]) -> None:
    _note_spans(parsed, record)
    for column, value in zip(parsed.columns, record, strict=True):
        column.append(value)


def _note_spans(parsed: _Parsed, record: list[str]) -> None:
    for value in record:
        if "\n" in value or "\r" in value:
            parsed.spans.append(len(split_lines(f"{value}.")))


def _header(record: list[str], file: File, reading: Reading) -> list[str]:
    if not reading.header:
        return numbered(len(record))
    refuse_repeated(record, file)
    return record


def numbered(width: int) -> list[str]:
    """Names of columns that have none: their numbers, counted from 1.

    >>> numbered(3)
    ['1', '2', '3']
    """
    return [str(number) for number in range(1, width + 1)]


def refuse_repeated(header: list[str], file: File) -> None:
    """Refuse a header with a name twice; it may be none, and isn't shown."""
    seen: dict[str, int] = {}
    for position, name in enumerate(header):
        if seen.setdefault(name, position) != position:
            raise InputError(
                say(
                    "Columns {one} and {other} of {file} have the same name: rename one of them, "
                    "or {otherwise} if its first line is no header.",
                    one=seen[name] + 1,
                    other=position + 1,
                    file=file,
                    otherwise=Otherwise(say("pass {header=False}"), "give the file a header"),
                )
            )


def _other_width(line: int, record: list[str], parsed: _Parsed) -> Sentence:
    fields = plural(len(record), "field")
    has = "the header has" if parsed.header else "the first one has"
    return say(
        "The record that ends on line {line:,} of {file} (row {row:,}) has {fields} and {has} "
        "{width}: the numbers must be equal; quote fields that hold delimiters, or {skip}.",
        line=line,
        file=parsed.file,
        row=parsed.n_rows + 1,
        fields=fields,
        has=has,
        width=parsed.width,
        skip=OR_SKIP,
    )


@dataclass
class _Swallowed:
    """What a quotation mark that nobody closed swallowed, read again line by line.

    Either the mark was a slip, and these are rows; or the row itself is broken, as the last one of
    a file that is cut off, and these are lines of its text, a few of which look like rows. So they
    are rows if at least half of them look like it.
    """

    ends: int = 0
    """The line that it ends on."""
    rows: list[list[str]] = field(default_factory=list)
    n_before: int = 0
    """Pieces that are no rows before the first one that is, which are of the broken row."""
    n_between: int = 0
    n_blank: int = 0

    @property
    def holds_rows(self) -> bool:
        return len(self.rows) >= self.n_before + self.n_between


class _Records:
    """Records with the number of the line they end on; those that can't be parsed are refused.

    Where they are to be left out, a lone quotation mark costs its own line alone: the lines that
    it swallowed are read again.
    """

    def __init__(
        self, lines: Iterable[str], delimiter: str, quoting: int, file: File, reading: Reading
    ) -> None:
        self._lines, self._delimiter, self._quoting = iter(lines), delimiter, quoting
        self._file, self._skip = file, reading.skip_bad_rows
        self._needs_header = reading.header
        self._line = 0
        self._record_lines: list[str] = []
        self._again: list[str] = []
        self._n_again = 0
        self._n_characters = 0
        """Of the record that is being read."""
        self._swallowed = _Swallowed()
        self._rows: list[list[str]] = []
        """Those that were swallowed, and known to be rows by now."""
        self.has_quotes = False
        self.n_blank = self.n_bad = self.first_bad = 0

    def accept(self, record: list[str]) -> list[list[str]]:
        """What was read looks like a row; those that are known to be rows by now."""
        if self._line <= self._swallowed.ends:
            self._swallowed.rows.append(record)
            return []
        return [*self.settled(), record]

    def skip(self) -> None:
        """What was read is a blank line."""
        if self._line <= self._swallowed.ends:
            self._swallowed.n_blank += 1
        else:
            self.n_blank += 1

    def settled(self) -> list[list[str]]:
        """The rows among what was swallowed, if it was rows."""
        self._settle()
        rows, self._rows = self._rows, []
        return rows

    def _settle(self) -> None:
        if self._swallowed.holds_rows:
            self._rows += self._swallowed.rows
            self.n_bad += self._swallowed.n_between
            self.n_blank += self._swallowed.n_blank
        self._swallowed = _Swallowed()

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        while True:
            begins, self._n_characters = self._line + 1, 0
            reader = csv.reader(
                self._each_line(),
                delimiter=self._delimiter,
                quoting=self._quoting,  # type: ignore[arg-type]
                strict=True,
            )
            try:
                for record in reader:
                    if self._skip and any(NO_CHARACTER in line for line in self._record_lines):
                        self.refuse(self._line, self._no_characters())
                    else:
                        self._needs_header = self._needs_header and not record
                        yield self._line, record
                    self._record_lines.clear()
                    begins, self._n_characters = self._line + 1, 0
                return
            except csv.Error:
                self.refuse(begins, self._broken(begins))
                self._read_again(begins)

    def refuse(self, line: int, why: Sentence) -> None:
        """Leave out a record, or say why it can't be one; without a header nothing has names."""
        if not self._skip or self._needs_header:
            raise InputError(why)
        if line > self._swallowed.ends:
            self.n_bad += 1
        elif self._swallowed.rows:
            self._swallowed.n_between += 1
        else:
            self._swallowed.n_before += 1
        self.first_bad = self.first_bad or line

    def _each_line(self) -> Iterator[str]:
        while True:
            line = self._again.pop() if self._again else next(self._lines, None)
            if line is None:
                return
            self._line += 1
            self._n_characters += len(line)
            self.has_quotes = self.has_quotes or '"' in line
            if self._skip:
                self._record_lines.append(line)
            yield line

    def _read_again(self, begins: int) -> None:
        """All lines of the record that failed but its first."""
        again = self._record_lines[1:]
        self._record_lines.clear()
        if begins > self._swallowed.ends:
            self._settle()
        self._swallowed.ends = max(self._swallowed.ends, self._line)
        self._line -= len(again)
        self._n_again += sum(map(len, again))
        if self._n_again > MOST_READ_AGAIN:
            raise InputError(
                f"The file {self._file} has lone quotation marks that swallow more than "
                f"{MOST_READ_AGAIN:,} characters, which is the limit: double them, or close them."
            )
        self._again.extend(reversed(again))

    def _no_characters(self) -> Sentence:
        return say(
            "Line {line:,} of {file} has bytes that are no characters of its encoding: pass "
            "{encoding=}.",
            line=self._line,
            file=self._file,
        )

    def _broken(self, begins: int) -> Sentence:
        if self._n_characters > LARGEST_FIELD:
            return say(
                "The file {file} has a field of more than {most:,} characters in the record that "
                "begins on line {begins:,}, which is the limit: a quotation mark that nobody "
                "closes swallows all that follows it; close it, or {skip}.",
                file=self._file,
                most=LARGEST_FIELD,
                begins=begins,
                skip=OR_SKIP,
            )
        return say(
            "The file {file} is malformed near line {line:,}, in the record that begins on line "
            "{begins:,}: a quoted field must end with a quotation mark, and marks inside it must "
            "be doubled; mend it, or {skip}.",
            file=self._file,
            line=self._line,
            begins=begins,
            skip=OR_SKIP,
        )
