"""The files of a model folder, as bytes: `model.json`, `arrays.safetensors`, and what is kept.

Writing is deterministic, and each file is written under another name and renamed. `model.json` is
renamed last, and holds the hashes of all others; until then the files that belong to the one that
is there stay, those of the same name as `arrays.before`. So whenever it is interrupted, the folder
holds the older model or the new one. Reading treats every byte as hostile: it checks sizes before
it reads, hashes before it parses, and shapes before it trusts; and no format can hold anything that
runs.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from chatham.errors import ModelFileError
from chatham.model.packing import (
    MOST_HEADER_BYTES,
    announced_shapes,
    bytes_of,
    check_size,
    described,
    packed_arrays,
    unpacked_arrays,
)
from chatham.model.plain import Arrays
from chatham.naming import path_shown
from chatham.wording import Either, say

FORMAT = "chatham model"
FORMAT_VERSION = 1
EDITED_VERSION = 2
"""Of a model with names or edits, so that an older Chatham doesn't read it without them."""
DESCRIPTION = "model.json"
ARRAYS = "arrays.safetensors"
BEFORE = "arrays.before"
"""The arrays of the model that is being replaced."""
KEPT = "{}.kept"
"""A file that the model keeps, named by its hash."""
IS_KEPT = re.compile(r"[0-9a-f]{64}\.kept")
MOST_KEPT_BYTES = 1 << 34
MOST_DESCRIPTION_BYTES = 1 << 26
MOST_PREFIX_BYTES = 1 << 20
SAYS_FORMAT = re.compile(rb'"format"\s*:\s*"' + FORMAT.encode("ascii") + b'"')


def write_folder(
    folder: Path,
    fields: Mapping[str, Any],
    arrays: Mapping[str, Any],
    files: Sequence[bytes] = (),
) -> None:
    """Write all files; arrays that `read_folder` would refuse aren't written.

    A new folder appears with all of them or not at all. In an older model's folder, that model is
    there until the new one is. `files` are kept beside the model for `read_files`.
    """
    check_writable(folder)
    packed = packed_arrays(arrays, "of the model")
    sha256 = hashlib.sha256(packed).hexdigest()
    description = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "arrays": {name: list(np.shape(array)) for name, array in arrays.items()},
        "arrays_sha256": sha256,
        **fields,
    }
    text = json.dumps(description, indent=1, sort_keys=True, allow_nan=False) + "\n"
    if len(text) > MOST_DESCRIPTION_BYTES:
        raise ModelFileError(
            f"The model's words and settings take {len(text):,} bytes, and at most "
            f"{MOST_DESCRIPTION_BYTES:,} could be read again; keep fewer words."
        )
    kept = {KEPT.format(hashlib.sha256(content).hexdigest()): content for content in files}
    try:
        _replace(folder, {**kept, ARRAYS: packed, DESCRIPTION: text.encode("ascii")})
    except OSError as error:
        raise ModelFileError(
            f"The model could not be written to '{folder}': {error.strerror or error}."
        ) from error


def hash_of(arrays: Mapping[str, Any]) -> str:
    """The hash by which a model's description, and what stands beside it, name its arrays."""
    return hashlib.sha256(packed_arrays(arrays, "of the model")).hexdigest()


def write_beside(path: Path, content: bytes) -> None:
    """Another file of the model's folder, in full or not at all."""
    try:
        _write_file(path, content)
    except OSError as error:
        raise ModelFileError(
            f"'{path}' could not be written: {error.strerror or error}."
        ) from error


def remove_beside(path: Path) -> None:
    """Such a file of an older model, if there is one."""
    try:
        if os.path.lexists(path):
            path.unlink()
    except OSError as error:
        raise ModelFileError(
            f"'{path}' could not be removed: {error.strerror or error}."
        ) from error


def check_writable(folder: Path) -> None:
    """Refuse to write over anything but a model or an empty folder."""
    if folder.exists() and not folder.is_dir():
        raise ModelFileError(
            f"'{folder}' is a file, and a model is saved as a folder; choose another name."
        )
    if folder.is_dir() and any(folder.iterdir()) and not is_model(folder):
        raise ModelFileError(
            f"The folder '{folder}' holds something other than a Chatham model and stays as it "
            "is; choose a new folder, or an older model's to replace it."
        )


def is_model(folder: Path) -> bool:
    """Whether the beginning of the folder's description says that it is a Chatham model."""
    path = folder / DESCRIPTION
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            beginning = file.read(MOST_PREFIX_BYTES)
    except OSError:
        return False
    return beginning.lstrip().startswith(b"{") and SAYS_FORMAT.search(beginning) is not None


def _replace(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write under another name and rename; a new folder appears as a whole."""
    temporary = (
        folder if folder.is_dir() else folder.with_name(f".{folder.name}-{uuid.uuid4().hex}")
    )
    temporary.mkdir(parents=True, exist_ok=True)
    try:
        if (folder / ARRAYS).exists():
            _set_aside(folder)
        for name, content in files.items():
            if not _is_there(folder / name):
                _write_file(temporary / name, content)
        if temporary != folder:
            temporary.rename(folder)
        _leave_only(folder, files)
    finally:
        if temporary != folder:
            shutil.rmtree(temporary, ignore_errors=True)


def _set_aside(folder: Path) -> None:
    """Keep the arrays of the model that is there, until another `model.json` is.

    After an interruption they may be there already, and the others belong to no model.
    """
    try:
        description = _described(folder)
        if _holds(folder / ARRAYS, description.get("arrays_sha256")):
            _write_file(folder / BEFORE, (folder / ARRAYS).read_bytes())
    except ModelFileError:
        return  # what is there is no model that could be read


def _holds(path: Path, digest: Any) -> bool:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() == digest
    except OSError:
        return False


def _is_there(path: Path) -> bool:
    """Whether a file that is named by its hash is there already."""
    return IS_KEPT.fullmatch(path.name) is not None and _holds(path, path.stem)


def _leave_only(folder: Path, files: Mapping[str, bytes]) -> None:
    """Remove what belongs to the model before."""
    for path in folder.iterdir():
        if path.name not in files and (path.name == BEFORE or IS_KEPT.fullmatch(path.name)):
            path.unlink(missing_ok=True)


def _write_file(path: Path, content: bytes) -> None:
    temporary = path.with_name(f".{path.name}-{uuid.uuid4().hex}")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def read_folder(folder: Path) -> tuple[dict[str, Any], Arrays]:
    """Read the description and the arrays that it announces, and check one against the other."""
    if not os.path.isdir(folder):
        problem = "is a file, not a folder" if os.path.exists(folder) else "does not exist"
        raise ModelFileError(
            say(
                "The model folder {folder} {problem}; give a folder that {writer} has written.",
                folder=path_shown(folder),
                problem=problem,
                writer=Either("'save'", "'chatham fit -o'"),
            )
        )
    description = _described(folder)
    _check_format(folder, description)
    return description, _read_arrays(folder / ARRAYS, description)


def read_files(folder: Path, digests: Sequence[str]) -> tuple[bytes, ...]:
    """The files that are kept beside a model, each the one that its hash says."""
    return tuple(_kept(folder / KEPT.format(digest), digest) for digest in digests)


def _kept(path: Path, digest: str) -> bytes:
    content = _read(path, MOST_KEPT_BYTES)
    if hashlib.sha256(content).hexdigest() != digest:
        raise ModelFileError(
            f"'{path}' is not what the model kept (its hash differs): it is damaged, or from "
            "another model."
        )
    return content


def _described(folder: Path) -> dict[str, Any]:
    path = folder / DESCRIPTION
    return described(_read(path, MOST_DESCRIPTION_BYTES), path, "Chatham model")


def _read(path: Path, most: int) -> bytes:
    try:
        check_size(path, most, "this model")
        with path.open("rb") as file:
            return file.read(most)
    except FileNotFoundError as error:
        raise ModelFileError(
            f"The folder '{path.parent}' is not a Chatham model: it has no file '{path.name}'."
        ) from error
    except OSError as error:
        raise ModelFileError(f"'{path}' could not be read: {error.strerror or error}.") from error


def _check_format(folder: Path, description: Mapping[str, Any]) -> None:
    if description.get("format") != FORMAT:
        raise ModelFileError(f"'{folder / DESCRIPTION}' does not describe a Chatham model.")
    version = description.get("format_version")
    if type(version) is not int or version not in (FORMAT_VERSION, EDITED_VERSION):
        raise ModelFileError(
            f"The model in '{folder}' has format version {str(version)[:20]}, and this Chatham "
            f"reads versions {FORMAT_VERSION} and {EDITED_VERSION}; use the Chatham that wrote it."
        )


def _read_arrays(path: Path, description: Mapping[str, Any]) -> Arrays:
    shapes = announced_shapes(description.get("arrays"), path, f"The '{DESCRIPTION}' beside")
    most = bytes_of(shapes) + MOST_HEADER_BYTES
    before = path.with_name(BEFORE)
    if before.is_file():  # replacing was interrupted
        with contextlib.suppress(ModelFileError):
            return unpacked_arrays(_read_hashed(before, most, description), shapes, before)
    return unpacked_arrays(_read_hashed(path, most, description), shapes, path)


def _read_hashed(path: Path, most: int, description: Mapping[str, Any]) -> bytes:
    content = _read(path, most)
    if hashlib.sha256(content).hexdigest() != description.get("arrays_sha256"):
        raise ModelFileError(
            f"'{path}' does not belong to the '{DESCRIPTION}' beside it (its hash differs): one "
            "of them is damaged or from another model."
        )
    return content
