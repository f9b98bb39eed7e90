"""A summary as one `.summary` file, signed if its owner wishes, and back.

The file is a line that says what it is, the length of a description, the description in JSON, and
the arrays as safetensors, as in a model's folder. Nothing in it can run. Reading treats every byte
as hostile: sizes are checked before anything is read, hashes and the signature before arrays are
unpacked, and then all that a summary must be (`summary.check`).

A signature is Ed25519's, with the key that `chatham keygen` makes, over the whole description: that
holds the arrays' hash, the name of whoever signs and the public key. It shows that the owner of the
key published this, and no more; that a key is whose it says, people must compare.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import uuid
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from chatham.ensembles.summary import MOST_CELLS, Signer, Summary
from chatham.errors import InputError, SummaryFileError
from chatham.federation.extra import need_federation
from chatham.model.packing import (
    MOST_HEADER_BYTES,
    announced_shapes,
    bytes_of,
    check_size,
    described,
    packed_arrays,
    unpacked_arrays,
)
from chatham.model.plain import is_plain
from chatham.model.schema import LONGEST_WORD, vocabulary_hash
from chatham.naming import is_name, path_shown
from chatham.version import version

if TYPE_CHECKING:
    from chatham.commons.secure.keys import Identity

FORMAT, FORMAT_VERSION = "chatham summary", 1
ENDING = ".summary"
MAGIC = b"chatham summary\n"
LENGTH = struct.Struct("<Q")
MOST_DESCRIPTION_BYTES = 1 << 26
MOST_ARRAYS_BYTES = 6 * 8 * MOST_CELLS
LONGEST_REASON = 200
MOST_SENTENCES, LONGEST_SENTENCE = 40, 1_000
SIGNED = b"chatham summary signed 1"


def write_summary(
    summary: Summary, path: str | PathLike[str], *, sign_as: Identity | None = None
) -> Path:
    """Write a summary, signed with a key if one is given; a file that is there is replaced.

    Whoever signs needs a name. Returns the path, with `.summary` at its end.
    """
    path = named(path)
    if sign_as is not None and not summary.name:
        raise InputError("A summary that is signed says whose it is; give it a name.")
    content = packed(summary, sign_as)
    temporary = path.with_name(f".{path.name}-{uuid.uuid4().hex}")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise SummaryFileError(
            f"'{path}' can't be written: {error.strerror or type(error).__name__}."
        ) from error
    finally:
        temporary.unlink(missing_ok=True)
    return path


def named(path: str | PathLike[str]) -> Path:
    """The path with the ending of summaries."""
    path = Path(path)
    return path if path.suffix == ENDING else path.with_name(path.name + ENDING)


def read_summary(path: str | PathLike[str]) -> Summary:
    """Read a summary that `write_summary` or `chatham publish` has written.

    Anything wrong with it, its signature included, is a `SummaryFileError`.

    >>> import tempfile, chatham as ch
    >>> counts = [[3, 1, 1], [2, 1, 1], [1, 1, 2], [1, 2, 3], [1, 3, 1], [2, 2, 2]]
    >>> model = ch.fit("plsa", counts, vocabulary=["tea", "milk", "rum"], n_components=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = ch.write_summary(ch.publish(model), f"{folder}/ours")
    ...     path.name, ch.read_summary(path).documents
    ('ours.summary', 6)
    """
    path = Path(path)
    return unpacked(_content(path), path)


def packed(summary: Summary, sign_as: Identity | None = None) -> bytes:
    """The bytes of the file; the same summary and key give the same."""
    arrays = {"topics": summary.topics, "sizes": summary.sizes, **summary.statistics}
    content = packed_arrays(arrays, "of the summary")
    words = [str(word) for word in summary.vocabulary]
    _check_words(words)
    description: dict[str, Any] = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "arrays": {name: list(np.shape(array)) for name, array in arrays.items()},
        "arrays_sha256": hashlib.sha256(content).hexdigest(),
        "kind": summary.kind,
        "vocabulary": words,
        "vocabulary_sha256": vocabulary_hash(words),
        "documents": summary.documents,
        "tokens": summary.tokens,
        "settings": dict(summary.settings),
        "numbers": list(summary.numbers),
        "tokenizer": None if summary.tokenizer is None else dict(summary.tokenizer),
        "name": summary.name,
        "exact": summary.exact,
        "reveals": summary.reveals,
        "library_version": version(),
        "signed": None,
    }
    if summary.kept:
        description["kept"] = True
    if sign_as is not None:
        description["key"] = sign_as.public.hex()
        description["signed"] = sign_as.sign(_signed_message(description)).hex()
    text = _json(description)
    if len(text) > MOST_DESCRIPTION_BYTES:
        raise SummaryFileError(
            f"The summary's words and settings take {len(text):,} bytes, and at most "
            f"{MOST_DESCRIPTION_BYTES:,} could be read again; keep fewer words."
        )
    return MAGIC + LENGTH.pack(len(text)) + text + content


def _json(description: Mapping[str, Any]) -> bytes:
    text = json.dumps(description, indent=1, sort_keys=True, allow_nan=False) + "\n"
    return text.encode("ascii")


def _signed_message(description: Mapping[str, Any]) -> bytes:
    """What is signed: all of the description but the signature itself."""
    rest = {name: value for name, value in description.items() if name != "signed"}
    return SIGNED + hashlib.sha256(_json(rest)).digest()


def _content(path: Path) -> bytes:
    if not os.path.exists(path):
        raise SummaryFileError(f"There is no summary {path_shown(path)}.")
    most = len(MAGIC) + LENGTH.size + MOST_DESCRIPTION_BYTES + MOST_ARRAYS_BYTES
    try:
        check_size(path, most + MOST_HEADER_BYTES, "a summary")
        with path.open("rb") as file:
            beginning = file.read(len(MAGIC))
            return beginning if beginning != MAGIC else beginning + file.read(most)
    except OSError as error:
        raise SummaryFileError(f"'{path}' can't be read: {error.strerror or error}.") from error
    except InputError as error:
        raise SummaryFileError(*error.args) from error


def unpacked(content: bytes, path: Path, *, kept: bool = False) -> Summary:
    """The summary in these bytes of a file: a published one, or one that a model keeps at home."""
    try:
        summary = _unpacked(content, path)
        if summary.kept != kept:
            raise SummaryFileError(
                f"'{path}' is what a model keeps at home, with exact sums, and not for others; "
                "publish a summary with 'chatham publish'."
                if summary.kept
                else f"'{path}' is a published summary, and not what a model keeps at home."
            )
        return summary
    except SummaryFileError:
        raise
    except InputError as error:
        reason = " ".join(str(error).split())
        reason = reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]} …."
        raise SummaryFileError(f"The summary '{path}' is damaged: {reason}") from error


def _unpacked(content: bytes, path: Path) -> Summary:
    description, packed = _parted(content, path)
    _check_format(description, path)
    signer = _verified(description, path)
    shapes = announced_shapes(description.get("arrays"), path, "The description in")
    if bytes_of(shapes) > MOST_ARRAYS_BYTES:
        raise SummaryFileError(f"'{path}' announces larger arrays than a summary has.")
    if hashlib.sha256(packed).hexdigest() != description.get("arrays_sha256"):
        raise SummaryFileError(
            f"The arrays in '{path}' aren't those that it describes (their hash differs): it is "
            "damaged, or not all there."
        )
    arrays = unpacked_arrays(packed, shapes, path)
    return Summary(
        kind=_text(description, "kind"),
        vocabulary=_vocabulary(description),
        topics=arrays.pop("topics", np.empty(0)),
        sizes=arrays.pop("sizes", np.empty(0)),
        documents=description["documents"],
        tokens=description["tokens"],
        statistics=arrays,
        settings=_settings(description),
        numbers=tuple(_list(description, "numbers")),
        tokenizer=_tokenizer(description),
        name=_text(description, "name"),
        signer=signer,
        kept=description.get("kept", False),
        exact=description["exact"],
    )


def _parted(content: bytes, path: Path) -> tuple[dict[str, Any], bytes]:
    """The description, and the bytes of the arrays after it."""
    if not content.startswith(MAGIC):
        raise SummaryFileError(
            f"'{path}' is not a Chatham summary; give a file that 'chatham publish' has written."
        )
    start = len(MAGIC) + LENGTH.size
    if len(content) < start:
        raise SummaryFileError(f"The summary '{path}' is not all there: it ends in its first line.")
    (length,) = LENGTH.unpack(content[len(MAGIC) : start])
    if length > MOST_DESCRIPTION_BYTES or len(content) < start + length:
        raise SummaryFileError(
            f"The summary '{path}' is not all there, or damaged: its description should have "
            f"{length:,} bytes."
        )
    text, packed = content[start : start + length], content[start + length :]
    return described(text, path, "Chatham summary"), packed


FIELDS = frozenset(
    {
        "format", "format_version", "arrays", "arrays_sha256", "kind", "vocabulary",
        "vocabulary_sha256", "documents", "tokens", "settings", "numbers", "tokenizer", "name",
        "exact", "reveals", "library_version", "signed",
    }
)  # fmt: skip


def _check_format(description: Mapping[str, Any], path: Path) -> None:
    if description.get("format") != FORMAT:
        raise SummaryFileError(f"'{path}' does not describe a Chatham summary.")
    number = description.get("format_version")
    if type(number) is not int or number != FORMAT_VERSION:
        raise SummaryFileError(
            f"The summary '{path}' has format version {str(number)[:20]}, and this Chatham reads "
            f"version {FORMAT_VERSION}; use the Chatham that wrote it."
        )
    fields = set(description) - {"key", "kept"}
    if fields != FIELDS:
        name = sorted(fields ^ FIELDS)[0][:40]
        problem = "lacks" if name in FIELDS else "has a field that no summary has,"
        raise SummaryFileError(f"The description in '{path}' {problem} {name!r}.")
    if description.get("kept", True) is not True:
        raise SummaryFileError(f"The description in '{path}' has a field 'kept' that isn't true.")
    sentences = description["reveals"]
    if (
        not isinstance(sentences, list)
        or len(sentences) > MOST_SENTENCES
        or not all(isinstance(text, str) and len(text) <= LONGEST_SENTENCE for text in sentences)
    ):
        raise SummaryFileError(f"What '{path}' says that it reveals is not a list of sentences.")


def _verified(description: Mapping[str, Any], path: Path) -> Signer | None:
    """Who signed it; a signature that isn't theirs is refused, and so is a key without one."""
    key: Any = description.get("key")
    signature = description["signed"]
    if key is None and signature is None:
        return None
    need_federation()
    from chatham.commons.secure.keys import is_signed

    try:
        public, signed = bytes.fromhex(key), bytes.fromhex(signature)
        whole = len(public) == 32 and len(signed) == 64 and key == public.hex()
        fits = whole and is_signed(public, signed, _signed_message(description))
    except (TypeError, ValueError):
        fits = False
    name = description["name"]
    if not fits or not isinstance(name, str) or not is_name(name):
        raise SummaryFileError(
            f"The signature of '{path}' is not that of its contents: the file was changed after it "
            "was signed, or somebody else wrote it; ask its owner for it again."
        )
    return Signer(name, key)


def _text(description: Mapping[str, Any], name: str) -> str:
    value = description[name]
    if not isinstance(value, str):
        raise InputError(f"its {name} is not a text.")
    return value


def _list(description: Mapping[str, Any], name: str) -> list[Any]:
    value = description[name]
    if not isinstance(value, list):
        raise InputError(f"its {name} are not a list.")
    return value


def _settings(description: Mapping[str, Any]) -> dict[str, Any]:
    settings = description["settings"]
    if not isinstance(settings, dict) or not all(isinstance(v, str) for v in settings.values()):
        raise InputError("its settings are not texts by name.")
    return settings


def _tokenizer(description: Mapping[str, Any]) -> dict[str, Any] | None:
    """How texts become words, if the tokenizer that it describes can be made."""
    settings = description["tokenizer"]
    if settings is None:
        return None
    plain = isinstance(settings, dict) and all(is_plain(value) for value in settings.values())
    if not plain:
        raise InputError("its tokenizer is not a table of plain values.")
    from chatham.corpus.text.tokens import Tokenizer

    try:
        Tokenizer.from_dict(settings)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError("its tokenizer is damaged.") from error
    return settings


def _vocabulary(description: Mapping[str, Any]) -> Any:
    words = _list(description, "vocabulary")
    if set(map(type, words)) != {str}:
        raise InputError("its vocabulary is not a list of words.")
    _check_words(words)
    if vocabulary_hash(words) != description["vocabulary_sha256"]:
        raise InputError("its vocabulary does not have the hash that was saved with it.")
    array = np.empty(len(words), dtype=object)
    array[:] = words
    return array


def _check_words(words: list[str]) -> None:
    longest = max(map(len, words), default=0)
    if longest > LONGEST_WORD:
        raise SummaryFileError(
            f"A word of the summary has {longest:,} characters, and at most {LONGEST_WORD} are "
            "allowed; leave it out."
        )
