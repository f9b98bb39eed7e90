"""Bytes and characters of a file: compression, byte-order marks, encodings, clear errors.

Whatever is packed is unpacked a block at a time and no further than the limits, so that no file
fills the memory by what it unpacks to. Nothing is ever written.
"""

from __future__ import annotations

import codecs
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from chatham.errors import FileError, InputError
from chatham.wording import Either, Otherwise, say

LARGEST_UNPACKED = 4 * 2**30
"""In bytes: a small compressed file can unpack to more than any memory holds."""

MOST_TIMES, SMALLEST_BOMB = 250, 2**28
"""Text packs to a tenth, the dullest table to a hundredth; from this size on, what packed to less
than one part in so many is no documents of anybody's."""

LONGEST_LINE = 2**26
"""In characters: no document is as long, but a file without line ends is one line."""

MOST_MEMORY = 2**28
"""In bytes: what unpacking an .xz file may take, beside what comes out."""

OR_SKIP = Otherwise(say("pass {skip_bad_rows=True} to leave such rows out"), "leave such rows out")
"""What else to do about a file of rows, some of which can't be read."""

NO_CHARACTER = "\udcff"
"""What stands for bytes that are no characters, where they are looked for; text never has it."""

BLOCK = 2**20
BYTE_ORDER_MARK = "\ufeff"
STANDARD_INPUT = "-"
PACKED = (".gz", ".xz")

# UTF-32's mark begins with UTF-16's, so it is looked for first.
BYTE_ORDER_MARKS = [
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
]


def ending(path: Path) -> str:
    """A file's extension in lower case, ignoring ``.gz`` and ``.xz``.

    >>> ending(Path("news.CSV.gz")), ending(Path("news"))
    ('.csv', '')
    """
    return Path(path.stem if is_packed(path) else path.name).suffix.lower()


def stem(path: Path) -> str:
    """A file's name without its extension and without ``.gz`` or ``.xz``.

    >>> stem(Path("kos.mtx.gz"))
    'kos'
    """
    return Path(path.stem if is_packed(path) else path.name).stem


def is_packed(path: Path) -> bool:
    """Whether a file's name says that it is compressed.

    >>> is_packed(Path("news.csv.XZ"))
    True
    """
    return path.suffix.lower() in PACKED


class File:
    """A file on disk. Its string is what errors call it, its `name` what notes do."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    @property
    def name(self) -> str:
        """Its name alone."""
        return self.path.name

    @property
    def is_plain(self) -> bool:
        """Whether its bytes are on disk as they are read, so that a library may open it there."""
        return not is_packed(self.path)

    @property
    def size(self) -> int:
        """Its size on disk, about which nothing is said where it can't be read."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def blocks(self) -> Iterator[bytes]:
        """Its bytes, unpacked, a block at a time; what can't be read is an error."""
        try:
            with self.path.open("rb") as stream:
                yield from self._unpacked(stream)
        except FileNotFoundError:
            raise FileError(f"There is no file {self}: check the name.", path=self.path) from None
        except OSError as error:
            raise FileError(
                f"The file {self} can't be read: {error.strerror}.", path=self.path
            ) from None

    def measure(self) -> None:
        """Unpack it once for nothing, so that a bomb is refused before anything is made of it."""
        if is_packed(self.path):
            for _ in self.blocks():
                pass

    def _unpacked(self, stream: BinaryIO) -> Iterator[bytes]:
        suffix = self.path.suffix.lower()
        if suffix not in PACKED:
            while block := stream.read(BLOCK):
                yield block
            return
        packed = stream.seek(0, io.SEEK_END)
        stream.seek(0)
        n_bytes = 0
        try:
            for block in _gzip_blocks(stream) if suffix == ".gz" else _xz_blocks(stream):
                n_bytes += len(block)
                check_unpacked_size(self.path, n_bytes, packed)
                yield block
        except (OSError, EOFError, zlib.error, lzma.LZMAError):
            kind = "gzip" if suffix == ".gz" else "xz"
            raise FileError(
                f"The file {self} is damaged or isn't {kind}: unpack it yourself or fetch it "
                "again.",
                path=self.path,
            ) from None


class Held(File):
    """A file of which there are only the bytes, such as what came on standard input."""

    def __init__(self, content: bytes, path: Path, shown: str) -> None:
        super().__init__(path)
        self._content, self._shown = content, shown

    def __str__(self) -> str:
        return self._shown

    @property
    def name(self) -> str:
        """What notes call it."""
        return self._shown

    @property
    def is_plain(self) -> bool:
        """It isn't on disk."""
        return False

    def measure(self) -> None:
        """Nothing is packed."""

    def blocks(self) -> Iterator[bytes]:
        """Its bytes."""
        for start in range(0, len(self._content), BLOCK):
            yield self._content[start : start + BLOCK]


def standard_input() -> Held:
    """What comes on standard input; it is kept, since it can't be read again."""
    return Held(_content_of(sys.stdin), Path(STANDARD_INPUT), "standard input")


@lru_cache(maxsize=1)
def _content_of(stream: Any) -> bytes:
    content = bytearray()
    while block := stream.buffer.read(BLOCK):
        content += block
        if len(content) > LARGEST_UNPACKED:
            raise FileError(
                f"Standard input goes beyond {LARGEST_UNPACKED:,} bytes, which is the limit: give "
                "a file instead."
            )
    return bytes(content)


def _gzip_blocks(stream: BinaryIO) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=stream) as unpacked:
        while block := unpacked.read(BLOCK):
            yield block


def _xz_blocks(stream: BinaryIO) -> Iterator[bytes]:
    """Like `lzma.open`, but with a limit on memory, which the file itself chooses otherwise."""
    packed = stream.read(BLOCK)
    while packed:
        decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MOST_MEMORY)
        while not decoder.eof:
            if decoder.needs_input and not packed:
                raise EOFError
            if block := decoder.decompress(packed, BLOCK):
                yield block
            packed = stream.read(BLOCK) if decoder.needs_input else b""
        packed = decoder.unused_data
        # Zeros may stand between the streams of a file, and behind the last.
        while not (packed := packed.lstrip(b"\0")) and (packed := stream.read(BLOCK)):
            pass


def check_unpacked_size(path: Path, n_bytes: int, packed: int | None = None) -> None:
    """Refuse a compressed file that unpacks to more than the limits; `packed` is its own size.

    >>> check_unpacked_size(Path("news.csv.gz"), 1000, packed=10)
    """
    if n_bytes > LARGEST_UNPACKED:
        raise FileError(
            f"The file {path} unpacks to more than {LARGEST_UNPACKED:,} bytes, which is the limit: "
            "unpack it yourself, or split it.",
            path=path,
        )
    if packed is not None and n_bytes > max(SMALLEST_BOMB, MOST_TIMES * packed):
        raise FileError(
            f"The file {path} unpacks to more than {MOST_TIMES} times its size, which is the "
            "limit: if you trust it, unpack it yourself.",
            path=path,
        )


def read_bytes(path: Path | File, may_be_empty: bool = False) -> bytes:
    """All bytes of a file, unpacked; damaged files are errors, and by default empty ones too."""
    file = path if isinstance(path, File) else File(path)
    content = b"".join(file.blocks())
    if not content and not may_be_empty:
        raise _empty(file)
    return content


def _empty(file: File) -> FileError:
    return FileError(
        f"The file {file} is empty: give one with at least one document.", path=file.path
    )


def read_text(path: Path | File, encoding: str | None = None) -> str:
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
        raise _unknown(encoding) from None
    except UnicodeError as error:
        # Most codecs report where; a few only that they failed.
        where = error.start if isinstance(error, UnicodeDecodeError) else None
        raise _undecodable(name, chosen, where) from None


def _unknown(encoding: str | None) -> InputError:
    return InputError(
        say(
            "{encoding=!r} is not an encoding that Python knows: try 'utf-8', 'latin-1' or "
            "'cp1252'.",
            encoding=encoding,
        )
    )


def _undecodable(name: str, chosen: str, where: int | None, of_rows: bool = False) -> InputError:
    return InputError(
        say(
            "The file {name} isn't valid {chosen}{where}: pass its encoding, e.g. {example}{skip}.",
            name=name,
            chosen=chosen,
            where="" if where is None else f" at byte {where:,}",
            example=Either(
                say("{encoding='latin-1'} (--encoding latin-1)"), say("{encoding=latin-1}")
            ),
            skip=say(", or where few rows are in another, {skip}", skip=OR_SKIP) if of_rows else "",
        )
    )


def _marked_encoding(content: bytes) -> str:
    return next((name for mark, name in BYTE_ORDER_MARKS if content.startswith(mark)), "utf-8")


def split_lines(text: str) -> list[str]:
    r"""Split at line ends alone; ``str.splitlines`` also splits inside paragraphs.

    >>> split_lines("one\r\ntwo\u2028still two\n")
    ['one', 'two\u2028still two']
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def read_lines(path: Path | File, encoding: str | None = None) -> list[str]:
    """Read a file's lines, without line ends; a line end at the very end starts no further line."""
    return split_lines(read_text(path, encoding))


def lines_of(file: File, encoding: str | None = None, lenient: bool = False) -> Iterator[str]:
    """The lines of a file with their line ends, of which only a block is in memory at a time.

    With `lenient`, bytes that are no characters become a lone surrogate, which text never has.
    """
    file.measure()
    begun: list[str] = []
    for chunk in _characters(file, encoding, lenient):
        if not chunk:
            continue
        # A line feed may follow a carriage return that ends a block.
        end = max(chunk.rfind("\n"), chunk.rfind("\r", 0, len(chunk) - 1)) + 1
        if end == 0 and not (begun and begun[-1].endswith("\r")):
            begun.append(chunk)
            _check_line(file, sum(map(len, begun)))
            continue
        whole = "".join([*begun, chunk[:end]])
        begun = [chunk[end:]]
        # str.splitlines would also split inside paragraphs.
        yield from io.StringIO(whole, newline="")
    # A carriage return may stand at the very end, and in a last block before that.
    yield from io.StringIO("".join(begun), newline="")


def _check_line(file: File, n_characters: int) -> None:
    if n_characters > LONGEST_LINE:
        raise FileError(
            f"The file {file} has a line of more than {LONGEST_LINE:,} characters, which is the "
            "limit: check that it is text, and what ends its lines.",
            path=file.path,
        )


def _characters(file: File, encoding: str | None, lenient: bool) -> Iterator[str]:
    decoder: codecs.IncrementalDecoder | None = None
    chosen, n_before = encoding or "", 0
    for block in file.blocks():
        if decoder is None:
            chosen = encoding or _marked_encoding(block)
            decoder = _decoder(chosen, encoding, lenient)
            yield _decoded(decoder, block, file, chosen, n_before).removeprefix(BYTE_ORDER_MARK)
        else:
            yield _decoded(decoder, block, file, chosen, n_before)
        n_before += len(block)
    if decoder is None:
        raise _empty(file)
    yield _decoded(decoder, b"", file, chosen, n_before, final=True)


def _decoder(chosen: str, encoding: str | None, lenient: bool) -> codecs.IncrementalDecoder:
    try:
        b"a".decode(chosen)  # refuses codecs that aren't of text
    except LookupError:
        raise _unknown(encoding) from None
    except UnicodeError:
        pass
    return codecs.getincrementaldecoder(chosen)(MARKED if lenient else "strict")


def _mark(error: UnicodeError) -> tuple[str, int]:
    """Go on behind what can't be decoded; unlike `surrogateescape` whatever the encoding."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return NO_CHARACTER, error.end


MARKED = "chatham.marked"
codecs.register_error(MARKED, _mark)


def _decoded(
    decoder: codecs.IncrementalDecoder,
    block: bytes,
    file: File,
    chosen: str,
    n_before: int,
    final: bool = False,
) -> str:
    # Bytes of a character that the last block only began are kept in the decoder.
    begun = len(decoder.getstate()[0])
    try:
        return decoder.decode(block, final)
    except UnicodeError as error:
        where = n_before - begun + error.start if isinstance(error, UnicodeDecodeError) else None
        raise _undecodable(str(file), chosen, where, of_rows=True) from None
