"""A topic model as a folder, and back: what is kept of it, and what is checked on the way in.

`model.json` holds the format's version, the algorithm, its parameters and seed, the vocabulary
with its hash, how texts become counts, and which Chatham wrote it; `arrays.safetensors` holds the
topics, their shares, the objective, what else was fitted, and parameters that are arrays. There
are no times in it: the same model gives the same bytes.

What the arrays must be (their shapes, their range, what a fit makes true) stands at the end:
kernels trust all of it, so a file that breaks it is refused, however its hashes fit.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from chatham.errors import InputError, ModelFileError
from chatham.model.folder import Arrays, read_folder, write_folder
from chatham.model.plain import as_groups, as_pairs, check_seed, joined, parted
from chatham.model.registry import LEARNERS, Learner, Shape, make_settings
from chatham.model.topic_model import TopicModel
from chatham.naming import plural
from chatham.version import version

if TYPE_CHECKING:
    from chatham.learners.settings.base import Settings

LONGEST_WORD = 500
MOST_WORD_BYTES = 1 << 32
"""Words become an array in which each takes the room of the longest, four bytes a character."""
MOST_SAID = 200
Lengths = tuple[int, ...]
ALWAYS = ("topics", "prevalence", "objective")
PARAMETER = "parameter."
FITTED = "fitted."
SMALLEST, LARGEST = 1e-37, 1e30
"""Between these, numbers stay above zero and finite in single precision, which some kernels use."""


def save(model: TopicModel, folder: str | PathLike[str]) -> None:
    """Write the model to a folder, which may hold an older model and nothing else."""
    write_folder(Path(folder), *_packed(model))


def load(folder: str | PathLike[str]) -> TopicModel:
    """Read a model that `save` has written.

    Nothing in the folder can run, and whatever is wrong with it is a `ModelFileError`.

    >>> import tempfile, chatham as ch
    >>> model = ch.fit("nmf", ["cats purr", "dogs bark", "cats and dogs"], n_components=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(folder)
    ...     again = ch.load(folder)
    >>> bool((again.topics == model.topics).all())
    True
    """
    path = Path(folder)
    try:
        return _unpacked(*read_folder(path))
    except ModelFileError:
        raise
    except InputError as error:
        why = " ".join(str(error).split())
        why = why if len(why) <= MOST_SAID else f"{why[:MOST_SAID]} …."
        raise ModelFileError(f"The model in '{path}' is damaged: {why}") from error


def vocabulary_hash(vocabulary: Sequence[str]) -> str:
    """SHA-256 of the words in their order, written as JSON so that no two lists are alike."""
    return hashlib.sha256(json.dumps(list(vocabulary)).encode("ascii")).hexdigest()


def _packed(model: TopicModel) -> tuple[dict[str, Any], Arrays]:
    estimator = model.estimator
    estimator._check_fitted()  # what couldn't be read again isn't written
    parameters, given = parted(_kept(estimator.get_params(deep=False)))
    arrays: Arrays = {
        "topics": estimator.components_,
        "prevalence": estimator.prevalence_,
        "objective": np.asarray(estimator.objective_, dtype=np.float64),
    }
    arrays |= {PARAMETER + name: array for name, array in given.items()}
    learner = LEARNERS[model.algorithm]
    for name in (*learner.fitted, *learner.signed, *learner.series):
        arrays[FITTED + name] = np.asarray(getattr(estimator, name), dtype=np.float64)
    words = [str(word) for word in model.vocabulary]
    _check_lengths(words)
    return {
        "algorithm": model.algorithm,
        "parameters": parameters,
        "seed": model.seed,
        "iterations": int(estimator.n_iter_),
        "events": {name: np.array(getattr(estimator, name)).tolist() for name in learner.events},
        "groups": {name: _listed(getattr(estimator, name)) for name in learner.groups},
        "library_version": version(),
        "vocabulary": words,
        "vocabulary_sha256": vocabulary_hash(words),
        "vectorizer": None if model.vectorizer is None else model.vectorizer.to_dict(),
    }, arrays


def _listed(groups: Sequence[Any]) -> list[list[int]]:
    return [[int(place) for place in group] for group in groups]


def _kept(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """How many threads there were, and how talkative, is no part of a model."""
    return {name: value for name, value in parameters.items() if name not in ("n_jobs", "verbose")}


def _unpacked(description: Mapping[str, Any], arrays: Arrays) -> TopicModel:
    words = _checked_vocabulary(description)
    learner = _checked_learner(description)
    settings = make_settings(description["algorithm"], _parameters(description, arrays))
    check_numbers(arrays, learner, len(words))
    if settings._on_simplex:
        check_simplex(arrays["topics"])
    _restore(settings, arrays, learner, description)
    settings._check_fitted()
    return TopicModel._of(settings, words, _vectorizer(description.get("vectorizer"), words))


def _checked_vocabulary(description: Mapping[str, Any]) -> list[str]:
    words = description.get("vocabulary")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ModelFileError("The model's vocabulary is not a list of words.")
    _check_lengths(words)
    if vocabulary_hash(words) != description.get("vocabulary_sha256"):
        raise ModelFileError(
            "The model's vocabulary does not have the hash that was saved with it; words were "
            "changed, added or lost."
        )
    return words


def _check_lengths(words: Sequence[str]) -> None:
    longest = max(map(len, words), default=0)
    if longest > LONGEST_WORD or 4 * longest * len(words) > MOST_WORD_BYTES:
        raise ModelFileError(
            f"The longest of the model's {len(words):,} words has {longest:,} characters; at most "
            f"{LONGEST_WORD} are allowed, and {MOST_WORD_BYTES:,} bytes for all words."
        )


def _checked_learner(description: Mapping[str, Any]) -> Learner:
    name = description.get("algorithm")
    if not isinstance(name, str) or name not in LEARNERS:
        raise ModelFileError(
            f"The model's algorithm {str(name)[:40]!r} is not one that this Chatham has."
        )
    return LEARNERS[name]


def _parameters(description: Mapping[str, Any], arrays: Arrays) -> dict[str, Any]:
    parameters = description.get("parameters")
    if not isinstance(parameters, dict):
        raise ModelFileError("The model's parameters are missing.")
    check_seed(parameters)
    given = {
        name.removeprefix(PARAMETER): array
        for name, array in arrays.items()
        if name.startswith(PARAMETER)
    }
    return joined(parameters, given)


def _restore(
    settings: Settings, arrays: Arrays, learner: Learner, description: Mapping[str, Any]
) -> None:
    iterations, objective = description.get("iterations"), arrays.get("objective")
    if type(iterations) is not int or iterations < 0 or objective is None or objective.ndim != 1:
        raise ModelFileError(
            "The model's objective, or its number of iterations, is missing or damaged."
        )
    if settings.n_components != len(arrays["topics"]):
        raise ModelFileError(
            f"The model has {plural(len(arrays['topics']), 'topic')}, and its parameters speak of "
            f"{settings.n_components}."
        )
    settings.components_, settings.prevalence_ = arrays["topics"], arrays["prevalence"]
    settings.objective_, settings.n_iter_ = objective, iterations
    settings.n_features_in_ = arrays["topics"].shape[1]
    for name in (*learner.fitted, *learner.signed, *learner.series):
        array = arrays[FITTED + name]
        setattr(settings, name, array if array.ndim else float(array))
    for name in learner.events:
        pairs = as_pairs(description.get("events"), name, settings.n_components)
        setattr(settings, name, pairs)
    for name in learner.groups:
        shape = settings.components_.shape
        setattr(settings, name, as_groups(description.get("groups"), name, *shape))


def _vectorizer(settings: Any, words: Sequence[str]) -> Any:
    if settings is None:
        return None
    from chatham.corpus.text.vectorizer import Vectorizer

    try:
        return Vectorizer.from_dict(settings, words)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ModelFileError("The model's settings for reading texts are damaged.") from error


def check_numbers(arrays: Arrays, learner: Learner, d: int) -> None:
    """Every array has the shape that topics and vocabulary dictate, and numbers in range."""
    topics = arrays.get("topics")
    k = len(topics) if topics is not None and topics.ndim == 2 else 0
    wanted = _wanted_shapes(learner, {"k": k, "d": d})
    for name, allowed in wanted.items():
        array = arrays.get(name)
        if array is None or array.shape not in allowed or array.dtype != np.float64 or k == 0:
            raise ModelFileError(
                f"The model's array {name!r} must be float64 of shape {allowed[0]}, for "
                f"{plural(k, 'topic')} and {plural(d, 'word')}; it is "
                f"{'missing' if array is None else _kind(array)}."
            )
        if name.removeprefix(FITTED) in learner.signed:
            _check_range(name, array, -LARGEST)
            _check_symmetry(name, array)
        else:
            above_zero = name.startswith(FITTED) or (name == "topics" and learner.utters_all)
            below = -LARGEST if name == "topics" and learner.directions else 0.0
            _check_range(name, array, SMALLEST if above_zero else below)
    _check_shares(arrays["prevalence"])
    series = {FITTED + name for name in learner.series}
    for name in series:
        _check_series(name, arrays.get(name))
    for name in arrays.keys() - {*ALWAYS, *wanted, *series}:
        if not name.startswith(PARAMETER):
            raise ModelFileError(f"The model's array {name[:40]!r} belongs to no model.")


def _wanted_shapes(learner: Learner, lengths: Mapping[str, int]) -> dict[str, list[Lengths]]:
    """The arrays that a model of this learner has, with the shapes that each may have."""
    shapes: dict[str, tuple[Shape, ...]] = {"topics": (("k", "d"),), "prevalence": (("k",),)}
    shapes |= {FITTED + name: allowed for name, allowed in learner.fitted.items()}
    shapes |= {FITTED + name: (shape,) for name, shape in learner.signed.items()}
    return {
        name: [tuple(lengths[part] for part in shape) for shape in allowed]
        for name, allowed in shapes.items()
    }


def _check_symmetry(name: str, array: Any) -> None:
    if not np.allclose(array, array.T, rtol=1e-6, atol=1e-9 * float(np.abs(array).max())):
        raise ModelFileError(f"The model's array {name!r} is not symmetric, as every fit's is.")


def _check_series(name: str, array: Any) -> None:
    if array is None or array.ndim != 1 or array.dtype != np.float64:
        raise ModelFileError(
            f"The model's array {name!r} must be a row of float64 numbers; it is "
            f"{'missing' if array is None else _kind(array)}."
        )
    _check_range(name, array, -LARGEST)


def _check_shares(prevalence: Any) -> None:
    if abs(prevalence.sum() - 1) > 1e-6:
        raise ModelFileError("The model's topic shares do not sum to one.")
    # Topics are numbered by their shares rounded to nine digits, so the last may be out of order.
    if (np.diff(prevalence) > 2e-9).any():
        raise ModelFileError("The model's topics are not numbered by size, the largest first.")


def check_simplex(topics: Any) -> None:
    """Topics are probabilities."""
    if (np.abs(topics.sum(axis=1) - 1) > 1e-6).any():
        raise ModelFileError("The model's topics are not probabilities: a row doesn't sum to one.")


def _check_range(name: str, array: Any, least: float) -> None:
    if not ((array >= least) & (array <= LARGEST)).all():
        raise ModelFileError(
            f"The model's array {name!r} holds numbers below {least:g} or above {LARGEST:g}, which "
            "no fit gives."
        )


def _kind(array: Any) -> str:
    return f"{array.dtype} of shape {array.shape}"
