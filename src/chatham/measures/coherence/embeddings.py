"""Similarity of a topic's words under pretrained word vectors (thesis 1.3.4, [43]).

Vectors come from a file that the user has, in the text form of word2vec and GloVe.
"""

from __future__ import annotations

import gzip
import math
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.measures.coherence.base import mean_over_topics
from chatham.measures.measure import Measure, Score
from chatham.measures.settings import check_whole
from chatham.measures.subject import Subject
from chatham.naming import value_shown

Array = NDArray[np.float64]

LONGEST_LINE = 2**20
"""In bytes; a vector of 10,000 numbers has a fifth of it, and a binary file may have no lines."""


@dataclass(frozen=True)
class EmbeddingCoherence(Measure):
    """The mean cosine of the vectors of each pair of a topic's words, averaged over topics.

    A word without a vector, or with one of zeros, is left out and counted in
    `notes["missing_words"]`; a topic with fewer than two words left has None and is left out of
    the mean; where no topic has two, there is no value. A word that is listed twice counts once.

    >>> vectors = {"tea": np.array([1.0, 0]), "milk": np.array([1.0, 1]), "car": np.array([0.0, 2])}
    >>> subject = Subject(np.array([]), lists=[["tea", "milk", "car", "unheard"]], vectors=vectors)
    >>> score = EmbeddingCoherence().measure(subject, None)
    >>> round(score.value, 4), score.notes  # (1/√2 + 0 + 1/√2) / 3
    (0.4714, {'missing_words': 1})
    """

    n_words: int = 10
    name: ClassVar[str] = "embedding_coherence"
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"words", "vectors"})
    source: ClassVar[str] = "section 1.3.4"

    def __post_init__(self) -> None:
        """Refuse invalid settings."""
        check_whole("n_words", self.n_words, 2)

    def value(self, totals: Any, subject: Subject) -> Score:
        """From the words and their vectors alone: no documents are needed."""
        topics = [list(dict.fromkeys(words)) for words in subject.top_words(self.n_words)]
        distinct = sorted({word for words in topics for word in words})
        units = _units(distinct, subject.vectors or {})
        by_topic = [_mean_cosine([units[w] for w in words if w in units]) for words in topics]
        missing = {"missing_words": len(distinct) - len(units)}
        return Score(mean_over_topics(by_topic), by_topic, missing)


def _units(words: list[str], vectors: Mapping[str, Any]) -> dict[str, Array]:
    """The words' vectors, each of length one; words without a direction are left out."""
    by_word = {word: _vector(word, vectors[word]) for word in words if word in vectors}
    if len({len(vector) for vector in by_word.values()}) > 1:
        raise InputError("Word vectors must all have the same length; some of these are longer.")
    # Divided by the largest number first, so that the squares of huge ones stay finite.
    scaled = {word: v / np.abs(v).max() for word, v in by_word.items() if v.any()}
    return {word: np.asarray(v / np.linalg.norm(v)) for word, v in scaled.items()}


def _vector(word: str, numbers: Any) -> Array:
    try:
        vector = np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError):
        vector = np.array(np.nan)
    if vector.ndim != 1 or not np.isfinite(vector).all():
        raise InputError(f"The vector of {value_shown(word)} must be a list of finite numbers.")
    return vector


def _mean_cosine(units: list[Array]) -> float | None:
    if len(units) < 2:
        return None
    stacked = np.array(units)
    cosines = (stacked @ stacked.T)[np.tril_indices(len(units), k=-1)]
    return float(np.clip(cosines, -1.0, 1.0).mean())


def read_vectors(path: str | Path, words: Iterable[str] | None = None) -> dict[str, Array]:
    """Word vectors from a text file of word2vec or GloVe: a word and its numbers on each line.

    A first line of two numbers (how many, how long) may be there; `.gz` is unpacked on the way.
    With `words`, only these are kept, so that a large file needs little memory; words that the
    file lacks are left out. Of a word that comes twice, the first is kept.
    """
    file = Path(path)
    encoded_words = None if words is None else {str(word).encode() for word in words}
    try:
        with _opened(file) as stream:
            return _read(file, stream, encoded_words)
    except FileNotFoundError:
        raise InputError(f"There is no file {file}: check the name.") from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(f"The file {file} is damaged or isn't gzip: fetch it again.") from None
    except OSError as error:
        raise InputError(f"The file {file} can't be read: {error.strerror}.") from None


def _opened(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb"))


def _read(path: Path, stream: BinaryIO, encoded_words: set[bytes] | None) -> dict[str, Array]:
    vectors: dict[str, Array] = {}
    announced, size, n_lines = None, None, 0
    for number, line in _lines(path, stream):
        header = _header(line) if number == 1 else None
        if header is not None:
            announced, size = header
            continue
        n_lines += 1
        size = len(line.split()) - 1 if size is None else size
        name, numbers = _cut(path, number, line, size)
        if encoded_words is None or name in encoded_words:
            vectors.setdefault(_word(path, number, name), _numbers(path, number, numbers))
    if not n_lines:
        raise InputError(f"The file {path} has no word vectors.")
    if announced is not None and n_lines < announced:
        raise InputError(
            f"The file {path} announces {announced:,} vectors and has {n_lines:,}: it was cut "
            "short, fetch it again."
        )
    return vectors


def _lines(path: Path, stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers, from 1; blank ones are skipped."""
    number = 0
    while line := stream.readline(LONGEST_LINE):
        number += 1
        if b"\0" in line or len(line) == LONGEST_LINE:
            raise _wrong(path, number, "isn't text; save the vectors in text form, not binary")
        line = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        if line.strip():
            yield number, line


def _header(line: bytes) -> tuple[int, int] | None:
    """How many vectors there are and how long they are, if that is what the line says."""
    parts = line.split()
    if len(parts) == 2 and all(part.isdigit() for part in parts):
        return int(parts[0][:18]), int(parts[1][:18])
    return None


def _cut(path: Path, number: int, line: bytes, size: int) -> tuple[bytes, list[bytes]]:
    """A line's word, which may contain blanks, and its numbers."""
    parts = line.rsplit(None, size) if size > 0 else []
    if len(parts) != size + 1 or _is_number(parts[0].split()[1:][-1:]):
        n_numbers = max(len(line.split()) - 1, 0)
        raise _wrong(
            path, number, f"has {n_numbers:,} numbers where {max(size, 1):,} were expected"
        )
    return parts[0].strip(), parts[1:]


def _is_number(last: list[bytes]) -> bool:
    """Whether what comes before the numbers ends in one more number."""
    try:
        return bool(last) and math.isfinite(float(last[0]))
    except ValueError:
        return False


def _word(path: Path, number: int, name: bytes) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError:
        raise _wrong(path, number, "isn't UTF-8 text; save the vectors as UTF-8 text") from None


def _numbers(path: Path, number: int, parts: list[bytes]) -> Array:
    try:
        vector = np.array([float(part) for part in parts])
    except ValueError:
        vector = np.array([np.nan])
    if not np.isfinite(vector).all():
        raise _wrong(path, number, "holds something that isn't a finite number")
    return vector


def _wrong(path: Path, number: int, problem: str) -> InputError:
    return InputError(f"Line {number:,} of {path} {problem}.")
