"""A session that has taken place, run again from a party's own folder: every sum of its fit.

With `chatham join --plain` a party keeps what it sent, unmasked, beside the totals that all parties
signed. The program of a session is the same at every party and acts on totals alone. So it is run
once more on the recorded totals, without anybody else and without sending anything, and each sum is
there again with what all started from: the step, the shared state, the total, and my part of it,
rounded as it left.

A folder is a file like any other, which may be damaged or made up. Its ledger is checked against
itself, against the totals and the signatures under them, and the numbers against the ledger's
hashes; shapes must fit the totals; and the counts of documents must be those of the documents that
are said to have taken part.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.audit.observing import Round
from chatham.commons import Commons, Memory
from chatham.commons.counting import count_documents
from chatham.commons.fixed_point import MOST_BITS, Layout, decode, encode, unpack
from chatham.commons.interface import Statistic, Step, name_of
from chatham.commons.precision import Precision
from chatham.commons.state import with_floats
from chatham.corpus import Corpus
from chatham.errors import CheckpointError, FileError, InputError, ProtocolError
from chatham.federation.party.epochs import END
from chatham.federation.party.ledger import PLAIN, kept_name, read_ledger
from chatham.federation.party.party import first_state, hash_state
from chatham.federation.party.records import Rounds
from chatham.federation.party.verifying import verify_ledger
from chatham.federation.program import count_word_documents, counted_as, fit_between, program_of
from chatham.federation.question import ask
from chatham.federation.scores import ScoreRules
from chatham.federation.session import Session, read_session
from chatham.federation.words import agree_vocabulary
from chatham.model.topic_model import TopicModel
from chatham.notes import ChathamWarning

Parts = tuple[NDArray[Any], ...]

SESSION = "session.toml"
KINDS = {"f": "f", "i": "i", "u": "i", "b": "i"}
"""Whether arrays of a numpy kind are added up as floats or as whole numbers."""


class Told(NamedTuple):
    """One sum of a session that has taken place."""

    step: Step
    shared: tuple[Any, ...]
    """What all parties started from."""
    deviations: tuple[float, ...]
    """The standard deviation of the noise that each party added to each array."""
    bits: tuple[int, ...]
    """The fraction bits of each array."""
    total: Parts
    mine: Parts
    """What I sent, as the others would see it without masks: with its noise, on the grid."""


@dataclass(frozen=True)
class Replay:
    """A fit that has taken place."""

    session: Session
    told: tuple[Told, ...]
    """The sums of the fit itself, in order."""
    model: TopicModel
    rows: sp.csr_array
    """My documents as they entered the fit."""
    counts: sp.csr_array
    """The same, counted and not weighted."""
    ids: tuple[str, ...]
    frequencies: NDArray[np.int64] | None
    """How many documents of all parties have each word, as far as that was told."""

    @property
    def parties(self) -> int:
        """How many took part."""
        return len(self.session.parties)

    @property
    def scale(self) -> NDArray[np.float64]:
        """What the counts of each word were multiplied by before the fit."""
        vectorizer = self.model.vectorizer
        idf = None if vectorizer is None else vectorizer.idf
        return np.ones(self.counts.shape[1]) if idf is None else np.asarray(idf, np.float64)


def session_in(folder: Path) -> Session:
    """The session that a party's folder belongs to."""
    if not folder.is_dir():
        raise FileError(
            f"There is no folder '{folder}'; give the one that 'chatham join' was given.",
            path=folder,
        )
    path = folder / SESSION
    if not path.is_file():
        raise FileError(
            f"'{folder}' isn't a party's folder, since it has no {SESSION}; give the one that "
            "'chatham join' was given.",
            path=path,
        )
    return read_session(path)


def replay(folder: Path, corpus: Corpus, session: Session | None = None) -> Replay:
    """Run a session's fit again, from what a party kept of it in its folder.

    `corpus` holds the documents with which the party took part, read as the session counts words
    (`read_for`). A session that wasn't joined from the command line is given as `session`.
    """
    session = session_in(folder) if session is None else session
    program = program_of(session)
    records = Records(folder, session)
    fitted = ScoreRules.of(session.score).split(corpus, session.seed)[0]
    made: list[Replayed] = []

    def meet(rows: list[Any], about: bytes) -> Replayed:
        made.append(Replayed(rows[0], records, session))
        return made[-1]

    with _quietly():
        ask(meet([None], b""), session.roster_changed_know)
        begun = records.position
        words = agree_vocabulary(
            meet([program.words.offered(fitted)], b""), policy=program.words.policy
        )
        records.position = begun  # the program agrees on words itself
        model = fit_between(meet, program, [fitted])
    told = [each for commons in made for each in commons.told]
    totals = [each.total[0] for each in told if each.step is count_word_documents]
    frequencies = totals[-1] if totals else words.document_frequencies
    (counts,) = counted_as(session, [fitted], model.vocabulary)
    return Replay(
        session, tuple(made[-1].told), model, sp.csr_array(made[-1].rows), sp.csr_array(counts),
        tuple(str(each) for each in fitted.ids), frequencies,
    )  # fmt: skip


@contextmanager
def _quietly() -> Iterator[None]:
    """Whoever took part was told already."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChathamWarning)
        yield


class Replayed(Commons):
    """A commons whose sums are those of the records, one after the other."""

    private = True
    index = 0

    def __init__(self, rows: Any, records: Records, session: Session) -> None:
        self.rows, self._records = rows, records
        self.holders = len(session.parties)
        self.n_features = int(getattr(rows, "shape", (0, 0))[1])
        self.exact_totals, self.privacy = session.exact_totals_know, session.promised
        self.told: list[Told] = []

    def _total(
        self, step: Step, shared: tuple[Any, ...], precision: Precision
    ) -> Statistic | tuple[Statistic, ...]:
        shared = self.agreed(*shared)
        sent = self._records.take(step)
        self._check_documents(step, sent.mine)
        deviations = tuple(precision.deviations(len(sent.mine)))
        self.told.append(Told(step, shared, deviations, sent.bits, sent.total, sent.mine))
        return sent.total if len(sent.total) > 1 else sent.total[0]

    def normed_sum(self, step: Step, *shared: Any, noise: float = 0.0) -> Statistic:
        """Refused: only a direction is seen of such a sum, and no party's part of it."""
        raise InputError(
            "This session adds up over direct links, where nobody sees a total, nor a part of "
            "one; audit its documents without the session's folder instead."
        )

    def agreed(self, *shared: Any) -> tuple[Any, ...]:
        """The shared state, or the first party's where machines differed."""
        if self._records.comes_next(hash_state):
            self._records.take(hash_state)
            if self._records.comes_next(first_state):
                (halves,) = self._records.take(first_state).total
                return with_floats(shared, halves.astype("<u4").view("<f8").astype(np.float64))
        return shared

    def _forget(self) -> None:
        """Nothing is remembered: nothing is computed."""

    def _check_documents(self, step: Step, mine: Parts) -> None:
        """Refuse documents other than those that took part: they were counted in the session."""
        if step not in (count_documents, count_word_documents) or self.rows is None:
            return
        counted = step(self.rows, Memory())
        here = counted if isinstance(counted, tuple) else (counted,)
        if not all(np.array_equal(a, b) for a, b in zip(here, mine, strict=True)):
            raise InputError(
                "These aren't the documents with which this party took part: the session counted "
                "others. Give the file that was given to 'chatham join --corpus', read alike."
            )


class Sent(NamedTuple):
    """One round: its total, and what I sent."""

    bits: tuple[int, ...]
    total: Parts
    mine: Parts


class Records:
    """The rounds in a party's folder, checked, one after the other."""

    def __init__(self, folder: Path, session: Session) -> None:
        self._folder, self._holders = folder, len(session.parties)
        if not (folder / PLAIN).is_dir():
            raise FileError(
                f"'{folder}' has no plain ledger, so what was sent isn't known any more; with "
                "'chatham join --plain' a party keeps what leaves, readable in its folder alone.",
                path=folder,
            )
        verdict = verify_ledger(folder, session)
        if not verdict.is_sound:
            raise FileError(
                f"The ledger in '{folder}' isn't what was written, or its session is another: "
                f"{verdict.faults[0]} See 'chatham ledger {folder} --verify'.",
                path=folder,
            )
        self._rounds = Rounds(folder / "rounds", session.hash, session.keys)
        self._lines: dict[int, dict[int, dict[str, Any]]] = {}
        for line in read_ledger(folder):
            if line["event"] == "left" and type(line["round"]) is int:
                self._lines.setdefault(line["round"], {})[_array_of(line)] = line
        self.position = 0

    def comes_next(self, step: Step) -> bool:
        """Whether the next round is this step's."""
        lines = self._lines.get(self.position + 1, {})
        return bool(lines) and lines[min(lines)].get("statistic") == name_of(step)

    def take(self, step: Step) -> Sent:
        """The next round, which must be this step's."""
        number = self.position + 1
        words = self._words(number)
        lines = [line for _, line in sorted(self._lines.get(number, {}).items())]
        if not lines or any(line.get("statistic") != name_of(step) for line in lines):
            raise FileError(
                f"Round {number} in '{self._folder}' isn't the one that the session's program has "
                "there; the folder is of another program, or of another version of Chatham.",
                path=self._folder,
            )
        layout = self._layout(number, lines, len(words))
        mine = tuple(self._plain(line) for line in lines)
        self.position = number
        rounded = tuple(
            _rounded(array, kind, bits, self._holders)
            for array, kind, bits in zip(mine, layout.kinds, layout.bits, strict=True)
        )
        return Sent(layout.bits, unpack(layout, words), rounded)

    def _words(self, number: int) -> NDArray[np.uint64]:
        try:
            record = self._rounds.total(number) if number <= self._rounds.completed else None
        except (CheckpointError, ProtocolError) as error:
            raise FileError(str(error), path=self._folder) from None
        if record is None or record.digest == END:
            raise FileError(
                f"The session in '{self._folder}' ended, or was stopped, after "
                f"{self.position:,} rounds, before its model was there; audit it when it is "
                "finished.",
                path=self._folder,
            )
        return record.words

    def _layout(self, number: int, lines: list[dict[str, Any]], size: int) -> Layout:
        """The arrays of a round; whatever a line says must fit the total, which all signed."""
        arrays = [_described(line) for line in lines]
        described = [array for array in arrays if array is not None]
        numbers = [_array_of(line) for line in lines]
        sizes = [math.prod(shape) for shape, _, _ in described]
        if len(described) < len(lines) or numbers != list(range(len(lines))) or sum(sizes) != size:
            raise FileError(
                f"What the ledger in '{self._folder}' says of round {number} doesn't fit its "
                f"total; see 'chatham ledger {self._folder} --verify'.",
                path=self._folder,
            )
        shapes, kinds, bits = (tuple(column) for column in zip(*described, strict=True))
        return Layout(shapes, kinds, bits)

    def _plain(self, line: dict[str, Any]) -> NDArray[Any]:
        """The numbers of a line, whose hash was compared with the line's already."""
        path = self._folder / PLAIN / kept_name(line)
        try:
            array = np.load(path, allow_pickle=False)
        except (OSError, ValueError, EOFError):
            raise FileError(
                f"'{path}' is missing or can't be read: what was sent in round {line['round']} "
                "isn't known any more; 'chatham join --plain' from the beginning keeps all of it.",
                path=path,
            ) from None
        if array.size != math.prod(line["shape"]) or str(array.dtype) != line["dtype"]:
            raise FileError(
                f"'{path}' has other numbers than the ledger says; see 'chatham ledger "
                f"{self._folder} --verify'.",
                path=path,
            )
        return np.asarray(array).reshape(line["shape"])  # a single number is kept as a row of one


def _array_of(line: dict[str, Any]) -> int:
    array = line.get("array")
    return array if type(array) is int else -1


def _described(line: dict[str, Any]) -> tuple[tuple[int, ...], str, int] | None:
    """An array's shape, kind and fraction bits; None if a line doesn't say any."""
    shape, bits = line.get("shape"), line.get("bits")
    try:
        kind = KINDS.get(np.dtype(str(line.get("dtype"))).kind)
    except TypeError:
        return None
    if not isinstance(shape, list) or not all(type(n) is int and n >= 0 for n in shape):
        return None
    if kind is None or type(bits) is not int or not 0 <= bits <= MOST_BITS:
        return None
    return tuple(shape), kind, bits


def _rounded(array: NDArray[Any], kind: str, bits: int, holders: int) -> NDArray[Any]:
    """What was sent of it: whole numbers as they are, others on the grid."""
    if kind == "i":
        return array
    return decode(encode(array, bits, holders), bits)


def columns_with_words(counts: sp.csr_array) -> NDArray[np.int64]:
    """How many of these documents have each word."""
    return np.bincount(counts.indices[counts.data != 0], minlength=counts.shape[1])


def rounds_seen(told: Sequence[Told], parties: int, *, mine: bool) -> list[Round]:
    """What is seen of a fit: my parts alone, or the totals."""
    return [
        Round(
            name_of(each.step).rsplit(".", 1)[1],
            each.mine if mine else each.total,
            tuple(math.sqrt(1 if mine else parties) * deviation for deviation in each.deviations),
            each.shared,
            tuple(2.0**-bits for bits in each.bits),
        )
        for each in told
    ]
