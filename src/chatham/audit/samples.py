"""Samples: what was observed of many databases, kept so that new statistics need no new fits.

A folder holds `plan.json`, which says what was run on what, and one `.npz` file for each batch of
databases. Of each database's observables a file has what statistics of the targets can ask for:
topics and totals at the words that the targets have, topics × topics, denominators, and a few sums
over all words. With 7 topics and 25 targets that is some 100 kB for a database, where the whole
model would be about a megabyte and a transcript many. Where even that is too much (LDA's transcript
has hundreds of rounds), only the values of statistics chosen beforehand are kept.

Which documents a database has isn't stored, as it follows from the design and the seed. Files are
read without pickle, and checked: each names its plan by hash, and zip checks its bytes.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.audit.mechanisms import Mechanism, Observables, SeenTotal
from chatham.audit.neighbours import Database, Design
from chatham.audit.statistics import (
    Document,
    Statistic,
    applicable,
    documents_at,
    statistics_named,
    values_of,
)
from chatham.commons.state import state_hash
from chatham.errors import FileError, InputError
from chatham.naming import listed
from chatham.version import version

Array = NDArray[np.float64]

FORMAT = 1
PLAN = "plan.json"
ARRAYS = ("topics", "prevalence", "denominators", "squares", "gram", "row_maxima")
"""The observables that are arrays or None."""
SCALARS = ("n_words", "frequencies", "other_maximum", "absolute_sum")
DESCRIBED = ("round", "step", "array", "by_word", "noise", "unit", "size", "squares")
"""What is kept of a total besides its cells."""


@dataclass(frozen=True)
class Plan:
    """What is run on what: all that samples follow from."""

    mechanism: Mechanism
    counts: sp.csr_array = field(repr=False)
    """The corpus: databases are some of its rows."""
    design: Design
    seed: int = 0
    values_of: tuple[str, ...] = ()
    """Statistics whose values are kept in place of observables; none to keep observables."""
    batch: int = 20
    """How many databases are written at a time: what is lost at most if a run is killed."""

    def __post_init__(self) -> None:
        """Refuse a design of another corpus."""
        statistics_named(self.values_of)
        size = self.design.described().get("corpus_size", self.counts.shape[0])
        if size != self.counts.shape[0]:
            raise InputError(
                f"The design is for a corpus of {size:,} documents, and this one has "
                f"{self.counts.shape[0]:,}; make it for this one."
            )

    @property
    def batches(self) -> int:
        """How many batches there are."""
        return -(-self.design.databases // self.batch)

    def numbers(self, batch: int) -> range:
        """The databases of one batch."""
        return range(batch * self.batch, min((batch + 1) * self.batch, self.design.databases))

    def database(self, number: int) -> Database:
        """One database."""
        return self.design.database(number, self.seed)

    @cached_property
    def documents(self) -> list[Document]:
        """The documents in question."""
        return documents_at(self.counts, self.design.targets)

    def words(self, database: Database) -> NDArray[np.int64]:
        """The words of those documents that a database tells something about."""
        return np.unique(np.concatenate([self.documents[t].words for t in database.targets]))

    @cached_property
    def described(self) -> dict[str, Any]:
        """The whole plan in JSON's terms."""
        return {
            "format": FORMAT,
            "version": version(),
            "mechanism": self.mechanism.described(),
            "corpus": state_hash(self.counts).hex(),
            "design": self.design.described(),
            "seed": self.seed,
            "values_of": list(self.values_of),
            "batch": self.batch,
        }

    @cached_property
    def digest(self) -> bytes:
        """A hash that names the plan."""
        return sha256(json.dumps(self.described, sort_keys=True).encode()).digest()


class Records(NamedTuple):
    """One row for each database and document that it tells something about."""

    database: NDArray[np.int64]
    target: NDArray[np.int64]
    """Which of the design's targets it is."""
    present: NDArray[np.bool_]
    """Whether the database has it."""
    values: Array
    """Records × statistics."""


@dataclass
class Samples:
    """The samples of a plan; `contents` returns a batch's file, as bytes."""

    plan: Plan
    contents: Callable[[int], bytes]
    _values: dict[str, Array] = field(default_factory=dict, init=False, repr=False)

    @property
    def neighbours(self) -> str:
        """Which databases are neighbours, in words."""
        return self.plan.design.neighbours

    @cached_property
    def statistics(self) -> list[str]:
        """The names of the statistics that these samples have values of."""
        if self.plan.values_of:
            return list(self.plan.values_of)
        _, first = next(iter(self.observables(0)))
        return [each.name for each in applicable(first)]

    def observables(self, batch: int) -> Iterator[tuple[Database, Observables]]:
        """The databases of a batch, each with what was observed of it at its targets' words."""
        arrays = read_arrays(self.contents(batch), self.plan.digest)
        for number in self.plan.numbers(batch):
            database = self.plan.database(number)
            words = self.plan.words(database)
            yield database, _unpacked(arrays, f"{number}.", words)

    def records(self, names: Sequence[str] | None = None) -> Records:
        """The values of these statistics, or of all that apply."""
        names = self.statistics if names is None else list(names)
        self._compute([each for each in names if each not in self._values])
        columns = [self._values[each] for each in names]
        database, target, present = self._about
        return Records(database, target, present, np.stack(columns, axis=1))

    def arms(self, name: str, target: int) -> tuple[Array, Array]:
        """A statistic's values for a target: from databases with it, and from those without."""
        values, of_target = self.records([name]).values[:, 0], self._about[1] == target
        present = self._about[2]
        return values[of_target & present], values[of_target & ~present]

    def features(
        self, target: int, names: Sequence[str] | None = None
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Databases × statistics for a target, and which databases have it."""
        records = self.records(names)
        chosen = records.target == target
        return records.values[chosen], records.present[chosen]

    @cached_property
    def _about(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        databases = [self.plan.database(n) for n in range(self.plan.design.databases)]
        numbers = [np.full(len(each.targets), n) for n, each in enumerate(databases)]
        return (
            np.concatenate(numbers),
            np.concatenate([each.targets for each in databases]),
            np.concatenate([each.present for each in databases]),
        )

    def _compute(self, names: Sequence[str]) -> None:
        """Compute what isn't there yet, batch by batch, all statistics at once."""
        if not names:
            return
        unknown = [name for name in names if name not in self.statistics]
        statistics_named(names)
        if unknown:
            raise InputError(
                f"These samples can't tell {listed(unknown)}, for which other things would have to "
                f"be observed; they tell {listed(self.statistics)}."
            )
        rows: list[Array] = []
        for batch in range(self.plan.batches):
            rows.append(self._stored(batch) if self.plan.values_of else self._new(batch, names))
        computed = self.plan.values_of or names
        for name, column in zip(computed, np.concatenate(rows).T, strict=True):
            self._values[name] = column

    def _stored(self, batch: int) -> Array:
        arrays = read_arrays(self.contents(batch), self.plan.digest)
        return np.concatenate([arrays[f"{number}.values"] for number in self.plan.numbers(batch)])

    def _new(self, batch: int, names: Sequence[str]) -> Array:
        statistics = statistics_named(names)
        return np.concatenate(
            [
                values_for_targets(self.plan, statistics, database, seen)
                for database, seen in self.observables(batch)
            ]
        )


def values_for_targets(
    plan: Plan, statistics: Sequence[Statistic], database: Database, seen: Observables
) -> Array:
    """Targets × statistics, of one database."""
    documents = [plan.documents[target] for target in database.targets]
    return np.array([values_of(statistics, seen, each) for each in documents])


def packed(plan: Plan, batch: int, runs: Sequence[tuple[Database, Observables]]) -> bytes:
    """A batch's file: the same bytes for the same runs."""
    arrays: dict[str, NDArray[Any]] = {"plan": np.frombuffer(plan.digest, np.uint8)}
    for number, (database, seen) in zip(plan.numbers(batch), runs, strict=True):
        about = seen.about(plan.words(database))
        if plan.values_of:
            statistics = statistics_named(plan.values_of)
            values = values_for_targets(plan, statistics, database, about)
            arrays[f"{number}.values"] = values
        else:
            arrays |= _packed(about, f"{number}.")
    content = BytesIO()
    np.savez(content, **arrays)  # type: ignore[arg-type]
    return content.getvalue()


def _packed(seen: Observables, prefix: str) -> dict[str, NDArray[Any]]:
    arrays = {prefix + name: getattr(seen, name) for name in ARRAYS}
    arrays = {name: array for name, array in arrays.items() if array is not None}
    arrays[prefix + "scalars"] = np.array([float(getattr(seen, name)) for name in SCALARS])
    if seen.totals:
        described = [{name: asdict(total)[name] for name in DESCRIBED} for total in seen.totals]
        arrays[prefix + "totals"] = np.frombuffer(json.dumps(described).encode(), np.uint8)
        for number, total in enumerate(seen.totals):
            arrays[f"{prefix}total.{number}"] = total.cells
    return arrays


def _unpacked(
    arrays: Mapping[str, NDArray[Any]], prefix: str, words: NDArray[np.int64]
) -> Observables:
    try:
        n_words, frequencies, *sizes = arrays[prefix + "scalars"].tolist()
        totals = _totals(arrays, prefix)
    except (KeyError, ValueError, TypeError):
        raise FileError(_damaged(f"database {prefix[:-1]} isn't whole")) from None
    seen = {name: arrays.get(prefix + name) for name in ARRAYS}
    if seen["topics"] is not None and seen["topics"].shape[1:] != (len(words),):
        raise FileError(_damaged(f"the topics of database {prefix[:-1]} have other words"))
    return Observables(
        n_words=int(n_words),
        frequencies=bool(frequencies),
        words=words,
        totals=totals,
        **seen,  # type: ignore[arg-type]
        **dict(zip(SCALARS[2:], sizes, strict=True)),
    )


def _totals(arrays: Mapping[str, NDArray[Any]], prefix: str) -> tuple[SeenTotal, ...]:
    if prefix + "totals" not in arrays:
        return ()
    described = json.loads(arrays[prefix + "totals"].tobytes())
    return tuple(
        SeenTotal(cells=arrays[f"{prefix}total.{number}"], **each)
        for number, each in enumerate(described)
    )


def read_arrays(content: bytes, digest: bytes) -> dict[str, NDArray[Any]]:
    """The arrays of a batch's file, if it is whole and of this plan."""
    try:
        with np.load(BytesIO(content), allow_pickle=False) as file:
            arrays = dict(file)
    except (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile):
        raise FileError(_damaged("it can't be read")) from None
    if "plan" not in arrays or arrays["plan"].tobytes() != digest:
        raise FileError(_damaged("it belongs to another plan"))
    return arrays


def _damaged(why: str) -> str:
    return f"A file of samples can't be used, since {why}; remove it, and it will be made again."


@dataclass(frozen=True)
class SampleFolder:
    """A plan's files."""

    path: Path
    plan: Plan

    def open(self) -> None:
        """Make the folder, or check that it is this plan's."""
        self.path.mkdir(parents=True, exist_ok=True)
        file = self.path / PLAN
        if not file.exists():
            write_whole(file, (json.dumps(self.plan.described, indent=1) + "\n").encode())
            return
        try:
            written = json.loads(file.read_bytes())
        except ValueError:
            raise FileError(f"{file} isn't a plan; choose another folder.", path=file) from None
        ours = json.loads(json.dumps(self.plan.described))
        if written != ours:
            differ = [key for key in ours if dict(written).get(key) != ours[key]]
            raise FileError(
                f"{self.path} holds samples of another plan: {listed(differ)} differ; choose "
                "another folder, or the same plan.",
                path=file,
            )

    def file(self, batch: int) -> Path:
        """Where a batch is, or will be."""
        return self.path / f"batch-{batch:05d}.npz"

    def read(self, batch: int) -> bytes:
        """A batch's file."""
        return self.file(batch).read_bytes()

    def write(self, batch: int, content: bytes) -> None:
        """Write a batch: whole, or not at all."""
        write_whole(self.file(batch), content)

    def missing(self) -> list[int]:
        """The batches that are still to be made: a damaged file is as good as none."""
        return [batch for batch in range(self.plan.batches) if not self._is_whole(batch)]

    def _is_whole(self, batch: int) -> bool:
        if not self.file(batch).exists():
            return False
        try:
            read_arrays(self.read(batch), self.plan.digest)
        except FileError:
            return False
        return True


def write_whole(file: Path, content: bytes) -> None:
    """Write a file under another name and rename it, so that a kill leaves no half of it."""
    part = file.with_name(file.name + ".part")
    with part.open("wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    part.replace(file)
