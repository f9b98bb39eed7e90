"""Bytes and characters of a file: compression, byte-order marks, encodings, clear errors."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from pathlib import Path

from chatham.errors import FileError, InputError
from chatham.wording import Either, say

LARGEST_UNPACKED = 4 * 2**30
"""In bytes: a small compressed file can unpack to more than any memory holds."""

BLOCK = 2**20
BYTE_ORDER_MARK = "\ufeff"

# UTF-32's mark begins with UTF-16's, so it is looked for first.
BYTE_ORDER_MARKS = [
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
]


def ending(path: Path) -> str:
    """A file's extension in lower case, ignoring ``.gz``.

    >>> ending(Path("news.CSV.gz")), ending(Path("news"))
    ('.csv', '')
    """
    return Path(path.stem if path.suffix.lower() == ".gz" else path.name).suffix.lower()


def stem(path: Path) -> str:
    """A file's name without its extension and without ``.gz``.

    >>> stem(Path("kos.mtx.gz"))
    'kos'
    """
    return Path(path.stem if path.suffix.lower() == ".gz" else path.name).stem


def read_bytes(path: Path, may_be_empty: bool = False) -> bytes:
    """Read a file, unpacking ``.gz``; damaged files are errors, and by default empty ones too."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise FileError(f"There is no file {path}: check the name.", path=path) from None
    except OSError as error:
        raise FileError(f"The file {path} can't be read: {error.strerror}.", path=path) from None
    content = _unpacked(path, content) if path.suffix.lower() == ".gz" else content
    if not content and not may_be_empty:
        raise FileError(
            f"The file {path} is empty: give one with at least one document.", path=path
        )
    return content


def _unpacked(path: Path, content: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
            return _up_to_the_limit(path, stream)
    except (OSError, EOFError, zlib.error):
        raise FileError(
            f"The file {path} is damaged or isn't gzip: unpack it yourself or fetch it again.",
            path=path,
        ) from None


def _up_to_the_limit(path: Path, stream: gzip.GzipFile) -> bytes:
    unpacked = bytearray()
    while block := stream.read(BLOCK):
        unpacked += block
        check_unpacked_size(path, len(unpacked))
    return bytes(unpacked)


def check_unpacked_size(path: Path, n_bytes: int) -> None:
    """Refuse a compressed file that unpacks to more than the limit.

    >>> check_unpacked_size(Path("news.csv.gz"), 1000)
    """
    if n_bytes > LARGEST_UNPACKED:
        raise FileError(
            f"The file {path} unpacks to more than {LARGEST_UNPACKED:,} bytes, which is the limit: "
            "unpack it yourself, or split it.",
            path=path,
        )


def read_text(path: Path, encoding: str | None = None) -> str:
    """Read a file's characters; by default its byte-order mark tells the encoding, else UTF-8."""
    return decode(read_bytes(path), str(path), encoding)


def decode(content: bytes, name: str, encoding: str | None = None) -> str:
    r"""Turn bytes into characters; the error says where they stop being characters.

    >>> decode(codecs.BOM_UTF8 + b"tea", "x.txt")
    'tea'
    >>> decode(b"caf\xe9", "x.txt", encoding="latin-1")
    'café'
    """
    chosen = encoding or _marked_encoding(content)
    try:
        # A named encoding leaves the mark in, where it would become part of the first word.
        return content.decode(chosen).removeprefix(BYTE_ORDER_MARK)
    except LookupError:
        raise InputError(
            say(
                "{encoding=!r} is not an encoding that Python knows: try 'utf-8', 'latin-1' or "
                "'cp1252'.",
                encoding=encoding,
            )
        ) from None
    except UnicodeError as error:
        # Most codecs report where; a few only that they failed.
        where = f" at byte {error.start:,}" if isinstance(error, UnicodeDecodeError) else ""
        raise InputError(
            say(
                "The file {name} isn't valid {chosen}{where}: pass its encoding, e.g. {example}.",
                name=name,
                chosen=chosen,
                where=where,
                example=Either(
                    say("{encoding='latin-1'} (--encoding latin-1)"), say("{encoding=latin-1}")
                ),
            )
        ) from None


def _marked_encoding(content: bytes) -> str:
    return next((name for mark, name in BYTE_ORDER_MARKS if content.startswith(mark)), "utf-8")


def split_lines(text: str) -> list[str]:
    r"""Split at line ends alone; ``str.splitlines`` also splits inside paragraphs.

    >>> split_lines("one\r\ntwo\u2028still two\n")
    ['one', 'two\u2028still two']
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def read_lines(path: Path, encoding: str | None = None) -> list[str]:
    """Read a file's lines, without line ends; a line end at the very end starts no further line."""
    return split_lines(read_text(path, encoding))
