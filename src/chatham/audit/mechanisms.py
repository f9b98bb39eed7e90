"""Mechanisms: whatever turns a database into something that an adversary sees (thesis, 3.2).

A mechanism maps a database and a seed to `Observables`. The thesis's O_{A,X,Y} is all that a
coalition sees when the party of interest has X and the others have Y; here the database is X, the
documents of all who aren't in the coalition, and the coalition's own rows belong to the mechanism.
Since contributions are hidden in a sum, X is the union of the others' documents, and its size is
the effective party size of section 3.4.

`FitMechanism` makes a mechanism of any learner: the fit is run as a session between parties runs
it, noise and rounding included, and what is observed is the final model with the denominators of
its last round, or the whole transcript.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, Protocol, runtime_checkable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone

from chatham.audit.observing import Observed, Round
from chatham.audit.rounded_noise import noised_sum
from chatham.commons import Commons
from chatham.commons.fixed_point import USUAL_BITS, Layout, decode, encode, unpack
from chatham.commons.interface import Step, name_of
from chatham.commons.precision import Precision
from chatham.commons.privacy import Privacy
from chatham.commons.state import state_hash
from chatham.errors import InputError
from chatham.learners.base import TopicLearner
from chatham.notes import ChathamWarning
from chatham.wording import say

Array = NDArray[np.float64]
Parts = tuple[NDArray[Any], ...]

BLOCK = 512
"""How many rows of Ŝ are held at a time."""
VIEWS = ("model", "transcript")


@dataclass(frozen=True)
class SeenTotal:
    """One array of one round, as a coalition sees it: the sum over the others."""

    round: int
    step: str
    array: int
    """Which of the round's arrays it is."""
    cells: NDArray[Any]
    """Its numbers; words, if it has any, are the last axis."""
    by_word: bool
    """Whether its last axis is words."""
    noise: float
    """The standard deviation of the others' noise in a cell."""
    unit: float
    """The steps to which each holder rounds its part."""
    size: int
    """The number of cells over all words."""
    squares: float
    """The sum of their squares over all words."""


@dataclass(frozen=True)
class Observables:
    """What an adversary sees of one run, over all words or about some of them only.

    Statistics look at a document's own words and at a few totals over all words. `about` keeps just
    these, and what is left of a model is small enough to be stored by the thousand.
    """

    n_words: int
    """The size of the vocabulary."""
    topics: Array | None = None
    """Topics, or directions, × words."""
    prevalence: Array | None = None
    """Each topic's share, as the model tells it."""
    denominators: Array | None = None
    """What the last round divided each topic by, over the others: W:tᵀW:t for NMF, otherwise the
    sum of all its words."""
    squares: Array | None = None
    """The squared singular values: revealed, or guessed from the coalition's own."""
    frequencies: bool = True
    """Whether topics are distributions over words, so that documents are compared as such; if not,
    documents are taken as they are."""
    totals: tuple[SeenTotal, ...] = ()
    """The transcript, where it is seen."""
    words: NDArray[np.int64] | None = None
    """The words that columns stand for, in ascending order; None for all."""
    gram: Array | None = None
    """Topics × topics, over all words."""
    row_maxima: Array | None = None
    """The largest |Ŝ| in each word's row."""
    other_maximum: float = 0.0
    """The largest |Ŝ| in the row of any word that isn't kept."""
    absolute_sum: float = 0.0
    """The sum of |Ŝ| over all pairs of words."""

    def about(self, words: NDArray[np.int64]) -> Observables:
        """What is seen of these words alone, in ascending order, and totals over all words.

        >>> seen = Observables(3, topics=np.array([[0.5, 0.25, 0.25]]))
        >>> seen.about(np.array([0, 2])).topics, seen.about(np.array([0])).gram
        (array([[0.5 , 0.25]]), array([[0.375]]))
        """
        whole = self if self.words is not None else self._measured()
        columns = words if self.words is None else np.searchsorted(self.words, words)
        others = np.ones(whole.n_words if self.words is None else len(self.words), dtype=bool)
        others[columns] = False
        maxima, elsewhere = whole.row_maxima, whole.other_maximum
        if maxima is not None:
            elsewhere = max(elsewhere, float(maxima[others].max(initial=0.0)))
            maxima = maxima[columns]
        return replace(
            whole,
            topics=None if whole.topics is None else whole.topics[:, columns],
            totals=tuple(_total_about(total, columns) for total in whole.totals),
            words=words,
            row_maxima=maxima,
            other_maximum=elsewhere,
        )

    def _measured(self) -> Observables:
        """The same, with what statistics need to know of all words."""
        if self.topics is None:
            return self
        measured = replace(self, gram=self.topics @ self.topics.T)
        if self.squares is None:
            return measured
        maxima, absolute = _sizes_of_pairs(self.topics, self.squares)
        return replace(measured, row_maxima=maxima, absolute_sum=absolute)


def _total_about(total: SeenTotal, columns: NDArray[np.int64]) -> SeenTotal:
    return replace(total, cells=total.cells[..., columns]) if total.by_word else total


def _sizes_of_pairs(directions: Array, squares: Array) -> tuple[Array, float]:
    """The largest |Ŝ| in each row of Ŝ = VΣ²Vᵀ, and the sum of all |Ŝ|, a few rows at a time."""
    scaled, maxima, absolute = directions.T * squares, [], 0.0
    for first in range(0, len(scaled), BLOCK):
        block = np.abs(scaled[first : first + BLOCK] @ directions)
        maxima.append(block.max(axis=1))
        absolute += float(block.sum())
    return np.concatenate(maxima), absolute


@runtime_checkable
class Mechanism(Protocol):
    """Whatever turns a database and a seed into observables: the same for the same two."""

    def __call__(self, database: sp.csr_array, seed: int) -> Observables:
        """Run it on these documents; all that is random follows from the seed."""

    def described(self) -> dict[str, Any]:
        """What it is, in JSON's terms: two that are described alike are the same."""


@dataclass(frozen=True)
class FitMechanism:
    """A fit between parties, as a coalition of them sees it.

    `learner` isn't changed. If it has a `random_state`, every run uses that one: in a session all
    know it. Otherwise each run draws its own. The parties' secrets, from which noise and private
    draws come, differ in every run. `own` are the coalition's rows, one matrix for each of its
    parties; none if the adversary only watches. The database is dealt out among `others` parties,
    each of which adds its own noise. With `exact_totals` it is a session whose parties all know
    that totals are exact; with `privacy` its fit is differentially private; `fraction_bits` is its
    precision. `sees` is "model" (with its last
    round's denominators) or "transcript", which is the model and every total.
    """

    learner: TopicLearner
    own: Sequence[sp.csr_array] = field(default=(), repr=False)
    others: int = 1
    sees: str = "model"
    exact_totals: bool = False
    fraction_bits: int = USUAL_BITS
    privacy: Privacy | None = None

    def __post_init__(self) -> None:
        """Refuse what isn't a session."""
        if self.sees not in VIEWS:
            raise InputError(
                say("{sees} must be 'model' or 'transcript'; got {it!r}.", it=self.sees)
            )
        if type(self.others) is not int or self.others < 1:
            raise InputError(
                say(
                    "{others} must be a whole number of at least 1, the parties that share the "
                    "database; got {it!r}.",
                    it=self.others,
                )
            )

    def __call__(self, database: sp.csr_array, seed: int) -> Observables:
        """Fit, and tell what the coalition sees."""
        return self._observables(*self.fitted(database, seed))

    def fitted(
        self, database: sp.csr_array, seed: int, around: Callable[[Commons], Commons] | None = None
    ) -> tuple[TopicLearner, Overheard]:
        """The fit itself, and what was heard; `around` may put a ledger around the sums."""
        if database.shape[0] < self.others:
            raise InputError(
                f"A database of {database.shape[0]} documents can't be shared by {self.others} "
                "parties; give each at least one."
            )
        commons = Overheard(
            [*self.own, *(database[first :: self.others] for first in range(self.others))],
            coalition=range(len(self.own)),
            seed=seed,
            exact_totals=self.exact_totals,
            fraction_bits=self.fraction_bits,
            privacy=self.privacy,
        )
        learner = clone(self.learner)
        if learner.random_state is None:
            learner.set_params(random_state=seed % 2**32)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ChathamWarning)  # a person would see them 400 times
            learner.fit(commons if around is None else around(commons))
        return learner, commons

    def _observables(self, learner: TopicLearner, commons: Overheard) -> Observables:
        topics, sees_all = learner.components_, self.sees == "transcript"
        return Observables(
            n_words=topics.shape[1],
            topics=topics,
            prevalence=learner.prevalence_,
            denominators=denominators_of(commons.rounds, topics),
            squares=self._squares(learner, commons),
            frequencies=are_distributions(topics),
            totals=tuple(seen_totals(commons.rounds, topics.shape[1])) if sees_all else (),
        )

    def _squares(self, learner: TopicLearner, commons: Overheard) -> Array | None:
        """Σ² where the fit reveals it, or else Σ̂² = (nᵥ + nₐ)/nₐ · Σ_A² (thesis, 3.4.2)."""
        revealed = getattr(learner, "singular_values_", None)
        if revealed is None:
            return None
        if len(revealed):
            return np.asarray(revealed) ** 2
        if not self.own:
            return None
        n_own = sum(part.shape[0] for part in self.own)
        n_all = sum(part.shape[0] for part in commons.parts)
        return n_all / n_own * self._own_squares

    @cached_property
    def _own_squares(self) -> Array:
        """Σ_A², once for all runs: it takes longer than a fit."""
        return own_squares(self.own, self.learner.n_components)

    def described(self) -> dict[str, Any]:
        """The learner, its settings, and who takes part."""
        parameters = self.learner.get_params(deep=False)
        described: dict[str, Any] = {
            "learner": f"{type(self.learner).__module__}.{type(self.learner).__qualname__}",
            "parameters": {name: _plain(value) for name, value in sorted(parameters.items())},
            "own": [state_hash(sp.csr_array(part)).hex() for part in self.own],
            "others": self.others,
            "sees": self.sees,
            "exact_totals": self.exact_totals,
            "fraction_bits": self.fraction_bits,
        }
        return described | ({} if self.privacy is None else {"privacy": self.privacy.as_plain()})


def are_distributions(topics: Array) -> bool:
    """Whether each topic gives every word a probability, or a topic is empty."""
    sums = topics.sum(axis=1)
    return bool(topics.min() >= 0 and (np.isclose(sums, 1.0, atol=1e-6) | (sums == 0)).all())


class Overheard(Observed):
    """`Observed`, many times over: totals have the same law, and cost less.

    Masks cancel in the sum, so there are none. Noise has to be as that of a session and needn't
    hide anything, so it comes from a fast generator instead of a cipher, and that of all who aren't
    in the coalition from one draw where they have nothing else to tell (see `rounded_noise`).
    Without noise every total is that of `Observed`, bit for bit.
    """

    def __init__(
        self, parts: Sequence[Any], coalition: Sequence[int], *, seed: int, **more: Any
    ) -> None:
        secrets = [_secret(seed, holder) for holder in range(len(parts))]
        super().__init__(parts, coalition, secrets=secrets, **more)

    def _masked(
        self, step: Step, shared: tuple[Any, ...], precision: Precision
    ) -> tuple[Parts, bool]:
        parts, is_tuple = self._parts(step, shared)
        documents = None if self.counted is None else self.counted.documents
        bits = precision.bits(parts[0], documents, self.holders, self.fraction_bits)
        deviations = precision.deviations(len(bits))
        seen = [
            self._seen(number, [each[number] for each in parts], deviation, bits[number])
            for number, deviation in enumerate(deviations)
        ]
        totals, others = (tuple(arrays) for arrays in zip(*seen, strict=True))
        self._saw(step, others, precision, bits, shared)
        return totals, is_tuple

    def _parts(self, step: Step, shared: tuple[Any, ...]) -> tuple[list[Parts], bool]:
        """Each holder's arrays, without noise."""
        parts: list[Parts] = []
        for memory, rows in zip(self._memories, self.parts, strict=True):
            mine, is_tuple = self._run(step, rows, memory, shared)
            parts.append(mine)
            shapes, first = ([array.shape for array in each] for each in (mine, parts[0]))
            if shapes != first:
                raise self._shapes_differ(shapes, first, memory, step)
        return parts, is_tuple

    def _seen(
        self, number: int, parts: list[NDArray[Any]], deviation: float, bits: int
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """One array's total, and what is left of it for the coalition."""
        if deviation == 0 or parts[0].dtype.kind != "f":
            words = [encode(part, bits, self.holders) for part in parts]
            kind = "f" if parts[0].dtype.kind == "f" else "i"
            layout = Layout((parts[0].shape,), (kind,), (bits,))
            (total,) = unpack(layout, sum(words[1:], start=words[0]).ravel())
            own = [unpack(layout, words[member].ravel())[0] for member in self.coalition]
            return total, np.asarray(total - sum(own))
        others = [holder for holder in range(self.holders) if holder not in self.coalition]
        shares = [
            noised_sum(
                [parts[holder] for holder in group], deviation, bits, self.holders,
                self._noise_seed(group, number),
            )
            for group in (others, self.coalition)
            if group
        ]  # fmt: skip
        total = decode(sum(shares[1:], start=shares[0]).view(np.uint64), bits)
        if not self.coalition:
            return total, total.copy()
        return total, decode(shares[0].view(np.uint64), bits) if others else np.zeros_like(total)

    def _noise_seed(self, group: Sequence[int], number: int) -> int:
        """What the noise of these holders in one array of this round follows from."""
        keys = b"".join(self._memories[holder].key for holder in group)
        steps = self._memories[0].steps
        return int.from_bytes(sha256(keys + b"%d %d" % (steps, number)).digest(), "big")

    def normed_sum(self, step: Step, *shared: Any, noise: float = 0.0) -> NDArray[Any]:
        """s/‖s‖; parties that hide the norm see nothing else, so nothing is taken off."""
        direction = super().normed_sum(step, *shared, noise=noise)
        name = name_of(step).rsplit(".", 1)[1]
        self.rounds[-1] = Round(name, (direction,), (0.0,), shared, (0.0,))
        return direction


def denominators_of(rounds: Sequence[Round], topics: Array) -> Array | None:
    """What topics were divided by in the last round that started from topics like these.

    Weight × weight has them on its diagonal; where only words by topic are added up, a topic is
    divided by the sum of its words. Topics are numbered by size after the last round, so those of
    the round are matched with the model's. None if no round added up anything of the kind.
    """
    k, d = topics.shape
    for seen in reversed(rounds):
        start = next((each for each in seen.shared if np.shape(each) == (k, d)), None)
        if start is None:
            continue
        for total in seen.others:
            if total.shape == (k, k):
                return np.diag(total)[_matched(start, topics)].astype(np.float64)
        for total in seen.others:
            if total.shape in ((k, d), (d, k)):
                by_topic = total.sum(axis=1 if total.shape == (k, d) else 0)
                return by_topic[_matched(start, topics)].astype(np.float64)
    return None


def _matched(start: Array, topics: Array) -> NDArray[np.int64]:
    """For each of the topics, which of those at the start of the round is the same."""
    distances = (start**2).sum(axis=1) - 2 * topics @ start.T
    return np.asarray(linear_sum_assignment(distances)[1])


def seen_totals(rounds: Sequence[Round], n_words: int) -> list[SeenTotal]:
    """A transcript as one list of arrays, with words as the last axis of those that have any."""
    totals = []
    for number, seen in enumerate(rounds):
        for array, (cells, noise, unit) in enumerate(
            zip(seen.others, seen.noise, seen.units, strict=True)
        ):
            by_word = n_words in cells.shape
            if by_word:
                cells = np.moveaxis(cells, cells.shape.index(n_words), -1)
            size, squares = cells.size, float(np.square(cells, dtype=np.float64).sum())
            totals.append(
                SeenTotal(number, seen.step, array, cells, by_word, noise, unit, size, squares)
            )
    return totals


def own_squares(own: Sequence[sp.csr_array], k: int) -> Array:
    """The k largest squared singular values of the coalition's rows; zeros beyond their number."""
    rows = sp.csr_array(sp.vstack([sp.csr_array(part, dtype=np.float64) for part in own]))
    # The smaller of XXᵀ and XᵀX has the same values.
    gram = rows @ rows.T if rows.shape[0] <= rows.shape[1] else rows.T @ rows
    values = np.linalg.eigvalsh(gram.toarray())[::-1][:k]
    return np.pad(np.maximum(values, 0.0), (0, k - len(values)))


def _secret(seed: int, holder: int) -> bytes:
    return sha256(b"chatham audit %d %d" % (seed, holder)).digest()


def _plain(value: Any) -> Any:
    """A parameter in JSON's terms; arrays by their hash."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return state_hash(value).hex() if isinstance(value, np.ndarray) else repr(value)
