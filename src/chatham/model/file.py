"""A topic model as a folder, and back.

`model.json` holds the format's version, the algorithm, its parameters and seed, the vocabulary
with its hash, how texts become counts, and which Chatham wrote it; `arrays.safetensors` holds the
topics, their shares, the objective, what else was learned, and parameters that are arrays. They
hold no times: the same model gives the same bytes. Where parties have scored the model together,
`scores.json` beside them holds that (see `scores`), and `tables.json` what they made over time and
by group (see `cell_tables`). A model that grows by slices has its history in `model.json` too, and
beside it the summary of each slice, in a file that its hash names. Names that topics were given and
edits are in `model.json`, whose format is then 2; what is edited itself stays as it was fitted, so
that undoing the edits gives the same bytes again.

What each of them must be is in `schema`, and the files as bytes are in `folder`.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from chatham.errors import InputError, ModelFileError
from chatham.model import cell_tables, scores
from chatham.model.folder import (
    check_writable,
    hash_of,
    read_files,
    read_folder,
    remove_beside,
    write_beside,
    write_folder,
)
from chatham.model.plain import Arrays
from chatham.model.registry import check_learners
from chatham.model.schema import add_names_and_edits, packed, unpacked
from chatham.model.topic_model import TopicModel

if TYPE_CHECKING:
    from chatham.learners.base import TopicLearner

LONGEST_REASON = 200


def save(model: TopicModel, folder: str | PathLike[str]) -> None:
    """Write the model to a folder, which may hold an older model and nothing else."""
    path = Path(folder)
    check_writable(path)
    fields, arrays = packed(model)
    beside = _beside(model, arrays)
    for name in (scores.FILE, cell_tables.FILE):
        if not _holds(path / name, beside.get(name)):
            remove_beside(path / name)  # another model's, however this ends
    write_folder(path, fields, arrays, files=model._kept)
    for name, content in beside.items():
        if not _holds(path / name, content):
            write_beside(path / name, content)


def _beside(model: TopicModel, arrays: Arrays) -> dict[str, bytes]:
    """What parties found together, in files that name the model by a hash of its arrays."""
    found: dict[str, bytes] = {}
    if model.scores is None and not model.tables:
        return found
    sha256 = hash_of(arrays)
    if model.scores is not None:
        found[scores.FILE] = scores.packed(model.scores, sha256)
    if model.tables:
        found[cell_tables.FILE] = cell_tables.packed(model.tables, sha256)
    return found


def _holds(path: Path, content: bytes | None) -> bool:
    """Whether the file is there as it should be: then it stays, since nobody can make it again."""
    try:
        return content is not None and path.read_bytes() == content
    except OSError:
        return False


def load(folder: str | PathLike[str], *, learners: Sequence[type[TopicLearner]] = ()) -> TopicModel:
    """Read a model that `save` has written.

    Nothing in the folder can run, and anything wrong with it is a `ModelFileError`. Its
    estimator is one of Chatham's learners, of the classes in `learners`, or of those that were
    registered; a model of a learner that is none of these still shows its topics.

    >>> import tempfile, chatham as ch
    >>> model = ch.fit("nmf", ["cats purr", "dogs bark", "cats and dogs"], n_components=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(folder)
    ...     again = ch.load(folder)
    >>> bool((again.topics == model.topics).all())
    True
    """
    path = Path(folder)
    learners_by_name = check_learners(learners)
    try:
        description, arrays = read_folder(path)
        settings, words, vectorizer, history = unpacked(description, arrays, learners_by_name)
        model = TopicModel._of(settings, words, vectorizer)
        if history is not None:
            hashes = [each.summary for each in history.slices]
            model._grown, model._kept = history, read_files(path, hashes)
        add_names_and_edits(model, description, arrays)
        model.scores = scores.read(path, description["arrays_sha256"])
        model.tables = cell_tables.read(path, description["arrays_sha256"])
        return model
    except ModelFileError:
        raise
    except InputError as error:
        reason = " ".join(str(error).split())
        reason = reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]} …."
        raise ModelFileError(f"The model in '{path}' is damaged: {reason}") from error
