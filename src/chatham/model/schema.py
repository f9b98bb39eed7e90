"""What a model folder holds, declared once; writing and reading follow the same lines.

`FIELDS` are the fields of `model.json`, each with what is written there and how it is checked when
it is read. The arrays beside it are those of `ARRAYS`, what the learner declares that its fits
leave behind (`learned`), and parameters that are arrays.

Kernels rely on what is declared here about arrays (shapes, range, invariants of a fit), so a folder
that violates it is refused even if its hashes fit; and it isn't written in the first place.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from chatham.errors import ChathamError, InputError, ModelFileError
from chatham.learners.parameters import learner_called
from chatham.learners.settings.base import Settings
from chatham.learners.settings.learned import (
    ATTRIBUTE,
    FITTED,
    LARGEST,
    SMALLEST,
    Events,
    Groups,
    Learned,
    Numbers,
    Series,
)
from chatham.learners.settings.unknown import UnknownLearnerSettings
from chatham.model.edits import EDIT, read_edits
from chatham.model.edits import described as described_edits
from chatham.model.folder import EDITED_VERSION
from chatham.model.history import History
from chatham.model.names import checked_given
from chatham.model.plain import Arrays, is_plain, joined, separated
from chatham.model.registry import LEARNERS, NAME, Learners, known, make_settings
from chatham.naming import plural
from chatham.version import version

LONGEST_WORD = 500
MOST_WORD_BYTES = 1 << 32
"""Words become an array in which each takes the space of the longest, four bytes per character."""
UNSAVED = ("n_jobs", "verbose")
"""The number of threads and the verbosity aren't part of a model."""
PARAMETER = "parameter."
LEARNED = "fitted."
HISTORY = "history"
"""The field of a model that grows by slices; others don't have it."""
NAMES, EDITS = "names", "edits"
"""The fields of names that were given to topics and of edits; a model without has format 1."""


@dataclass(frozen=True)
class Field:
    """A field of `model.json`."""

    written: Callable[[Any], Any]
    """The value for a topic model; where it `follows`, for the fields before it."""
    is_valid: Callable[[Any, Mapping[str, Any]], bool] = lambda value, description: True
    """Whether the value can be right, given all fields."""
    message: str = ""
    """The error where it can't."""
    check_bounds: Callable[[Any], None] = lambda value: None
    """Refuses a value that is out of bounds."""
    follows: bool = False
    """Whether it follows from fields before it, so that only one that was read can be wrong."""


DAMAGED = "The model's objective, or its number of iterations, is missing or damaged."

FIELDS: dict[str, Field] = {
    "vocabulary": Field(
        lambda model: list(map(str, model.vocabulary.tolist())),
        lambda words, _: isinstance(words, list) and set(map(type, words)) <= {str},
        "The model's vocabulary is not a list of words.",
        lambda words: _check_lengths(words),
    ),
    "vocabulary_sha256": Field(
        lambda fields: vocabulary_hash(fields["vocabulary"]),
        lambda value, description: value == vocabulary_hash(description["vocabulary"]),
        "The model's vocabulary does not have the hash that was saved with it; words were "
        "changed, added or lost.",
        follows=True,
    ),
    "algorithm": Field(
        lambda model: model.algorithm,
        lambda name, _: isinstance(name, str) and NAME.fullmatch(name) is not None,
        "The model's algorithm {!r} is not one that this Chatham has.",
    ),
    "parameters": Field(
        lambda model: _separated(model)[0],
        lambda parameters, _: isinstance(parameters, dict),
        "The model's parameters are missing.",
        lambda parameters: _check_plain(parameters),
    ),
    "seed": Field(lambda model: model.seed),
    "iterations": Field(
        lambda model: int(model._fitted.n_iter_),
        lambda number, _: type(number) is int and number >= 0,
        DAMAGED,
    ),
    "events": Field(lambda model: _lists(model._fitted, Events)),
    "groups": Field(lambda model: _lists(model._fitted, Groups)),
    "vectorizer": Field(
        lambda model: None if model.vectorizer is None else model.vectorizer.to_dict()
    ),
    "library_version": Field(lambda model: version()),
}

ARRAYS: dict[str, str] = {
    "topics": "components_",
    "prevalence": "prevalence_",
    "objective": "objective_",
}
"""The arrays that every model has, each with the estimator's attribute that it is."""


def vocabulary_hash(vocabulary: Sequence[str]) -> str:
    """SHA-256 of the words in their order, written as JSON so that different lists differ."""
    return hashlib.sha256(json.dumps(list(vocabulary)).encode("ascii")).hexdigest()


# Writing


def packed(model: Any) -> tuple[dict[str, Any], Arrays]:
    """The fields and the arrays of a topic model; what couldn't be read again is refused."""
    fitted: Settings = model._fitted
    fitted._check_parameters()
    fitted._check_fitted()
    described: dict[str, Any] = {}
    for name, field in FIELDS.items():
        described[name] = field.written(described if field.follows else model)
    arrays: Arrays = {
        name: np.asarray(getattr(fitted, attribute)) for name, attribute in ARRAYS.items()
    }
    arrays["objective"] = np.asarray(arrays["objective"], dtype=np.float64)
    arrays |= {PARAMETER + name: array for name, array in _separated(model)[1].items()}
    for name, value in learned_values(fitted).items():
        if isinstance(fitted.learned[name], Numbers | Series):
            arrays[LEARNED + name] = np.asarray(value, dtype=np.float64)
    check_fields(described, own=True)
    check_arrays(fitted, arrays, len(described["vocabulary"]), numbered=model._grown is not None)
    if model._grown is not None:
        described[HISTORY] = model._grown.to_list()
    for name, kind in fitted.learned.items():
        _read(name, kind, arrays, described)
    _add_edits(model, described, arrays)
    return described, arrays


def _add_edits(model: Any, fields: dict[str, Any], arrays: Arrays) -> None:
    """Names and edits, if there are any; then the file has the format that knows them."""
    if model._given_names:
        fields[NAMES] = {str(n): name for n, name in sorted(model._given_names.items())}
    if model._edits is not None:
        fields[EDITS], parts = described_edits(model._edits)
        arrays |= parts
    if fields.keys() & {NAMES, EDITS}:
        fields["format_version"] = EDITED_VERSION


def _separated(model: Any) -> tuple[dict[str, Any], Arrays]:
    parameters = model._fitted._parameter_values()
    return separated({name: value for name, value in parameters.items() if name not in UNSAVED})


def learned_values(fitted: Settings) -> dict[str, Any]:
    """What was learned besides topics; everything that the learner declares must be there."""
    try:
        return fitted._learned_values()
    except AttributeError as error:
        raise InputError(
            f"{type(fitted).__name__} declares that a fit leaves {error.name!r} behind, and "
            "this one didn't; return it from _fit, or remove it from learned."
        ) from None


def _lists(fitted: Settings, kind: type[Learned]) -> dict[str, Any]:
    return {
        name: [[int(part) for part in each] for each in value]
        for name, value in learned_values(fitted).items()
        if isinstance(fitted.learned[name], kind)
    }


# Reading


def unpacked(
    description: Mapping[str, Any], arrays: Arrays, learners: Learners
) -> tuple[Settings, list[str], Any, History | None]:
    """The settings with the numbers of a fit, the words, how texts become counts, the history."""
    check_fields(description)
    kind = known(description["algorithm"], learners)
    with _answering_for(kind):
        return _unpacked(description, arrays, kind)


@contextmanager
def _answering_for(kind: type[Settings] | None) -> Iterator[None]:
    """Anybody's learner may trip over what a file holds: then it is the file that is refused."""
    try:
        yield
    except ChathamError:
        raise
    except Exception as error:
        if kind is None or kind.algorithm in LEARNERS:
            raise
        raise ModelFileError(
            f"The learner {learner_called(kind)} can't take what the model holds "
            f"({type(error).__name__}): the model is damaged, or of another version of the learner."
        ) from error


def _unpacked(
    description: Mapping[str, Any], arrays: Arrays, kind: type[Settings] | None
) -> tuple[Settings, list[str], Any, History | None]:
    words: list[str] = description["vocabulary"]
    settings = _settings(description, arrays, kind)
    history = _history(description)
    check_arrays(settings, arrays, len(words), numbered=history is not None)
    if history is not None and history.n_topics != len(arrays["topics"]):
        raise InputError("its history is of another number of topics.")
    settings.n_iter_ = description["iterations"]
    settings.n_features_in_ = len(words)
    for name, attribute in ARRAYS.items():
        setattr(settings, attribute, arrays[name])
    settings._keep_learned(
        {name: _read(name, kind, arrays, description) for name, kind in settings.learned.items()}
    )
    settings._check_fitted()
    return settings, words, _vectorizer(description.get("vectorizer"), words), history


def _history(description: Mapping[str, Any]) -> History | None:
    return History.from_list(description[HISTORY]) if HISTORY in description else None


def add_names_and_edits(model: Any, description: Mapping[str, Any], arrays: Arrays) -> None:
    """Give a model that was read the names and edits that its file has, if they can be its."""
    has = description.keys() & {NAMES, EDITS}
    if bool(has) != (description["format_version"] == EDITED_VERSION):
        raise InputError("its format isn't that of a model with names or edits, or needs them.")
    if EDITS in has:
        model._edits = read_edits(description[EDITS], arrays, model._begun_edits)
    elif any(name.startswith(EDIT) for name in arrays):
        raise InputError("it has arrays of edits, and no edits.")
    if NAMES in has:
        edits = model._edits
        numbers = len(arrays["topics"]) if edits is None else edits.last.next_number
        model._given_names = checked_given(description[NAMES], numbers)


def _settings(
    description: Mapping[str, Any], arrays: Arrays, kind: type[Settings] | None
) -> Settings:
    parameters = description["parameters"]
    seed = parameters.get("random_state")
    if seed is not None and (type(seed) is not int or not 0 <= seed < 2**32):
        raise InputError("its random_state must be a whole number below 2**32, or null.")
    complete = joined(parameters, _named(arrays, PARAMETER))
    if kind is not None:
        return make_settings(kind, complete)
    apparent = _apparent(description, arrays)
    settings = UnknownLearnerSettings(description["algorithm"], complete, apparent)
    settings._check_parameters()
    return settings


def _apparent(description: Mapping[str, Any], arrays: Arrays) -> dict[str, Learned]:
    """What a learner that isn't known seems to have learned."""
    kinds: list[tuple[str, Learned]] = [(name, Numbers()) for name in _named(arrays, LEARNED)]
    for field, lists in (("events", Events()), ("groups", Groups())):
        listed = description.get(field)
        if not isinstance(listed, dict):
            raise InputError(f"its {field} must be lists by name.")
        kinds += [(name, lists) for name in listed]
    learned: dict[str, Learned] = {}
    for name, kind in kinds:
        if not ATTRIBUTE.fullmatch(name) or name in FITTED or name in learned:
            raise InputError(f"it can't have learned {name[:40]!r}, or not twice.")
        learned[name] = kind
    return learned


def _named(arrays: Arrays, prefix: str) -> Arrays:
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def _read(name: str, kind: Learned, arrays: Arrays, description: Mapping[str, Any]) -> Any:
    k, d = arrays["topics"].shape
    if isinstance(kind, Events):
        return _as_pairs(description.get("events"), name, k)
    if isinstance(kind, Groups):
        return _as_groups(description.get("groups"), name, k, d)
    array = arrays[LEARNED + name]
    return array if array.ndim else float(array)


def _as_pairs(events: Any, name: str, k: int) -> list[tuple[int, int]]:
    """The list of (iteration, topic) of that name, read back from JSON."""
    pairs = events.get(name) if isinstance(events, Mapping) else None
    if not isinstance(pairs, list) or not all(_is_pair(pair, k) for pair in pairs):
        raise InputError(f"its list {name!r} must hold pairs of an iteration and a topic.")
    return [(iteration, topic) for iteration, topic in pairs]


def _is_pair(pair: Any, k: int) -> bool:
    whole = isinstance(pair, list) and len(pair) == 2 and all(type(part) is int for part in pair)
    return whole and pair[0] >= 0 and 0 <= pair[1] < k


def _as_groups(groups: Any, name: str, k: int, d: int) -> list[Any]:
    """The list of that name with the columns of some words for each topic, read back from JSON."""
    listed = groups.get(name) if isinstance(groups, Mapping) else None
    if (
        not isinstance(listed, list)
        or len(listed) != k
        or not all(_are_columns(group, d) for group in listed)
        or len({column for group in listed for column in group}) < sum(map(len, listed))
    ):
        raise InputError(
            f"its list {name!r} must hold columns of words for each of {k} topics, none twice."
        )
    return [np.array(group, dtype=np.int64) for group in listed]


def _are_columns(group: Any, d: int) -> bool:
    whole = isinstance(group, list) and all(type(column) is int for column in group)
    return whole and len(group) > 0 and all(0 <= column < d for column in group)


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


# Checks, of what is written and of what is read


def check_fields(description: Mapping[str, Any], *, own: bool = False) -> None:
    """Every field has a valid value; of our own description, what follows from others does."""
    for name, field in FIELDS.items():
        if own and field.follows:
            continue
        value = description.get(name)
        if not field.is_valid(value, description):
            raise ModelFileError(field.message.format(str(value)[:40]))
        field.check_bounds(value)


def _check_plain(parameters: Mapping[str, Any]) -> None:
    for name, value in parameters.items():
        if not isinstance(value, dict) and not is_plain(value):  # arrays leave a note
            raise ModelFileError(
                f"The model's parameter {name[:40]!r} must be a number of up to 64 bits, a string, "
                "a list of such, or an array."
            )


def _check_lengths(words: Any) -> None:
    longest = max(map(len, words), default=0)
    if longest > LONGEST_WORD or 4 * longest * len(words) > MOST_WORD_BYTES:
        raise ModelFileError(
            f"The longest of the model's {len(words):,} words has {longest:,} characters; at most "
            f"{LONGEST_WORD} are allowed, and {MOST_WORD_BYTES:,} bytes for all words."
        )


def expected_arrays(settings: Settings) -> dict[str, Numbers | Series]:
    """The arrays that a model of these settings has, besides its objective."""
    below = -LARGEST if settings.directions else 0.0
    learned = {
        LEARNED + name: kind
        for name, kind in settings.learned.items()
        if isinstance(kind, Numbers | Series)
    }
    return {
        "topics": Numbers("kd", least=SMALLEST if settings.utters_all else below),
        "prevalence": Numbers("k", least=0.0),
        **learned,
    }


def check_arrays(settings: Settings, arrays: Arrays, d: int, *, numbered: bool = False) -> None:
    """Every array has the shape that topics and vocabulary dictate, and numbers in range.

    Topics are in the order of their sizes, unless they are `numbered` by their history.
    """
    topics, objective = arrays.get("topics"), arrays.get("objective")
    k = len(topics) if topics is not None and topics.ndim == 2 else 0
    expected = expected_arrays(settings)
    for name, kind in expected.items():
        if isinstance(kind, Series):
            _check_series(name, arrays.get(name))
        else:
            _check_numbers(name, kind, arrays.get(name), k, d)
    _check_shares(arrays["prevalence"], numbered)
    if objective is None or objective.ndim != 1:
        raise ModelFileError(DAMAGED)
    for name in arrays.keys() - {*ARRAYS, *expected}:
        if not name.startswith((PARAMETER, EDIT)):  # those of edits are read with them
            raise ModelFileError(f"The model's array {name[:40]!r} belongs to no model.")
    if settings._on_simplex and (np.abs(arrays["topics"].sum(axis=1) - 1) > 1e-6).any():
        raise ModelFileError("The model's topics are not probabilities: a row doesn't sum to one.")
    if settings.n_components != k:
        raise ModelFileError(
            f"The model has {plural(k, 'topic')}, and its parameters speak of "
            f"{settings.n_components}."
        )


def _check_numbers(name: str, kind: Numbers, array: Any, k: int, d: int) -> None:
    shapes = kind.sizes(k, d)
    fits = array is not None and (kind.shape is None or array.shape in shapes)
    if not fits or array.dtype != np.float64 or k == 0:
        expected_shape = f"of shape {shapes[0]}" if shapes else "of any shape"
        raise ModelFileError(
            f"The model's array {name!r} must be float64 {expected_shape}, for "
            f"{plural(k, 'topic')} and {plural(d, 'word')}; it is "
            f"{'missing' if array is None else _form(array)}."
        )
    _check_range(name, array, kind.least)
    if kind.symmetric and not np.allclose(
        array, array.T, rtol=1e-6, atol=1e-9 * float(np.abs(array).max())
    ):
        raise ModelFileError(f"The model's array {name!r} is not symmetric, as every fit's is.")


def _check_series(name: str, array: Any) -> None:
    if array is None or array.ndim != 1 or array.dtype != np.float64:
        raise ModelFileError(
            f"The model's array {name!r} must be a row of float64 numbers; it is "
            f"{'missing' if array is None else _form(array)}."
        )
    _check_range(name, array, -LARGEST)


def _form(array: Any) -> str:
    return f"{array.dtype} of shape {array.shape}"


def _check_range(name: str, array: Any, least: float) -> None:
    if not ((array >= least) & (array <= LARGEST)).all():
        raise ModelFileError(
            f"The model's array {name!r} holds numbers below {least:g} or above {LARGEST:g}, which "
            "no fit produces."
        )


def _check_shares(prevalence: Any, numbered: bool) -> None:
    if abs(prevalence.sum() - 1) > 1e-6:
        raise ModelFileError("The model's topic shares do not sum to one.")
    # Topics are numbered by their shares rounded to nine digits, so the last may be out of order.
    if not numbered and (np.diff(prevalence) > 2e-9).any():
        raise ModelFileError("The model's topics are not numbered by size, the largest first.")
